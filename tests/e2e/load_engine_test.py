# SPDX-License-Identifier: Apache-2.0
"""What `signpost load` makes of servers: right, wrong, late, broken, rude; over HTTP/1.1, HTTP/2
and TLS. Each request is counted once, and no wait is left out of the latencies."""

import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from harness import hpack, http2, process
from harness.ports import free_port
from harness.process import Process, wait_until
from harness.scripted_http import LOCATION, ScriptedHttp
from harness.signpost import binary, clean_environment

HOST = "www.example.com"
ENDS = "ok wrong_status wrong_location no_connection closed_early bad_answer timed_out unfinished"


class LoadTest(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def load(self, address, *flags, paths=("/ok",), timeout=60, status=0):
        """Runs the generator against an address; what its JSON says."""
        targets = self.directory / "targets"
        targets.write_text("".join(f"{HOST}\t{path}\t302\t{LOCATION}\n" for path in paths))
        result = self.directory / "result.json"
        argv = [binary(), "load", "--connect", address, "--json", result, *flags, targets]
        done = process.run(argv, env=clean_environment(), timeout=timeout)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        report = json.loads(result.read_text())
        requests = report["requests"]
        self.assertEqual(requests["due"], sum(requests[kind] for kind in ENDS.split()), requests)
        return report

    def expect(self, report, **counts):
        """These ends, and no others."""
        requests = report["requests"]
        got = {kind: requests[kind] for kind in ENDS.split() if requests[kind]}
        self.assertEqual(got, counts)


class Http1Test(LoadTest):
    def setUp(self):
        super().setUp()
        self.server = self.enterContext(ScriptedHttp())

    def ask(self, path, *flags, **options):
        """Ten requests for a path, one after the other on one connection as long as it lasts."""
        flags = ("--closed", "--requests", "10", "--connections", "1", *flags)
        return self.load(self.server.address, *flags, paths=(path,), **options)

    def test_answers_that_are_right(self):
        for path in ("/ok", "/body", "/chunked", "/interim", "/slowly"):
            with self.subTest(path):
                report = self.ask(path)
                self.expect(report, ok=10)
                self.assertEqual(report["connections"]["opened"], 1)
                self.assertEqual(report["statuses"], {"302": 10})
                self.assertEqual(report["latency"]["count"], 10)

    def test_a_server_that_closes_after_an_answer_does_no_wrong(self):
        for path in ("/polite", "/silent", "/until-close", "/clinging"):
            with self.subTest(path):
                report = self.ask(path)
                self.expect(report, ok=10)
                self.assertEqual(report["connections"]["opened"], 10)

    def test_answers_that_are_wrong(self):
        for path, kind in (
            ("/none", "wrong_status"),
            ("/elsewhere", "wrong_location"),
            ("/twice", "wrong_location"),
            ("/missing", "wrong_location"),
        ):
            with self.subTest(path):
                report = self.ask(path, status=1)
                self.expect(report, **{kind: 10})
                self.assertEqual(report["connections"]["opened"], 1)
                self.assertEqual(report["latency"]["count"], 10)
                self.assertEqual(len(report["wrong"]), 5)
                self.assertEqual(report["wrong"][0]["expected"]["location"], LOCATION)

    def test_answers_that_are_none(self):
        for path in ("/garbage", "/lengths", "/more", "/long"):
            with self.subTest(path):
                report = self.ask(path, status=1)
                self.expect(report, bad_answer=10)
                self.assertEqual(report["connections"]["opened"], 10)
                self.assertEqual(report["latency"]["count"], 0)

    def test_a_connection_that_ends_too_early(self):
        for path in ("/cut", "/head-cut", "/closes", "/resets"):
            with self.subTest(path):
                report = self.ask(path, status=1)
                self.expect(report, closed_early=10)
                self.assertEqual(report["connections"]["opened"], 10)

    def test_nothing_is_asked_twice(self):
        before = self.server.requests
        self.ask("/closes", status=1)
        self.assertEqual(self.server.requests - before, 10)

    def test_an_answer_that_never_comes(self):
        report = self.ask("/never", "--timeout", "0.1", status=1)
        self.expect(report, timed_out=10)
        self.assertEqual(report["connections"]["opened"], 10)
        self.assertEqual(report["latency"]["count"], 10)
        self.assertGreaterEqual(report["latency"]["min_us"], 100_000)
        self.assertTrue(wait_until(lambda: not self.server.connections), "connections were left")

    def test_trouble_of_one_does_not_touch_the_others(self):
        paths = ("/ok", "/closes", "/chunked", "/garbage", "/elsewhere", "/polite", "/resets")
        flags = ("--closed", "--requests", "700", "--names", "sequential")
        report = self.load(self.server.address, *flags, paths=paths, status=1)
        self.expect(report, ok=300, closed_early=200, bad_answer=100, wrong_location=100)

    def test_a_connection_for_each_request(self):
        report = self.ask("/ok", "--no-keep-alive")
        self.expect(report, ok=10)
        self.assertEqual(report["connections"]["opened"], 10)
        flags = ("--rate", "500", "--duration", "1", "--no-keep-alive")
        report = self.load(self.server.address, *flags)
        due = report["requests"]["due"]
        self.expect(report, ok=due)
        self.assertEqual(report["connections"]["opened"], due)

    def test_connections_are_used_again(self):
        flags = ("--rate", "100", "--duration", "1", "--arrivals", "constant")
        report = self.load(self.server.address, *flags)
        self.expect(report, ok=100)
        self.assertLess(report["connections"]["opened"], 50)

    def test_all_connections_of_a_closed_loop_are_used_by_all_threads(self):
        flags = ("--closed", "--connections", "10", "--threads", "3", "--requests", "1000")
        report = self.load(self.server.address, *flags)
        self.expect(report, ok=1000)
        self.assertEqual(report["connections"]["opened"], 10)

    def test_octets_are_counted(self):
        report = self.ask("/ok")
        request = f"GET /ok HTTP/1.1\r\nHost: {HOST}\r\n\r\n"
        answer = f"HTTP/1.1 302 Found\r\nLocation: {LOCATION}\r\nContent-Length: 0\r\n\r\n"
        self.assertEqual(report["octets"], {"in": 10 * len(answer), "out": 10 * len(request)})


class CurtServer:
    """Says the same few octets to whoever has said something, and closes."""

    def __init__(self, octets):
        self._octets = octets
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, contextlib.suppress(OSError):
                    connection.recv(65536)
                    connection.sendall(self._octets)


class NoServerTest(LoadTest):
    def test_a_server_that_refuses_says_why(self):
        unrecognized_name = b"\x15\x03\x03\x00\x02\x02\x70"
        for octets, how, reason in (
            (unrecognized_name, ("--tls",), "the alert 'unrecognized name': it has no certificate"),
            (b"", ("--tls",), "during the TLS handshake; does it speak TLS"),
            (unrecognized_name, (), "speaks TLS at this port; give --tls"),
            (b"", (), "without a word, .* is --tls missing?"),
        ):
            with self.subTest(reason), CurtServer(octets) as server:
                flags = ("--closed", "--requests", "5", "--connections", "1", *how)
                report = self.load(server.address, *flags, status=1)
                self.assertEqual(report["requests"]["ok"], 0)
                self.assertRegex(report["reason"], reason)

    def test_a_run_that_cannot_begin_says_why(self):
        port = free_port()
        targets = self.directory / "targets"
        targets.write_text(f"{HOST}\t/\n")
        argv = [binary(), "load", "--connect", f"127.0.0.1:{port}", targets]
        done = process.run(argv, env=clean_environment())
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"can't connect to 127.0.0.1:{port}: Connection refused", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_limit_that_is_too_low(self):
        targets = self.directory / "targets"
        targets.write_text(f"{HOST}\t/\n")
        argv = ["prlimit", "--nofile=200:200", binary(), "load", "--connect", "127.0.0.1:9"]
        done = process.run([*argv, "--connections", "100", targets], env=clean_environment())
        self.assertEqual(done.returncode, 1)
        self.assertIn("100 connections need 268 open files and the limit is 200", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_server_that_vanishes(self):
        for flags in (("--rate", "200"), ("--closed",)):
            with self.subTest(flags):
                self.one_that_vanishes(*flags)

    def one_that_vanishes(self, *flags):
        """It takes two connections (the first only asks whether it is there), answers one request,
        and is gone."""
        listener = socket.create_server(("127.0.0.1", 0), backlog=1)

        def serve():
            listener.accept()[0].close()
            client = listener.accept()[0]
            client.recv(4096)
            client.sendall(f"HTTP/1.1 302 x\r\nLocation: {LOCATION}\r\n\r\n".encode())
            listener.close()
            client.close()

        thread = threading.Thread(target=serve)
        thread.start()
        where = "{}:{}".format(*listener.getsockname())
        flags = (*flags, "--duration", "1", "--connections", "1")
        report = self.load(where, *flags, status=1)
        thread.join(10)
        self.assertEqual(report["requests"]["ok"], 1)
        self.assertGreater(report["requests"]["no_connection"], 20)
        self.assertLess(report["requests"]["no_connection"], 400)
        self.expect(report, ok=1, no_connection=report["requests"]["due"] - 1)


class TimesTest(LoadTest):
    def test_stalls_show_in_the_open_loop(self):
        """One in 25 takes 5 s: the 99th percentile says so, and so does the service time, for
        there are connections enough."""
        server = self.enterContext(ScriptedHttp(lambda path: 5 if path == "/ok?stall" else 0))
        paths = ["/ok"] * 24 + ["/ok?stall"]
        flags = ("--rate", "2000", "--duration", "3")
        report = self.load(server.address, *flags, paths=paths)
        self.expect(report, ok=report["requests"]["due"])
        self.assertGreaterEqual(report["latency"]["p99_us"], 4_900_000)
        self.assertGreaterEqual(report["service"]["p99_us"], 4_900_000)
        self.assertLess(report["latency"]["p50_us"], 4_000_000)
        self.assertGreaterEqual(report["elapsed_s"], 5)

    def test_waiting_for_a_connection_counts(self):
        """Ten requests for one connection that takes 0.2 s for each: nothing is dropped, service
        stays at 0.2 s, and latency adds up."""
        server = self.enterContext(ScriptedHttp(lambda path: 0.2))
        flags = ("--rate", "1000", "--arrivals", "constant", "--requests", "10")
        report = self.load(server.address, *flags, "--connections", "1")
        self.expect(report, ok=10)
        self.assertEqual(report["connections"]["opened"], 1)
        self.assertGreaterEqual(report["latency"]["max_us"], 1_900_000)
        self.assertGreaterEqual(report["latency"]["p50_us"], 700_000)
        self.assertLess(report["service"]["p50_us"], 700_000)
        self.assertLess(report["sending_s"], 0.5)

    def test_what_waits_in_the_end_is_unfinished(self):
        """Both connections are held for longer than the run; what could not be sent is told."""
        server = self.enterContext(ScriptedHttp(lambda path: 30))
        flags = ("--rate", "1000", "--requests", "100", "--connections", "2", "--timeout", "0.5")
        report = self.load(server.address, *flags, status=1)
        requests = report["requests"]
        self.assertEqual(requests["due"], 100)
        self.assertEqual(requests["timed_out"] + requests["unfinished"], 100)
        self.assertGreaterEqual(requests["timed_out"], 2)
        self.assertGreater(requests["unfinished"], 90)
        self.assertLess(report["elapsed_s"], 5)

    def test_the_closed_loop_waits_for_answers(self):
        server = self.enterContext(ScriptedHttp(lambda path: 0.1))
        flags = ("--closed", "--connections", "4", "--duration", "1")
        report = self.load(server.address, *flags)
        self.assertLessEqual(report["requests"]["ok"], 40)
        self.assertGreaterEqual(report["latency"]["min_us"], 99_000)


NGINX = """
daemon off; master_process off; pid {directory}/pid; error_log {directory}/log crit;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi; uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  ssl_certificate {directory}/cert.pem; ssl_certificate_key {directory}/key.pem;
  ssl_session_cache shared:a:1m;
  server {{
    listen 127.0.0.1:{ports[0]}; keepalive_requests 20; location / {{ return 302 {location}; }}
  }}
  server {{
    listen 127.0.0.1:{ports[1]} http2; keepalive_requests 1000000;
    location / {{ return 302 {location}; }}
    location /none {{ return 404; }}
  }}
  server {{
    listen 127.0.0.1:{ports[2]} ssl; keepalive_requests 20;
    location / {{ return 302 https://$ssl_server_name.example/; }}
  }}
  server {{
    listen 127.0.0.1:{ports[3]} ssl http2; keepalive_requests 1000000;
    location / {{ return 302 {location}; }}
  }}
  server {{
    listen 127.0.0.1:{ports[4]} http2; keepalive_requests 1000000; http2_max_concurrent_streams 2;
    location / {{ return 302 {location}; }}
  }}
}}
"""


class NginxTest(LoadTest):
    @classmethod
    def setUpClass(cls):
        directory = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.ports = [free_port() for _ in range(5)]
        make = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
            f" -subj /CN=example -keyout {directory}/key.pem -out {directory}/cert.pem"
        )
        subprocess.run(make.split(), check=True, capture_output=True, timeout=60)
        config = NGINX.format(directory=directory, ports=cls.ports, location=LOCATION)
        Path(directory, "conf").write_text(config)
        nginx = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
        cls.enterClassContext(Process([nginx, "-p", directory, "-c", f"{directory}/conf"]))
        for port in cls.ports:
            if not wait_until(lambda port=port: accepts(port)):
                raise AssertionError("nginx does not listen")

    def where(self, index):
        return f"127.0.0.1:{self.ports[index]}"

    def test_a_server_that_ends_connections_politely(self):
        flags = ("--closed", "--connections", "8", "--requests", "1000")
        report = self.load(self.where(0), *flags)
        self.expect(report, ok=1000)
        self.assertGreaterEqual(report["connections"]["opened"], 50)
        self.assertLessEqual(report["connections"]["opened"], 66)

    def test_http2_without_tls(self):
        for loop in (("--closed",), ("--rate", "5000")):
            with self.subTest(loop):
                flags = (*loop, "--http", "2", "--streams", "10", "--connections", "2")
                report = self.load(self.where(1), *flags, "--requests", "2000")
                self.expect(report, ok=2000)
                self.assertLessEqual(report["connections"]["opened"], 2)

    def test_a_server_that_takes_few_requests_at_a_time(self):
        """What was sent before the server could say so is refused by it, and sent again."""
        flags = ("--closed", "--http", "2", "--streams", "10", "--connections", "2")
        report = self.load(self.where(4), *flags, "--requests", "500")
        self.expect(report, ok=500)
        self.assertEqual(report["connections"]["opened"], 2)

    def test_many_connections(self):
        flags = ("--closed", "--connections", "900", "--requests", "9000", "--threads", "2")
        report = self.load(self.where(1), *flags, "--http", "2")
        self.expect(report, ok=9000)
        self.assertEqual(report["connections"]["opened"], 900)

    def test_http2_answers_that_are_wrong(self):
        flags = ("--closed", "--http", "2", "--streams", "10", "--requests", "200")
        report = self.load(self.where(1), *flags, paths=("/none", "/ok"), status=1)
        self.assertEqual(sorted(report["statuses"]), ["302", "404"])
        self.expect(
            report, ok=report["statuses"]["302"], wrong_status=report["statuses"]["404"]
        )

    def test_tls_names_the_host_and_resumes_sessions(self):
        targets = self.directory / "hosts"
        targets.write_text("one:8443\t/\t302\thttps://one.example/\n")
        argv = [binary(), "load", "--connect", self.where(2), "--tls", "--closed"]
        argv += ["--connections", "1", "--requests", "100", "--json", "-", targets]
        done = process.run(argv, env=clean_environment())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        self.expect(report, ok=100)
        self.assertEqual(report["connections"], {"opened": 5, "resumed": 4})

    def test_tls_goes_on_with_sessions_of_the_same_host(self):
        targets = self.directory / "hosts"
        targets.write_text("".join(f"host-{i}.example\t/ok\n" for i in range(4)))
        argv = [binary(), "load", "--connect", self.where(3), "--tls", "--closed", "--no-keep-alive"]
        argv += ["--connections", "1", "--threads", "1", "--requests", "40", "--json", "-", targets]
        done = process.run(argv, env=clean_environment())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        self.expect(report, ok=40)
        self.assertEqual(report["connections"], {"opened": 40, "resumed": 36})

    def test_tls_with_a_connection_for_each_request(self):
        flags = ("--tls", "--no-keep-alive", "--closed", "--connections", "3")
        report = self.load(self.where(3), *flags, "--requests", "50")
        self.expect(report, ok=50)
        self.assertEqual(report["connections"]["opened"], 50)

    def test_http2_over_tls(self):
        flags = ("--tls", "--http", "2", "--streams", "5", "--connections", "3", "--threads", "2")
        report = self.load(self.where(3), *flags, "--closed", "--requests", "500")
        self.expect(report, ok=500)
        self.assertEqual(report["connections"]["opened"], 3)

    def test_a_server_that_does_not_speak_it(self):
        """HTTP/2 is not agreed on, TLS fails, HTTP/2 is not understood: nothing hangs."""
        flags = ("--closed", "--requests", "10", "--connections", "2")
        for index, how, kind, reason in (
            (2, ("--tls", "--http", "2"), "no_connection", "leave out --http 2|see --http"),
            (0, ("--tls",), "no_connection", "is no TLS; leave out --tls"),
            (0, ("--http", "2"), "bad_answer", "answers in HTTP/1.1; leave out --http 2"),
            (1, (), "bad_answer", "answers in HTTP/2; give --http 2"),
        ):
            with self.subTest((index, how)):
                report = self.load(self.where(index), *flags, *how, status=1)
                self.expect(report, **{kind: 10})
                self.assertRegex(report["reason"], reason)


def accepts(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


class FrameServer:
    """A server of HTTP/2 that does with each request what `answer(stream, number)` says: it returns
    the octets to be sent, or None to close; `number` counts the requests of a connection."""

    def __init__(self, answer):
        self._answer, self._lock = answer, threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._threads, self._clients, self.requests = [], [], 0

    @property
    def address(self):
        return "{}:{}".format(*self._listener.getsockname())

    def __enter__(self):
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._listener.close()
        for thread in self._threads:
            thread.join(10)

    def _accept(self):
        while True:
            try:
                client = self._listener.accept()[0]
            except OSError:
                return
            self._threads.append(threading.Thread(target=self._serve, args=(client,)))
            self._threads[-1].start()

    def _serve(self, client):
        number = 0
        with client, client.makefile("rb") as stream:
            try:
                if stream.read(len(http2.PREFACE)) != http2.PREFACE:
                    return
                client.sendall(http2.frame_octets(http2.SETTINGS, 0, 0))
                while head := stream.read(9):
                    stream.read(int.from_bytes(head[:3], "big"))
                    if head[3] == http2.HEADERS:
                        number += 1
                        with self._lock:
                            self.requests += 1
                        octets = self._answer(int.from_bytes(head[5:], "big"), number)
                        if octets is None:
                            return
                        client.sendall(octets)
            except OSError:
                return


def found(stream, location=LOCATION, status="302"):
    fields = [(":status", status), ("location", location)]
    block = b"".join(hpack.encode_literal(name, value) for name, value in fields)
    return http2.frame_octets(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, stream, block)


def number(*values):
    return b"".join(value.to_bytes(4, "big") for value in values)


class Http2Test(LoadTest):
    FLAGS = ("--http", "2", "--closed", "--connections", "1")

    def ask(self, answer, *flags, requests=10, **options):
        with FrameServer(answer) as server:
            flags = (*self.FLAGS, "--requests", str(requests), *flags)
            report = self.load(server.address, *flags, **options)
            self.asked = server.requests
            return report

    def test_right_and_wrong_answers(self):
        self.expect(self.ask(lambda stream, _: found(stream), "--streams", "3"), ok=10)
        report = self.ask(lambda stream, _: found(stream, "https://x.example/"), status=1)
        self.expect(report, wrong_location=10)
        self.assertEqual(report["wrong"][0]["got"]["location"], "https://x.example/")

    def test_an_interim_answer_does_not_count(self):
        def answer(stream, _):
            block = hpack.encode_literal(":status", "103") + hpack.encode_literal("location", "/")
            early = http2.frame_octets(http2.HEADERS, http2.END_HEADERS, stream, block)
            return early + found(stream)

        self.expect(self.ask(answer), ok=10)

    def test_streams_that_are_reset(self):
        def answer(stream, _):
            return http2.frame_octets(http2.RST_STREAM, 0, stream, number(2))

        report = self.ask(answer, "--streams", "3", status=1)
        self.expect(report, closed_early=10)
        self.assertEqual(report["connections"]["opened"], 1)

    def test_a_refused_request_is_tried_again_a_few_times(self):
        def refuse(stream, _):
            return http2.frame_octets(http2.RST_STREAM, 0, stream, number(7))

        self.expect(self.ask(refuse, status=1), closed_early=10)
        self.assertEqual(self.asked, 30)
        report = self.ask(lambda stream, n: refuse(stream, n) if n % 2 else found(stream))
        self.expect(report, ok=10)
        self.assertEqual(self.asked, 20)

    def test_a_connection_that_is_given_up_in_an_orderly_way(self):
        """With every fifth request the server says that it takes no more after the one before."""

        def answer(stream, count):
            if count < 5:
                return found(stream)
            return http2.frame_octets(http2.GOAWAY, 0, 0, number(stream - 2, 0))

        report = self.ask(answer)
        self.expect(report, ok=10)
        self.assertEqual(report["connections"]["opened"], 3)

    def test_a_connection_that_ends_too_early(self):
        report = self.ask(lambda *_: None, status=1)
        self.expect(report, closed_early=10)

    def test_answers_that_are_none(self):
        for octets in (
            lambda stream: found(stream, status="3o2"),
            lambda stream: http2.frame_octets(http2.DATA, 1, stream, b"body without a head"),
            lambda stream: http2.frame_octets(http2.HEADERS, 5, stream, b"\xff\xff\xff\xff\xff"),
            lambda stream: http2.frame_octets(http2.HEADERS, 5, 2, b"\x88"),
        ):
            report = self.ask(lambda stream, _, octets=octets: octets(stream), status=1)
            self.expect(report, bad_answer=10)

    def test_an_answer_that_never_comes(self):
        def answer(stream, count):
            return found(stream) if count % 5 else b""

        report = self.ask(answer, "--timeout", "0.2", "--streams", "5", status=1)
        self.expect(report, ok=8, timed_out=2)


if __name__ == "__main__":
    unittest.main()
