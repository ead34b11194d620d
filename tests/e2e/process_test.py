# SPDX-License-Identifier: Apache-2.0
"""The program as a process: starting, refusing to start, reloading, draining, and the subcommands
that end by themselves."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from harness import http1
from harness.base import ServerTest, host_row, in_parallel, timed
from harness.dns_server import DnsServer, Fault
from harness.http1 import Connection, request_octets
from harness.ports import free_port
from harness.process import Process, wait_until
from harness.signpost import Signpost, binary, clean_environment, cli, config_for
from harness.zone_text import zone_text

HOST = "a.example.com"
NAME = f"_redirect.{HOST}"
TARGET = "https://a.example.net/"


def accepts(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


class FileTest(unittest.TestCase):
    """Tests that write files."""

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return str(path)

    def config(self, over=None, port=None):
        resolvers = [f"127.0.0.1:{free_port()}"]
        return self.file("c.json", json.dumps(config_for(port or free_port(), resolvers, over)))

    def assertOneLine(self, done, status, pattern):
        """That exit status, and one line on standard error that fits."""
        self.assertEqual(done.returncode, status, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], pattern)


class RefusalTest(FileTest):
    """What keeps `serve` from starting."""

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for arguments in (
                ["--config", self.config(port=port)],
                ["--listen", f"127.0.0.1:{port}", "--threads", "2"],
            ):
                done = cli("serve", *arguments)
                self.assertOneLine(done, 1, rf"127\.0\.0\.1:{port}.*in use")
                self.assertEqual(done.stdout, "")

    def test_address_that_is_not_ours(self):
        self.assertOneLine(cli("serve", "--listen", "192.0.2.1:8080"), 1, r"192\.0\.2\.1:8080")

    def test_unreadable_config(self):
        path = str(self.directory / "none.json")
        self.assertOneLine(cli("serve", "--config", path), 2, re.escape(path))
        self.assertOneLine(
            cli("serve", "--config", str(self.directory)), 2, re.escape(str(self.directory))
        )

    def test_config_without_a_name(self):
        done = cli("serve", "--config", "")
        self.assertOneLine(done, 2, "^--config: expected the name of a file, not nothing$")

    def test_faults_have_a_position(self):
        for text, line, column in (
            ("{", 1, None),
            ('{\n  "threads": "x"\n}', 2, 14),
            ('{\n  "nonsense": 1\n}', 2, 3),
            ('{"dns": {"tries": 0}}', 1, 19),
            ('{\n "listen": [\n  {"address": "127.0.0.1"}]}', 3, None),
            ('{"fallback": {"redirect": "javascript:x"}}', 1, None),
            ("[]", 1, 1),
        ):
            with self.subTest(text):
                path = self.file("bad.json", text)
                done = cli("serve", "--config", path)
                place = rf"{re.escape(path)}:{line}:{column or '[0-9]+'}: .+"
                self.assertOneLine(done, 2, place)

    def test_every_fault_is_reported_by_check(self):
        path = self.file("bad.json", '{\n"threads": -1,\n"nonsense": 1,\n"types": ["x"]\n}')
        done = cli("serve", "--check", "--config", path)
        self.assertEqual(done.returncode, 2)
        for line in (2, 3, 4):
            self.assertRegex(done.stderr, rf"(?m)^{re.escape(path)}:{line}:")

    def test_no_kind_of_fault_hides_another(self):
        zone = self.file("bad.zone", 'x. 5 IN TXT "o\n')
        path = self.file(
            "bad.json",
            json.dumps(
                {
                    "threads": -1,
                    "dns": {"zones": [zone, str(self.directory), ""]},
                    "listen": [{"address": "[::]:1", "tls": True}, {"address": "[::]:2"}],
                    "tls": {
                        "certificates": "/nowhere",
                        "default": "x.example",
                        "acme": {"storage": "/proc/x", "ca_file": "/no"},
                    },
                },
                indent=1,
            ),
        )
        done = cli("serve", "--check", "--config", path, "--resolver", "127.0.0.1:53")
        place = re.escape(path)
        self.assertEqual(done.returncode, 2)
        for pattern in (
            rf"{place}:2:13: threads must be",
            rf"{re.escape(zone)}:1:15: ",
            rf"{place}:6:4: dns\.zones\[1\]: {re.escape(str(self.directory))}: is a directory",
            rf"{place}:7:4: dns\.zones\[2\]: expected a path",
            rf"{place}:21:14: tls\.default: /nowhere/x\.example: ",
            rf"{place}:23:15: tls\.acme\.storage can't be used: ",
            rf"{place}:24:15: tls\.acme\.ca_file, /no, can't be read: ",
        ):
            self.assertRegex(done.stderr, f"(?m)^{pattern}")
        self.assertEqual(len(done.stderr.splitlines()), 7, done.stderr)

    def test_listeners_that_are_in_each_others_way(self):
        for first, second in (("[::]", "0.0.0.0"), ("[::]", "127.0.0.1"), ("127.0.0.1", "0.0.0.0")):
            listen = [{"address": f"{first}:1"}, {"address": f"{second}:1"}]
            text = json.dumps({"listen": listen})
            path = self.file("c.json", text)
            done = cli("serve", "--check", "--config", path, "--resolver", "127.0.0.1:53")
            column = text.index(f'"{second}:1"') + 1
            self.assertOneLine(done, 2, rf"{re.escape(path)}:1:{column}: {re.escape(second)}:1 and ")
        listen = {"listen": [{"address": "[::]:1"}], "admin": {"address": "127.0.0.1:1"}}
        path = self.file("c.json", json.dumps(listen))
        done = cli("serve", "--check", "--config", path, "--resolver", "127.0.0.1:53")
        column = json.dumps(listen).index('"127') + 1
        self.assertOneLine(done, 2, rf"{re.escape(path)}:1:{column}: .*address of their own")

    def test_flags_are_named(self):
        zone = self.file("bad.zone", 'x. 5 IN TXT "o\n')
        done = cli("serve", "--check", "--zone", zone, "--zone", "/none", "--listen", "foo")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "(?m)^--listen: 'foo'")
        self.assertRegex(done.stderr, rf"(?m)^{re.escape(zone)}:1:15: ")
        self.assertRegex(done.stderr, r"(?m)^--zone: /none: No such file")
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)

    def test_what_was_not_read_is_not_blamed(self):
        over = {"tls": {"certificates": 5, "default": "x.example"}, "dns": {"resolvers": ["x!"]}}
        over["listen"] = [{"address": "[::]:1", "tls": True}]
        done = cli("serve", "--check", "--config", self.file("c.json", json.dumps(over)))
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        done = cli("serve", "--check", "--config", self.file("c.json", "{"))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_config_of_random_octets(self):
        for octets in (b"", b"\0", b"\xff\xfe", b"{" * 5000, b'{"a":"\xff"}', b"[" * 100000):
            path = self.directory / "noise.json"
            path.write_bytes(octets)
            self.assertEqual(cli("serve", "--check", "--config", str(path)).returncode, 2)

    def test_bad_zone(self):
        path = self.file(
            "bad.zone", f"{zone_text([], 'example.com')}x.example.com. IN TXT \"open\n"
        )
        done = cli("serve", "--config", self.config(), "--zone", path)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"{re.escape(path)}:[0-9]+:[0-9]+: ")
        done = cli("serve", "--config", self.config(), "--zone", str(self.directory / "none"))
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_bad_usage(self):
        for arguments in (
            ["nonsense"],
            ["serve", "--nonsense"],
            ["serve", "--threads"],
            ["serve", "--threads", "x"],
            ["serve", "--listen", "nonsense"],
            ["serve", "--resolver", "dns.example.com"],
            ["serve", "stray"],
            ["explain"],
            ["explain", "--nonsense", "http://a/"],
            ["lint"],
            ["lint", "--nonsense"],
            ["version", "stray"],
        ):
            with self.subTest(arguments):
                done = cli(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertTrue(done.stderr)

    def test_check_of_what_is_right(self):
        port = free_port()
        done = cli("serve", "--check", "--config", self.config({"tls": {"certificates": "/nowhere"}}, port))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(accepts(port))
        self.assertIn("configuration is good", done.stdout)


class ListenTest(FileTest):
    def setUp(self):
        super().setUp()
        self.dns = self.enterContext(DnsServer())
        self.dns.load([host_row(HOST, TARGET)])

    def start(self, *arguments, env=None):
        """`serve` without the harness' configuration file."""
        argv = [binary(), "serve", *arguments]
        running = self.enterContext(Process(argv, env=clean_environment(env)))
        ready = running.wait_line(lambda line: line == "ready")
        self.assertEqual(ready, "ready", running.err_text if ready is None else "")
        return running

    def test_ready_is_the_first_line(self):
        running = self.start("--listen", f"127.0.0.1:{free_port()}", "--resolver", self.dns.address)
        self.assertEqual(running.out[0], "ready")

    def test_several_listeners(self):
        ports = [free_port() for _ in range(3)]
        flags = [part for port in ports for part in ("--listen", f"127.0.0.1:{port}")]
        self.start(*flags, "--resolver", self.dns.address, "--no-cache", "--threads", "2")
        for port in ports:
            self.assertEqual(http1.fetch(("127.0.0.1", port), HOST).location, TARGET)

    def test_ipv6(self):
        port = free_port("::1")
        self.start("--listen", f"[::1]:{port}", "--resolver", self.dns.address)
        self.assertEqual(http1.fetch(("::1", port), HOST).location, TARGET)

    def test_any_takes_both_families(self):
        port = free_port("::")
        self.start("--listen", f"[::]:{port}", "--resolver", self.dns.address)
        for host in ("127.0.0.1", "::1"):
            self.assertEqual(http1.fetch((host, port), HOST).location, TARGET)

    def test_unix_socket(self):
        path = str(self.directory / "s")
        for _ in range(2):  # a socket that a former run left behind is no obstacle
            running = self.start("--listen", f"unix:{path}", "--resolver", self.dns.address)
            self.assertEqual(http1.fetch(path, HOST).location, TARGET)
            running.signal(signal.SIGTERM)
            self.assertEqual(running.popen.wait(20), 0)

    def test_environment(self):
        ports = [free_port() for _ in range(3)]
        config = self.file(
            "c.json",
            json.dumps(
                {
                    "listen": [{"address": f"127.0.0.1:{ports[0]}"}],
                    "dns": {"resolvers": [self.dns.address]},
                    "threads": 1,
                }
            ),
        )
        env = {"SIGNPOST_CONFIG": config}
        self.start(env=env)
        self.assertEqual(http1.fetch(("127.0.0.1", ports[0]), HOST).location, TARGET)
        env["SIGNPOST_LISTEN"], env["SIGNPOST_THREADS"] = f"127.0.0.1:{ports[1]}", "2"
        self.start(env=env)  # the environment beats the file
        self.assertEqual(http1.fetch(("127.0.0.1", ports[1]), HOST).location, TARGET)
        env["SIGNPOST_RESOLVER"] = f"127.0.0.1:{free_port()}"
        self.start("--listen", f"127.0.0.1:{ports[2]}", "--resolver", self.dns.address, env=env)
        self.assertEqual(http1.fetch(("127.0.0.1", ports[2]), HOST).location, TARGET)

    def test_bad_environment(self):
        done = cli("serve", "--check", env={"SIGNPOST_THREADS": "many"})
        self.assertOneLine(done, 2, "SIGNPOST_THREADS")

    def test_many_threads_answer(self):
        port = free_port()
        self.start(
            "--listen", f"127.0.0.1:{port}", "--resolver", self.dns.address, "--threads", "4"
        )
        got = in_parallel(40, lambda _: http1.fetch(("127.0.0.1", port), HOST).location)
        self.assertEqual(set(got), {TARGET})


class DrainTest(ServerTest):
    """One signpost for each test: they end it."""

    CONFIG = {"threads": 2}

    @classmethod
    def setUpClass(cls):
        cls.dns = cls.enterClassContext(DnsServer())

    def setUp(self):
        self.signpost = self.enterContext(Signpost([self.dns.address], self.CONFIG))
        self.dns.load([host_row(HOST, TARGET)], {NAME: Fault("delay", delay_ms=600)})

    def test_request_under_way_is_finished(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number), Signpost([self.dns.address], self.CONFIG) as signpost:
                self.dns.forget()
                with Connection(signpost.where) as connection:
                    connection.send(request_octets("GET", "/", HOST, close=False))
                    self.assertTrue(self.dns.wait_for(1, NAME))
                    signpost.signal(number)
                    self.assertTrue(wait_until(lambda: not accepts(signpost.port)))
                    self.assertRedirect(connection.read(), TARGET)
                    self.assertTrue(connection.at_end())
                self.assertEqual(signpost.popen.wait(10), 0)

    def test_idle_connections_do_not_hold_the_end_up(self):
        with Connection(self.where) as connection, Connection(self.where) as silent:
            connection.send(request_octets("GET", "/", "x.example.com", close=False))
            self.assertEqual(connection.read().status, 404)
            silent.send(b"GET / HT")
            self.signpost.signal(signal.SIGTERM)
            status, seconds = timed(lambda: self.signpost.popen.wait(20))
            self.assertEqual(status, 0)
            self.assertLess(seconds, 15)
            self.assertTrue(connection.at_end())

    def test_clients_that_leave_while_dns_is_asked(self):
        linger = struct.pack("ii", 1, 0)
        for abrupt in (False, True):
            for _ in range(20):
                with Connection(self.where) as connection:
                    connection.send(request_octets("GET", "/", HOST))
                    if abrupt:
                        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.assertTrue(self.dns.wait_for(1, NAME))
        self.assertAlive()

    def test_end_while_clients_have_left(self):
        for _ in range(10):
            with Connection(self.where) as connection:
                connection.send(request_octets("GET", "/", HOST))
        self.assertTrue(self.dns.wait_for(1, NAME))
        self.assertEqual(self.signpost.stop(), 0)


class ReloadTest(ServerTest):
    CONFIG = {"threads": 2, "fallback": {"redirect": "https://one.example.net/"}}

    def location(self):
        return self.fetch("none.example.com").location

    def test_hangup_reads_the_configuration_again(self):
        with Connection(self.where) as kept:
            kept.send(request_octets("GET", "/", "none.example.com", close=False))
            self.assertNotEqual(kept.read().location, "https://two.example.net/")
            self.signpost.reload({"fallback": {"redirect": "https://two.example.net/"}})
            self.assertTrue(wait_until(lambda: self.location() == "https://two.example.net/"))
            kept.send(request_octets("GET", "/", "none.example.com", close=False))
            self.assertTrue(kept.read().location)

    def test_a_bad_file_leaves_the_old_configuration_in_force(self):
        self.signpost.reload({"fallback": {"redirect": "https://three.example.net/"}})
        self.assertTrue(wait_until(lambda: self.location() == "https://three.example.net/"))
        path = self.signpost.directory / "signpost.json"
        path.write_text("{")
        self.signpost.signal(signal.SIGHUP)
        place = f"{path}:1:"
        self.assertTrue(self.signpost.wait_line(lambda line: place in line, "err", timeout=10))
        self.assertEqual(self.location(), "https://three.example.net/")
        self.assertTrue(self.signpost.running())


class BusyReloadTest(ServerTest):
    CONFIG = {"threads": 2}
    ROWS = [host_row(HOST, TARGET)]
    CLIENTS, REQUESTS, RELOADS = 6, 60, 10

    def test_no_request_notices(self):
        def client(index):
            if index == self.CLIENTS:
                for _ in range(self.RELOADS):
                    self.signpost.signal(signal.SIGHUP)
                    self.assertRedirect(self.fetch(HOST), TARGET)
                return
            with Connection(self.where) as connection:
                for _ in range(self.REQUESTS):
                    connection.send(request_octets("GET", "/", HOST, close=False))
                    self.assertRedirect(connection.read(), TARGET)

        in_parallel(self.CLIENTS + 1, client)
        self.assertAlive()


class AccessLogTest(ServerTest):
    KEYS = {
        "time",
        "remote",
        "method",
        "scheme",
        "host",
        "target",
        "protocol",
        "status",
        "location",
        "outcome",
        "record",
        "lookups",
        "cache",
        "dns_us",
        "duration_us",
        "user_agent",
        "referer",
    }
    ROWS = [host_row(HOST, TARGET)]

    def test_one_object_a_line(self):
        agent = 'x"y\\z'
        self.fetch(HOST, "/x?y", headers=[("User-Agent", agent), ("Referer", "https://r.example/")])
        line = self.signpost.wait_line(lambda text: text != "ready" and "/x?y" in text, timeout=10)
        self.assertIsNotNone(line, self.signpost.out)
        entry = json.loads(line)
        self.assertEqual(set(entry), self.KEYS)
        wanted = {
            "method": "GET",
            "host": HOST,
            "target": "/x?y",
            "status": 302,
            "scheme": "http",
            "location": TARGET,
            "outcome": "redirect",
            "record": NAME,
            "user_agent": agent,
            "referer": "https://r.example/",
        }
        self.assertEqual({key: entry[key] for key in wanted}, wanted)
        self.assertRegex(entry["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_the_host_is_the_one_that_the_request_is_for(self):
        upper, bad = HOST.upper(), "no host!"
        for mark, host, target, logged in (
            ("port", f"{upper}.:8080", "/port", HOST),
            ("absolute", "other.example.net", f"http://{HOST}/absolute", HOST),
            ("bad", bad, "/bad", bad),
        ):
            self.fetch(host, target)
            line = self.signpost.wait_line(lambda text, mark=mark: f"/{mark}\"" in text, timeout=10)
            self.assertIsNotNone(line, mark)
            self.assertEqual(json.loads(line)["host"], logged)


class SlowReaderTest(FileTest):
    def test_an_unread_log_blocks_nobody(self):
        """Nobody reads standard output after `ready`; the pipe fills up."""
        with DnsServer() as dns:
            dns.load([host_row(HOST, TARGET)])
            port = free_port()
            argv = [
                binary(),
                "serve",
                "--listen",
                f"127.0.0.1:{port}",
                "--resolver",
                dns.address,
                "--threads",
                "1",
            ]
            running = subprocess.Popen(
                argv, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            try:
                self.assertEqual(running.stdout.readline(), b"ready\n")
                with Connection(("127.0.0.1", port)) as connection:
                    for _ in range(400):
                        octets = request_octets("GET", "/" + "x" * 2000, HOST, close=False)
                        connection.send(octets)
                        self.assertEqual(connection.read().status, 302)
                running.send_signal(signal.SIGTERM)
                drain = threading.Thread(target=running.stdout.read, daemon=True)
                drain.start()
                self.assertEqual(running.wait(20), 0)
                drain.join(10)
            finally:
                running.kill()
                running.wait()
                running.stdout.close()
                running.stderr.close()


class CommandsTest(FileTest):
    def zone(self, *rows):
        return self.file("example.zone", zone_text(rows, "example.com"))

    def test_overview_and_help(self):
        overview = cli()
        for command in ("serve", "explain", "lint", "version"):
            self.assertIn(command, overview.stdout + overview.stderr)
            done = cli(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"signpost {command}", done.stdout)

    def test_version(self):
        plain, data = cli("version"), cli("version", "--json")
        self.assertEqual((plain.returncode, data.returncode), (0, 0))
        self.assertRegex(plain.stdout, r"^signpost [0-9]+\.[0-9]+\.[0-9]+")
        self.assertRegex(json.loads(data.stdout)["version"], r"^[0-9]+\.[0-9]+\.[0-9]+")

    def test_explain_found(self):
        zone = self.zone(host_row(HOST, TARGET))
        done = cli("explain", "--zone", zone, f"http://{HOST}/x")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in (NAME, TARGET, "302"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("\x1b", done.stdout)

    def test_explain_nothing_found(self):
        done = cli("explain", "--zone", self.zone(), "http://none.example.com/")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("_redirect._.none.example.com", done.stdout)

    def test_explain_over_dns(self):
        with DnsServer() as dns:
            dns.load([host_row(HOST, TARGET)])
            done = cli("explain", "--resolver", dns.address, HOST)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(TARGET, done.stdout)
            dns.load([], default="servfail")
            self.assertEqual(cli("explain", "--resolver", dns.address, HOST).returncode, 1)

    def test_explain_options(self):
        zone = self.zone([NAME, "TXT", "v=txtv0;to=https://a.example.net/{method}/{>X-Team}"])
        done = cli("explain", "--zone", zone, "-X", "POST", "-H", "X-Team: red", f"http://{HOST}/")
        self.assertIn("https://a.example.net/POST/red", done.stdout)

    def test_colour_on_a_terminal_only(self):
        zone = self.zone(host_row(HOST, TARGET))
        argv = [binary(), "explain", "--zone", zone, f"http://{HOST}/"]
        coloured = self.on_terminal(argv, {"TERM": "xterm"})
        self.assertIn("\x1b[", coloured)
        self.assertIn(TARGET, coloured)
        self.assertNotIn("\x1b[", self.on_terminal(argv, {"TERM": "xterm", "NO_COLOR": "1"}))

    def on_terminal(self, argv, extra):
        env = {name: value for name, value in clean_environment().items() if name != "NO_COLOR"}
        ours, theirs = os.openpty()
        try:
            running = subprocess.Popen(
                argv, env={**env, **extra}, stdin=theirs, stdout=theirs, stderr=theirs
            )
            os.close(theirs)
            text = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:  # the terminal's way of saying that it has ended
                    break
                if not part:
                    break
                text += part
            self.assertEqual(running.wait(20), 0)
            return text.decode("utf-8", "replace")
        finally:
            os.close(ours)

    def test_lint_of_zones(self):
        good = cli("lint", "--zone", self.zone(host_row(HOST, TARGET)))
        self.assertEqual(good.returncode, 0, good.stdout + good.stderr)
        path = self.zone(host_row(HOST, TARGET, extra=";code=999"))
        done = cli("lint", "--zone", path)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, rf"{re.escape(path)}:3:[0-9]+: .*code")

    def test_lint_of_records(self):
        self.assertEqual(cli("lint", "--record", "v=txtv0;to=https://a.example.net/").returncode, 0)
        done = cli("lint", "--record", "v=txtv0;to=https://a.example.net/;code=999", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(json.loads(done.stdout))

    def test_lint_of_standard_input(self):
        text = zone_text([host_row(HOST, "a.example.net/")], "example.com")
        done = cli("lint", "-", stdin=text.encode())
        self.assertIn(":3:", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
