# SPDX-License-Identifier: Apache-2.0
"""Starting programs and being sure that they end: what they print is collected as it comes, a line
can be waited for, and nothing survives the `with` block."""

import os
import re
import signal
import subprocess
import threading
import time

SANITIZER = re.compile(
    r"ERROR: (Address|Leak|Thread|Memory)Sanitizer|WARNING: ThreadSanitizer"
    r"|runtime error: |AddressSanitizer:DEADLYSIGNAL"
)


class ProcessError(AssertionError):
    """A program did not do what a program has to do: start, stay up, end well."""


class _Lines:
    """A stream, read line by line in a thread."""

    def __init__(self, stream, changed):
        self.lines, self.ended = [], False
        self._stream, self._changed = stream, changed
        self.thread = threading.Thread(target=self._drain, daemon=True)
        self.thread.start()

    def _drain(self):
        for raw in self._stream:
            with self._changed:
                self.lines.append(raw.decode("utf-8", "replace").rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self.ended = True
            self._changed.notify_all()


class Process:
    """A program that runs beside the test. On leaving the block it gets SIGTERM and must end within
    `stop_s` with a status in `statuses`; a crash, a sanitizer's report or a program that has to be
    killed fail the test. `env` replaces the whole environment; None inherits it."""

    def __init__(self, argv, env=None, cwd=None, stop_s=20, statuses=(0,), name=None):
        self.argv, self.name = [str(part) for part in argv], name or os.path.basename(str(argv[0]))
        self._env = env
        self._cwd, self._stop_s, self._statuses = cwd, stop_s, statuses
        self._changed = threading.Condition()
        self.popen = self._out = self._err = None

    pass_fds = ()  # descriptors that the program inherits

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.kill()

    def start(self):
        self.popen = subprocess.Popen(
            self.argv,
            env=self._env,
            cwd=self._cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=self.pass_fds,
        )
        self._out = _Lines(self.popen.stdout, self._changed)
        self._err = _Lines(self.popen.stderr, self._changed)

    @property
    def out(self):
        with self._changed:
            return list(self._out.lines)

    @property
    def err(self):
        with self._changed:
            return list(self._err.lines)

    @property
    def err_text(self):
        return "\n".join(self.err)

    def running(self):
        return self.popen is not None and self.popen.poll() is None

    def wait_line(self, wanted, stream="out", timeout=30):
        """Waits for a line that `wanted` accepts and returns it; None: there will be none."""
        source = self._out if stream == "out" else self._err

        def found():
            return next((line for line in source.lines if wanted(line)), None)

        with self._changed:
            self._changed.wait_for(lambda: found() is not None or source.ended, timeout)
            return found()

    def signal(self, number):
        self.popen.send_signal(number)

    def wait(self, timeout=20):
        """Waits for the program to end by itself and returns its status."""
        status = self.popen.wait(timeout)
        self._finish()
        return status

    def _finish(self):
        for lines in (self._out, self._err):
            lines.thread.join(10)
        self.popen.stdout.close()
        self.popen.stderr.close()

    def kill(self):
        """Ends the program without asking what it thinks of that."""
        if self.popen is None:
            return
        if self.running():
            os.killpg(self.popen.pid, signal.SIGKILL)
            self.popen.wait()
        self._finish()

    def stop(self):
        """SIGTERM, and everything that has to hold at the end."""
        if self.running():
            self.signal(signal.SIGTERM)
        try:
            status = self.wait(self._stop_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ProcessError(
                f"{self.name} still ran {self._stop_s} s after SIGTERM\n" f"{self.err_text}"
            ) from None
        self.check(status)
        return status

    def check(self, status):
        """Fails on a crash, on a sanitizer's report and on a status that was not expected."""
        if SANITIZER.search(self.err_text):
            raise ProcessError(f"{self.name}: a sanitizer reports\n{self.err_text}")
        if status not in self._statuses:
            raise ProcessError(
                f"{self.name} ended with {status}, expected one of "
                f"{self._statuses}\n{self.err_text}"
            )


def run(argv, env=None, timeout=60, stdin=b"", cwd=None):
    """Runs a program to its end; a crash or a sanitizer's report fail the test."""
    done = subprocess.run(
        [str(part) for part in argv],
        env=env,
        input=stdin,
        capture_output=True,
        timeout=timeout,
        cwd=cwd,
        check=False,
    )
    done.stdout = done.stdout.decode("utf-8", "replace")
    done.stderr = done.stderr.decode("utf-8", "replace")
    if done.returncode < 0 or SANITIZER.search(done.stderr):
        raise ProcessError(f"{argv} ended with {done.returncode}\n{done.stderr}")
    return done


def wait_until(condition, timeout=10, step=0.01):
    """Waits for something that tells nobody when it happens; says whether it did."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() >= end:
            return False
        time.sleep(step)
    return True
