# SPDX-License-Identifier: Apache-2.0
"""`signpost health` against servers that answer in every way there is.

Usage: health_test.py SIGNPOST
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SIGNPOST = ""


def health(*arguments):
    done = subprocess.run([SIGNPOST, "health", *arguments], capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stdout, done.stderr


class Server:
    """Takes one connection, reads the request, sends `answer` (None: nothing, ever) and closes."""

    def __init__(self, answer, address=("127.0.0.1", 0)):
        self.answer, self.request = answer, b""
        self.socket = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        self.socket.bind(address)
        self.socket.listen(1)
        self.address = address if isinstance(address, str) else "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.socket.settimeout(20)
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.thread.join()
        self.socket.close()

    def run(self):
        connection, _ = self.socket.accept()
        with connection:
            connection.settimeout(20)
            while b"\r\n\r\n" not in self.request:
                self.request += connection.recv(4096)
            if self.answer is None:
                connection.recv(1)  # until the other side has had enough
            else:
                with contextlib.suppress(ConnectionError):  # nobody has to read all of it
                    for part in (self.answer[:1], self.answer[1:]):
                        connection.sendall(part)


class Answers(unittest.TestCase):
    def test_says_nothing_when_all_is_well(self):
        with Server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") as server:
            self.assertEqual(health("--admin", server.address), (0, "", ""))
        self.assertTrue(server.request.startswith(b"GET /healthz HTTP/1.1\r\nHost: "), server.request)

    def test_asks_for_readiness(self):
        body = b'{\n  "ready": false,\n  "reason": "draining",\n  "message": "it is stopping"\n}\n'
        with Server(b"HTTP/1.1 503 No\r\n\r\n" + body) as server:
            code, out, err = health("--ready", "--admin", server.address)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, f"signpost health: {server.address}/readyz says no: it is stopping (draining)\n")
        self.assertTrue(server.request.startswith(b"GET /readyz "), server.request)

    def test_shows_nothing_that_a_terminal_would_obey(self):
        for body in (b"\x1b[2J", b'{"reason": "\\u001b[2J", "message": "\\n\\u001b[2J' + b"x" * 900 + b'"}'):
            with self.subTest(body), Server(b"HTTP/1.1 503 No\r\n\r\n" + body) as server:
                err = health("--admin", server.address)[2]
                self.assertEqual((err.count("\x1b"), err.count("\n"), len(err) < 300), (0, 1, True), err)

    def test_a_reason_that_is_none(self):
        for body in (b"", b"[]", b"{", b"5", b'{"reason": 5, "message": "x"}', b'{"reason": "x"}'):
            with self.subTest(body), Server(b"HTTP/1.1 503 No\r\n\r\n" + body) as server:
                self.assertRegex(health("--admin", server.address)[2], "says no\n$")

    def test_takes_nothing_else_for_well(self):
        for answer in (b"", b"H", b"HTTP/1.1 200", b"HTTP/1.1 404 Not Found\r\n\r\n", b"SSH-2.0-OpenSSH\r\n",
                       b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/1.1 503 x" + b"y" * 100000):
            with self.subTest(answer[:30]), Server(answer) as server:
                code, out, err = health("--admin", server.address)
                self.assertEqual((code, out, err.count("\n")), (1, "", 1), err)

    def test_a_long_answer_is_read_as_far_as_needed(self):
        with Server(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100000) as server:
            self.assertEqual(health("--admin", server.address), (0, "", ""))

    def test_does_not_wait_for_long(self):
        begun = time.monotonic()
        with Server(None) as server:
            code, _, err = health("--admin", server.address)
        self.assertEqual(code, 1)
        self.assertIn("timed out", err)
        self.assertGreater(time.monotonic() - begun, 1.9)

    def test_asks_a_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "admin")
            with Server(b"HTTP/1.1 200 OK\r\n\r\n", path):
                self.assertEqual(health("--admin", f"unix:{path}"), (0, "", ""))

    def test_nobody_is_there(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            self.assertEqual(health("--admin", address), (1, "", f"signpost health: {address}: Connection refused\n"))

    def test_refuses_what_is_no_address(self):
        for arguments, part in ((["--admin", "localhost:9180"], "--admin: "), (["now"], "unexpected argument 'now'")):
            code, out, err = health(*arguments)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(part, err)


class RealOne(unittest.TestCase):
    def test_of_the_program_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            admin, zone = os.path.join(folder, "admin"), os.path.join(folder, "zone")
            with open(zone, "w", encoding="ascii") as file:
                file.write("$ORIGIN example.com.\n@ 300 SOA a. b. 1 2 3 4 5\n_redirect 300 TXT \"v=txtv0;to=/\"\n")
            config = os.path.join(folder, "signpost.json")
            with open(config, "w", encoding="ascii") as file:
                json.dump({"listen": [{"address": f"unix:{folder}/http"}], "admin": {"address": f"unix:{admin}"},
                           "dns": {"zones": [zone]}}, file)
            with subprocess.Popen([SIGNPOST, "serve", "--config", config], stdout=subprocess.PIPE, text=True) as server:
                try:
                    for line in server.stdout:
                        if re.match("ready$", line):
                            break
                    self.assertEqual(health("--admin", f"unix:{admin}"), (0, "", ""))
                    self.assertEqual(health("--admin", f"unix:{admin}", "--ready"), (0, "", ""))
                finally:
                    server.terminate()
            self.assertEqual(health("--admin", f"unix:{admin}")[0], 1)


if __name__ == "__main__":
    SIGNPOST = sys.argv.pop(1)
    unittest.main()
