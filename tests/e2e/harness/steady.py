# SPDX-License-Identifier: Apache-2.0
"""The well-behaved client of load/steady.c: a fixed rate, and a count of what became of it."""

import json
import os
import subprocess

from .process import ProcessError


class Steady:
    """Runs beside the test for `seconds`, or until `finish`, which gives the figures."""

    def __init__(self, where, host, connections=16, rate=1000, seconds=10, source=None):
        path = os.environ.get("STEADY_BINARY", "")
        if not os.access(path, os.X_OK):
            raise ProcessError(f"STEADY_BINARY must name the built program, not {path!r}")
        self._argv = [path, where[0], str(where[1]), host, str(connections), str(rate)]
        self._argv += [str(seconds)] + ([source] if source else [])
        self._popen = None

    def __enter__(self):
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen(self._argv, stdin=pipe, stdout=pipe, stderr=pipe)
        return self

    def __exit__(self, *_):
        if self._popen.poll() is None:
            self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            stream.close()

    def running(self):
        return self._popen.poll() is None

    def finish(self):
        """Ends it now, waits for the answers that are due, and returns the figures."""
        self._popen.stdin.close()
        return self.result()

    def result(self, timeout=120):
        """Waits for the end and returns the figures."""
        text = self._popen.stdout.read()
        self._popen.wait(timeout)
        if self._popen.returncode != 0:
            raise ProcessError(f"steady: {self._popen.stderr.read().decode()}")
        return json.loads(text)
