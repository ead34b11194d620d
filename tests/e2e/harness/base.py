# SPDX-License-Identifier: Apache-2.0
"""The usual set-up of a test class: one DNS server and one signpost for all its tests."""

import threading
import time
import unittest

from . import http1
from .dns_server import DnsServer
from .signpost import Signpost


def host_row(host, to, ttl=300, extra=""):
    return [f"_redirect.{host}", "TXT", f"v=txtv0;to={to}{extra}", ttl]


class ServerTest(unittest.TestCase):
    """`CONFIG` is laid over the harness' configuration; `ARGUMENTS` are further flags."""

    CONFIG = {}
    ARGUMENTS = ()
    ROWS = ()

    @classmethod
    def setUpClass(cls):
        cls.dns = cls.enterClassContext(DnsServer())
        cls.signpost = cls.enterClassContext(
            Signpost([cls.dns.address], cls.CONFIG, arguments=cls.ARGUMENTS)
        )

    def setUp(self):
        self.dns.load(self.ROWS)

    @property
    def where(self):
        return self.signpost.where

    def fetch(self, host, target="/", **options):
        return http1.fetch(self.where, host, target, **options)

    def raw(self, octets, method="GET"):
        return http1.send_raw(self.where, octets, method)

    def assertRedirect(self, response, location, status=302):
        self.assertEqual((response.status, response.location), (status, location), response.text)

    def assertAlive(self):
        """The server still answers."""
        self.dns.load([host_row("alive.example.com", "https://ok.example.net/")])
        self.assertRedirect(self.fetch("alive.example.com"), "https://ok.example.net/")
        self.assertTrue(self.signpost.running())


def in_parallel(count, work, timeout=60):
    """work(0) … work(count - 1), each in a thread of its own; results in order. The first
    exception is raised here."""
    results, errors = [None] * count, []

    def one(index):
        try:
            results[index] = work(index)
        except Exception as error:  # handed on below
            errors.append(error)

    threads = [threading.Thread(target=one, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout)
    if errors:
        raise errors[0]
    return results


def timed(work):
    """(result, seconds)"""
    begin = time.monotonic()
    result = work()
    return result, time.monotonic() - begin
