# SPDX-License-Identifier: Apache-2.0
"""The program under test: where it lies, how it is started, and what is true of every run."""

import json
import os
import signal
import tempfile
from pathlib import Path

from .ports import free_port
from .process import Process, ProcessError, run, wait_until

ENVIRONMENT = ("SIGNPOST_LISTEN", "SIGNPOST_RESOLVER", "SIGNPOST_CONFIG", "SIGNPOST_THREADS")
START_ATTEMPTS = 3
RELOADED = "signpost: info: reloaded"
# Short enough for tests in which nothing answers, long enough for a busy machine where it does.
DNS_TIMEOUTS = {"timeout_ms": 2000, "try_ms": 400, "tries": 3}


def binary():
    path = os.environ.get("SIGNPOST_BINARY", "")
    if not path or not os.access(path, os.X_OK):
        raise ProcessError(f"SIGNPOST_BINARY must name the built program, not {path!r}")
    return path


def clean_environment(extra=None):
    """Settings of the caller must not leak into a test."""
    env = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
    return {**env, "NO_COLOR": "1", **(extra or {})}


def cli(*arguments, env=None, stdin=b"", timeout=60):
    """Runs a subcommand that ends by itself."""
    return run([binary(), *arguments], clean_environment(env), timeout, stdin)


def merge(base, over):
    """`over` laid over `base`, objects key by key."""
    out = dict(base)
    for key, value in over.items():
        nested = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = merge(out[key], value) if nested else value
    return out


def config_for(port, resolvers, over=None):
    base = {
        "listen": [{"address": f"127.0.0.1:{port}"}],
        "threads": 1,
        "dns": {"resolvers": list(resolvers), **DNS_TIMEOUTS},
        "cache": {"enabled": False},
    }
    return merge(base, over or {})


class Signpost(Process):
    """`signpost serve` with a configuration file. `where` is where it listens. `prefix`: a command
    that the program is run under. `arguments`: further flags."""

    def __init__(
        self,
        resolvers=(),
        config=None,
        arguments=(),
        prefix=(),
        env=None,
        statuses=(0,),
        stop_s=20,
        start_s=30,
    ):
        self._directory = None
        self._resolvers, self._over = resolvers, config or {}
        self._prefix, self._arguments, self._start_s = list(prefix), list(arguments), start_s
        self.port, self.config = 0, {}
        super().__init__(
            [binary()],
            env=clean_environment(env),
            stop_s=stop_s,
            statuses=statuses,
            name="signpost",
        )

    @property
    def where(self):
        return ("127.0.0.1", self.port)

    @property
    def directory(self):
        return Path(self._directory.name)

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="signpost-e2e-")
        for attempt in range(START_ATTEMPTS):
            self._launch()
            if self.wait_line(lambda line: line == "ready", timeout=self._start_s) is not None:
                return self
            self.kill()
            if "in use" not in self.err_text or attempt + 1 == START_ATTEMPTS:
                break
        self._directory.cleanup()
        raise ProcessError(f"signpost did not become ready\n{self.err_text}")

    def _launch(self):
        self.port = free_port()
        self.config = config_for(self.port, self._resolvers, self._over)
        path = self.directory / "signpost.json"
        path.write_text(json.dumps(self.config, indent=2))
        self.argv = [*self._prefix, binary(), "serve", "--config", str(path), *self._arguments]
        self.start()

    def reload(self, over):
        """Another configuration, laid over the harness' own; returns when it is in force."""
        self.config = config_for(self.port, self._resolvers, over)
        (self.directory / "signpost.json").write_text(json.dumps(self.config, indent=2))
        before = self.err.count(RELOADED)
        self.signal(signal.SIGHUP)
        if not wait_until(lambda: self.err.count(RELOADED) > before, timeout=self._start_s):
            raise ProcessError(f"signpost did not reload\n{self.err_text}")

    def __exit__(self, kind, *details):
        try:
            super().__exit__(kind, *details)
        finally:
            self._directory.cleanup()
