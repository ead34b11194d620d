# SPDX-License-Identifier: Apache-2.0
"""The harness judged by other programs: dig asks its DNS server, Python's own web server answers
its HTTP client, nginx its HTTP/2 client."""

import http.server
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

from harness import dns_wire as wire
from harness import hpack, http1, http2, ports, process
from harness.dns_server import DnsServer, Fault
from harness.dns_zone import Zone
from harness.ports import free_port

ROWS = [
    ["_redirect.a.example.com", "TXT", "v=txtv0;to=https://a.example.net/"],
    ["two.example.com", "TXT", "one"],
    ["two.example.com", "TXT", ["t", "wo"]],
    ["alias.example.com", "CNAME", "two.example.com"],
    ["dangling.example.com", "CNAME", "nowhere.example.com"],
    ["loop.example.com", "CNAME", "loop.example.com"],
    ["*.wild.example.com", "TXT", "wild"],
    ["deep.below.wild.example.com", "TXT", "deep"],
    ["long.example.com", "TXT", "x" * 3000],
]


def ask_udp(server, name, udp_size=1232, timeout=5):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(timeout)
        sock.sendto(wire.build_query(name, ident=77, udp_size=udp_size), ("127.0.0.1", server.port))
        return sock.recv(65535)


def dig(server, name, *options):
    command = [
        "dig",
        "@127.0.0.1",
        "-p",
        str(server.port),
        name,
        "TXT",
        "+short",
        "+tries=1",
        "+timeout=5",
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[
        :-1
    ]


class ZoneTest(unittest.TestCase):
    def setUp(self):
        self.zone = Zone(ROWS)

    def ask(self, name):
        reply = self.zone.answer(name, wire.TXT)
        texts = [b"".join(wire.txt_strings(r.data)) for r in reply.answers if r.type == wire.TXT]
        return reply.rcode, texts

    def test_a_name_without_rows_does_not_exist(self):
        self.assertEqual(self.ask("b.example.com"), (wire.NXDOMAIN, []))

    def test_a_name_above_an_existing_one_is_empty(self):
        self.assertEqual(self.ask("a.example.com"), (wire.NOERROR, []))

    def test_absences_carry_the_soa(self):
        for name in ("b.example.com", "a.example.com"):
            self.assertEqual(self.zone.answer(name, wire.TXT).authority[0].type, wire.SOA)

    def test_wildcard_covers_what_does_not_exist(self):
        self.assertEqual(self.ask("x.wild.example.com"), (wire.NOERROR, [b"wild"]))
        self.assertEqual(self.ask("x.y.wild.example.com"), (wire.NOERROR, [b"wild"]))

    def test_wildcard_is_blocked_by_an_existing_name(self):
        self.assertEqual(self.ask("below.wild.example.com"), (wire.NOERROR, []))
        self.assertEqual(self.ask("x.below.wild.example.com"), (wire.NXDOMAIN, []))

    def test_alias_is_followed(self):
        self.assertEqual(self.ask("ALIAS.example.com"), (wire.NOERROR, [b"one", b"two"]))

    def test_alias_to_nothing_takes_the_rcode_of_its_target(self):
        self.assertEqual(self.ask("dangling.example.com"), (wire.NXDOMAIN, []))

    def test_alias_of_itself_ends(self):
        self.assertEqual(self.ask("loop.example.com"), (wire.NOERROR, []))


class DnsServerTest(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(DnsServer(Zone(ROWS)))

    def test_dig_reads_the_answer(self):
        self.assertEqual(
            dig(self.server, "_redirect.a.example.com"), ['"v=txtv0;to=https://a.example.net/"']
        )
        self.assertEqual(
            sorted(dig(self.server, "two.example.com", "+noedns")), ['"one"', '"t" "wo"']
        )

    def test_dig_gets_the_long_answer_over_tcp(self):
        lines = dig(self.server, "long.example.com", "+bufsize=1232")
        self.assertEqual(lines[0].count("x"), 3000)
        self.assertEqual(self.server.count("long.example.com", "udp"), 1)
        self.assertEqual(self.server.count("long.example.com", "tcp"), 1)

    def test_answer_is_truncated_beyond_the_advertised_size(self):
        small = wire.parse_response(ask_udp(self.server, "long.example.com", 1232))
        large = wire.parse_response(ask_udp(self.server, "long.example.com", 4096))
        self.assertTrue(small.flags & wire.FLAG_TRUNCATED)
        self.assertFalse(large.flags & wire.FLAG_TRUNCATED)

    def test_edns_is_answered_with_edns_only(self):
        self.assertTrue(wire.parse_response(ask_udp(self.server, "two.example.com")).has_edns)
        self.assertFalse(
            wire.parse_response(ask_udp(self.server, "two.example.com", None)).has_edns
        )

    def test_rcode_faults(self):
        for kind, rcode in (
            ("servfail", wire.SERVFAIL),
            ("refused", wire.REFUSED),
            ("notimp", wire.NOTIMP),
            ("formerr", wire.FORMERR),
        ):
            self.server.load(ROWS, {"two.example.com": kind})
            self.assertEqual(
                wire.parse_response(ask_udp(self.server, "two.example.com")).rcode, rcode
            )

    def test_an_alias_fails_as_its_target(self):
        self.server.load(ROWS, {"two.example.com": "servfail"})
        rcode = wire.parse_response(ask_udp(self.server, "alias.example.com")).rcode
        self.assertEqual(rcode, wire.SERVFAIL)

    def test_fault_ends_after_its_times(self):
        self.server.load(ROWS, {"two.example.com": Fault("servfail", times=2)})
        rcodes = [
            wire.parse_response(ask_udp(self.server, "two.example.com")).rcode for _ in range(3)
        ]
        self.assertEqual(rcodes, [wire.SERVFAIL, wire.SERVFAIL, wire.NOERROR])

    def test_drop_sends_nothing(self):
        self.server.load(ROWS, {"two.example.com": "drop"})
        with self.assertRaises(TimeoutError):
            ask_udp(self.server, "two.example.com", timeout=0.1)

    def test_delay_holds_the_answer_back(self):
        self.server.load(ROWS, {"two.example.com": Fault("delay", delay_ms=200)})
        with self.assertRaises(TimeoutError):
            ask_udp(self.server, "two.example.com", timeout=0.05)
        self.assertEqual(
            len(wire.parse_response(ask_udp(self.server, "two.example.com")).answers), 2
        )

    def test_wrong_id_truncate_and_raw(self):
        self.server.load(
            ROWS,
            {
                "two.example.com": "wrong-id",
                "alias.example.com": "truncate",
                "_redirect.a.example.com": Fault("raw", raw=lambda p: p[:20]),
            },
        )
        self.assertNotEqual(wire.parse_response(ask_udp(self.server, "two.example.com")).ident, 77)
        cut = wire.parse_response(ask_udp(self.server, "alias.example.com"))
        self.assertTrue(cut.flags & wire.FLAG_TRUNCATED)
        self.assertEqual(len(ask_udp(self.server, "_redirect.a.example.com")), 20)

    def test_close_ends_the_tcp_connection(self):
        self.server.load(ROWS, {"two.example.com": "close"})
        with socket.create_connection(("127.0.0.1", self.server.port), 5) as sock:
            query = wire.build_query("two.example.com")
            sock.sendall(len(query).to_bytes(2, "big") + query)
            self.assertEqual(sock.recv(100), b"")

    def test_noise_is_survived_and_queries_are_written_down(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for noise in (b"", b"x", b"\0" * 12, b"\xff" * 40):
                sock.sendto(noise, ("127.0.0.1", self.server.port))
        ask_udp(self.server, "Two.Example.com")
        self.assertEqual(self.server.names(), ["two.example.com"])
        self.assertTrue(self.server.wait_for(1, "two.example.com"))


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"{self.path} {self.headers.get('Host')}".encode()
        self.send_response(302)
        self.send_header("Location", "https://example.com/")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Http1Test(unittest.TestCase):
    def setUp(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.where = server.server_address

    def test_status_headers_and_body(self):
        got = http1.fetch(self.where, "a.example", "/x?y=%20")
        self.assertEqual((got.status, got.location), (302, "https://example.com/"))
        self.assertEqual(got.body, b"/x?y=%20 a.example")

    def test_head_has_no_body_and_the_connection_goes_on(self):
        with http1.Connection(self.where) as connection:
            for method, length in (("HEAD", 0), ("GET", 11), ("HEAD", 0)):
                connection.send(http1.request_octets(method, "/", "a.example", close=False))
                self.assertEqual(len(connection.read(method).body), length)

    def test_a_connection_that_ends_is_noticed(self):
        with http1.Connection(self.where) as connection:
            connection.send(http1.request_octets("GET", "/", "a"))
            connection.read()
            self.assertTrue(connection.at_end())
            with self.assertRaises(http1.Closed):
                connection.read()

    def test_malformed_heads_are_refused(self):
        for head in (
            b"HTTP/1.1 2000 x\r\n",
            b"HTTP/1.1 200 OK\r\na : b\r\n",
            b"nonsense\r\n",
            b"HTTP/1.1 200 OK\r\na: b\x00c\r\n",
        ):
            with self.assertRaises(http1.HttpError):
                http1.parse_head(head)


class HpackTest(unittest.TestCase):
    def test_code_is_complete(self):
        self.assertEqual(len(hpack.HUFFMAN), 257)
        self.assertEqual(sum(2 ** (30 - length) for length, _ in hpack.HUFFMAN), 2**30)

    def test_example_of_rfc_7541_c_4(self):
        decoder = hpack.Decoder()
        first = decoder.decode(bytes.fromhex("828684418cf1e3c2e5f23a6ba0ab90f4ff"))
        self.assertEqual(first[3], (":authority", "www.example.com"))
        second = decoder.decode(bytes.fromhex("828684be5886a8eb10649cbf"))
        self.assertEqual(
            second[3:], [(":authority", "www.example.com"), ("cache-control", "no-cache")]
        )

    def test_literals_come_back(self):
        fields = [(":path", "/" + "x" * 300), ("a", ""), ("b", "\x7f \u00fc")]
        block = b"".join(hpack.encode_literal(*pair) for pair in fields)
        self.assertEqual(hpack.Decoder().decode(block), fields)

    def test_bad_blocks_are_refused(self):
        for block in (
            b"\x80",
            b"\xff\xff\xff\xff\xff\xff",
            b"\x00\x05ab",
            b"\x00\x84\xff\xff\xff\xff",
        ):
            with self.assertRaises(hpack.HpackError):
                hpack.Decoder().decode(block)


NGINX = """
daemon off; master_process off; pid {directory}/pid; error_log {directory}/error.log;
events {{ }}
http {{
  access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fast; uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  server {{
    listen 127.0.0.1:{port} http2;
    location /moved {{ return 302 https://target.example/some/where?q=1; }}
    location /file {{ root {directory}; }}
  }}
}}
"""


class Http2Test(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        port = free_port()
        self.where = ("127.0.0.1", port)
        with open(f"{directory}/file", "w", encoding="ascii") as file:
            file.write("content " * 5000)
        with open(f"{directory}/conf", "w", encoding="ascii") as file:
            file.write(NGINX.format(directory=directory, port=port))
        command = ["nginx", "-p", directory, "-c", f"{directory}/conf"]
        self.enterContext(process.Process(command))
        self.assertTrue(process.wait_until(lambda: _accepts(port)))

    def test_streams_are_kept_apart(self):
        with http2.Connection(self.where) as connection:
            paths = ["/moved", "/none", "/file", "/moved"]
            streams = [connection.request("a.example", path) for path in paths]
            got = [connection.read(stream) for stream in reversed(streams)][::-1]
            self.assertEqual([response.status for response in got], [302, 404, 200, 302])
            self.assertEqual(got[0].location, "https://target.example/some/where?q=1")
            self.assertEqual(got[2].body, b"content " * 5000)

    def test_a_protocol_error_is_reported(self):
        with http2.Connection(self.where) as connection:
            connection.send(http2.frame_octets(http2.HEADERS, 5, 2, b"\x82"))
            self.assertEqual(connection.wait_closed(), 1)


def _accepts(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


class PortsTest(unittest.TestCase):
    def test_a_port_is_told_once(self):
        told = free_port()
        with unittest.mock.patch.object(ports.random, "randint", side_effect=[told, told, told + 1, told + 2]):
            udp, tcp = ports.bind_pair()
        with udp, tcp:
            self.assertIn(tcp.getsockname()[1], (told + 1, told + 2))
            self.assertEqual(udp.getsockname(), tcp.getsockname())


class ProcessTest(unittest.TestCase):
    def python(self, code, **options):
        return process.Process([sys.executable, "-u", "-c", code], **options)

    def test_lines_are_waited_for(self):
        code = "import signal; print('ready'); signal.pause()"
        with self.python(code, statuses=(-15,)) as running:
            self.assertEqual(running.wait_line(lambda line: line == "ready"), "ready")
            self.assertTrue(running.running())

    def test_crash_and_sanitizer_reports_fail(self):
        for code in (
            "import os; os.abort()",
            "import sys; sys.exit(3)",
            "import sys; sys.stderr.write('ERROR: AddressSanitizer: x\\n')",
            "import sys; sys.stderr.write('a.c:1:2: runtime error: x\\n')",
        ):
            with self.subTest(code), self.assertRaises(process.ProcessError):
                with self.python(code) as running:
                    running.popen.wait(20)

    def test_program_that_does_not_end_is_killed_and_fails(self):
        code = (
            "import signal, time; signal.signal(15, signal.SIG_IGN); print('up'); "
            "time.sleep(600)"
        )
        with self.assertRaises(process.ProcessError):
            with self.python(code, stop_s=0.2) as running:
                running.wait_line(lambda line: line == "up")
        self.assertFalse(running.running())


if __name__ == "__main__":
    unittest.main()
