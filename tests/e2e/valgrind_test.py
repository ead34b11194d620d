# SPDX-License-Identifier: Apache-2.0
"""The program under valgrind: no invalid access, no use of what was never set, nothing definitely
lost, while it plays conformance cases and meets the trouble that a server meets."""

import random
import re
import shutil
import socket
import struct
import sys
import time
import unittest
from pathlib import Path

from harness import cases as conformance
from harness import http1, http2
from harness.base import host_row, in_parallel
from harness.dns_server import DnsServer, Fault
from harness.http1 import Connection, HttpError, request_octets
from harness.process import wait_until
from harness.signpost import Signpost

ERROR_STATUS = 99
SUPPRESSIONS = Path(__file__).with_name("valgrind.supp")
SUPPRESSED = re.compile(r"used_suppression: .* suppressed: [\d,]+ bytes in ([\d,]+) blocks")
SUPPRESSED_MAX = 40  # blocks of a thread
VALGRIND = [
    "valgrind",
    "--quiet",
    f"--error-exitcode={ERROR_STATUS}",
    "--leak-check=full",
    "--show-leak-kinds=definite",
    "--errors-for-leak-kinds=definite",
    f"--suppressions={SUPPRESSIONS}",
    "--show-error-list=yes",
    "--num-callers=25",
    "--fair-sched=yes",
]
SLOW = {"dns": {"timeout_ms": 20000, "try_ms": 5000, "tries": 3}}
BUDGET_S = 30  # for the cases without a configuration: the others are left to cases_test
OTHERS_EACH = 4
HOST, TARGET = "a.example.com", "https://a.example.net/"
NAME = f"_redirect.{HOST}"


class ValgrindTest(unittest.TestCase):
    def setUp(self):
        self.assertTrue(shutil.which("valgrind"), "valgrind is needed and not installed")
        self.dns = self.enterContext(DnsServer())

    def start(self, config):
        return Signpost(
            [self.dns.address], {**SLOW, **config}, prefix=VALGRIND, stop_s=60, start_s=60
        )

    def test_cases(self):
        """A few cases of each configuration, changed by reloading, then those without one until
        the time is up."""
        groups = sorted(
            conformance.group_by_config(conformance.load_cases()), key=lambda g: len(g[1])
        )
        results = []
        with self.start({}) as signpost:
            for config, members in groups[:-1]:
                signpost.reload({**SLOW, **config})
                results += self.play(signpost, conformance.spread(members)[:OTHERS_EACH])
            signpost.reload({**SLOW, **groups[-1][0]})
            results += self.play(signpost, conformance.spread(groups[-1][1]), BUDGET_S)
        self.assertLittleSuppressed(signpost, 1)
        self.assertEqual(conformance.report(results), "")
        every = {case["group"] for _, members in groups for case in members}
        self.assertEqual({case["group"] for case, _ in results}, every)
        print(f"{len(results)} cases under valgrind", file=sys.stderr)

    def play(self, signpost, cases, budget_s=None):
        results, begin = [], time.monotonic()
        for case in cases:
            results.append((case, self.play_one(signpost, case, is_first=not results)))
            if budget_s and time.monotonic() - begin > budget_s:
                break
        return results

    def play_one(self, signpost, case, is_first):
        """The first one after reloading is asked until the worker has taken the new configuration
        over."""
        faults = []

        def fits():
            self.dns.load(case["zone"], case.get("fault"))
            response = conformance.play_http1(signpost.where, case, timeout=60)
            faults[:] = conformance.compare_response(case, response)
            return not faults

        wait_until(fits, timeout=5 if is_first else 0)
        return faults

    def assertLittleSuppressed(self, signpost, threads):
        blocks = [int(count.replace(",", "")) for count in SUPPRESSED.findall(signpost.err_text)]
        self.assertGreater(sum(blocks), 0, signpost.err_text)  # else the report was not understood
        self.assertLessEqual(sum(blocks), SUPPRESSED_MAX * threads, signpost.err_text)

    def test_trouble(self):
        config = {
            "threads": 2,
            "cache": {"enabled": True, "max_bytes": 65536},
            "dns": {"timeout_ms": 1500, "try_ms": 400, "tries": 2},
        }
        with self.start(config) as signpost:
            self.faults(signpost.where)
            self.clients_that_leave(signpost.where)
            self.noise(signpost.where)
            self.http2(signpost.where)
            self.many_names(signpost.where)
            self.dns.load(
                [host_row("late.example.com", TARGET)],
                {"_redirect.late.example.com": Fault("delay", delay_ms=700)},
            )
            with Connection(signpost.where, 60) as connection:
                connection.send(request_octets("GET", "/", "late.example.com"))
                self.assertTrue(self.dns.wait_for(1, "_redirect.late.example.com", 30))
                self.assertEqual(signpost.stop(), 0)
        self.assertLittleSuppressed(signpost, 2)

    def get(self, where, host, target="/"):
        return http1.fetch(where, host, target, timeout=60)

    def faults(self, where):
        kinds = ("servfail", "refused", "drop", "garbage", "wrong-id", "truncate", "empty")
        for kind in kinds:
            self.dns.load(
                [host_row(f"{kind}.example.com", TARGET)], {f"_redirect.{kind}.example.com": kind}
            )
            self.assertIn(self.get(where, f"{kind}.example.com").status, (302, 503))
        noise = random.Random(5)
        rows = [host_row(f"d{i}.example.com", TARGET) for i in range(25)]

        def damage(packet):
            octets = bytearray(packet)
            for _ in range(4):
                octets[noise.randrange(12, len(octets))] = noise.randrange(256)
            return bytes(octets)

        self.dns.load(rows, {row[0]: Fault("raw", raw=damage) for row in rows})
        for got in in_parallel(25, lambda i: self.get(where, f"d{i}.example.com")):
            self.assertIn(got.status, (302, 404, 503))

    def clients_that_leave(self, where):
        self.dns.load([host_row(HOST, TARGET)], {NAME: Fault("delay", delay_ms=500)})
        for _ in range(5):
            with Connection(where, 60) as connection:
                connection.send(request_octets("GET", "/", HOST))
                connection.sock.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
        self.assertEqual(self.get(where, HOST).location, TARGET)

    def noise(self, where):
        noise = random.Random(6)
        seed = request_octets("POST", "/x?y=z", HOST, [("Cookie", "a=b")], body=b"abc")
        for _ in range(60):
            octets = bytearray(seed)
            for _ in range(4):
                octets[noise.randrange(len(octets))] = noise.randrange(256)
            with Connection(where, 60) as connection:
                try:
                    connection.send(bytes(octets))
                    connection.sock.shutdown(socket.SHUT_WR)
                    connection.read()
                except (HttpError, OSError):
                    pass  # being thrown out is an answer
        head = request_octets("POST", "/", HOST, body=b"x" * 70000)
        self.assertEqual(http1.send_raw(where, head, timeout=60).status, 413)

    def http2(self, where):
        self.dns.load([host_row(HOST, TARGET)], {NAME: Fault("delay", delay_ms=100)})
        with http2.Connection(where, 60) as connection:
            for _ in range(5):
                connection.reset(connection.request(HOST))
            streams = [connection.request(HOST, f"/{i}") for i in range(10)]
            for stream in streams:
                self.assertEqual(connection.read(stream).location, TARGET)
            self.assertEqual(connection.fetch("a..b").status, 400)

    def many_names(self, where):
        self.dns.load([["*.example.org", "TXT", f"v=txtv0;to={TARGET}"]])
        with Connection(where, 60) as connection:
            for i in range(150):
                connection.send(request_octets("GET", "/", f"n{i}.example.org", close=False))
                self.assertEqual(connection.read().location, TARGET)


if __name__ == "__main__":
    unittest.main()
