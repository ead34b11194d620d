# SPDX-License-Identifier: Apache-2.0
"""NSD with a zone file, and Unbound with its cache in front of it, both on loopback in a directory
of their own, run by whoever runs the test."""

import os
import socket
import tempfile
from pathlib import Path

from . import dns_wire as wire
from .ports import free_port
from .process import Process, ProcessError, wait_until

NSD_CONF = """
server:
  ip-address: 127.0.0.1@{port}
  server-count: 1
  username: ""
  zonesdir: "{directory}"
  database: ""
  pidfile: "{directory}/nsd.pid"
  xfrdfile: "{directory}/xfrd.state"
  zonelistfile: "{directory}/zone.list"
  xfrdir: "{directory}"
  logfile: "{directory}/nsd.log"
  rrl-ratelimit: 0
remote-control:
  control-enable: no
"""

UNBOUND_CONF = """
server:
  interface: 127.0.0.1@{port}
  do-ip6: no
  chroot: ""
  username: ""
  directory: "{directory}"
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 0
  num-threads: 1
  do-daemonize: no
  do-not-query-localhost: no
  module-config: "iterator"
  serve-expired: no
  infra-host-ttl: 1
remote-control:
  control-enable: no
"""

UNBOUND_ZONE = """
server:
  local-zone: "{apex}." nodefault
  domain-insecure: "{apex}."
stub-zone:
  name: "{apex}."
  stub-addr: 127.0.0.1@{port}
  stub-prime: no
"""

PROGRAM_DIRECTORIES = ("/usr/sbin", "/usr/local/sbin")


def program(name):
    for directory in os.environ.get("PATH", "").split(":") + list(PROGRAM_DIRECTORIES):
        path = os.path.join(directory, name)
        if os.access(path, os.X_OK):
            return path
    raise ProcessError(f"{name} is needed and not installed")


def answers(port, name, transport_timeout=0.2):
    """Does a server at this port answer a question for this name, whatever the answer?"""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(transport_timeout)
        try:
            sock.sendto(wire.build_query(name, wire.SOA, ident=7), ("127.0.0.1", port))
            return wire.parse_response(sock.recv(4096)).rcode == wire.NOERROR
        except (OSError, wire.WireError):
            return False


class _Server(Process):
    """A DNS server that is up once it answers for `apexes`."""

    def __init__(self, argv, port, apexes, statuses):
        super().__init__(argv, statuses=statuses)
        self.port, self._apexes = port, apexes

    def __enter__(self):
        self.start()

        def up():
            return not self.running() or all(answers(self.port, apex) for apex in self._apexes)

        if not wait_until(up, timeout=20) or not self.running():
            self.kill()
            raise ProcessError(f"{self.name} does not answer\n{self.err_text}")
        return self


class ResolverChain:
    """`zones`: apex → path of its zone file. `resolver` is Unbound's address; `nsd` and `unbound`
    are the running processes."""

    def __init__(self, zones):
        self._zones = zones
        self._temporary = tempfile.TemporaryDirectory(prefix="signpost-chain-")
        self.directory = Path(self._temporary.name)
        self.nsd_port, self.unbound_port = free_port(), free_port()
        self.nsd = self.unbound = None

    @property
    def resolver(self):
        return f"127.0.0.1:{self.unbound_port}"

    def __enter__(self):
        try:
            self.start_nsd()
            self.start_unbound()
        except BaseException:
            self.__exit__(None)
            raise
        return self

    def start_nsd(self):
        text = NSD_CONF.format(port=self.nsd_port, directory=self.directory)
        for apex, path in self._zones.items():
            text += f'zone:\n  name: "{apex}"\n  zonefile: "{path}"\n'
        path = self.directory / "nsd.conf"
        path.write_text(text)
        argv = [program("nsd"), "-d", "-c", path]
        self.nsd = _Server(argv, self.nsd_port, list(self._zones), (0, -15)).__enter__()

    def start_unbound(self):
        text = UNBOUND_CONF.format(port=self.unbound_port, directory=self.directory)
        text += "".join(UNBOUND_ZONE.format(apex=a, port=self.nsd_port) for a in self._zones)
        path = self.directory / "unbound.conf"
        path.write_text(text)
        argv = [program("unbound"), "-d", "-c", path]
        self.unbound = _Server(argv, self.unbound_port, list(self._zones), (0,)).__enter__()

    def stop_nsd(self):
        self.nsd.stop()
        self.nsd = None

    def __exit__(self, *_):
        for server in (self.unbound, self.nsd):
            if server is not None:
                server.kill()
        self._temporary.cleanup()
