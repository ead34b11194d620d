# SPDX-License-Identifier: Apache-2.0
"""Cleartext HTTP/2 with prior knowledge: the same answers, many at once, the same strictness."""

import random
import socket
import struct
import unittest

from harness import http2
from harness.base import ServerTest, host_row
from harness.dns_server import Fault
from harness.http1 import HttpError

HOST = "a.example.com"
TARGET = "https://a.example.net/"
STREAMS = 100
FLOOD = 150


class Http2Test(ServerTest):
    ROWS = [host_row(HOST, TARGET), host_row("b.example.com", "https://b.example.net{uri}")]

    def connect(self):
        return http2.Connection(self.where)

    def assertRefused(self, fields):
        """400, or the stream or connection is ended; nothing asked of DNS."""
        self.dns.forget()
        with self.connect() as connection:
            try:
                response = connection.read(connection.request_fields(fields))
                self.assertEqual(response.status, 400, fields)
            except HttpError:
                pass
        self.assertEqual(self.dns.names(), [], fields)

    def fields(self, *more, method="GET", path="/", authority=HOST):
        head = [(":method", method), (":scheme", "http"), (":path", path)]
        return head + ([(":authority", authority)] if authority is not None else []) + list(more)

    def test_redirect(self):
        with self.connect() as connection:
            got = connection.fetch("B.example.com.", "/x?y=%20")
            self.assertRedirect(got, "https://b.example.net/x?y=%20")
            self.assertTrue(got.body)
            self.assertEqual(connection.fetch(HOST, method="HEAD").body, b"")
            self.assertEqual(connection.fetch("none.example.com").status, 404)

    def test_many_streams_at_once(self):
        rows = [host_row(f"h{i}.example.com", f"https://t{i}.example.net/") for i in range(STREAMS)]
        self.dns.load(rows)
        with self.connect() as connection:
            streams = [connection.request(f"h{i}.example.com") for i in range(STREAMS)]
            for i in reversed(range(STREAMS)):
                self.assertRedirect(connection.read(streams[i]), f"https://t{i}.example.net/")

    def test_a_slow_answer_holds_nobody_up(self):
        self.dns.load(self.ROWS, {f"_redirect.{HOST}": Fault("delay", delay_ms=400)})
        with self.connect() as connection:
            slow = connection.request(HOST)
            fast = connection.read(connection.request("b.example.com"))
            self.assertRedirect(fast, "https://b.example.net/")
            self.assertRedirect(connection.read(slow), TARGET)

    def test_host_stands_in_for_authority(self):
        with self.connect() as connection:
            stream = connection.request_fields(self.fields(("host", HOST), authority=None))
            self.assertRedirect(connection.read(stream), TARGET)

    def test_no_host_at_all(self):
        self.assertRefused(self.fields(authority=None))
        self.assertRefused(self.fields(authority=""))

    def test_hosts_that_no_name_can_be(self):
        for host in ("a..example", "a b", "x" * 64 + ".example", "a:99999", "::1", "a\0b", "u@a"):
            with self.subTest(host):
                self.assertRefused(self.fields(authority=host))

    def test_contradicting_hosts(self):
        self.assertRefused(self.fields(("host", "b.example.com")))
        self.assertRefused(self.fields(("host", HOST), ("host", "b.example.com"), authority=None))

    def test_connect_and_asterisk(self):
        self.assertRefused([(":method", "CONNECT"), (":authority", "a.example.com:443")])
        self.assertRefused(self.fields(method="OPTIONS", path="*"))

    def test_malformed_paths(self):
        for path in ("", "a", "/a b", "/a\0b", "/a\nb", "/\x7f"):
            with self.subTest(path):
                self.assertRefused(self.fields(path=path))

    def test_malformed_fields(self):
        for pair in (
            ("X-Upper", "y"),
            ("x y", "z"),
            ("x", "a\r\nb"),
            ("x", "a\0b"),
            ("", "x"),
            (":unknown", "x"),
            (":path", "/"),
            ("connection", "close"),
            ("transfer-encoding", "chunked"),
        ):
            with self.subTest(pair):
                self.assertRefused(self.fields(pair))

    def test_bodies(self):
        with self.connect() as connection:
            self.assertRedirect(connection.fetch(HOST, method="POST", body=b"x" * 10000), TARGET)
        with self.connect() as connection:
            stream = connection.request_fields(
                self.fields(("content-length", "99999999"), method="POST"), body=b"x" * 10
            )
            try:
                self.assertIn(connection.read(stream).status, (400, 413))
            except HttpError:
                pass  # a length that is not kept is malformed (RFC 9113, 8.1.1)

    def test_streams_reset_while_dns_is_asked(self):
        self.dns.load(self.ROWS, {f"_redirect.{HOST}": Fault("delay", delay_ms=200)})
        with self.connect() as connection:
            for _ in range(20):
                connection.reset(connection.request(HOST))
            self.assertRedirect(connection.fetch(HOST), TARGET)
        self.assertAlive()

    def test_connections_lost_while_dns_is_asked(self):
        self.dns.load(self.ROWS, {f"_redirect.{HOST}": Fault("delay", delay_ms=200)})
        for _ in range(10):
            with self.connect() as connection:
                for _ in range(5):
                    connection.request(HOST)
                self.dns.wait_for(1)
                linger = struct.pack("ii", 1, 0)
                connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.assertAlive()

    def test_noise_in_frames(self):
        noise = random.Random(3)
        for _ in range(FLOOD):
            with self.connect() as connection:
                connection.request(HOST)
                for _ in range(noise.randrange(1, 6)):
                    payload = noise.randbytes(noise.randrange(0, 60))
                    frame = http2.frame_octets(
                        noise.randrange(0, 12),
                        noise.randrange(256),
                        noise.choice((0, 1, 2, 3, 5)),
                        payload,
                    )
                    try:
                        connection.send(frame)
                    except ConnectionError:
                        break
        self.assertAlive()


if __name__ == "__main__":
    unittest.main()
