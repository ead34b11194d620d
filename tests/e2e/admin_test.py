# SPDX-License-Identifier: Apache-2.0
"""The admin listener: health, readiness, metrics, explanations, the cache, the configuration."""

import json
import os
import shutil
import signal
import socket
import tempfile
import time
import unittest
from pathlib import Path

from harness import http1
from harness.admin import AdminTest, promtool
from harness.base import host_row, in_parallel, timed
from harness.dns_server import DnsServer, Fault
from harness.http1 import Connection, request_octets
from harness.ports import free_port
from harness.process import wait_until
from harness.signpost import Signpost, cli

HOST = "a.example.com"
NAME = f"_redirect.{HOST}"
TARGET = "https://a.example.net/"
ENDPOINTS = ("/healthz", "/readyz", "/metrics", "/explain", "/cache", "/config")


class EndpointsTest(AdminTest):
    ROWS = [host_row(HOST, TARGET)]

    def test_health(self):
        self.assertEqual(self.ask_json("/healthz"), {"status": "ok"})

    def test_head_has_no_body(self):
        for path in ("/", "/healthz", "/readyz", "/metrics", "/cache", "/config", "/style.css"):
            with self.subTest(path):
                response = self.ask(path, method="HEAD")
                self.assertEqual((response.status, response.body), (200, b""))
                self.assertGreater(int(response.header("content-length")), 0)

    def test_other_methods_are_not_allowed(self):
        for path in ENDPOINTS:
            for method in ("POST", "PUT", "OPTIONS", "PATCH"):
                with self.subTest(path=path, method=method):
                    response = self.ask(path, method=method)
                    self.assertEqual(response.status, 405)
                    allow = "GET, HEAD, DELETE" if path == "/cache" else "GET, HEAD"
                    self.assertEqual(response.header("allow"), allow)

    def test_unknown_path_lists_the_endpoints(self):
        for path in ("/nope", "/metrics/", "/../etc/passwd", "/%2e"):
            response = self.ask(path)
            self.assertEqual(response.status, 404)
            listed = " ".join(json.loads(response.text)["endpoints"])
            for endpoint in ENDPOINTS:
                self.assertIn(endpoint, listed)

    def test_index(self):
        self.assertIn("GET /metrics", self.ask_json("/")["endpoints"])
        page = self.ask("/", headers=[("Accept", "text/html")])
        self.assertIn("<form", page.text)
        self.assertIn("DELETE /cache?name=NAME", page.text)

    def test_never_on_a_public_listener(self):
        for path in ENDPOINTS:
            response = self.fetch(HOST, path)
            self.assertEqual(response.location, TARGET)

    def test_no_redirects_on_the_admin_listener(self):
        self.assertEqual(http1.fetch(self.admin, HOST, "/x").status, 404)

    def test_noise_does_not_hurt(self):
        for target in ("/explain?url=%00", "/explain?" + "&" * 3000, "/explain?url=" + "%ff" * 900,
                       "/cache?name=" + "a" * 3000, "/?" + "=" * 100, "*"):
            for method in ("GET", "DELETE"):
                response = http1.fetch(self.admin, "x", target, method=method)
                self.assertIn(response.status, (200, 400, 404, 405), target)
        with Connection(self.admin) as connection:
            connection.send(b"\0\xff\r\n\r\n")
            connection.at_end()
        self.assertEqual(self.ask("/healthz").status, 200)

    def test_config_can_be_used_again(self):
        config = self.ask_json("/config")
        self.assertEqual(config["admin"]["address"], f"127.0.0.1:{self.admin_port}")
        self.assertEqual(config["dns"]["resolvers"], [self.dns.address])
        self.assertEqual(config["log"]["format"], "text")
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "again.json"
            path.write_text(json.dumps(config))
            done = cli("serve", "--check", "--config", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)


class InForceTest(AdminTest):
    """/config says what is done, not what the file would like."""

    SETTINGS = {"threads": 1}

    def test_what_needs_a_restart_stays(self):
        before = self.ask_json("/config")
        port = self.signpost.where[1]
        self.signpost.reload(
            {
                "listen": [{"address": f"127.0.0.1:{port}", "https_port": 5}, {"address": "unix:/x"}],
                "admin": {"address": f"127.0.0.1:{free_port()}"},
                "threads": 2,
                "cache": {"max_ttl_s": 77},
                "tls": {"acme": {"storage": str(self.signpost.directory / "storage")}},
            }
        )
        after = self.ask_json("/config")
        self.assertEqual(after["cache"]["max_ttl_s"], 77)
        for key in ("listen", "admin", "threads"):
            self.assertEqual(after[key], before[key])
            wanted = f"warning: a change of {key} needs a restart"
            self.assertTrue(self.signpost.wait_line(lambda line, w=wanted: w in line, "err", 5))
        self.assertNotIn("acme", after["tls"])
        self.assertIn("a change of tls.acme.storage needs a restart", self.signpost.err_text)


class MetricsTest(AdminTest):
    SETTINGS = {"threads": 2, "cache": {"enabled": True}}
    ROWS = [host_row(HOST, TARGET)]

    def test_promtool_finds_nothing(self):
        self.fetch(HOST)
        self.fetch("none.example.com")
        self.assertEqual(promtool(self.ask("/metrics").body), "")

    def test_type_of_the_answer(self):
        kind = self.ask("/metrics").header("content-type")
        self.assertEqual(kind, "text/plain; version=0.0.4; charset=utf-8")

    def test_every_metric_of_the_interface_is_there(self):
        text = self.ask("/metrics").text
        for name, kind in (
            ("signpost_build_info", "gauge"),
            ("signpost_requests_total", "counter"),
            ("signpost_request_duration_seconds", "histogram"),
            ("signpost_lookups_total", "counter"),
            ("signpost_dns_queries_total", "counter"),
            ("signpost_dns_query_duration_seconds", "histogram"),
            ("signpost_dns_hedges_total", "counter"),
            ("signpost_dns_inflight", "gauge"),
            ("signpost_cache_entries", "gauge"),
            ("signpost_cache_bytes", "gauge"),
            ("signpost_cache_evictions_total", "counter"),
            ("signpost_connections", "gauge"),
            ("signpost_tls_handshakes_total", "counter"),
            ("signpost_config_reloads_total", "counter"),
            ("signpost_log_dropped_total", "counter"),
            ("process_cpu_seconds_total", "counter"),
            ("process_resident_memory_bytes", "gauge"),
            ("process_open_fds", "gauge"),
            ("process_start_time_seconds", "gauge"),
        ):
            self.assertIn(f"# TYPE {name} {kind}\n", text)
            self.assertIn(f"# HELP {name} ", text)

    def test_requests_are_counted(self):
        redirects = 'signpost_requests_total{outcome="redirect",code="302"}'
        missing = 'signpost_requests_total{outcome="not_found",code="404"}'
        names = (redirects, missing, "signpost_request_duration_seconds_count",
                 'signpost_lookups_total{result="hit"}', 'signpost_lookups_total{result="miss"}')
        before = [self.metric(name) or 0 for name in names]
        host = "counted.example.com"
        self.dns.load([host_row(host, TARGET)])
        for _ in range(4):
            self.fetch(host)
        self.fetch("missing.example.org")
        after = [self.metric(name) for name in names]
        self.assertEqual([b - a for a, b in zip(before, after)][:3], [4, 1, 5])
        self.assertEqual(after[3] - before[3], 3, "a hit a request but the first")
        self.assertEqual(after[4] - before[4], 4, "one name, and three that are not there")

    def test_queries_are_counted_by_what_came_back(self):
        def count(transport, rcode):
            return self.metric(
                f'signpost_dns_queries_total{{transport="{transport}",rcode="{rcode}"}}'
            )

        kinds = (("udp", "noerror"), ("tcp", "noerror"), ("udp", "servfail"), ("udp", "refused"))
        before = [count(*kind) for kind in kinds]
        self.dns.load(
            [host_row("tcp.example.com", TARGET)],
            {
                "_redirect.tcp.example.com": "truncate",
                "_redirect.s.example.com": "servfail",
                "_redirect.r.example.com": "refused",
            },
        )
        for host in ("tcp.example.com", "s.example.com", "r.example.com"):
            self.fetch(host)
        after = [count(*kind) for kind in kinds]
        for kind, a, b in zip(kinds, before, after):
            self.assertGreater(b, a, kind)
        self.assertGreater(self.metric("signpost_dns_query_duration_seconds_count"), 0)

    def test_connections_and_inflight_are_of_now(self):
        self.dns.load(faults={"_redirect.slow.example.com": Fault("delay", delay_ms=1500)})
        with Connection(self.where) as connection:
            connection.send(request_octets("GET", "/", "slow.example.com"))
            self.assertTrue(self.dns.wait_for(1, "_redirect.slow.example.com"))
            self.assertTrue(wait_until(lambda: self.metric("signpost_dns_inflight") == 1))
            self.assertTrue(wait_until(lambda: self.metric("signpost_connections") == 1))
            connection.read()
        self.assertTrue(wait_until(lambda: self.metric("signpost_connections") == 0))
        self.assertTrue(wait_until(lambda: self.metric("signpost_dns_inflight") == 0))

    def test_reloads_are_counted_and_counts_go_on(self):
        path = self.signpost.directory / "signpost.json"
        good = path.read_text()
        name = "signpost_request_duration_seconds_count"
        ok, failed = ('signpost_config_reloads_total{result="ok"}',
                      'signpost_config_reloads_total{result="failed"}')
        self.fetch(HOST)
        before = [self.metric(each) for each in (name, ok, failed)]
        queries = 'signpost_dns_queries_total{transport="udp",rcode="noerror"}'
        asked = self.metric(queries)
        self.signpost.signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: self.metric(ok) == before[1] + 1))
        path.write_text("{")
        self.signpost.signal(signal.SIGHUP)
        self.assertTrue(wait_until(lambda: self.metric(failed) == before[2] + 1))
        path.write_text(good)
        self.assertGreaterEqual(self.metric(name), before[0])
        self.assertGreaterEqual(self.metric(queries), asked)


class ExplainTest(AdminTest):
    SETTINGS = {"dns": {"timeout_ms": 1500}}
    ROWS = [
        host_row(HOST, TARGET),
        ["_redirect.bad.example.com", "TXT", "v=txtv0;to=https://x.example.net/;code=999", 300],
    ]

    def test_json_is_that_of_the_command(self):
        ours = self.explain(f"http://{HOST}/x")
        done = cli("explain", "--resolver", self.dns.address, "--json", f"http://{HOST}/x")
        theirs = json.loads(done.stdout)
        for answer in (ours, theirs):
            for lookup in answer["lookups"]:
                lookup.pop("us")
        self.assertEqual(ours, theirs)
        self.assertEqual(ours["decision"]["location"], TARGET)

    def test_a_fault_has_its_place(self):
        answer = self.explain("bad.example.com")
        self.assertEqual(answer["lookups"][0]["result"], "fault")
        self.assertEqual(answer["lookups"][0]["fault"]["offset"], 39)
        self.assertEqual(answer["decision"]["status"], 404)

    def test_method_and_headers(self):
        self.dns.load([host_row("m.example.com", "https://x.example.net/{method}/{>X-A}")])
        for values in ({"header": "X-A: b"}, {"headers": "X-B: c\r\nX-A: b\r\n"}):
            answer = self.explain("http://m.example.com/", method="PUT", **values)
            self.assertEqual(answer["decision"]["location"], "https://x.example.net/PUT/b")

    def test_bad_input(self):
        for values in (
            {},
            {"url": ""},
            {"url": "ftp://a/"},
            {"url": "http://u@a/"},
            {"url": "http://a/", "method": "G T"},
            {"url": "http://a/", "header": "no colon"},
            {"url": "http://a/\0"},
            {"url": "http://a/", "headers": "A: b\n" * 120},
        ):
            with self.subTest(values):
                self.assertTrue(self.ask_json("/explain", values, 400)["error"])

    def test_an_impossible_request_is_explained(self):
        answer = self.explain("http://a b/")
        self.assertEqual(answer["decision"]["status"], 400)

    def test_a_waiting_explanation_holds_nobody_up(self):
        self.dns.load(self.ROWS, default="drop")

        def one(index):
            if index == 0:
                return timed(lambda: self.explain("http://slow.example.org/"))
            self.assertTrue(self.dns.wait_for(1, "_redirect.slow.example.org"))
            return timed(lambda: self.ask_json("/healthz"))

        (answer, slow), (_, quick) = in_parallel(2, one)
        self.assertEqual(answer["decision"]["status"], 503)
        self.assertGreater(slow, 1)
        self.assertLess(quick, 0.5)

    def test_who_leaves_is_forgotten(self):
        self.dns.load(default="drop")
        for _ in range(80):
            with Connection(self.admin) as connection:
                connection.send(request_octets("GET", "/explain?url=http://gone.example/", "x"))
        self.assertEqual(self.ask("/healthz").status, 200)

    def test_many_at_once_are_bounded(self):
        self.dns.load(default="drop")

        def one(index):
            return self.ask("/explain", {"url": f"http://h{index}.example.org/"}).status

        statuses = in_parallel(90, one)
        self.assertEqual(set(statuses), {200, 503})
        self.assertEqual(statuses.count(200), 64)
        self.dns.load(self.ROWS)
        self.assertTrue(
            wait_until(lambda: self.ask("/explain", {"url": f"http://{HOST}/"}).status == 200)
        )


class CacheTest(AdminTest):
    SETTINGS = {"cache": {"enabled": True}}

    def test_figures(self):
        self.dns.load([host_row("figures.example.com", TARGET)])
        before = self.ask_json("/cache")
        self.fetch("figures.example.com")
        after = self.ask_json("/cache")
        self.assertTrue(after["enabled"])
        self.assertEqual(after["entries"], before["entries"] + 1)
        self.assertGreater(after["bytes"], before["bytes"])
        self.assertEqual(after["max_bytes"], 67108864)

    def test_a_name_is_forgotten(self):
        host, name = "name.example.com", "_redirect.name.example.com"
        self.dns.load([host_row(host, "https://old.example.net/")])
        self.fetch(host)
        self.dns.load([host_row(host, "https://new.example.net/")])
        self.assertRedirect(self.fetch(host), "https://old.example.net/")
        response = self.forget(name=name.upper() + ".")
        self.assertEqual((response.status, response.body), (204, b""))
        self.assertIsNone(response.header("content-length"))
        self.assertRedirect(self.fetch(host), "https://new.example.net/")
        self.assertEqual(self.forget(name=name).status, 204)
        again = self.forget(name=name)
        self.assertEqual(again.status, 404)
        self.assertIn(name, json.loads(again.text)["error"])

    def test_204_keeps_the_connection(self):
        with Connection(self.admin) as connection:
            self.fetch("kept.example.com")
            target = "/cache?name=_redirect.kept.example.com"
            connection.send(request_octets("DELETE", target, "x", close=False))
            self.assertEqual(connection.read("DELETE").status, 204)
            connection.send(request_octets("GET", "/healthz", "x", close=False))
            self.assertEqual(connection.read().status, 200)

    def test_a_host_is_forgotten(self):
        host = "www.host.example.com"

        def rows(to):
            return [
                ["_redirect._.host.example.com", "TXT", "v=txtv0;use=_redirect.all.example.org", 300],
                ["_redirect.all.example.org", "TXT", f"v=txtv0;to={to}", 300],
            ]

        self.dns.load(rows("https://old.example.net/"))
        self.fetch(host)
        self.dns.load(rows("https://new.example.net/"))
        self.assertRedirect(self.fetch(host), "https://old.example.net/")
        self.assertEqual(self.forget(host=host).status, 204)
        self.assertRedirect(self.fetch(host), "https://new.example.net/")

    def test_a_path_is_forgotten(self):
        def rows(to):
            return [
                ["_redirect.go.example.com", "TXT", "v=txtv0;type=path", 300],
                ["_redirect.talk.go.example.com", "TXT", f"v=txtv0;to={to}", 300],
            ]

        self.dns.load(rows("https://old.example.net/"))
        self.fetch("go.example.com", "/talk")
        self.dns.load(rows("https://new.example.net/"))
        response = self.forget(host="go.example.com", path="/talk")
        self.assertEqual(response.status, 204)
        self.assertRedirect(self.fetch("go.example.com", "/talk"), "https://new.example.net/")

    def test_bad_requests(self):
        for values, status in (
            ({}, 400),
            ({"name": "a", "host": "b"}, 400),
            ({"host": "a b"}, 400),
            ({"host": "unknown.test"}, 404),
        ):
            self.assertEqual(self.forget(**values).status, status, values)


class CacheOffTest(AdminTest):
    def test_nothing_to_forget(self):
        self.assertFalse(self.ask_json("/cache")["enabled"])
        self.assertEqual(self.forget(name="a").status, 404)


class SharesTest(AdminTest):
    SETTINGS = {"limits": {"connections": 2}}

    def test_connections_that_are_turned_away_are_counted(self):
        name = 'signpost_connections_refused_total{reason="share"}'
        self.assertEqual(self.metric(name), 0)
        for _ in range(3):
            self.addCleanup(socket.create_connection(self.signpost.where, 10).close)
        self.assertTrue(wait_until(lambda: self.metric(name) == 1))


class ReadinessTest(AdminTest):
    TIMEOUT_MS = 200
    SETTINGS = {"dns": {"timeout_ms": TIMEOUT_MS, "try_ms": 100, "tries": 2}}

    def ready(self):
        response = self.ask("/readyz")
        return response.status, json.loads(response.text)

    def test_silent_resolvers(self):
        self.assertTrue(wait_until(lambda: self.ready() == (200, {"ready": True})))
        self.dns.load(default="drop")
        begin = time.monotonic()
        self.assertTrue(wait_until(lambda: self.ready()[0] == 503, timeout=10))
        # Five times the limit after the last answer, which on a busy machine was a while ago.
        self.assertGreater(time.monotonic() - begin, self.TIMEOUT_MS * 2 / 1000)
        self.assertEqual(self.ready()[1]["reason"], "no_resolver")
        done = cli("health", "--ready", "--admin", f"127.0.0.1:{self.admin_port}")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(
            done.stderr, r"readyz says no: no resolver has answered for \d+ ms \(no_resolver\)\n$"
        )
        self.assertEqual(self.ask("/healthz").status, 200)
        self.dns.load()
        self.assertTrue(wait_until(lambda: self.ready()[0] == 200, timeout=10))

    def test_an_answer_of_any_kind_is_an_answer(self):
        self.dns.load(default="servfail")
        until = time.monotonic() + self.TIMEOUT_MS * 7 / 1000
        while time.monotonic() < until:
            self.assertEqual(self.ready()[0], 200)


class DrainTest(unittest.TestCase):
    def test_not_ready_while_draining(self):
        admin = ("127.0.0.1", free_port())
        config = {"admin": {"address": f"127.0.0.1:{admin[1]}"}}
        with DnsServer() as dns, Signpost([dns.address], config) as signpost:
            dns.load(faults={NAME: Fault("delay", delay_ms=1500)}, rows=[host_row(HOST, TARGET)])
            with Connection(signpost.where) as waiting:
                waiting.send(request_octets("GET", "/", HOST))
                self.assertTrue(dns.wait_for(1, NAME))
                self.assertEqual(http1.fetch(admin, "x", "/readyz").status, 200)
                signpost.signal(signal.SIGTERM)
                self.assertIsNotNone(
                    signpost.wait_line(lambda line: "stopping" in line, stream="err")
                )
                response = http1.fetch(admin, "x", "/readyz")
                self.assertEqual(response.status, 503)
                self.assertEqual(json.loads(response.text)["reason"], "draining")
                self.assertEqual(waiting.read().location, TARGET)


class ListenerTest(unittest.TestCase):
    def test_unix_socket(self):
        with tempfile.TemporaryDirectory() as directory, DnsServer() as dns:
            path = os.path.join(directory, "admin.sock")
            with Signpost([dns.address], {"admin": {"address": f"unix:{path}"}}):
                self.assertEqual(http1.fetch(path, "x", "/healthz").status, 200)
            self.assertFalse(os.path.exists(path))

    def test_port_in_use(self):
        with DnsServer() as dns:
            port = dns.port  # TCP is taken there
            with tempfile.TemporaryDirectory() as directory:
                file = Path(directory) / "c.json"
                file.write_text(
                    json.dumps(
                        {
                            "listen": [{"address": f"127.0.0.1:{free_port()}"}],
                            "dns": {"resolvers": [dns.address]},
                            "admin": {"address": f"127.0.0.1:{port}"},
                        }
                    )
                )
                done = cli("serve", "--config", str(file))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, rf"127\.0\.0\.1:{port}.*in use")

    def test_zones_alone_are_ready(self):
        admin = ("127.0.0.1", free_port())
        zone = Path(__file__).parents[2] / "examples" / "zones" / "demo.zone"
        config = {"admin": {"address": f"127.0.0.1:{admin[1]}"}, "dns": {"timeout_ms": 100}}
        with DnsServer() as dns:
            dns.load(default="drop")
            with Signpost([dns.address], config, arguments=["--zone", str(zone)]):
                response = http1.fetch(admin, "x", "/explain?url=http://www.example.com/")
                self.assertEqual(json.loads(response.text)["lookups"][0]["source"], "zone")


if __name__ == "__main__":
    if shutil.which("promtool") is None:
        raise SystemExit("promtool is missing: install the package prometheus")
    unittest.main()
