# SPDX-License-Identifier: Apache-2.0
"""The real chain: signpost asks Unbound, which caches and asks NSD, which serves the example zones.
Every host of those zones must get there what it gets when signpost reads the same file itself."""

import re
import unittest
from pathlib import Path

from harness import http1
from harness.resolver_chain import ResolverChain, answers
from harness.signpost import Signpost

ZONES = Path(__file__).resolve().parents[2] / "examples" / "zones"
PATHS = ("/", "/a", "/a/b?x=y", "/?go-get=1", "/v2/", "/v2/app/manifests/1.0", "/%C3%A4")
SOA_OWNER = re.compile(r"^(\S+)\s+(?:\d+\S*\s+)?(?:IN\s+)?SOA\s", re.MULTILINE | re.IGNORECASE)
ORIGIN = re.compile(r"^\$ORIGIN\s+(\S+)", re.MULTILINE)
# A host that asks for a redirect is what stands behind "_redirect." in an owner name.
OWNER = re.compile(r"^(\S+)", re.MULTILINE)
TIMEOUTS = {"dns": {"timeout_ms": 1500, "try_ms": 300, "tries": 3}}


class ExampleZone:
    """What has to be known of a zone file to serve it and to ask for what it holds."""

    def __init__(self, path):
        self.path = path
        text = path.read_text(encoding="utf-8")
        origin = ORIGIN.search(text)
        self.origin = origin[1].rstrip(".") if origin else ""
        owner = SOA_OWNER.search(text)
        self.apex = self.absolute(owner[1]) if owner else None
        names = {self.absolute(m[1]) for m in OWNER.finditer(text) if m[1][0] not in ";$()@"}
        self.hosts = sorted({host for name in names for host in self.hosts_of(name)})

    def absolute(self, name):
        if name == "@":
            return self.origin
        return name.rstrip(".") if name.endswith(".") else f"{name}.{self.origin}"

    @staticmethod
    def hosts_of(name):
        _, marker, host = name.lower().rpartition("_redirect.")
        if not marker:
            return []
        if host.startswith("_."):
            return [host[2:], f"any.{host[2:]}"]
        return [host]


def plain(response):
    """What two ways to the same records must agree on."""
    names = ("location", "content-type", "cache-control", "docker-distribution-api-version")
    return (response.status, *[response.header(name) for name in names])


class ResolverTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.examples = [ExampleZone(path) for path in sorted(ZONES.glob("*.zone"))]
        cls.zones = [example for example in cls.examples if example.apex]
        assert cls.zones, f"no zone with a SOA record in {ZONES}"
        cls.largest = max(cls.zones, key=lambda example: len(example.hosts))

    def chain(self, example):
        return self.enterContext(ResolverChain({example.apex: example.path}))

    def signpost(self, chain, config=None, **options):
        over = {**TIMEOUTS, **(config or {})}
        return self.enterContext(Signpost([chain.resolver], over, **options))

    @staticmethod
    def requests(example):
        return [(host, path) for host in example.hosts for path in PATHS]

    def test_fragments_are_part_of_a_zone(self):
        """A file without SOA can't be served by NSD: what it holds must be in one that has it."""
        served = {host for example in self.zones for host in example.hosts}
        for example in self.examples:
            self.assertTrue(example.hosts, f"{example.path.name} holds no _redirect records")
            self.assertEqual(set(example.hosts) - served, set(), example.path.name)

    def test_every_example_comes_out_as_from_the_file(self):
        redirects = 0
        for example in self.zones:
            chain, file = self.chain(example), str(example.path)
            through, near_by = self.signpost(chain), self.signpost(
                chain, arguments=["--zone", file]
            )
            for host, path in self.requests(example):
                far = http1.fetch(through.where, host, path)
                near = http1.fetch(near_by.where, host, path)
                with self.subTest(zone=example.path.name, host=host, path=path):
                    self.assertEqual(plain(far), plain(near))
                    self.assertNotEqual(far.status, 503)
                redirects += far.location is not None
        self.assertGreater(redirects, 20)

    def first_redirect(self, signpost):
        for host, path in self.requests(self.largest):
            got = http1.fetch(signpost.where, host, path)
            if got.location:
                return host, path, got.location
        return self.fail(f"no redirect in {self.largest.path.name}")

    def test_resolver_keeps_answering_when_the_authority_is_down(self):
        chain = self.chain(self.largest)
        uncached = self.signpost(chain)
        host, path, location = self.first_redirect(uncached)
        chain.stop_nsd()
        self.assertFalse(answers(chain.nsd_port, self.largest.apex))
        got = http1.fetch(uncached.where, host, path)  # from Unbound's cache
        self.assertEqual((got.status // 100, got.location), (3, location))
        got = http1.fetch(uncached.where, f"never-asked.{self.largest.apex}")
        self.assertEqual((got.status, got.header("retry-after")), (503, "5"))

    def test_cache_answers_when_everything_is_down(self):
        chain = self.chain(self.largest)
        cached = self.signpost(chain, {"cache": {"enabled": True}})
        host, path, location = self.first_redirect(cached)
        chain.stop_nsd()
        chain.unbound.stop()
        got = http1.fetch(cached.where, host, path)
        self.assertEqual(got.location, location)
        got = http1.fetch(cached.where, f"never-asked.{self.largest.apex}")
        self.assertEqual(got.status, 503)


if __name__ == "__main__":
    unittest.main()
