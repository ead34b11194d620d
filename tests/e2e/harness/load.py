# SPDX-License-Identifier: Apache-2.0
"""`signpost load` as a client of tests: requests at intended times, each answer checked."""

import json

from .process import ProcessError, run
from .signpost import binary, clean_environment


def measure(where, targets, rate, seconds, connections=16, timeout=10, prefix=()):
    """What `signpost load --json -` tells of so many requests a second, for some seconds, and
    `failed` beside it: how many were not answered as expected. `targets` are lines for its file,
    taken in turn; `prefix` is a command that it runs under."""
    argv = [*prefix, binary(), "load", "--connect", f"{where[0]}:{where[1]}", "--json", "-"]
    argv += ["--rate", str(rate), "--arrivals", "constant", "--duration", str(seconds)]
    argv += ["--connections", str(connections), "--timeout", str(timeout), "--names", "sequential"]
    lines = "".join(f"{line}\n" for line in targets)
    done = run([*argv, "-"], clean_environment(), seconds + timeout + 60, lines.encode())
    if done.returncode not in (0, 1) or not done.stdout:
        raise ProcessError(f"signpost load: {done.stderr}")
    found = json.loads(done.stdout)
    return {**found, "failed": found["requests"]["due"] - found["requests"]["ok"]}
