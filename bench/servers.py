# SPDX-License-Identifier: Apache-2.0
"""The servers that are measured, one worker each, all of them answering every request with the same
redirect, and the resolver that signpost asks."""

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "e2e"))

from harness import http1  # noqa: E402
from harness.ports import free_port  # noqa: E402
from harness.process import Process, ProcessError, wait_until  # noqa: E402

HOSTS = 1000
DOMAIN = "bench.example"
TARGET = "https://target.example.net/landing/"
UNBOUND = """
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
  local-zone: "{domain}." static
remote-control:
  control-enable: no
server:
"""
NGINX = """
daemon off; master_process off; pid {name}.pid; error_log {name}.err;
events {{ worker_connections 4096; }}
http {{
  access_log {log}; keepalive_requests 1000000000; client_body_temp_path body;
  proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{ listen 127.0.0.1:{http1}; return 302 {target}; }}
  server {{ listen 127.0.0.1:{http2} http2; return 302 {target}; }}
}}
"""
# h2o speaks both versions at one port.
H2O = """
num-threads: 1
{user}
pid-file: {name}.pid
error-log: {name}.err
{log}
hosts:
  default:
    listen: {{host: 127.0.0.1, port: {port}}}
    paths:
      /:
        redirect: {{status: 302, url: "{target}"}}
"""


def program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        sys.exit(f"{name} is needed and not installed: scripts/install-packages.sh bench")
    return path


def pinned(core, *argv):
    return [program("taskset"), "-c", str(core), *map(str, argv)]


def cpu_seconds(pid):
    """User and system time of a process, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Server:
    """One of them. `key` says what is measured; `base` is the key of the same without a log."""

    def __init__(self, key, title, base=None):
        self.key, self.title, self.base = key, title, base
        self.http1 = self.http2 = self.process = self.log = None

    def port(self, version):
        return self.http2 if version == "2" else self.http1

    def cpu_seconds(self):
        return cpu_seconds(self.process.popen.pid)

    def empty_log(self):
        """What a run has written is not kept: it would fill the disk."""
        if self.log is not None:
            os.truncate(self.log, 0)

    def redirects(self):
        try:
            got = http1.fetch(("127.0.0.1", self.http1), f"h{HOSTS - 1}.{DOMAIN}", "/")
        except (OSError, http1.HttpError):
            return False
        return got.status == 302 and got.location == TARGET


class Stage:
    """Starts them in `directory`, on `core`; the resolver is on another."""

    def __init__(self, stack, directory, binary, core, resolver_core):
        self._stack, self._directory, self._binary, self._core = stack, directory, binary, core
        self.resolver = self._start_unbound(resolver_core)

    def _run(self, name, argv, core, statuses=(0,), out="/dev/null"):
        """`out` is appended to, as by a service manager."""
        command = f"exec {shlex.join(pinned(core, *argv))} >>{shlex.quote(str(out))}"
        process = Process(["sh", "-c", command], name=name, cwd=self._directory, statuses=statuses)
        return self._stack.enter_context(process)

    def _write(self, name, text):
        path = self._directory / name
        path.write_text(text)
        return path

    def _start_unbound(self, core):
        port = free_port()
        text = UNBOUND.format(port=port, directory=self._directory, domain=DOMAIN)
        rows = [
            f"  local-data: '_redirect.h{i}.{DOMAIN}. 3600 TXT \"v=txtv0;to={TARGET}\"'\n"
            for i in range(HOSTS)
        ]
        path = self._write("unbound.conf", text + "".join(rows))
        self.resolver_address = f"127.0.0.1:{port}"
        return self._run("unbound", [program("unbound"), "-d", "-c", path], core)

    def _ready(self, server):
        if not wait_until(server.redirects, timeout=20):
            raise ProcessError(f"{server.title} does not redirect\n{server.process.err_text}")
        return server

    def nginx(self, log):
        server = Server("nginx-log", "nginx", "nginx") if log else Server("nginx", "nginx")
        server.http1, server.http2 = free_port(), free_port()
        server.log = self._log(server.key, log)
        text = NGINX.format(
            name=server.key,
            log=server.log or "off",
            target=TARGET,
            http1=server.http1,
            http2=server.http2,
        )
        path = self._write(f"{server.key}.conf", text)
        argv = [program("nginx"), "-p", self._directory, "-c", path]
        server.process = self._run(server.key, argv, self._core)
        return self._ready(server)

    def h2o(self, log):
        server = Server("h2o-log", "h2o", "h2o") if log else Server("h2o", "h2o")
        server.http1 = server.http2 = free_port()
        server.log = self._log(server.key, log)
        text = H2O.format(
            name=server.key,
            log=f"access-log: {server.log}" if log else "",
            user="user: root" if os.geteuid() == 0 else "",  # the folder is ours
            target=TARGET,
            port=server.http1,
        )
        path = self._write(f"{server.key}.conf", text)
        server.process = self._run(server.key, [program("h2o"), "-c", path], self._core)
        return self._ready(server)

    def signpost(self, key, title, log=False, base=None, flags=()):
        server = Server(key, title, base)
        server.http1 = server.http2 = free_port()
        server.log = self._log(key, log)
        config = {
            "listen": [{"address": f"127.0.0.1:{server.http1}"}],
            "threads": 1,
            "dns": {"resolvers": [self.resolver_address]},
            "log": {"level": "error", "access": "json" if log else "off"},
        }
        path = self._write(f"{key}.json", json.dumps(config))
        argv = [self._binary, "serve", "--config", path, *flags]
        server.process = self._run(key, argv, self._core, out=server.log or "/dev/null")
        return self._ready(server)

    def _log(self, key, wanted):
        if not wanted:
            return None
        return self._write(f"{key}.access", "")


# In the order of the tables.
STARTERS = {
    "nginx": lambda stage: stage.nginx(log=False),
    "h2o": lambda stage: stage.h2o(log=False),
    "cached": lambda stage: stage.signpost("cached", "signpost"),
    "uncached": lambda stage: stage.signpost(
        "uncached", "signpost --no-cache", flags=["--no-cache"]
    ),
    "nginx-log": lambda stage: stage.nginx(log=True),
    "h2o-log": lambda stage: stage.h2o(log=True),
    "cached-log": lambda stage: stage.signpost(
        "cached-log", "signpost", log=True, base="cached"
    ),
}


def start(stage, keys):
    return [starter(stage) for key, starter in STARTERS.items() if key in keys]


def versions(binary):
    """What each program says of itself."""
    found = {}
    for name, argv in {
        "nginx": [program("nginx"), "-v"],
        "h2o": [program("h2o"), "--version"],
        "wrk": [program("wrk"), "-v"],
        "unbound": [program("unbound"), "-V"],
        "signpost": [binary, "version"],
    }.items():
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        with contextlib.suppress(StopIteration):
            lines = (done.stdout + done.stderr).splitlines()
            found[name] = next(line for line in lines if re.search(r"\d\.\d", line)).strip()
    return found
