# SPDX-License-Identifier: Apache-2.0
"""The PROXY protocol, with HAProxy in front and with octets of our own."""

import itertools
import json
import shutil
import socket
import struct
import unittest

from harness import http1
from harness.base import host_row, in_parallel, timed
from harness.connect import Tls, connect, trusting_context
from harness.ports import free_port
from harness.process import Process, wait_until
from harness.signpost import cli
from harness.tls import TlsTest

HOST = "a.example.com"
TARGET = "https://a.example.net/"
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
LINE = b"PROXY TCP4 192.0.2.7 198.51.100.1 1234 80\r\n"


def version_2(address="192.0.2.8", more=b""):
    body = socket.inet_aton(address) + socket.inet_aton("198.51.100.1") + struct.pack("!HH", 1, 2)
    return SIGNATURE + b"\x21\x11" + struct.pack("!H", len(body + more)) + body + more


NUMBERS = itertools.count(1)
LOCAL = SIGNATURE + b"\x20\0\0\0"


class Haproxy(Process):
    """Passes connections on: `frontends` maps the port that it listens at to (port, options)."""

    def __init__(self, directory, frontends):
        path = directory / "haproxy.cfg"
        lines = ["global", "  maxconn 200", "defaults", "  mode tcp"]
        lines += ["  timeout connect 5s", "  timeout client 30s", "  timeout server 30s"]
        for port, (behind, options) in frontends.items():
            lines += [f"listen l{port}", f"  bind 127.0.0.1:{port}"]
            lines += [f"  server s 127.0.0.1:{behind} {options}"]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        self._port = next(iter(frontends))
        haproxy = shutil.which("haproxy", path="/usr/sbin:/usr/bin:/sbin:/bin") or "haproxy"
        super().__init__([haproxy, "-db", "-f", str(path)], statuses=(0, -15, 143))

    def __enter__(self):
        super().__enter__()

        def listens():
            with socket.socket() as sock:
                return sock.connect_ex(("127.0.0.1", self._port)) == 0

        assert wait_until(listens), self.err_text
        return self


class ProxyTest(TlsTest):
    CERTIFICATES = [HOST]
    ROWS = [host_row(HOST, TARGET)]
    MORE = {
        "trusted_proxies": ["127.0.0.1/32"],
        "limits": {"connections": 20},
    }
    LISTEN = {"proxy_protocol": True}

    @classmethod
    def setUpClass(cls):
        cls.proxied_port = free_port()
        cls.LISTENERS = [{"address": f"127.0.0.1:{cls.proxied_port}", "proxy_protocol": True}]
        super().setUpClass()

    @property
    def proxied(self):
        return ("127.0.0.1", self.proxied_port)

    def refused(self, reason):
        return self.metric(f'signpost_proxy_refused_total{{reason="{reason}"}}')

    def send(self, octets, where=None, source=None):
        """What comes back, to the end."""
        with socket.create_connection(where or self.proxied, 20, source and (source, 0)) as sock:
            try:
                sock.sendall(octets)
                return b"".join(iter(lambda: sock.recv(65536), b""))
            except ConnectionError:
                return b""

    def new_target(self):
        """One that no other request of this class has: its line of the log is known by it."""
        return f"/{next(NUMBERS)}"

    def assertLogged(self, target, remote):
        def line_of():
            lines = [json.loads(line) for line in self.signpost.out if line.startswith("{")]
            return next((line for line in lines if line["target"] == target), None)

        self.assertTrue(wait_until(line_of), target)
        self.assertEqual(line_of()["remote"], remote)

    def assertRemote(self, header, remote, headers=()):
        target = self.new_target()
        answer = self.send(header + http1.request_octets("GET", target, HOST, headers))
        self.assertTrue(answer.startswith(b"HTTP/1.1 302 "), answer)
        self.assertLogged(target, remote)

    def test_both_versions(self):
        self.assertRemote(LINE, "192.0.2.7")
        self.assertRemote(b"PROXY TCP6 2001:db8::7 ::1 1 2\r\n", "2001:db8::7")
        self.assertRemote(version_2(), "192.0.2.8")
        self.assertRemote(version_2(more=b"\x04\0\x03abc"), "192.0.2.8")
        self.assertRemote(b"PROXY UNKNOWN\r\n", "127.0.0.1")
        self.assertRemote(LOCAL, "127.0.0.1")

    def test_octet_by_octet(self):
        with connect(self.proxied) as sock:
            for octet in version_2() + http1.request_octets("GET", "/", HOST):
                sock.sendall(bytes([octet]))
            self.assertTrue(sock.recv(65536).startswith(b"HTTP/1.1 302 "))

    def test_over_tls(self):
        with connect(Tls("127.0.0.1", self.tls_port, HOST), ahead=LINE) as sock:
            target = self.new_target()
            sock.sendall(http1.request_octets("GET", target, HOST))
            self.assertTrue(sock.recv(65536).startswith(b"HTTP/1.1 302 "))
        self.assertLogged(target, "192.0.2.7")

    def test_http_2(self):
        with connect(self.proxied) as sock:
            sock.sendall(LINE + b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5))
            self.assertEqual(sock.recv(9)[3:4], b"\x04", "SETTINGS")

    def test_lines_of_untrusted_peers_are_refused(self):
        before = self.refused("untrusted")
        request = http1.request_octets("GET", "/", HOST)
        for header in (LINE, version_2(), b""):
            self.assertEqual(self.send(header + request, source="127.0.0.9"), b"")
        self.assertTrue(wait_until(lambda: self.refused("untrusted") - before == 3))

    def test_a_header_is_required(self):
        before = self.refused("malformed")
        request = http1.request_octets("GET", "/", HOST)
        for octets in (request, b"PROXY TCP4 x y 1 2\r\n" + request, SIGNATURE + b"\x31\x11\0\0"):
            self.assertEqual(self.send(octets), b"")
        with connect(self.proxied) as sock:
            sock.sendall(b"PROXY ")
        self.assertTrue(wait_until(lambda: self.refused("malformed") - before == 4))

    def test_a_header_must_come_in_time(self):
        before = self.refused("timeout")
        _, seconds = timed(lambda: self.send(LINE[:10]))
        self.assertTrue(9 < seconds < 14, seconds)
        self.assertTrue(wait_until(lambda: self.refused("timeout") - before == 1))

    def test_the_header_comes_once(self):
        """On a listener without the protocol it is nothing but a bad request."""
        self.assertIn(b" 400 ", self.send(LINE + b"\r\n", self.where)[:16])
        self.assertNotIn(b" 302 ", self.send(LINE + LINE + http1.request_octets("GET", "/", HOST)))

    def test_limits_count_the_client_that_is_named(self):
        def hold(line):
            sock = connect(self.proxied)
            self.addCleanup(sock.close)
            sock.sendall(line + http1.request_octets("GET", "/", HOST, close=False))
            try:
                return sock.recv(65536).startswith(b"HTTP/1.1 302 ")
            except ConnectionError:
                return False

        self.assertEqual([hold(LINE) for _ in range(22)], [True] * 20 + [False] * 2)
        self.assertTrue(hold(b"PROXY TCP4 192.0.2.99 198.51.100.1 1 2\r\n"))
        self.assertTrue(all(hold(LOCAL) for _ in range(22)))

    def test_forwarded_fields_count_only_from_trusted_clients(self):
        """The proxy speaks for its client: that one's word counts if it is trusted itself."""
        headers = [("X-Forwarded-For", "203.0.113.5")]
        self.assertRemote(LINE, "192.0.2.7", headers)
        self.assertRemote(LOCAL, "203.0.113.5", headers)

    def test_behind_haproxy(self):
        ports = [free_port() for _ in range(4)]
        haproxy = Haproxy(
            self.signpost.directory,
            {
                ports[0]: (self.proxied_port, "send-proxy"),
                ports[1]: (self.proxied_port, "send-proxy-v2"),
                ports[2]: (self.tls_port, "send-proxy"),
                ports[3]: (self.tls_port, "send-proxy-v2 proxy-v2-options unique-id"),
            },
        )
        with haproxy:
            for index, port in enumerate(ports):
                source, target = f"127.0.0.{20 + index}", self.new_target()
                self.assertEqual(self.ask_through(port, source, target, index >= 2), 302)
                self.assertLogged(target, source)
            answers = in_parallel(
                16,
                lambda index: self.ask_through(
                    ports[index % 4], f"127.0.1.{index}", "/", index % 4 >= 2
                ),
            )
            self.assertEqual(answers, [302] * 16)

    def ask_through(self, port, source, target, is_tls):
        sock = socket.create_connection(("127.0.0.1", port), 20, (source, 0))
        with sock:
            if is_tls:
                sock = trusting_context().wrap_socket(sock, server_hostname=HOST)
            with sock:
                sock.sendall(http1.request_octets("GET", target, HOST))
                return int(sock.recv(65536)[9:12])

    def test_check_wants_to_know_whom_to_trust(self):
        path = self.signpost.directory / "check.json"
        path.write_text('{"listen": [{"address": "127.0.0.1:1", "proxy_protocol": true}]}')
        done = cli("serve", "--check", "--config", str(path))
        self.assertEqual(done.returncode, 2)
        self.assertIn("check.json:1:58: proxy_protocol is taken from trusted proxies only", done.stderr)


if __name__ == "__main__":
    unittest.main()
