# SPDX-License-Identifier: Apache-2.0
"""Starting, reloading, restarting and ending while clients are at work: no request is lost. A
request is lost when its connection ends before its answer is whole; attempts to connect that are
refused, before anything has been sent, are not."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from harness import http1, http2
from harness.base import host_row, timed
from harness.dns_server import DnsServer, Fault
from harness.http1 import Connection, request_octets
from harness.ports import free_port
from harness.process import Process, wait_until
from harness.signpost import RELOADED, Signpost, binary, clean_environment, config_for
from harness.steady import Steady

HOST = "a.example.com"
NAME = f"_redirect.{HOST}"
TARGET = "https://a.example.net/"
# Sanitizers take most of a small machine; the rate is what it is there.
RATE = 1000 if os.environ.get("SIGNPOST_SANITIZED") else 10000
RELOADS = 20
UNITS = Path(__file__).resolve().parents[2] / "examples" / "systemd"


class LifeTest(unittest.TestCase):
    CONFIG = {"threads": 2, "cache": {"enabled": True}, "log": {"access": "off"}}

    def setUp(self):
        self.dns = self.enterContext(DnsServer())
        self.dns.load([host_row(HOST, TARGET, ttl=3600)])

    def start(self, over=None, **options):
        config = {**self.CONFIG, **(over or {})}
        return self.enterContext(Signpost([self.dns.address], config, **options))

    def steady(self, signpost, **options):
        options = {"connections": 64, "rate": RATE, "seconds": 120, **options}
        return self.enterContext(Steady(signpost.where, HOST, **options))

    def assertNoneLost(self, what, figures, least):
        print(f"\n{what}: {json.dumps(figures)}", flush=True)
        self.assertEqual((figures["lost"], figures["wrong"]), (0, 0), figures)
        self.assertEqual(figures["sent"], figures["answered"], figures)
        self.assertGreater(figures["answered"], least, figures)

    def warm(self, where):
        self.assertEqual(http1.fetch(where, HOST).location, TARGET)

    def rest(self, seconds):
        """Load for some time more: there is no event to wait for."""
        threading.Event().wait(seconds)


class ReloadTest(LifeTest):
    def test_reloads_under_load(self):
        signpost = self.start()
        self.warm(signpost.where)
        steady = self.steady(signpost)
        _, seconds = timed(lambda: self.reload_often(signpost))
        figures = steady.finish()
        self.assertNoneLost(f"{RELOADS} reloads", figures, seconds * RATE / 4)
        self.assertEqual((figures["refused"], figures["connects"]), (0, 64), figures)

    def reload_often(self, signpost):
        for index in range(RELOADS):
            over = {**self.CONFIG, "cache": {"enabled": True, "max_bytes": (8 + index % 2) << 20}}
            signpost.reload(over)
            self.rest(0.1)

    def test_a_bad_file_changes_nothing_and_every_fault_is_told(self):
        signpost = self.start()
        self.warm(signpost.where)
        steady = self.steady(signpost, rate=RATE // 5)
        self.rest(0.5)
        path = signpost.directory / "signpost.json"
        path.write_text('{\n"threads": -1,\n"nonsense": 1,\n"drain": {"delay_s": 99}\n}')
        signpost.signal(signal.SIGHUP)
        self.assertTrue(signpost.wait_line(lambda line: "not reloaded" in line, "err"))
        for line in (2, 3):
            self.assertIn(f"{path}:{line}:", signpost.err_text)
        self.assertNotIn(RELOADED, signpost.err)
        self.warm(signpost.where)
        self.assertNoneLost("a bad file", steady.finish(), 0)


class DrainTest(LifeTest):
    def test_the_end_under_load(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                signpost = self.start()
                self.warm(signpost.where)
                steady = self.steady(signpost)
                self.rest(1)
                signpost.signal(number)
                status, seconds = timed(lambda: signpost.popen.wait(40))
                self.assertEqual(status, 0)
                figures = steady.finish()
                self.assertNoneLost(f"end after {seconds:.2f} s", figures, RATE / 4)
                self.assertLess(seconds, 10)

    def test_idle_connections_are_given_time(self):
        """Who has more connections than work turns to the idle ones when the others close."""
        signpost = self.start()
        self.warm(signpost.where)
        steady = self.steady(signpost, rate=200)
        self.rest(2)
        signpost.signal(signal.SIGTERM)
        self.assertEqual(signpost.popen.wait(40), 0)
        self.assertNoneLost("end with idle connections", steady.finish(), 100)

    def test_new_connections_at_the_last_moment(self):
        """Each request on a connection of its own: served or refused, never reset."""
        signpost = self.start()
        stop, counts, errors = threading.Event(), {"served": 0, "refused": 0}, []

        def client():
            while not stop.is_set():
                try:
                    sock = socket.create_connection(signpost.where, 10)
                except OSError:
                    counts["refused"] += 1
                    time.sleep(0.01)
                    continue
                try:
                    with sock:
                        sock.sendall(request_octets("GET", "/", HOST))
                        answer = sock.recv(4096)
                    if not answer.startswith(b"HTTP/1.1 302 "):
                        errors.append(answer)
                    counts["served"] += 1
                except OSError as error:
                    errors.append(error)

        threads = [threading.Thread(target=client, daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        self.assertTrue(wait_until(lambda: counts["served"] > 200))
        signpost.signal(signal.SIGTERM)
        self.assertEqual(signpost.popen.wait(40), 0)
        self.assertTrue(wait_until(lambda: counts["refused"] > 8))
        stop.set()
        for thread in threads:
            thread.join(20)
        self.assertEqual(errors, [], counts)

    def test_delay(self):
        """Only readiness changes for the time of the delay; then it ends as usual."""
        admin = ("127.0.0.1", free_port())
        over = {"drain": {"delay_s": 2, "timeout_s": 10}}
        signpost = self.start({**over, "admin": {"address": f"{admin[0]}:{admin[1]}"}})
        self.warm(signpost.where)
        self.assertEqual(http1.fetch(admin, "admin", "/readyz").status, 200)
        begin = time.monotonic()
        signpost.signal(signal.SIGTERM)
        self.assertTrue(signpost.wait_line(lambda line: "still accepting" in line, "err"))
        ready = http1.fetch(admin, "admin", "/readyz")
        self.assertEqual((ready.status, "draining" in ready.text), (503, True), ready.text)
        served = 0
        while time.monotonic() < begin + 1.5:
            self.warm(signpost.where)
            served += 1
        self.assertGreater(served, 1)
        self.assertEqual(signpost.popen.wait(20), 0)
        self.assertGreaterEqual(time.monotonic() - begin, 2)
        self.assertLess(time.monotonic() - begin, 8)

    def test_time_out(self):
        """A request that waits longer than the time-out is answered with 503 or cut off."""
        over = {"drain": {"timeout_s": 1}, "dns": {"timeout_ms": 20000, "try_ms": 20000}}
        signpost = self.start(over)
        self.dns.load([], default="drop")
        with Connection(signpost.where) as connection:
            connection.send(request_octets("GET", "/", HOST, close=False))
            self.assertTrue(self.dns.wait_for(1, NAME))
            signpost.signal(signal.SIGTERM)
            status, seconds = timed(lambda: signpost.popen.wait(20))
        self.assertEqual(status, 0)
        self.assertLess(seconds, 2)

    def test_a_second_signal_is_for_haste(self):
        signpost = self.start({"dns": {"timeout_ms": 20000, "try_ms": 20000}})
        self.dns.load([], default="drop")
        with Connection(signpost.where) as connection:
            connection.send(request_octets("GET", "/", HOST, close=False))
            self.assertTrue(self.dns.wait_for(1, NAME))
            signpost.signal(signal.SIGTERM)
            self.assertTrue(signpost.wait_line(lambda line: line.endswith("stopping"), "err"))
            signpost.signal(signal.SIGTERM)
            status, seconds = timed(lambda: signpost.popen.wait(20))
        self.assertEqual(status, 0)
        self.assertLess(seconds, 2)

    def test_connections_in_use_are_told_to_close(self):
        signpost = self.start()
        with Connection(signpost.where) as kept, http2.Connection(signpost.where) as two:
            kept.send(request_octets("GET", "/", HOST, close=False))
            self.assertEqual(kept.read().header("connection"), "keep-alive")
            self.assertEqual(two.fetch(HOST).status, 302)
            self.dns.load([host_row("b.example.com", TARGET)], default=Fault("delay", delay_ms=900))
            kept.send(request_octets("GET", "/", "b.example.com", close=False))
            stream = two.request("b.example.com")
            self.assertTrue(self.dns.wait_for(1))
            signpost.signal(signal.SIGTERM)
            response = kept.read()
            self.assertEqual((response.status, response.header("connection")), (302, "close"))
            self.assertTrue(kept.at_end())
            self.assertEqual(two.read(stream).status, 302)
            self.assertEqual(two.wait_closed(), 0, "GOAWAY without error")
        self.assertEqual(signpost.popen.wait(20), 0)

    def test_idle_connections_end_with_fin(self):
        """Never RST: a request that crosses our end is known to be unanswered."""
        signpost = self.start()
        connections = [Connection(signpost.where) for _ in range(20)]
        for connection in connections:
            self.enterContext(connection)
            connection.send(request_octets("GET", "/", HOST, close=False))
            self.assertEqual(connection.read().status, 302)
        signpost.signal(signal.SIGTERM)
        for connection in connections:
            self.assertEqual(connection.sock.recv(1), b"")
            connection.close()
        self.assertEqual(signpost.popen.wait(20), 0)


class ActivationTest(LifeTest):
    """A service manager: it keeps the socket, and starts the service with it."""

    def listen(self, family=socket.AF_INET, where=("127.0.0.1", 0)):
        sock = socket.socket(family)
        self.addCleanup(sock.close)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)
        sock.listen(4096)
        return sock

    def command(self, sockets, listen, extra=()):
        """The service with these sockets as descriptors 3 and up."""
        config = config_for(1, [self.dns.address], self.CONFIG)
        config["listen"] = [{"address": address} for address in listen]
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "c.json"
        path.write_text(json.dumps(config))
        moves = " ".join(f"{3 + i}<&{sock.fileno()}" for i, sock in enumerate(sockets))
        script = f'LISTEN_PID=$$ LISTEN_FDS={len(sockets)} exec "$@" {moves}'
        argv = ["bash", "-c", script, "bash", binary(), "serve", "--config", str(path), *extra]
        return argv, [sock.fileno() for sock in sockets]

    def spawn(self, sockets, listen):
        argv, fds = self.command(sockets, listen)
        running = Activated(argv, fds)
        running.start()
        self.addCleanup(running.kill)
        self.assertIsNotNone(running.wait_line(lambda line: line == "ready"), running.err_text)
        return running

    def test_sockets_are_matched_by_address(self):
        port = free_port()
        with tempfile.TemporaryDirectory() as directory:
            path = f"{directory}/s"
            sockets = [self.listen(), self.listen(socket.AF_UNIX, path)]
            where = sockets[0].getsockname()
            listen = [f"127.0.0.1:{port}", f"unix:{path}", f"127.0.0.1:{where[1]}"]
            running = self.spawn(sockets, listen)
            for place in (("127.0.0.1", port), path, where):
                self.warm(place)
            running.stop()
            self.assertTrue(os.path.exists(path), "the file is the manager's")

    def refuse(self, sockets, listen):
        argv, fds = self.command(sockets, listen)
        return subprocess.run(
            argv, pass_fds=fds, env=clean_environment(), capture_output=True, timeout=30, text=True
        )

    def test_a_socket_that_nobody_wants(self):
        done = self.refuse([self.listen()], [f"127.0.0.1:{free_port()}"])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "descriptor 3 from the service manager .*listen")

    def test_what_is_no_listening_socket(self):
        idle = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(idle.close)
        done = self.refuse([idle], [f"127.0.0.1:{free_port()}"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("descriptor 3 from the service manager is no listening", done.stderr)

    def test_restart_under_load(self):
        """Connections that come while nobody accepts wait for the next process."""
        sock = self.listen()
        where = sock.getsockname()
        listen = [f"127.0.0.1:{where[1]}"]
        running = self.spawn([sock], listen)
        self.warm(where)
        with Steady(where, HOST, connections=64, rate=RATE, seconds=120) as steady:
            self.rest(1)
            for _ in range(3):
                running.stop()
                running = self.spawn([sock], listen)
                self.rest(1)
            figures = steady.finish()
        running.stop()
        self.assertNoneLost("3 restarts", figures, RATE / 4)
        self.assertEqual(figures["refused"], 0, figures)


class Activated(Process):
    """A process that inherits descriptors."""

    def __init__(self, argv, fds):
        super().__init__(argv, env=clean_environment(), name="signpost")
        self.pass_fds = tuple(fds)


class NotifyTest(LifeTest):
    """What the service manager hears."""

    def setUp(self):
        super().setUp()
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.manager = self.enterContext(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self.manager.bind(f"{directory}/notify")
        self.manager.settimeout(10)
        self.env = {"NOTIFY_SOCKET": f"{directory}/notify"}

    def hear(self):
        return self.manager.recv(4096).decode()

    def test_states(self):
        signpost = self.start(env=self.env)
        self.assertEqual(self.hear(), "READY=1")
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        signpost.signal(signal.SIGHUP)
        heard = re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=([0-9]+)", self.hear())
        self.assertLess(abs(int(heard[1]) - before), 10_000_000)
        self.assertEqual(self.hear(), "READY=1")
        signpost.signal(signal.SIGTERM)
        self.assertEqual(self.hear(), "STOPPING=1")
        self.assertEqual(signpost.popen.wait(20), 0)

    def test_watchdog(self):
        signpost = self.start(env={**self.env, "WATCHDOG_USEC": "400000"})
        self.assertEqual(self.hear(), "READY=1")
        for _ in range(8):
            self.assertEqual(self.hear(), "WATCHDOG=1")
        signpost.signal(signal.SIGSTOP)
        self.assertSilent(1)
        signpost.signal(signal.SIGCONT)
        self.assertEqual(self.hear(), "WATCHDOG=1")

    def test_watchdog_of_somebody_else(self):
        self.start(env={**self.env, "WATCHDOG_USEC": "400000", "WATCHDOG_PID": "1"})
        self.assertEqual(self.hear(), "READY=1")
        self.assertSilent(0.8)

    def assertSilent(self, seconds):
        """Nothing new, once what was on its way has been heard."""
        self.manager.setblocking(False)
        self.rest(0.1)
        try:
            while self.manager.recv(4096):
                pass
        except BlockingIOError:
            pass
        self.manager.settimeout(seconds)
        with self.assertRaises(TimeoutError):
            self.hear()
        self.manager.settimeout(10)


class UnitsTest(unittest.TestCase):
    def copy(self, folder):
        """The units in a folder, with the program under test; their paths."""
        paths = [path for path in UNITS.rglob("*") if path.is_file()]
        for path in paths:
            place = Path(folder) / path.relative_to(UNITS)
            place.parent.mkdir(exist_ok=True)
            text = path.read_text(encoding="utf-8").replace("/usr/bin/signpost", binary())
            place.write_text(text)
        return sorted(str(path) for path in Path(folder).iterdir() if path.is_file())

    def verify(self, paths):
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *paths],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_systemd_finds_no_fault(self):
        """In the units with their drop-in, nor in them alone."""
        self.assertTrue(shutil.which("systemd-analyze"), "systemd is not installed")
        with tempfile.TemporaryDirectory() as directory:
            paths = self.copy(directory)
            self.assertEqual(len(paths), 2)
            self.verify(paths)
            shutil.rmtree(Path(directory) / "signpost.service.d")
            self.verify(paths)


if __name__ == "__main__":
    unittest.main()
