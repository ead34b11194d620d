# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces with a wire between them that can lose packets. They have no link to
anything else, and go when the block ends. Needs root, iproute2 and iptables."""

import itertools
import os
import subprocess

from .process import ProcessError

NUMBERS = itertools.count()
NEAR, FAR = "198.18.0.1", "198.18.0.2"


def _run(*argv, check=True):
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise ProcessError(f"{' '.join(argv)}: {done.stderr.strip()}")
    return done


def available():
    """Whether this machine lets us make namespaces; why not, otherwise."""
    if os.geteuid() != 0:
        return "namespaces need root"
    name = f"sp-try-{os.getpid()}"
    done = _run("ip", "netns", "add", name, check=False)
    _run("ip", "netns", "delete", name, check=False)
    return "" if done.returncode == 0 else f"no namespaces here: {done.stderr.strip()}"


class Wire:
    """`near` and `far` are prefixes for commands that are to run at either end, whose addresses are
    NEAR and FAR."""

    def __init__(self):
        number = next(NUMBERS)
        self._names = [f"sp-{os.getpid()}-{number}-{end}" for end in ("near", "far")]
        self.near, self.far = (["ip", "netns", "exec", name] for name in self._names)

    def __enter__(self):
        try:
            for name in self._names:
                _run("ip", "netns", "add", name)
                _run("ip", "-n", name, "link", "set", "lo", "up")
            near, far = self._names
            peer = ("type", "veth", "peer", "name", "wire", "netns", far)
            _run("ip", "link", "add", "wire", "netns", near, *peer)
            for name, address in zip(self._names, (NEAR, FAR)):
                _run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "wire")
                _run("ip", "-n", name, "link", "set", "wire", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self._names:
            _run("ip", "netns", "delete", name, check=False)

    def lose(self, share):
        """From now on each packet gets lost with that probability, whatever its direction; 1 is a
        black hole, 0 a good wire. Lost on arrival: the sender must not notice."""
        for prefix in (self.near, self.far):
            _run(*prefix, "iptables", "-t", "raw", "-F", "PREROUTING")
            if share:
                rule = ("-m", "statistic", "--mode", "random", "--probability", str(share))
                table = (*prefix, "iptables", "-t", "raw", "-A", "PREROUTING", "-i", "wire")
                _run(*table, *(rule if share < 1 else ()), "-j", "DROP")
