# SPDX-License-Identifier: Apache-2.0
"""`signpost load` from the command line: what it refuses, what it writes, what it exits with."""

import contextlib
import json
import math
import os
import pty
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from harness.ports import free_port
from harness.signpost import Signpost, binary, clean_environment, cli

HOST = "www.example.com"
TARGET = "https://target.example.net/landing"
ZONE = f"""$ORIGIN example.com.
$TTL 300
@ SOA ns admin 1 2 3 4 60
_redirect.www TXT "v=txtv0;to={TARGET}"
_redirect.blog TXT "v=txtv0;code=301;to=https://blog.example.net{{uri}}"
_redirect.go TXT "v=txtv0;type=path;to=https://go.example.net/"
_redirect.docs.go TXT "v=txtv0;to=https://go.example.net/docs"
"""
RIGHT = f"{HOST}\t/\t302\t{TARGET}\n"


class Stub:
    """An HTTP/1.1 server that answers each request after `wait(number)` seconds; None: never."""

    ANSWER = b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % TARGET.encode()

    def __init__(self, wait):
        self._wait, self._number, self._lock = wait, 0, threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._open, self._threads = [], []

    @property
    def address(self):
        return f"127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self):
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self._open.append(connection)
                self._threads.append(threading.Thread(target=self._serve, args=[connection]))
                self._threads[-1].start()

    def _serve(self, connection):
        with connection, contextlib.suppress(OSError):
            while connection.recv(4096).endswith(b"\r\n\r\n"):
                with self._lock:
                    self._number += 1
                    seconds = self._wait(self._number)
                if seconds is not None:
                    threading.Event().wait(seconds)
                    connection.sendall(self.ANSWER)


class LoadTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.zone = cls.directory / "example.zone"
        cls.zone.write_text(ZONE)
        config = {"dns": {"zones": [str(cls.zone)]}, "log": {"access": "off"}}
        cls.signpost = cls.enterClassContext(Signpost([], config))
        cls.address = f"127.0.0.1:{cls.signpost.port}"

    def write(self, text, name="targets.tsv"):
        path = self.directory / name
        path.write_text(text)
        return str(path)

    def load(self, *arguments, address=None, status=0):
        """The result as JSON; the exit status must be `status`."""
        path = self.directory / "result.json"
        connect = ["--connect", address or self.address]
        done = cli("load", *connect, "--json", str(path), *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(path.read_text())


class UsageTest(LoadTest):
    def test_what_does_not_fit_is_refused_with_one_line(self):
        connect = ["--connect", "127.0.0.1:1"]
        for arguments, words in (
            ([], "--connect HOST:PORT is missing"),
            (["--connect", "localhost:0", "x"], "--connect must be"),
            (["--connect", "127.0.0.1", "x"], "--connect must be"),
            (["--connect", "unix:/tmp/x", "x"], "--connect must be"),
            (connect, "give a file of requests"),
            ([*connect, "a", "b"], "one file of requests"),
            ([*connect, "--zone", "a", "b"], "one file of requests"),
            ([*connect, "--rate", "5", "--closed", "x"], "exclude each other"),
            ([*connect, "--arrivals", "poisson", "x"], "--arrivals needs --rate"),
            ([*connect, "--rate", "5", "--arrivals", "even", "x"], "poisson or constant"),
            ([*connect, "--duration", "1", "--requests", "1", "x"], "exclude each other"),
            ([*connect, "--streams", "2", "x"], "--streams needs --http 2"),
            ([*connect, "--http", "2", "--no-keep-alive", "x"], "HTTP/1.1 only"),
            ([*connect, "--http", "3", "x"], "--http must be"),
            ([*connect, "--rate", "0", "x"], "--rate must be"),
            ([*connect, "--rate", "1e3", "x"], "--rate must be"),
            ([*connect, "--rate", "10000001", "x"], "--rate must be"),
            ([*connect, "--duration", "-1", "x"], "--duration must be"),
            ([*connect, "--timeout", "3601", "x"], "--timeout must be"),
            ([*connect, "--connections", "0", "x"], "--connections must be"),
            ([*connect, "--connections", "100001", "x"], "--connections must be"),
            ([*connect, "--threads", "257", "x"], "--threads must be"),
            ([*connect, "--threads", "2", "--connections", "1", "x"], "at least as many"),
            ([*connect, "--seed", "x", "x"], "--seed must be"),
            ([*connect, "--names", "zipf", "x"], "--names must be"),
            ([*connect, "--names", "zipf:0", "x"], "--names must be"),
            ([*connect, "--names", "zipf:10.1", "x"], "--names must be"),
            ([*connect, "--json", "-", "--samples", "-", "x"], "only one of"),
        ):
            with self.subTest(arguments):
                done = cli("load", *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_a_bad_file_is_told_with_its_place(self):
        path = self.write("# fine\na\t/\nb\t/\t999\n", "bad.tsv")
        done = cli("load", "--connect", self.address, path)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{path}:3:5: the status must be", done.stderr)
        for option in ([], ["--zone"]):
            done = cli("load", "--connect", self.address, *option, str(self.directory / "none"))
            self.assertEqual(done.returncode, 1)
            self.assertIn("No such file", done.stderr)
        zone = self.write('$ORIGIN example.com.\n_redirect.www 300 TXT "open\n', "bad.zone")
        done = cli("load", "--connect", self.address, "--zone", zone)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{zone}:2:", done.stderr)

    def test_an_output_that_can_not_be_written_is_told_before_the_run(self):
        begin = time.monotonic()
        for option in ("--json", "--samples"):
            path = str(self.directory / "none" / "file")
            done = cli("load", "--connect", self.address, option, path, self.write(RIGHT))
            self.assertEqual(done.returncode, 1)
            self.assertIn("No such file", done.stderr)
        self.assertLess(time.monotonic() - begin, 9)

    def test_a_server_may_be_named(self):
        port = self.address.rsplit(":", 1)[1]
        found = self.load("--requests", "10", self.write(RIGHT), address=f"localhost:{port}")
        self.assertEqual(found["requests"]["ok"], 10)

    def test_no_server_is_told(self):
        done = cli("load", "--connect", f"127.0.0.1:{free_port()}", self.write(RIGHT))
        self.assertEqual(done.returncode, 1)
        self.assertIn("Connection refused", done.stderr)


class AnswerTest(LoadTest):
    def test_a_zone_gives_requests_and_their_answers(self):
        for extra in ([], ["--http", "2", "--streams", "4"], ["--no-keep-alive"]):
            with self.subTest(extra):
                found = self.load("--zone", str(self.zone), "--requests", "400", *extra)
                self.assertEqual(found["requests"]["ok"], 400)
                self.assertEqual(found["requests"]["due"], 400)
                self.assertEqual(found["plan"]["targets"], 4)
                self.assertEqual(sum(found["statuses"].values()), 400)
                self.assertEqual(set(found["statuses"]), {"301", "302"})
                opened = found["connections"]["opened"]
                self.assertEqual(opened, 400 if "--no-keep-alive" in extra else 64)

    def test_a_record_without_a_request_is_told(self):
        zone = self.write(ZONE + '_redirect.x TXT "v=txtv0;to=ftp://x.example"\n', "more.zone")
        done = cli("load", "--connect", self.address, "--requests", "10", "--zone", zone)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of the zone's 5 records, _redirect.x.example.com", done.stderr)

    def test_wrong_answers_are_counted_and_shown(self):
        targets = f"{HOST}\t/\t301\n{HOST}\t/\t302\thttps://elsewhere.example/\n" + RIGHT
        path = self.write(targets + f"{HOST}\t/\nnone.example.com\t/\n{HOST}\t/\t302\t\n")
        found = self.load("--requests", "60", "--names", "sequential", path, status=1)
        requests = found["requests"]
        self.assertEqual(requests["ok"], 20)
        self.assertEqual(requests["wrong_status"], 20)
        self.assertEqual(requests["wrong_location"], 20)
        self.assertEqual(requests["answered"], 60)
        self.assertEqual(found["statuses"], {"302": 50, "404": 10})
        self.assertEqual(len(found["wrong"]), 5)
        first = {"host": HOST, "path": "/", "expected": {"status": 301, "location": None}}
        self.assertIn({**first, "got": {"status": 302, "location": TARGET}}, found["wrong"])

    def test_constant_arrivals_are_as_many_as_the_rate_says(self):
        arguments = ("--rate", "400", "--arrivals", "constant", "--duration", "1")
        found = self.load(*arguments, self.write(RIGHT))
        self.assertEqual(found["requests"]["due"], 400)
        self.assertEqual([second["due"] for second in found["series"]], [400])
        self.assertEqual(found["plan"]["arrivals"], "constant")

    def test_the_seed_decides_what_is_asked(self):
        def statuses(seed):
            arguments = ("--requests", "300", "--connections", "1", "--seed", seed)
            return self.load("--zone", str(self.zone), *arguments)["statuses"]

        self.assertEqual(statuses("5"), statuses("5"))
        self.assertTrue(any(statuses(str(seed)) != statuses("5") for seed in range(6, 10)))


class OutputTest(LoadTest):
    def test_json_to_standard_output_is_alone_there(self):
        arguments = ["--requests", "10", "--json", "-", self.write(RIGHT)]
        done = cli("load", "--connect", self.address, *arguments)
        self.assertEqual(json.loads(done.stdout)["requests"]["ok"], 10)
        self.assertIn("10 as expected", done.stderr)

    def test_requests_come_from_standard_input(self):
        done = cli("load", "--connect", self.address, "--requests", "5", "-", stdin=RIGHT.encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("5 as expected (100 %)", done.stdout)

    def test_a_file_that_was_there_is_replaced(self):
        (self.directory / "result.json").write_text("x" * 1_000_000)
        self.assertEqual(self.load("--requests", "1", self.write(RIGHT))["requests"]["ok"], 1)

    def test_progress_is_shown_where_it_is_asked_for(self):
        arguments = ["--rate", "50", "--duration", "1.5", self.write(RIGHT)]
        silent = cli("load", "--connect", self.address, *arguments)
        self.assertEqual(silent.stderr, "")
        shown = cli("load", "--connect", self.address, "--progress", *arguments)
        self.assertRegex(shown.stderr, r"^\d+/s, p50 [\d.]+ ms, p99 [\d.]+ ms, 0 errors, \d s left")

    def test_progress_is_shown_on_a_terminal_and_wiped_away(self):
        ours, theirs = pty.openpty()
        argv = [binary(), "load", "--connect", self.address, "--rate", "50", "--duration", "1.5"]
        argv.append(self.write(RIGHT))
        with open(ours, "rb", buffering=0) as terminal:
            done = subprocess.run(
                argv,
                stdout=subprocess.PIPE,
                stderr=theirs,
                env=clean_environment(),
                timeout=60,
                check=True,
            )
            shown = b""
            while select.select([terminal], [], [], 0)[0]:
                shown += terminal.read(65536)
            os.close(theirs)
        self.assertIn(b"as expected", done.stdout)
        self.assertRegex(shown, rb"\r\d+/s, p50 .* s left\x1b\[K")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)

    def test_a_run_that_is_stopped_tells_what_there_was(self):
        path = self.directory / "stopped.json"
        argv = [binary(), "load", "--connect", self.address, "--rate", "100", "--duration", "60"]
        argv += ["--progress", "--json", str(path), self.write(RIGHT)]
        with subprocess.Popen(
            argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment()
        ) as running:
            running.stderr.readline()  # it is under way
            running.send_signal(signal.SIGINT)
            text, _ = running.communicate(timeout=30)
        self.assertEqual(running.returncode, 1)
        self.assertIn(b"interrupted", text)
        found = json.loads(path.read_text())
        self.assertTrue(found["interrupted"])
        self.assertGreater(found["requests"]["ok"], 0)
        self.assertLess(found["elapsed_s"], 30)
        kinds = dict(found["requests"])
        due = kinds.pop("due")
        self.assertEqual(due, sum(kinds.values()) - kinds["sent"] - kinds["answered"])


class TimeTest(LoadTest):
    SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999}
    TIMED = ("ok", "wrong_status", "wrong_location", "timed_out", "unfinished")

    def read_samples(self, path):
        with open(path, encoding="ascii") as file:
            names = file.readline().split()
            self.assertEqual(names, ["due_us", "sent_us", "end_us", "kind", "status"])
            for line in file:
                due, sent, end, kind, status = line.rstrip("\n").split("\t")
                yield float(due), float(sent or "nan"), float(end), kind, int(status)

    def assertAgree(self, values, told):
        """Percentiles from the sorted times are those that the histogram gave, within 1 %."""
        values = sorted(values)
        self.assertEqual(len(values), told["count"])
        for name, share in self.SHARES.items():
            exact = values[math.ceil(share * len(values) - 1e-9) - 1]
            self.assertAlmostEqual(told[f"{name}_us"] / exact, 1, delta=0.01, msg=name)
        self.assertAlmostEqual(told["min_us"], values[0], delta=0.001)
        self.assertAlmostEqual(told["max_us"], values[-1], delta=0.001)
        mean = sum(values) / len(values)
        self.assertAlmostEqual(told["mean_us"] / mean, 1, delta=1e-3)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
        self.assertAlmostEqual(told["sd_us"] / deviation, 1, delta=1e-3)

    def check_samples(self, *arguments, **options):
        path = self.directory / "samples.tsv"
        found = self.load("--samples", str(path), *arguments, self.write(RIGHT), **options)
        samples = list(self.read_samples(path))
        timed = [sample for sample in samples if sample[3] in self.TIMED]
        self.assertEqual(len(samples), found["requests"]["due"])
        for kind in {sample[3] for sample in samples}:
            told = sum(sample[3] == kind for sample in samples)
            self.assertEqual(told, found["requests"][kind], kind)
        self.assertAgree([end - due for due, _, end, *_ in timed], found["latency"])
        service = [end - sent for _, sent, end, *_ in timed if not math.isnan(sent)]
        self.assertAgree(service, found["service"])
        return found, samples

    def test_percentiles_agree_with_the_samples_in_a_closed_loop(self):
        self.check_samples("--requests", "20000", "--threads", "2")

    def test_percentiles_agree_with_the_samples_in_an_open_loop(self):
        found, samples = self.check_samples("--rate", "1000", "--duration", "2.5", "--threads", "3")
        for second in found["series"]:
            here = [sample for sample in samples if sample[0] // 1e6 == second["second"]]
            self.assertEqual(second["due"], len(here))
            self.assertEqual(second["ok"], sum(sample[3] == "ok" for sample in here))
            ended = sum(sample[2] // 1e6 == second["second"] for sample in samples)
            self.assertEqual(second["answered"], ended)
        whole = sum(sample[2] < 2e6 for sample in samples)
        self.assertAlmostEqual(found["throughput_rps"], whole / 2, delta=0.6)

    def test_a_server_that_stalls_can_not_hide_it(self):
        """4 % of the requests wait for 2 s: p99 says so, and nothing is left out."""
        with Stub(lambda number: 2 if number % 25 == 0 else 0) as server:
            arguments = ("--rate", "100", "--duration", "3")
            found, _ = self.check_samples(*arguments, address=server.address)
        self.assertGreaterEqual(found["latency"]["p99_us"], 1.9e6)
        self.assertLess(found["latency"]["p50_us"], 1e6)
        self.assertEqual(found["requests"]["ok"], found["requests"]["due"])

    def test_latency_counts_from_when_a_request_was_due(self):
        """One connection, each answer takes 50 ms, 100 requests a second: the queue grows."""
        with Stub(lambda _: 0.05) as server:
            arguments = ("--rate", "100", "--connections", "1", "--requests", "60")
            found = self.load(*arguments, self.write(RIGHT), address=server.address)
        self.assertEqual(found["requests"]["ok"], 60)
        self.assertGreater(found["latency"]["max_us"], 2e6)
        self.assertGreaterEqual(found["service"]["min_us"], 50e3)
        self.assertLess(found["service"]["p50_us"], 0.5 * found["latency"]["max_us"])

    def test_no_answer_is_a_time_out(self):
        with Stub(lambda number: None if number % 3 == 0 else 0) as server:
            arguments = ("--rate", "50", "--duration", "0.6", "--timeout", "0.5")
            found, _ = self.check_samples(*arguments, address=server.address, status=1)
        requests = found["requests"]
        self.assertGreater(requests["timed_out"], 0)
        self.assertEqual(requests["timed_out"] + requests["ok"], requests["due"])
        self.assertGreaterEqual(found["latency"]["max_us"], 0.5e6)


if __name__ == "__main__":
    unittest.main()
