# SPDX-License-Identifier: Apache-2.0
"""Certificates on demand, from pebble: who gets one, who gets none and hears why, how many orders
there are, and what happens to what is there."""

import json
import ssl
import stat
import time
import unittest

from harness.acme import AcmeTest, https, shown_certificate
from harness.admin import promtool
from harness.base import host_row, in_parallel, timed
from harness.dns_server import Fault
from harness.http1 import fetch
from harness.ports import free_port
from harness.process import wait_until
from harness.signpost import cli
from harness.tls import make_expired

TARGET = "https://target.example.net/"
HANDSHAKES = 200
HMAC_KEY = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"


class OnDemandTest(AcmeTest):
    ROWS = [
        host_row("fresh.example.com", TARGET),
        host_row("many.example.com", TARGET),
        host_row("allowed.example.org", TARGET),
        ["example.org", "CAA", "0 issue nobody.example"],
        ["example.org", "CAA", "0 issue authority.example; validationmethods=dns-01,http-01"],
        host_row("forbidden.example.net", TARGET),
        ["example.net", "CAA", "0 issue nobody.example"],
        host_row("critical.example.edu", TARGET),
        ["example.edu", "CAA", "128 future x"],
        host_row("method.example.info", TARGET),
        ["method.example.info", "CAA", "0 issue authority.example; validationmethods=dns-01"],
        host_row("unknown.example.biz", TARGET),
        ["_redirect.faulty.example.com", "TXT", "v=txtv0;code=999"],
        host_row("tool.example.com", TARGET),
    ]
    CONFIG = {"fallback": {"redirect": "https://fallback.example.net/"}}
    FAULTS = {"example.biz": Fault("servfail")}

    def setUp(self):
        self.dns.load(self.ROWS, faults=self.FAULTS)

    def test_a_fresh_name_is_served_at_the_first_try(self):
        self.assertServedAtOnce("fresh.example.com", TARGET)
        self.assertTrue(self.assertWhole("fresh.example.com"))
        self.assertEqual(self.left_over(), [])
        self.assertEqual(stat.S_IMODE((self.storage / ".signpost").stat().st_mode), 0o700)
        valid = 'signpost_acme_stored{state="valid"}'
        expiry = "signpost_acme_next_expiry_timestamp_seconds"
        self.assertTrue(wait_until(lambda: self.metric(valid), timeout=8))  # a pause has 10 s
        self.assertGreater(self.metric(expiry), time.time())
        self.assertEqual(promtool(self.endpoint("/metrics").body), "")

    def test_many_handshakes_make_one_order(self):
        root, before = self.authority.root(), self.authority.orders()
        in_parallel(HANDSHAKES, lambda _: self.until_served("many.example.com", root))
        self.assertEqual(self.authority.orders() - before, 1)

    def test_caa_that_allows_one_further_up(self):
        self.assertEqual(self.ask("allowed.example.org")[:2], (True, "granted"))
        answered = 'signpost_dns_queries_total{transport="udp",rcode="noerror"}'
        before = self.metric(answered)
        self.assertServed("allowed.example.org", TARGET)
        # For CAA; the redirect's own record is in the cache since /ask.
        self.assertGreaterEqual(self.metric(answered), before + 1)

    def test_who_gets_none_hears_why(self):
        before = self.authority.orders()
        for name, code, words in (
            ("nothing.example.com", "no-record", "put one at _redirect.nothing.example.com"),
            ("faulty.example.com", "faulty-record", "code must be"),
            ("forbidden.example.net", "caa", "the CAA records at example.net do not allow"),
            ("critical.example.edu", "caa", "critical"),
            ("method.example.info", "caa", "validationmethods"),
            ("unknown.example.biz", "caa-failure", "SERVFAIL"),
        ):
            with self.subTest(name):
                self.assertRefused(name)
                granted, told, reason = self.ask(name)
                self.assertEqual((granted, told), (False, code), reason)
                self.assertIn(words, reason)
                self.assertFalse(self.assertWhole(name))
        self.assertEqual(self.authority.orders(), before)
        self.assertGreater(self.metric('signpost_acme_refusals_total{reason="caa"}'), 0)
        self.assertGreater(
            self.metric('signpost_acme_orders_total{kind="demand",result="refused"}'), 0)

    def test_names_that_are_none(self):
        for name in ("127.0.0.1", "*.example.com", "localhost", "a_b.example.com", "a..b", "..",
                     "example.com%00", "-" * 300, "[::1]", "example.com:443", "%20"):
            with self.subTest(name):
                response = fetch(("127.0.0.1", self.admin_port), "admin", f"/ask?domain={name}")
                self.assertEqual(response.status, 403, response.text)
                self.assertEqual(json.loads(response.text)["code"], "bad-name")
        self.endpoint("/ask", status=400)

    def test_dns_that_fails_is_no_permission(self):
        self.dns.load(self.ROWS, faults={"_redirect.broken.example.com": Fault("servfail")})
        self.assertEqual(self.ask("broken.example.com")[:2], (False, "dns-failure"))

    def test_challenges_are_answered_where_they_exist(self):
        challenges = self.storage / ".signpost" / "challenges"
        where = ("127.0.0.1", self.http_port)
        path = "/.well-known/acme-challenge/"
        (challenges / "a-Token_1").write_text("the answer")
        self.dns.forget()
        try:
            answer = fetch(where, "whoever.example", path + "a-Token_1")
            self.assertEqual((answer.status, answer.body), (200, b"the answer"))
            self.assertEqual(self.dns.asked(), [])
            for token in ("other", "", "a-Token_1/", "../account", "..%2faccount", ".", "a" * 300):
                self.assertEqual(fetch(where, "whoever.example", path + token).status, 404, token)
        finally:
            (challenges / "a-Token_1").unlink()

    def test_the_command(self):
        config = str(self.signpost.directory / "signpost.json")
        name = "tool.example.com"

        def cert(*words):
            return cli("cert", "--config", config, *words)

        done = cert("renew", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertServed(name, TARGET)
        first = (self.storage / name / "fullchain.pem").read_text()
        self.assertEqual(cert("renew", name).returncode, 0)
        self.assertNotEqual((self.storage / name / "fullchain.pem").read_text(), first)
        listed = json.loads(cert("--json", "list").stdout)["certificates"]
        self.assertEqual([item["state"] for item in listed if item["name"] == name], ["valid"])
        self.assertIn(name, cert("list").stdout)
        explained = cli("explain", "--config", config, f"https://{name}/")
        self.assertIn("certificate: valid until ", explained.stdout)
        self.assertEqual(cert("forget", name).returncode, 0)
        self.assertFalse(self.assertWhole(name))
        explained = cli("explain", "--config", config, f"https://{name}/")
        self.assertIn("certificate: none yet; one would be got: ", explained.stdout)
        refused = cert("renew", "nothing.example.com")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("there is no redirect record", refused.stderr)
        for words in ((), ("lose",), ("renew",), ("renew", "127.0.0.1"), ("list", name)):
            self.assertEqual(cert(*words).returncode, 2, words)


class ProxiedTest(AcmeTest):
    """Clients are who a proxy says: those that are here have addresses that are not limited."""

    LISTEN = {"proxy_protocol": True}
    CONFIG = {"trusted_proxies": ["127.0.0.1"]}
    CLIENTS, INSIDE = ("198.51.100.1", "198.51.100.2", "203.0.113.3"), "10.0.0.1"


class BudgetTest(ProxiedTest):
    ACME = {"per_domain_per_week": 1, "per_hour": 4}

    def test_budgets(self):
        first, second, third = self.CLIENTS
        names = ("a.example.com", "b.example.com", "a.example.co.uk", "a.example.org",
                 "a.example.net", "a.example.edu")
        self.dns.load([host_row(name, TARGET) for name in names])
        self.assertServed("a.example.com", TARGET, client=first)
        self.assertRefused("b.example.com", client=first)
        granted, code, reason = self.ask("b.example.com")
        self.assertEqual((granted, code), (False, "domain-budget"))
        self.assertIn("example.com has had its 1 certificates of a week", reason)
        self.assertServed("a.example.co.uk", TARGET, client=first)  # a public suffix is nobody's domain
        # Half of an hour's orders is what one client may cause.
        self.assertRefused("a.example.org", client=first)
        self.assertIn("its client has caused as many orders", self.why("a.example.org"))
        self.assertEqual(self.ask("a.example.org")[:2], (True, "granted"))
        self.assertEqual(
            self.metric('signpost_acme_refusals_total{reason="client-budget"}'), 1)
        self.assertServed("a.example.org", TARGET, client=second)
        self.assertServed("a.example.org", TARGET, client=first)  # what is there is there for all
        self.assertServed("a.example.net", TARGET, client=second)
        self.assertRefused("a.example.edu", client=third)
        self.assertEqual(self.ask("a.example.edu")[:2], (False, "hour-budget"))
        self.assertEqual(self.authority.orders(), 4)


class NamesTest(ProxiedTest):
    PER_MINUTE = 60
    REFUSED = 'signpost_acme_refusals_total{reason="client-names"}'

    def test_who_makes_up_names_is_left_alone_and_nobody_else(self):
        self.dns.load([host_row("wanted.example.com", TARGET)])
        root = self.authority.root()

        def is_limited(number, client=self.CLIENTS[0]):
            with self.assertRaises(ssl.SSLError):
                https(self.tls_port, f"n{number}.example.org", root, client=client)
            return self.metric(self.REFUSED) != 0

        # Behind such an address may be everybody.
        self.assertFalse(any(is_limited(-number, self.INSIDE)
                             for number in range(2 * self.PER_MINUTE)))
        # A minute may end in between.
        asked = next(number for number in range(1, 2 * self.PER_MINUTE + 2) if is_limited(number))
        self.assertGreater(asked, self.PER_MINUTE)
        self.assertIn("too many names", self.why(f"n{asked}.example.org"))
        self.assertServed("wanted.example.com", TARGET, client=self.CLIENTS[1])
        self.assertServed("wanted.example.com", TARGET, client=self.CLIENTS[0])  # what is there is there for all


class StaleTest(AcmeTest):
    CONFIG = {"cache": {"enabled": True, "failure_ttl_s": 0, "prefetch": False}}

    def test_what_is_known_from_before_only_is_no_permission(self):
        name = "stale.example.info"
        self.dns.load([host_row(name, TARGET, ttl=1)])
        where = ("127.0.0.1", self.http_port)
        self.assertEqual(fetch(where, name).location, TARGET)
        self.dns.load(default=Fault("servfail"))
        self.assertTrue(wait_until(lambda: self.code(name) == "dns-failure", timeout=20))
        self.assertEqual(fetch(where, name).location, TARGET)  # redirects go on
        self.assertIn("from before", self.ask(name)[2])

    def code(self, name):
        response = fetch(("127.0.0.1", self.admin_port), "admin", f"/ask?domain={name}")
        return json.loads(response.text)["code"]


class TlsAlpnTest(AcmeTest):
    ACME = {"challenge": "tls-alpn-01",
            "eab": {"kid": "kid-1", "hmac_key": HMAC_KEY}}
    PEBBLE = {"externalAccountBindingRequired": True,
              "externalAccountMACKeys": {"kid-1": HMAC_KEY}}

    def test_a_fresh_name_and_an_external_account(self):
        self.dns.load([host_row("alpn.example.com", TARGET)])
        self.assertServed("alpn.example.com", TARGET)
        self.assertEqual(self.left_over(), [])
        shown = self.endpoint("/config").text
        self.assertIn("kid-1", shown)
        self.assertNotIn(HMAC_KEY, shown)


class SharedStorageTest(AcmeTest):
    """Two processes, one storage. The authority asks the first, whoever has ordered."""

    def test_they_never_order_twice(self):
        ports = (free_port(), free_port())
        names = [f"n{number}.example.com" for number in range(3)]
        self.dns.load([host_row(name, TARGET) for name in names])
        root = self.authority.root()
        with self.make_signpost(listen=ports, admin_port=free_port()):
            for name in names:
                tls_ports = (self.tls_port, ports[1]) * 10
                in_parallel(20, lambda i: self.until_served(name, root, tls_ports[i]))
        self.assertEqual(self.authority.orders(), len(names))
        self.assertEqual(self.left_over(), [])


class RenewalTest(AcmeTest):
    PEBBLE = {"certificateValidityPeriod": 24}
    REFUSED = 'signpost_acme_orders_total{kind="renewal",result="refused"}'

    def test_what_expires_is_renewed_unless_its_record_is_gone(self):
        stays, goes = "stays.example.com", "goes.example.com"
        self.dns.load([host_row(stays, TARGET), host_row(goes, TARGET)])
        for name in (stays, goes):
            self.assertServed(name, TARGET)
        first = shown_certificate(self.tls_port, stays)
        gone = (self.storage / goes / "fullchain.pem").read_text()
        orders, refused = self.authority.orders(), self.metric(self.REFUSED)
        self.dns.load([host_row(stays, TARGET)])

        def is_renewed():
            return shown_certificate(self.tls_port, stays) != first

        self.assertTrue(wait_until(is_renewed, timeout=60, step=0.5), self.signpost.err_text)
        self.assertServed(stays, TARGET)
        self.assertGreater(self.authority.orders(), orders)
        self.assertTrue(wait_until(lambda: self.metric(self.REFUSED) >= refused + 1, timeout=30))
        self.assertEqual((self.storage / goes / "fullchain.pem").read_text(), gone)
        self.assertGreaterEqual(
            self.metric('signpost_acme_orders_total{kind="renewal",result="issued"}'), 1)
        self.assertIsNotNone(self.metric('signpost_acme_stored{state="valid"}'))

    def test_who_waits_for_a_renewal_hears_that_it_is_refused(self):
        name = "waits.example.com"
        record = f"_redirect.{name}"
        self.dns.load(faults={record: Fault("delay", delay_ms=1500)})
        make_expired(self.storage / name, name, 1)
        self.assertTrue(self.dns.wait_for(1, record, timeout=60), self.signpost.err_text)
        for _ in range(2):
            seconds = timed(lambda: shown_certificate(self.tls_port, name))[1]
            self.assertLess(seconds, 8, "it waits as if nobody had an answer")

    def test_what_expired_long_ago_is_deleted_where_its_record_is_gone(self):
        old, late, wanted = "old.example.com", "late.example.com", "wanted.example.com"
        self.dns.load([host_row(wanted, TARGET)])
        refused = self.metric(self.REFUSED)
        make_expired(self.storage / late, late, 29)
        make_expired(self.storage / wanted, wanted, 365)
        make_expired(self.storage / old, old, 31)
        self.assertTrue(wait_until(lambda: not (self.storage / old).exists(), timeout=60))
        self.assertTrue(wait_until(lambda: self.metric(self.REFUSED) >= refused + 2, timeout=60))
        self.assertTrue((self.storage / late / "fullchain.pem").exists())
        self.assertServed(wanted, TARGET)
        self.assertEqual(self.metric("signpost_acme_deleted_total"), 1)
        self.assertTrue(wait_until(
            lambda: f"{old}: its certificate is deleted" in self.signpost.err_text, timeout=10))
        self.assertFalse((self.storage / ".signpost" / "failures" / old).exists())


if __name__ == "__main__":
    unittest.main()
