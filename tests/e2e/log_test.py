# SPDX-License-Identifier: Apache-2.0
"""What the program writes of itself: the operational log, and log files that are moved away."""

import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import http1
from harness.admin import AdminTest
from harness.base import host_row
from harness.dns_server import DnsServer
from harness.http1 import Connection, request_octets
from harness.ports import free_port
from harness.process import wait_until
from harness.signpost import Signpost, binary, clean_environment, config_for

HOST = "a.example.com"
TARGET = "https://a.example.net/"
TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"


class JsonLogTest(unittest.TestCase):
    def test_one_object_a_line(self):
        with DnsServer() as dns, Signpost([dns.address], {"log": {"format": "json"}}) as signpost:
            (signpost.directory / "signpost.json").write_text('{"nonsense\\u001b": 1}')
            signpost.signal(signal.SIGHUP)
            self.assertIsNotNone(
                signpost.wait_line(lambda line: "not reloaded" in line, stream="err")
            )
            signpost.stop()
            events = [json.loads(line) for line in signpost.err]
        for event in events:
            self.assertEqual(set(event), {"time", "level", "message"})
            self.assertRegex(event["time"], TIME)
            self.assertIn(event["level"], ("error", "warning", "info", "debug"))
            self.assertTrue(event["message"].isprintable() and event["message"].isascii())
        said = " ".join(event["message"] for event in events)
        for part in ("listening on", "signpost.json:1:2: unknown key", "stopping"):
            self.assertIn(part, said)


class FoldingTest(AdminTest):
    RELOADS = 12

    def test_what_repeats_is_counted(self):
        (self.signpost.directory / "signpost.json").write_text("{")
        name = 'signpost_config_reloads_total{result="failed"}'
        for number in range(1, self.RELOADS + 1):
            self.signpost.signal(signal.SIGHUP)
            self.assertTrue(wait_until(lambda: self.metric(name) == number))
        self.signpost.stop()
        lines = [line for line in self.signpost.err if "not reloaded" in line]
        folded = [line for line in lines if "repeated" in line]
        self.assertTrue(folded, lines)
        count = sum(int(line.rpartition("repeated ")[2].split()[0]) for line in folded)
        self.assertEqual(len(lines) - len(folded) + count, self.RELOADS)
        self.assertRegex(folded[0], r"stay in force \.\.\. repeated \d+ times in 10 s$")


class LevelTest(unittest.TestCase):
    def test_less_urgent_events_are_left_out(self):
        with DnsServer() as dns, Signpost([dns.address], {"log": {"level": "error"}}) as signpost:
            signpost.stop()
            self.assertEqual(signpost.err, [])


class FileLogTest(unittest.TestCase):
    """Standard output and standard error are files, as a supervisor may have it."""

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.dns = self.enterContext(DnsServer())
        self.dns.load([host_row(HOST, TARGET)])
        self.port = free_port()
        config = self.directory / "c.json"
        config.write_text(json.dumps(config_for(self.port, [self.dns.address])))
        self.out, self.err = self.directory / "access.log", self.directory / "error.log"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.running = subprocess.Popen(
                [binary(), "serve", "--config", str(config)],
                env=clean_environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        self.addCleanup(self.end)
        self.assertTrue(wait_until(lambda: self.out.read_bytes().startswith(b"ready\n"), 30))

    def end(self):
        self.running.kill()
        self.running.wait()

    def fetch(self, target):
        response = http1.fetch(("127.0.0.1", self.port), HOST, target)
        self.assertEqual(response.location, TARGET)

    def holds(self, path, text):
        return wait_until(lambda: path.exists() and text in path.read_text())

    def reopen(self, path, text):
        self.running.send_signal(signal.SIGUSR1)
        self.assertTrue(self.holds(path, text), path)

    def test_a_moved_file_is_opened_anew(self):
        self.fetch("/before")
        self.assertTrue(self.holds(self.out, "/before"))
        old_out, old_err = self.directory / "access.1", self.directory / "error.1"
        os.rename(self.out, old_out)
        os.rename(self.err, old_err)
        self.reopen(self.err, "opened again")
        self.fetch("/after")
        self.assertTrue(self.holds(self.out, "/after"))
        self.assertNotIn("/after", old_out.read_text())
        self.assertNotIn("/before", self.out.read_text())
        self.running.send_signal(signal.SIGTERM)
        self.assertEqual(self.running.wait(20), 0)
        self.assertIn("stopping", self.err.read_text())

    def test_a_file_that_is_still_there_is_kept(self):
        self.fetch("/before")
        self.assertTrue(self.holds(self.out, "/before"))
        self.reopen(self.err, "opened again")
        self.fetch("/after")
        self.assertTrue(self.holds(self.out, "/after"))
        self.assertIn("/before", self.out.read_text())

    def test_a_place_that_can_not_be_opened_loses_nothing(self):
        moved = self.directory / "access.1"
        os.rename(self.out, moved)
        self.out.mkdir()
        self.reopen(self.err, "cannot reopen")
        self.fetch("/after")
        self.assertTrue(self.holds(moved, "/after"))


class PipeLogTest(AdminTest):
    def test_a_pipe_stays(self):
        self.dns.load([host_row(HOST, TARGET)])
        self.signpost.signal(signal.SIGUSR1)
        self.assertIsNotNone(
            self.signpost.wait_line(lambda line: "opened again" in line, stream="err")
        )
        self.fetch(HOST, "/still-here")
        self.assertIsNotNone(self.signpost.wait_line(lambda line: "/still-here" in line))


class DroppedLinesTest(unittest.TestCase):
    """Nobody reads the access log: requests go on, and every line is either written or counted."""

    REQUESTS, LENGTH = 2500, 4000

    def test_lost_lines_are_counted(self):
        port, admin = free_port(), free_port()
        with DnsServer() as dns, tempfile.TemporaryDirectory() as directory:
            dns.load([host_row(HOST, TARGET)])
            path = Path(directory) / "c.json"
            over = {"admin": {"address": f"127.0.0.1:{admin}"}, "cache": {"enabled": True}}
            path.write_text(json.dumps(config_for(port, [dns.address], over)))
            running = subprocess.Popen(
                [binary(), "serve", "--config", str(path)],
                env=clean_environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            try:
                self.assertEqual(running.stdout.readline(), b"ready\n")
                self.send_many(port)
                dropped = self.dropped(admin)
                self.assertGreater(dropped, 0)
                running.send_signal(signal.SIGTERM)
                written = running.stdout.read().count(b"\n")
                self.assertEqual(running.wait(20), 0)
                self.assertEqual(written + dropped, self.REQUESTS)
            finally:
                running.kill()
                running.wait()
                running.stdout.close()

    def send_many(self, port):
        octets = request_octets("GET", "/" + "x" * self.LENGTH, HOST, close=False)
        with Connection(("127.0.0.1", port)) as connection:
            for _ in range(self.REQUESTS):
                connection.send(octets)
                self.assertEqual(connection.read().status, 302)

    @staticmethod
    def dropped(admin):
        text = http1.fetch(("127.0.0.1", admin), "x", "/metrics").text
        lines = [line for line in text.splitlines() if line.startswith("signpost_log_dropped")]
        return int(lines[0].split()[1])


if __name__ == "__main__":
    unittest.main()
