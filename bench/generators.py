# SPDX-License-Identifier: Apache-2.0
"""One measurement of one server: `signpost load` or wrk in a closed loop."""

import json
import os
import re
import resource
import subprocess
import time
from pathlib import Path

from servers import DOMAIN, HOSTS, TARGET, cpu_seconds, pinned, program

WRK = """
local requests = {{}}
for i = 0, {hosts} - 1 do
  requests[i] = "GET / HTTP/1.1\\r\\nHost: h" .. i .. ".{domain}\\r\\n\\r\\n"
end
request = function() return requests[math.random(0, {hosts} - 1)] end
"""
UNITS_MS = {"us": 0.001, "ms": 1, "s": 1000}


class GeneratorError(Exception):
    """A measurement that says nothing, since not every answer was right."""


def _busy_seconds():
    """What all cores have worked since the machine was started."""
    fields = [int(field) for field in Path("/proc/stat").read_text("ascii").split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def _child_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class _Clocks:
    """CPU time of the server, of the generator and of everything else."""

    def __init__(self, server, resolver):
        self._server, self._resolver = server, resolver
        self._begin = self._read()

    def _read(self):
        resolver = cpu_seconds(self._resolver.popen.pid)
        server = self._server.cpu_seconds()
        return time.monotonic(), server, _child_seconds(), resolver, _busy_seconds()

    def figures(self, requests):
        wall, server, generator, resolver, busy = (
            end - begin for begin, end in zip(self._begin, self._read())
        )
        return {
            "requests": requests,
            "server_us": server / requests * 1e6,
            "generator_us": generator / requests * 1e6,
            "resolver_us": resolver / requests * 1e6,
            "foreign_cores": max(0.0, busy - server - generator - resolver) / wall,
        }


class Generators:
    """Both of them, on `core`; what they read and write is in `directory`."""

    def __init__(self, directory, binary, core, options):
        self._binary, self._core, self._options = binary, core, options
        self._result = directory / "load.json"
        self._targets = directory / "targets.tsv"
        self._targets.write_text(
            "".join(f"h{i}.{DOMAIN}\t/\t302\t{TARGET}\n" for i in range(HOSTS))
        )
        self._script = directory / "hosts.lua"
        self._script.write_text(WRK.format(hosts=HOSTS, domain=DOMAIN))

    def measure(self, series, server, resolver, seconds):
        """A sample: rates, times, and what they cost."""
        clocks = _Clocks(server, resolver)
        run = self._wrk if series["generator"] == "wrk" else self._load
        sample = run(server.port(series["http"]), series["http"], seconds)
        server.empty_log()
        return {**sample, **clocks.figures(sample["requests"])}

    def shape(self, http):
        """Connections, and requests under way on each."""
        if http == "2":
            return self._options.http2_connections, self._options.streams
        return self._options.connections, 1

    def _load(self, port, http, seconds):
        connections, streams = self.shape(http)
        argv = [self._binary, "load", "--connect", f"127.0.0.1:{port}", "--duration", seconds]
        argv += ["--connections", connections, "--json", self._result]
        argv += ["--http", "2", "--streams", streams] if http == "2" else []
        done = subprocess.run(
            pinned(self._core, *argv, self._targets), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise GeneratorError(f"signpost load: {done.stderr or done.stdout}")
        found = json.loads(self._result.read_text())
        return {
            "rate": found["throughput_rps"],
            "requests": found["requests"]["ok"],
            "p50_ms": found["service"]["p50_us"] / 1000,
            "p99_ms": found["service"]["p99_us"] / 1000,
        }

    def _wrk(self, port, _http, seconds):
        argv = [program("wrk"), "-t1", f"-c{self._options.connections}", f"-d{seconds}s"]
        argv += ["--latency", "--timeout", "10s", "-s", self._script, f"http://127.0.0.1:{port}/"]
        done = subprocess.run(
            pinned(self._core, *argv), capture_output=True, text=True, check=False
        )
        wrong = re.search(r"Non-2xx or 3xx responses: .*|Socket errors: .*", done.stdout)
        if done.returncode != 0 or wrong:
            raise GeneratorError(f"wrk: {wrong[0] if wrong else done.stderr}")
        return {
            "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1]),
            "requests": int(re.search(r"(\d+) requests in", done.stdout)[1]),
            "p50_ms": _wrk_latency(done.stdout, "50%"),
            "p99_ms": _wrk_latency(done.stdout, "99%"),
        }


def _wrk_latency(text, row):
    value, unit = re.search(rf"^\s+{row}\s+([\d.]+)(us|ms|s)\b", text, re.MULTILINE).groups()
    return float(value) * UNITS_MS[unit]
