# SPDX-License-Identifier: Apache-2.0
"""Every conformance case, played on the real program: over HTTP/1.1 and over HTTP/2 with DNS on
loopback, and through `explain` with the zone as a file."""

import json
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import cases as conformance
from harness import http2
from harness.dns_server import DnsServer
from harness.http1 import HttpError
from harness.signpost import Signpost, cli, merge
from harness.zone_text import zone_text

EXPLAIN_WORKERS = 2
EXPLAIN_MAX = 700  # a process for each case; some of every group are enough
# Nobody listens there: the zone file has to answer everything.
NO_RESOLVER = "127.0.0.1:1"


def play(case, exchange):
    """What differs between the case and what `exchange` returns."""
    try:
        return conformance.compare_response(case, exchange())
    except (HttpError, OSError) as error:
        return [f"{type(error).__name__}: {error}"]


class CasesTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.cases = conformance.load_cases()
        cls.dns = cls.enterClassContext(DnsServer())

    def run_all(self, play_group):
        results = []
        for config, members in conformance.group_by_config(self.cases):
            with Signpost([self.dns.address], config) as signpost:
                results += play_group(signpost, members)
        self.assertEqual(len(results), len(self.cases))
        message = conformance.report(results)
        if message:
            self.fail(message)

    def load(self, case):
        self.dns.load(case["zone"], case.get("fault"))

    def test_http1(self):
        def play_group(signpost, members):
            results = []
            for case in members:
                self.load(case)
                faults = play(case, lambda: conformance.play_http1(signpost.where, case))
                results.append((case, faults))
            return results

        self.run_all(play_group)

    def test_http2(self):
        def play_group(signpost, members):
            results = []
            for case in members:
                self.load(case)
                with http2.Connection(signpost.where) as connection:
                    faults = play(case, lambda: conformance.play_http2(connection, case))
                results.append((case, faults))
            return results

        self.run_all(play_group)


def can_be_explained(case):
    """A URL with fields holds everything but these: no host, a target that is no path, and faults,
    which no zone file has."""
    request = case["request"]
    is_path = request["path"].startswith("/") and "#" not in request["path"]
    return request["host"] is not None and is_path and not case.get("fault")


def explain(case, directory):
    """What `explain --json` says of the case, with its zone as a file."""
    request, base = case["request"], Path(directory) / case["id"]
    zone, config = base.with_suffix(".zone"), base.with_suffix(".json")
    zone.write_text(zone_text(case["zone"]), encoding="utf-8")
    over = merge({"dns": {"resolvers": [NO_RESOLVER]}}, case.get("config", {}))
    config.write_text(json.dumps(over))
    fields = [("Host", request["host"]), *request["headers"].items()]
    flags = [part for name, value in fields for part in ("-H", f"{name}: {value}")]
    url = f"http://placeholder.invalid{request['path']}"
    done = cli(
        "explain",
        "--json",
        "--config",
        str(config),
        "--zone",
        str(zone),
        "-X",
        request["method"],
        *flags,
        url,
    )
    return done, json.loads(done.stdout) if done.returncode in (0, 1) else None


class ExplainTest(unittest.TestCase):
    """A zone file and no DNS at all must lead to the same decision."""

    def setUp(self):
        self.directory = self.enterContext(tempfile.TemporaryDirectory())

    def compare(self, case):
        done, said = explain(case, self.directory)
        if said is None:
            return [f"exit status {done.returncode}: {done.stderr}"]
        decision = said["decision"]
        headers = {name.lower(): value for name, value in decision["headers"].items()}
        faults = conformance.compare(
            case["expect"],
            decision["status"],
            decision["location"],
            lambda name: headers.get(name.lower()),
        )
        found = 200 <= decision["status"] < 400
        if done.returncode != (0 if found else 1):
            faults.append(f"exit status {done.returncode} with status {decision['status']}")
        return faults

    def test_embedded_zone(self):
        every = conformance.load_cases()
        cases = [case for case in every if can_be_explained(case)]
        self.assertGreater(len(cases), 0.85 * len(every))
        cases = conformance.spread(cases)[:EXPLAIN_MAX]
        with ThreadPoolExecutor(EXPLAIN_WORKERS) as pool:
            results = list(zip(cases, pool.map(self.compare, cases)))
        message = conformance.report(results)
        if message:
            self.fail(message)


if __name__ == "__main__":
    unittest.main()
