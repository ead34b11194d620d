# SPDX-License-Identifier: Apache-2.0
"""Resolvers that fail, die, vanish and come back: what the visitors notice of it, which is next to
nothing. The configuration is what it is by default wherever a test does not need another."""

import contextlib
import itertools
import time
import unittest

from harness import http1, netns
from harness.base import ServerTest, host_row, in_parallel, timed
from harness.dns_server import DnsServer, Fault
from harness.netns import FAR, Wire
from harness.ports import free_port
from harness.process import Process, wait_until
from harness.signpost import Signpost

HOST, NAME = "a.example.com", "_redirect.a.example.com"
TARGET, NEW_TARGET = "https://a.example.net/", "https://new.example.net/"
TIMEOUT_MS = 1000
DNS = {"dns": {"timeout_ms": TIMEOUT_MS, "try_ms": 400, "tries": 3}}
# Where queries are counted: a machine that is busy makes hedges out of nothing.
COUNTED = {"dns": {**DNS["dns"], "hedge_ms": -1}}
CACHE = {"cache": {"enabled": True}}
ANSWERS_PORTS = """
import socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind(("{address}", 53))
print("up", flush=True)
while True:
    query, peer = sock.recvfrom(4096)
    print(peer[1], flush=True)
    end = query.index(0, 12) + 5
    sock.sendto(query[:2] + bytes([0x81, 0x83, 0, 1]) + bytes(6) + query[12:end], peer)
"""


class FaultsTest(ServerTest):
    """Whatever a resolver says: the right redirect or 503."""

    CONFIG = {**DNS, "fallback": {"redirect": "https://fallback.example.org/"}}
    NUMBERS = itertools.count()

    def setUp(self):
        """A host of its own for each test: a query that nobody answers lives on beyond the test."""
        self.new_host()

    def new_host(self):
        self.host = f"f{next(self.NUMBERS)}.example.com"
        self.name, self.rows = f"_redirect.{self.host}", [host_row(self.host, TARGET)]

    def assertUnavailable(self, response):
        got = (response.status, response.header("retry-after"), response.header("cache-control"))
        self.assertEqual(got, (503, "5", "no-store"))
        self.assertIsNone(response.location)

    def test_faults_that_last(self):
        for kind in ("servfail", "refused", "formerr", "notimp", "drop", "garbage", "wrong-id"):
            for prefix in ("_redirect", "_redirect._"):
                with self.subTest(kind=kind, prefix=prefix):
                    self.new_host()
                    self.dns.load([], {f"{prefix}.{self.host}": kind})
                    got, seconds = timed(lambda: self.fetch(self.host))
                    self.assertUnavailable(got)
                    self.assertLess(seconds, TIMEOUT_MS / 1000 + 1)

    def test_faults_that_pass(self):
        """A lost or damaged packet costs a hedge; a wrong answer is none."""
        for kind in ("drop", "wrong-id", "truncate"):
            with self.subTest(kind):
                self.new_host()
                self.dns.load(self.rows, {self.name: Fault(kind, times=1)})
                got, seconds = timed(lambda: self.fetch(self.host))
                self.assertRedirect(got, TARGET)
                self.assertLess(seconds, 0.4)

    def test_udp_is_lost_for_good(self):
        self.dns.load(self.rows, {self.name: Fault("drop", transport="udp")})
        got, seconds = timed(lambda: self.fetch(self.host))
        self.assertRedirect(got, TARGET)
        self.assertLess(seconds, 0.4)
        self.assertGreaterEqual(self.dns.count(self.name, "tcp"), 1)

    def test_tcp_is_closed(self):
        self.dns.load(self.rows, {self.name: Fault("close", transport="tcp")})
        self.assertRedirect(self.fetch(self.host), TARGET)
        self.dns.load(self.rows, {self.name: Fault("drop", times=1, transport="udp")})
        self.assertRedirect(self.fetch(self.host), TARGET)

    def test_late_answers(self):
        self.dns.load(self.rows, {self.name: Fault("delay", delay_ms=TIMEOUT_MS // 2)})
        self.assertRedirect(self.fetch(self.host), TARGET)
        self.new_host()
        self.dns.load(self.rows, {self.name: Fault("delay", delay_ms=TIMEOUT_MS + 300)})
        self.assertUnavailable(self.fetch(self.host))
        self.dns.load([host_row("b.example.com", NEW_TARGET)])
        self.assertRedirect(self.fetch("b.example.com"), NEW_TARGET)


class SharingTest(ServerTest):
    CONFIG = {**COUNTED, **CACHE, "threads": 2}

    def test_a_thousand_requests_for_one_new_name(self):
        self.dns.load([host_row("new.example.com", TARGET)])
        for got in in_parallel(1000, lambda _: self.fetch("new.example.com").status):
            self.assertEqual(got, 302)
        self.assertLessEqual(self.dns.count("_redirect.new.example.com"), 2)


class TtlTest(ServerTest):
    """Stale answers are allowed, and yet each name is asked for when its time has come."""

    CONFIG = {**COUNTED, **CACHE}

    def assertAskedAgainAfter(self, host, seconds, before, after):
        name = f"_redirect.{host}"
        self.assertEqual(self.fetch(host).status, before)
        begin = time.monotonic()
        asked = self.dns.count(name)
        self.dns.load([host_row(host, NEW_TARGET)])

        def again():
            return self.fetch(host).status == after and self.dns.count(name) > 0

        self.assertGreaterEqual(asked, 1)
        self.assertTrue(wait_until(again, timeout=seconds + 5, step=0.02))
        self.assertGreaterEqual(time.monotonic() - begin, seconds - 0.2)
        self.assertLess(time.monotonic() - begin, seconds + 1)

    def test_answer_of_two_seconds(self):
        self.dns.load([host_row("t.example.com", TARGET, ttl=2, extra=";code=301")])
        self.assertAskedAgainAfter("t.example.com", 2, 301, 302)

    def test_absence_of_three_seconds(self):
        self.dns.load([], negative_ttl=3)
        self.assertAskedAgainAfter("n.example.com", 3, 404, 302)

    def test_popular_answers_are_refreshed_ahead(self):
        host = "popular.example.com"
        name = f"_redirect.{host}"
        self.dns.load([host_row(host, TARGET, ttl=10)])
        self.assertRedirect(self.fetch(host), TARGET)
        begin = time.monotonic()
        self.dns.load([host_row(host, NEW_TARGET, ttl=10)])

        def refreshed():
            self.fetch(host)
            return self.dns.count(name) > 0

        self.assertTrue(wait_until(refreshed, timeout=15, step=0.05))
        self.assertGreater(time.monotonic() - begin, 8.5)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertRedirect(self.fetch(host), NEW_TARGET)
        self.assertEqual(self.dns.count(name), 1)


class DeadResolverTest(unittest.TestCase):
    """One resolver, killed and started again at the same address."""

    def check(self, stop, start, signpost):
        """`stop` ends the resolver, `start` has it serve another target."""
        stop()
        for _ in range(20):
            got, seconds = timed(lambda: http1.fetch(signpost.where, HOST))
            self.assertEqual((got.status, got.location), (302, TARGET))
            self.assertLess(seconds, 0.5)
        got, seconds = timed(lambda: http1.fetch(signpost.where, "unknown.example.com"))
        self.assertEqual(got.status, 503)
        self.assertLess(seconds, TIMEOUT_MS / 1000 + 0.5)
        start()
        begin = time.monotonic()

        def fresh():
            return http1.fetch(signpost.where, HOST).location == NEW_TARGET

        def known():
            return http1.fetch(signpost.where, "unknown.example.com").status == 404

        self.assertTrue(wait_until(fresh, timeout=5, step=0.02))
        self.assertTrue(wait_until(known, timeout=5, step=0.02))
        self.assertLess(time.monotonic() - begin, 1)

    def test_killed(self):
        port = free_port()
        with DnsServer(port=port) as first:
            first.load([host_row(HOST, TARGET, ttl=1)])
            signpost = self.enterContext(Signpost([first.address], {**DNS, **CACHE}))
            self.assertEqual(http1.fetch(signpost.where, HOST).location, TARGET)
            expired = time.monotonic() + 1.1

        def start():
            again = self.enterContext(DnsServer(port=port))
            again.load([host_row(HOST, NEW_TARGET)])

        wait_until(lambda: time.monotonic() > expired)
        self.check(lambda: None, start, signpost)

    def test_silent(self):
        resolver = self.enterContext(DnsServer())
        resolver.load([host_row(HOST, TARGET, ttl=1)])
        signpost = self.enterContext(Signpost([resolver.address], {**DNS, **CACHE}))
        self.assertEqual(http1.fetch(signpost.where, HOST).location, TARGET)
        expired = time.monotonic() + 1.1
        wait_until(lambda: time.monotonic() > expired)
        self.check(
            lambda: resolver.load(default="drop"),
            lambda: resolver.load([host_row(HOST, NEW_TARGET)]),
            signpost,
        )

    def test_failing(self):
        resolver = self.enterContext(DnsServer())
        resolver.load([host_row(HOST, TARGET, ttl=1)])
        config = {**DNS, "cache": {"enabled": True, "failure_ttl_s": 1}}
        signpost = self.enterContext(Signpost([resolver.address], config))
        self.assertEqual(http1.fetch(signpost.where, HOST).location, TARGET)
        expired = time.monotonic() + 1.1
        wait_until(lambda: time.monotonic() > expired)
        resolver.load(default="servfail")
        for _ in range(20):
            self.assertEqual(http1.fetch(signpost.where, HOST).location, TARGET)
        self.assertLessEqual(resolver.count(NAME), 4)

    def test_nothing_is_stale_without_a_cache(self):
        with DnsServer() as resolver:
            resolver.load([host_row(HOST, TARGET)])
            signpost = self.enterContext(Signpost([resolver.address], DNS))
            self.assertEqual(http1.fetch(signpost.where, HOST).location, TARGET)
        self.assertEqual(http1.fetch(signpost.where, HOST).status, 503)


class TwoResolversTest(unittest.TestCase):
    """The first of two goes; names are new all the time."""

    ROWS = [["*.example.com", "TXT", f"v=txtv0;to={TARGET}"]]
    NUMBERS = itertools.count()

    def slowest(self, signpost, seconds):
        """The slowest of the requests of so many seconds."""
        begin, slowest, count = time.monotonic(), 0, 0
        while time.monotonic() - begin < seconds:
            host = f"n{next(self.NUMBERS)}.example.com"
            got, took = timed(lambda: http1.fetch(signpost.where, host))
            self.assertEqual((got.status, got.location), (302, TARGET))
            slowest, count = max(slowest, took), count + 1
        self.assertGreater(count, 10)
        return slowest

    def setUp(self):
        self.life = self.enterContext(contextlib.ExitStack())  # of the first resolver

    def check(self, stop, start):
        second = self.enterContext(DnsServer())
        second.load(self.ROWS)
        first = self.life.enter_context(DnsServer())
        first.load(self.ROWS)
        signpost = self.enterContext(Signpost([first.address, second.address], DNS))
        self.slowest(signpost, 0.3)
        stop(first)
        self.slowest(signpost, 1)
        # A busy machine may hold up one; a resolver that is waited for would do so each time.
        self.assertTrue(any(self.slowest(signpost, 2) < 0.1 for _ in range(3)))
        back = start(first)
        back.load(self.ROWS)
        begin = time.monotonic()

        def preferred():
            second.forget()
            http1.fetch(signpost.where, f"back{time.monotonic_ns()}.example.com")
            return not second.names() and back.names()

        self.assertTrue(wait_until(preferred, timeout=5, step=0.02))
        self.assertLess(time.monotonic() - begin, 1)

    def test_first_is_killed(self):
        def start(first):
            return self.enterContext(DnsServer(port=first.port))

        self.check(lambda _: self.life.close(), start)

    def test_first_is_silent(self):
        self.check(lambda first: first.load(default="drop"), lambda first: first)

    def test_first_fails(self):
        self.check(lambda first: first.load(default="servfail"), lambda first: first)


@unittest.skipIf(netns.available(), netns.available())
class AcrossNetworkTest(unittest.TestCase):
    def test_source_ports_change_all_the_time(self):
        wire = self.enterContext(Wire())
        script = ANSWERS_PORTS.format(address=FAR)
        argv = [*wire.far, "python3", "-c", script]
        resolver = self.enterContext(Process(argv, statuses=(0, -15)))
        self.assertIsNotNone(resolver.wait_line(lambda line: line == "up"))
        signpost = self.enterContext(Signpost([FAR], {"dns": {"hedge_ms": -1}}, prefix=wire.near))
        url = f"http://127.0.0.1:{signpost.port}/"
        for i in range(60):
            ask = ["curl", "-s", "-o", "/dev/null", "-H", f"Host: h{i}.example.com", url]
            with Process([*wire.near, *ask]) as client:
                self.assertEqual(client.wait(), 0)
        ports = [line for line in resolver.out if line != "up"]
        self.assertGreaterEqual(len(ports), 60)
        self.assertGreater(len(set(ports)), len(ports) * 0.8)


if __name__ == "__main__":
    unittest.main()
