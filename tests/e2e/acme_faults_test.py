# SPDX-License-Identifier: Apache-2.0
"""Certificates on demand when something is wrong: authorities that are down, slow, or talk
nonsense, and processes that are killed in the middle of an order."""

import http.server
import json
import os
import shutil
import ssl
import tempfile
import threading
import unittest
from pathlib import Path

from harness import http1
from harness.acme import BadAuthority, Pebble, https, make_server_certificate, shown_certificate
from harness.base import host_row, in_parallel, timed
from harness.dns_server import DnsServer
from harness.ports import free_port
from harness.process import wait_until
from harness.signpost import Signpost, cli

TARGET = "https://target.example.net/"
NAME, READY = "fresh.example.com", "ready.example.com"
OTHERS = 30  # handshakes of a name that has a certificate, while another one waits
AT_ONCE_S = 2.0  # on a busy machine; a handshake that waits takes ten
WAIT_S = 10  # the longest that a handshake waits

# Stands in the place of the ACME client and runs it, but waits where it is told to.
CLIENT = """#!/bin/bash
stage=sign
for word in "$@"; do [[ $word == --register ]] && stage=register; done
pause() {{
    if [[ $stage-$1 == "$(cat {folder}/stop 2>/dev/null)" ]]; then
        rm -f {folder}/stop
        touch {folder}/reached
        while [[ ! -e {folder}/go ]]; do sleep 0.1; done
    fi
}}
pause before
{client} "$@"
status=$?
pause after
exit $status
"""


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """Answers where the authority looks for signpost: an error, to everything."""

    def log_message(self, *_):
        pass


class World:
    """An authority, a DNS server, a storage, and signposts that use them."""

    def __init__(self, stack, make_authority):
        self.http_port, self.tls_port, self.admin_port = free_port(), free_port(), free_port()
        self.signpost_folder = None
        self.folder = Path(stack(tempfile.TemporaryDirectory(prefix="signpost-faults-")))
        self.storage, self.certificates = self.folder / "storage", self.folder / "certificates"
        ready = self.certificates / READY
        ready.mkdir(parents=True)
        certificate, key = make_server_certificate(self.folder, READY)
        shutil.copy(certificate, ready / "fullchain.pem")
        shutil.copy(key, ready / "privkey.pem")
        self.authority = stack(make_authority(self.http_port, self.tls_port))
        self.dns = stack(DnsServer())
        self.dns.load([host_row(NAME, TARGET), host_row(READY, TARGET)])

    def signpost(self, path=None):
        acme = {"storage": str(self.storage), "directory": self.authority.directory,
                "ca_file": self.authority.ca_file}
        config = {"listen": [{"address": f"127.0.0.1:{self.http_port}"},
                             {"address": f"127.0.0.1:{self.tls_port}", "tls": True}],
                  "admin": {"address": f"127.0.0.1:{self.admin_port}"},
                  "tls": {"certificates": str(self.certificates), "acme": acme}}
        env = {"PATH": f"{path}:{os.environ['PATH']}"} if path else None
        return Signpost([self.dns.address], config, env=env)

    def ask(self):
        where = ("127.0.0.1", self.admin_port)
        return json.loads(http1.fetch(where, "admin", f"/ask?domain={NAME}").text)

    def explain(self, name):
        """The last line of what the command says."""
        config = str(self.signpost_folder / "signpost.json")
        return cli("explain", "--config", config, f"https://{name}/").stdout.splitlines()[-1]

    def handshake(self):
        """What became of it, and how long it took."""

        def attempt():
            try:
                shown_certificate(self.tls_port, NAME)
                return "served"
            except ssl.SSLError as error:
                return str(error)

        return timed(attempt)


class AuthorityTest(unittest.TestCase):
    def test_a_bad_authority_delays_nobody_else_and_is_left_alone(self):
        held = in_parallel(len(BadAuthority.KINDS), lambda i: self.hold(BadAuthority.KINDS[i]),
                           timeout=120)
        self.assertEqual(tuple(held), BadAuthority.KINDS)

    def hold(self, kind):
        world = World(self.enterContext, lambda *_: BadAuthority(kind))
        with world.signpost() as signpost:
            world.signpost_folder = signpost.directory
            waiting = threading.Thread(target=world.handshake)
            waiting.start()
            slowest = max(timed(lambda: shown_certificate(world.tls_port, READY))[1]
                          for _ in range(OTHERS))
            self.assertLess(slowest, AT_ONCE_S, kind)
            waiting.join(WAIT_S + AT_ONCE_S + 30)
            self.assertFalse(waiting.is_alive(), kind)
            if kind == "silent":
                return kind  # the client gives up much later
            self.assertTrue(wait_until(lambda: world.ask()["code"] == "back-off", timeout=60),
                            f"{kind}: {world.ask()}\n{signpost.err_text}")
            self.assertIn("in tls.certificates, valid until 20", world.explain(READY))
            self.assertIn("none yet; none would be got: 1 order in a row", world.explain(NAME))
            told = world.ask()["reason"]
            self.assertIn("1 order in a row failed", told)
            self.assertIn("the next is tried from 20", told)
            if kind == "limited":
                self.assertIn("too many of you", told)
            # The account is registered by whoever comes first, the start or the order; both have tried now.
            started = "registering with the certificate authority failed"
            self.assertTrue(wait_until(lambda: started in signpost.err_text, timeout=60), kind)
            before = world.authority.connections
            result, seconds = world.handshake()
            self.assertIn("UNRECOGNIZED_NAME", result.upper().replace(" ", "_"))
            self.assertLess(seconds, WAIT_S, kind)
            self.assertEqual(world.authority.connections, before, kind)
            self.assertIn("failed", signpost.err_text)
            self.assertFalse((world.storage / NAME).exists())
            self.assertFalse((world.storage / ".signpost" / "budget").exists())
        return kind

    def test_failures_are_remembered_across_restarts(self):
        world = World(self.enterContext, lambda *_: BadAuthority("refusing"))
        with world.signpost():
            world.handshake()
            self.assertTrue(wait_until(lambda: world.ask()["code"] == "back-off", timeout=60))
        with world.signpost():
            self.assertEqual(world.ask()["code"], "back-off")


    def test_what_never_reached_the_authority_spends_no_budget(self):
        world = World(self.enterContext, Pebble)
        budget = world.storage / ".signpost" / "budget"
        with world.signpost() as signpost:
            self.assertTrue(wait_until((world.storage / ".signpost" / "account").exists,
                                       timeout=60), signpost.err_text)
            world.authority.popen.kill()
            world.authority.popen.wait(20)
            world.authority._statuses = (-9,)
            world.handshake()
            self.assertTrue(wait_until(lambda: world.ask()["code"] == "back-off", timeout=60),
                            f"{world.ask()}\n{signpost.err_text}")
            self.assertEqual(budget.read_text(), "")


    def test_a_wrong_answer_to_a_challenge_is_one_order_of_an_account_that_stays(self):
        elsewhere = http.server.HTTPServer(("127.0.0.1", 0), Elsewhere)
        serving = threading.Thread(target=elsewhere.serve_forever)
        serving.start()
        self.addCleanup(elsewhere.server_close)
        self.addCleanup(serving.join, 10)
        self.addCleanup(elsewhere.shutdown)
        world = World(self.enterContext,
                      lambda _, tls_port: Pebble(elsewhere.server_port, tls_port))
        account = world.storage / ".signpost" / "account"
        with world.signpost() as signpost:
            self.assertTrue(wait_until(account.exists, timeout=60), signpost.err_text)
            registered = account.stat().st_mtime_ns
            world.handshake()
            self.assertTrue(wait_until(lambda: world.ask()["code"] == "back-off", timeout=60),
                            f"{world.ask()}\n{signpost.err_text}")
        self.assertEqual(world.authority.orders(), 1)
        self.assertEqual(account.stat().st_mtime_ns, registered)


class KillTest(unittest.TestCase):
    """At each step of an order the process is killed while the client goes on, or not."""

    STEPS = ("register-before", "register-after", "sign-before", "sign-after")

    def test_killed_at_each_step(self):
        killed = in_parallel(len(self.STEPS), lambda i: self.kill_at(self.STEPS[i]), timeout=200)
        self.assertEqual(tuple(killed), self.STEPS)

    def kill_at(self, step):
        world = World(self.enterContext, Pebble)
        (world.folder / "bin").mkdir()
        client = world.folder / "bin" / "dehydrated"
        client.write_text(CLIENT.format(folder=world.folder, client=shutil.which("dehydrated")))
        client.chmod(0o755)
        (world.folder / "stop").write_text(step)
        first = world.signpost(path=world.folder / "bin")
        with first:
            waiting = threading.Thread(target=self.try_handshake, args=(world,))
            waiting.start()
            self.assertTrue(wait_until((world.folder / "reached").exists, timeout=60),
                            f"{step}\n{first.err_text}")
            first.popen.kill()
            first.popen.wait(20)
            waiting.join(60)
            first._statuses = (-9,)
        self.assert_whole(world)
        with world.signpost(path=world.folder / "bin") as second:
            (world.folder / "go").touch()
            root = world.authority.root()
            self.assertTrue(wait_until(lambda: self.is_served(world, root), timeout=90, step=0.2),
                            f"{step}\n{second.err_text}")
            self.assert_whole(world)
            self.assertTrue(wait_until(lambda: not self.left_over(world), timeout=20),
                            f"{step}: {self.left_over(world)}")
        self.assertLessEqual(world.authority.orders(), 2, step)
        if step == "sign-after":
            self.assertEqual(world.authority.orders(), 1, "what was there already is taken")
        return step

    @staticmethod
    def try_handshake(world):
        try:
            world.handshake()
        except OSError:
            pass  # the server is killed meanwhile

    @staticmethod
    def is_served(world, root):
        try:
            return https(world.tls_port, NAME, root) == (302, TARGET)
        except ssl.SSLError:
            return False

    @staticmethod
    def left_over(world):
        return [path.name for folder in ("orders", "locks", "ready", "new")
                for path in (world.storage / ".signpost" / folder).iterdir()]

    def assert_whole(self, world):
        """There is a whole pair, or none."""
        folder = world.storage / NAME
        if folder.exists():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder / "fullchain.pem", folder / "privkey.pem")


if __name__ == "__main__":
    unittest.main()
