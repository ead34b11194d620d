# SPDX-License-Identifier: Apache-2.0
"""How signpost treats DNS: what it caches and for how long, how it asks, and what it does when the
answer is late, damaged, or never comes."""

import itertools
import random
import time
import unittest

from harness import http1
from harness.base import ServerTest, host_row, in_parallel, timed
from harness.dns_server import DnsServer, Fault
from harness.ports import free_port
from harness.process import wait_until
from harness.signpost import Signpost
from harness.zone_text import zone_text

HOST = "a.example.com"
NAME = f"_redirect.{HOST}"
TARGET = "https://a.example.net/"
# Queries are counted here, and a machine that is busy makes hedges out of nothing.
NO_HEDGES = {"dns": {"hedge_ms": -1}}
CACHE = {**NO_HEDGES, "cache": {"enabled": True, "stale_s": 0, "prefetch": False}}
TIMEOUT_MS = 1000


class AskingTest(ServerTest):
    """Without a cache."""

    CONFIG = NO_HEDGES
    ROWS = [host_row(HOST, TARGET)]

    def test_names_are_asked_as_txt_with_edns(self):
        self.assertRedirect(self.fetch(HOST), TARGET)
        self.assertEqual(self.dns.asked()[0].name, NAME)
        for query in self.dns.asked():
            self.assertEqual((query.type, query.transport, query.udp_size), ("TXT", "udp", 1232))

    def test_nothing_is_kept_without_a_cache(self):
        for count in (1, 2, 3):
            self.assertRedirect(self.fetch(HOST), TARGET)
            self.assertEqual(self.dns.count(NAME), count)

    def test_all_candidates_of_an_absent_host(self):
        self.assertEqual(self.fetch("x.example.org").status, 404)
        self.assertEqual(
            sorted(set(self.dns.names())),
            ["_redirect._.example.org", "_redirect._.x.example.org", "_redirect.x.example.org"],
        )

    def test_favicon_and_addresses_ask_nothing(self):
        self.assertEqual(self.fetch(HOST, "/favicon.ico").status, 404)
        self.assertEqual(self.fetch("192.0.2.1").status, 404)
        self.assertEqual(self.fetch("[2001:db8::1]:80").status, 404)
        self.assertEqual(self.dns.names(), [])

    def test_equal_questions_share_one_query(self):
        self.dns.load(self.ROWS, {NAME: Fault("delay", delay_ms=400)})
        for got in in_parallel(50, lambda _: self.fetch(HOST)):
            self.assertRedirect(got, TARGET)
        self.assertLessEqual(self.dns.count(NAME), 2)

    def test_different_questions_do_not_wait_for_each_other(self):
        hosts = [f"h{i}.example.com" for i in range(40)]
        rows = [host_row(host, f"https://{host}.example.net/") for host in hosts]
        self.dns.load(rows, {f"_redirect.{h}": Fault("delay", delay_ms=300) for h in hosts})
        got, seconds = timed(lambda: in_parallel(40, lambda i: self.fetch(hosts[i])))
        for host, response in zip(hosts, got):
            self.assertRedirect(response, f"https://{host}.example.net/")
        self.assertLess(seconds, 40 * 0.3 / 2)

    def test_truncated_answer_is_asked_over_tcp(self):
        target = TARGET + "x" * 3000
        self.dns.load([host_row(HOST, target)])
        self.assertRedirect(self.fetch(HOST), target)
        self.assertEqual(self.dns.count(NAME, "tcp"), 1)
        self.assertEqual(self.dns.count(NAME, "udp"), 1)

    def test_truncation_without_content_is_asked_over_tcp(self):
        self.dns.load(self.ROWS, {NAME: "truncate"})
        self.assertRedirect(self.fetch(HOST), TARGET)

    def test_aliases_are_followed_by_the_resolver(self):
        self.dns.load(
            [
                [NAME, "CNAME", "one.example.org"],
                ["one.example.org", "CNAME", "two.example.org"],
                ["two.example.org", "TXT", f"v=txtv0;to={TARGET}"],
            ]
        )
        self.assertRedirect(self.fetch(HOST), TARGET)

    def test_wildcards_of_dns(self):
        self.dns.load([["*.sub.example.com", "TXT", f"v=txtv0;to={TARGET}"]])
        for host in ("x.sub.example.com", "y.x.sub.example.com", "sub.example.com"):
            self.assertRedirect(self.fetch(host), TARGET)
        self.assertEqual(self.fetch("other.example.com").status, 404)

    def test_a_name_with_many_records(self):
        rows = [[NAME, "TXT", f"foreign {i}"] for i in range(60)] + [host_row(HOST, TARGET)]
        self.dns.load(rows)
        self.assertRedirect(self.fetch(HOST), TARGET)

    def test_long_flag_no_cache(self):
        with Signpost([self.dns.address], CACHE, arguments=["--no-cache"]) as signpost:
            for count in (1, 2):
                self.assertRedirect(http1.fetch(signpost.where, HOST), TARGET)
                self.assertEqual(self.dns.count(NAME), count)


class TcpOnlyTest(ServerTest):
    CONFIG = {"dns": {"transport": "tcp"}}

    def test_everything_goes_over_tcp(self):
        self.dns.load([host_row(HOST, TARGET)])
        for _ in range(3):
            self.assertRedirect(self.fetch(HOST), TARGET)
        self.assertEqual(self.dns.count(NAME, "tcp"), 3)
        self.assertEqual(self.dns.count(transport="udp"), 0)

    def test_a_server_that_hangs_up(self):
        self.dns.load([host_row(HOST, TARGET)], {NAME: Fault("close", times=1)})
        self.assertRedirect(self.fetch(HOST), TARGET)


class TroubleTest(ServerTest):
    CONFIG = {"dns": {"timeout_ms": TIMEOUT_MS, "try_ms": 150, "tries": 3}}
    NUMBERS = itertools.count()

    def setUp(self):
        """A host of its own for each test: a query that nobody answers lives on beyond the test."""
        self.new_host()

    def new_host(self):
        self.host = f"t{next(self.NUMBERS)}.example.com"
        self.name, self.rows = f"_redirect.{self.host}", [host_row(self.host, TARGET)]

    def assertFailure(self, response):
        got = (response.status, response.header("retry-after"), response.header("cache-control"))
        self.assertEqual(got, (503, "5", "no-store"))
        self.assertIsNone(response.location)

    def test_a_failure_is_never_an_absence(self):
        for kind in ("servfail", "refused", "notimp", "drop", "garbage", "wrong-id", "empty"):
            with self.subTest(kind):
                self.new_host()
                self.dns.load(self.rows, {self.name: kind})
                got, seconds = timed(lambda: self.fetch(self.host))
                self.assertFailure(got)
                self.assertLess(seconds, TIMEOUT_MS / 1000 + 2)
        self.assertAlive()

    def test_truncated_and_then_hung_up(self):
        self.dns.load(self.rows, {self.name: Fault("close", transport="tcp")})
        self.assertRedirect(self.fetch(self.host), TARGET)  # over UDP all is well
        self.new_host()
        long = TARGET + "x" * 3000
        self.dns.load([host_row(self.host, long)], {self.name: Fault("close", transport="tcp")})
        self.assertFailure(self.fetch(self.host))

    def test_silence_lasts_as_long_as_the_deadline(self):
        self.dns.load(self.rows, default="drop")
        got, seconds = timed(lambda: self.fetch(self.host))
        self.assertFailure(got)
        self.assertLess(seconds, TIMEOUT_MS / 1000 + 2)
        self.assertGreaterEqual(self.dns.count(self.name), 2)

    def test_one_deadline_for_all_lookups_of_a_request(self):
        rows = [
            [f"_redirect.u{i}.example.com", "TXT", f"v=txtv0;use=_redirect.u{i + 1}.example.com"]
            for i in range(10)
        ]
        faults = {row[0]: Fault("delay", delay_ms=200) for row in rows}
        self.dns.load(rows, faults)
        got, seconds = timed(lambda: self.fetch("u0.example.com"))
        self.assertFailure(got)
        self.assertGreater(seconds, TIMEOUT_MS / 1000 * 0.8)
        self.assertLess(seconds, TIMEOUT_MS / 1000 + 2)

    def test_a_lost_query_is_sent_again(self):
        self.dns.load(self.rows, {self.name: Fault("drop", times=1)})
        self.assertRedirect(self.fetch(self.host), TARGET)
        self.assertGreaterEqual(self.dns.count(self.name), 2)

    def test_failure_of_a_name_that_does_not_count(self):
        self.dns.load(
            self.rows, {f"_redirect._.{self.host}": "servfail", "_redirect._.example.com": "drop"}
        )
        got, seconds = timed(lambda: self.fetch(self.host))
        self.assertRedirect(got, TARGET)
        self.assertLess(seconds, TIMEOUT_MS / 1000)

    def test_failure_behind_an_absence_counts(self):
        self.dns.load([host_row("_.example.com", TARGET)], {f"_redirect._.{self.host}": "servfail"})
        self.assertFailure(self.fetch(self.host))

    def test_late_answer_goes_nowhere(self):
        self.dns.load(self.rows, {self.name: Fault("delay", delay_ms=TIMEOUT_MS + 300)})
        self.assertFailure(self.fetch(self.host))
        self.assertAlive()

    def test_damaged_answers(self):
        """Right answers with a few octets changed, cut or added: never a crash, never a wait beyond
        the deadline, never an answer that no rule gives."""
        noise = random.Random(4)

        def damage(packet):
            octets = bytearray(packet)
            for _ in range(noise.randrange(1, 8)):
                octets[noise.randrange(2, len(octets))] = noise.randrange(256)
            end = noise.choice((len(octets), len(octets), noise.randrange(2, len(octets))))
            return bytes(octets[:end]) + noise.randbytes(noise.choice((0, 0, 30)))

        rows = [host_row(f"f{i}.example.com", TARGET) for i in range(120)]
        rows += [[f"_redirect.f{i}.example.com", "CNAME", "x.example.com"] for i in range(120, 160)]
        self.dns.load(rows, {row[0]: Fault("raw", raw=damage) for row in rows})

        def ask(index):
            return [self.fetch(f"f{i}.example.com").status for i in range(index, 160, 16)]

        for statuses in in_parallel(16, ask):
            self.assertEqual(set(statuses) - {302, 404, 503}, set())
        self.assertAlive()


class ResolversTest(unittest.TestCase):
    CONFIG = {"dns": {"timeout_ms": 3000, "try_ms": 300, "tries": 2}}

    def check(self, first, second, config=None):
        second.load([host_row(HOST, TARGET)])
        with Signpost([first, second.address], config or self.CONFIG) as signpost:
            for _ in range(3):
                got, seconds = timed(lambda: http1.fetch(signpost.where, HOST))
                self.assertEqual((got.status, got.location), (302, TARGET))
                self.assertLess(seconds, 2.5)

    def test_second_resolver_when_the_first_is_closed(self):
        with DnsServer() as second:
            self.check(f"127.0.0.1:{free_port()}", second)

    def test_second_resolver_when_the_first_is_silent(self):
        with DnsServer() as first, DnsServer() as second:
            first.load(default="drop")
            self.check(first.address, second)
            self.assertGreaterEqual(first.count(), 1)

    def test_second_resolver_when_the_first_fails(self):
        with DnsServer() as first, DnsServer() as second:
            first.load(default="servfail")
            self.check(first.address, second)

    def test_order_is_preference(self):
        with DnsServer() as first, DnsServer() as second:
            first.load([host_row(HOST, TARGET)])
            # A first one that is late on a busy machine is not passed over here.
            patient = {"dns": {"timeout_ms": 5000, "try_ms": 2400, "tries": 1, "hedge_ms": -1}}
            self.check(first.address, second, patient)
            self.assertEqual(second.count(), 0)

    def test_no_resolver_there(self):
        with Signpost([f"127.0.0.1:{free_port()}"], self.CONFIG) as signpost:
            got = http1.fetch(signpost.where, HOST)
            self.assertEqual((got.status, got.header("retry-after")), (503, "5"))

    def test_resolver_over_ipv6(self):
        with DnsServer(host="::1") as resolver:
            resolver.load([host_row(HOST, TARGET)])
            with Signpost([resolver.address], self.CONFIG) as signpost:
                self.assertEqual(http1.fetch(signpost.where, HOST).location, TARGET)


class CacheTest(ServerTest):
    CONFIG = CACHE
    NUMBERS = itertools.count()

    def setUp(self):
        super().setUp()
        self.host = f"c{next(self.NUMBERS)}.example.com"  # nobody has asked for it yet
        self.name = f"_redirect.{self.host}"

    def assertAskedOnce(self, status=302):
        for _ in range(5):
            self.assertEqual(self.fetch(self.host).status, status)
        self.assertEqual(self.dns.count(self.name), 1)

    def assertAskedAgain(self, seconds):
        """The name is asked again when its time has run out, not before."""
        begin = time.monotonic()
        self.dns.forget()

        def again():
            self.fetch(self.host)
            return self.dns.count(self.name) > 0

        self.assertTrue(wait_until(again, timeout=seconds + 5, step=0.05))
        self.assertGreater(time.monotonic() - begin, seconds * 0.5)

    def test_ttl_is_honoured(self):
        self.dns.load([host_row(self.host, TARGET, ttl=2)])
        self.assertAskedOnce()
        self.dns.load([host_row(self.host, "https://new.example.net/", ttl=2)])
        self.assertRedirect(self.fetch(self.host), TARGET)
        self.assertAskedAgain(2)
        self.assertRedirect(self.fetch(self.host), "https://new.example.net/")

    def test_smallest_ttl_of_a_chain(self):
        self.dns.load(
            [
                [self.name, "CNAME", "short.example.org", 300],
                ["short.example.org", "CNAME", "long.example.org", 2],
                ["long.example.org", "TXT", f"v=txtv0;to={TARGET}", 300],
            ]
        )
        self.assertAskedOnce()
        self.assertAskedAgain(2)

    def test_ttl_of_nothing_is_not_kept(self):
        self.dns.load([host_row(self.host, TARGET, ttl=0)])
        for count in (1, 2, 3):
            self.fetch(self.host)
            self.assertEqual(self.dns.count(self.name), count)

    def test_absence_is_kept_as_long_as_the_soa_says(self):
        self.dns.load([], negative_ttl=2)
        self.assertAskedOnce(404)
        self.assertAskedAgain(2)

    def test_empty_answer_is_kept(self):
        self.dns.load([[f"x.{self.name}", "TXT", "v=txtv0"]])
        self.assertAskedOnce(404)

    def test_failure_is_kept_for_a_moment(self):
        self.dns.load([], {self.name: "servfail"})
        self.assertEqual(self.fetch(self.host).status, 503)
        asked = self.dns.count(self.name)
        self.assertEqual(self.fetch(self.host).status, 503)
        self.assertEqual(self.dns.count(self.name), asked)

    def test_names_differ_without_case(self):
        self.dns.load([host_row(self.host, TARGET)])
        for host in (self.host, self.host.upper(), f"{self.host}.", f"{self.host}:80"):
            self.assertRedirect(self.fetch(host), TARGET)
        self.assertEqual(self.dns.count(self.name), 1)

    def test_long_answers_over_tcp_are_kept_too(self):
        self.dns.load([host_row(self.host, TARGET + "x" * 3000)])
        for _ in range(5):
            self.assertRedirect(self.fetch(self.host), TARGET + "x" * 3000)
        asked = [query.transport for query in self.dns.asked(self.name)]
        self.assertEqual(asked, ["udp", "tcp"])

    def test_workers_share_the_cache(self):
        self.dns.load([host_row(self.host, TARGET)])
        with Signpost([self.dns.address], {**CACHE, "threads": 4}) as signpost:
            for _ in range(40):
                self.assertRedirect(http1.fetch(signpost.where, self.host), TARGET)
        self.assertEqual(self.dns.count(self.name), 1)


class ClampTest(CacheTest):
    CONFIG = {**NO_HEDGES, "cache": {**CACHE["cache"], "min_ttl_s": 0, "max_ttl_s": 2, "negative_ttl_s": 1}}

    def test_ttl_is_honoured(self):
        self.dns.load([host_row(self.host, TARGET, ttl=3600)])
        self.assertAskedOnce()
        self.assertAskedAgain(2)

    def test_absence_is_kept_as_long_as_the_soa_says(self):
        self.dns.load([], negative_ttl=3600)
        self.assertAskedOnce(404)
        self.assertAskedAgain(1)


class SmallCacheTest(ServerTest):
    CONFIG = {"cache": {**CACHE["cache"], "max_bytes": 65536}}

    def test_a_flood_of_names_is_borne(self):
        self.dns.load([["*.example.com", "TXT", f"v=txtv0;to={TARGET}"]])
        with http1.Connection(self.where) as connection:
            for i in range(1500):
                octets = http1.request_octets("GET", "/", f"n{i}.example.com", close=False)
                connection.send(octets)
                self.assertRedirect(connection.read(), TARGET)
        self.assertAlive()


class ZoneTest(ServerTest):
    """Zone files ahead of the resolver."""

    def start(self, *zones, config=None):
        """A signpost with these zones: (apex, rows)."""
        paths = []
        for apex, rows in zones:
            path = self.signpost.directory / f"{apex}.zone"
            path.write_text(zone_text(rows, apex))
            paths += ["--zone", str(path)]
        return self.enterContext(Signpost([self.dns.address], config, arguments=paths))

    def test_zone_and_resolver(self):
        self.dns.load([host_row("out.example.org", "https://resolver.example.net/")])
        signpost = self.start(
            ("example.com", [host_row(HOST, TARGET)]),
            ("example.net", [host_row("n.example.net", TARGET)]),
        )
        for host in (HOST, "n.example.net"):
            self.assertRedirect(http1.fetch(signpost.where, host), TARGET)
        self.assertEqual(http1.fetch(signpost.where, "none.example.com").status, 404)
        self.assertEqual(self.dns.names(), [])
        got = http1.fetch(signpost.where, "out.example.org")
        self.assertRedirect(got, "https://resolver.example.net/")
        self.assertEqual(self.dns.names()[0], "_redirect.out.example.org")

    def test_wildcards_and_aliases_in_a_zone(self):
        signpost = self.start(
            (
                "example.com",
                [
                    ["*.sub.example.com", "TXT", f"v=txtv0;to={TARGET}"],
                    ["_redirect.x.sub2.example.com", "CNAME", "there.example.com"],
                    ["there.example.com", "TXT", ["v=txtv0;to=https://a.", "example.net/"]],
                ],
            )
        )
        for host in ("y.sub.example.com", "x.sub2.example.com"):
            self.assertRedirect(http1.fetch(signpost.where, host), TARGET)

    def test_alias_that_leaves_the_zone_is_asked_of_the_resolver(self):
        self.dns.load([["there.example.org", "TXT", f"v=txtv0;to={TARGET}"]])
        signpost = self.start(("example.com", [[NAME, "CNAME", "there.example.org"]]))
        self.assertRedirect(http1.fetch(signpost.where, HOST), TARGET)

    def test_zones_in_the_configuration(self):
        path = self.signpost.directory / "configured.zone"
        path.write_text(zone_text([host_row(HOST, TARGET)], "example.com"))
        signpost = self.start(config={"dns": {"zones": [str(path)]}})
        self.assertRedirect(http1.fetch(signpost.where, HOST), TARGET)
        self.assertEqual(self.dns.names(), [])


if __name__ == "__main__":
    unittest.main()
