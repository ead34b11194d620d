# SPDX-License-Identifier: Apache-2.0
"""TLS with real clients: which certificate is shown, what is spoken, and what is not."""

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness import http1, http2
from harness.base import host_row, in_parallel, timed
from harness.connect import connect, trusting_context
from harness.process import wait_until
from harness.signpost import cli
from harness.tls import (
    KUBERNETES,
    TlsTest,
    hello_octets,
    make_certificate,
    make_expired,
    shown_names,
)

HOST = "a.example.com"
TARGET = "https://a.example.net/"
TLS12 = ssl.TLSVersion.TLSv1_2
TLS13 = ssl.TLSVersion.TLSv1_3
FRESH_S = 10  # within which a changed file is served


class CertificateTest(TlsTest):
    CERTIFICATES = [HOST, "*.wild.example.com", "exact.wild.example.com"]

    def test_exact_name_and_wildcard(self):
        self.assertShown(HOST, HOST)
        self.assertShown(HOST.upper(), HOST)
        self.assertShown("exact.wild.example.com", "exact.wild.example.com")
        self.assertShown("other.wild.example.com", "*.wild.example.com")

    def test_a_name_without_certificate_is_not_recognized(self):
        before = self.handshakes("no_certificate")
        for name in ("none.example.com", "wild.example.com", "a.b.wild.example.com", None):
            self.assertNotRecognized(name)
        self.assertNotRecognized("none.example.com", context=trusting_context(version=TLS12))
        self.assertCounted("no_certificate", before + 5)

    def test_no_name_leads_out_of_the_folder(self):
        secret = self.folder.parent / f"{self.folder.name}-out"
        self.addCleanup(subprocess.run, ["rm", "-rf", str(secret)], check=True)
        make_certificate(secret, "secret.example.com")
        name = f"../{secret.name}"
        stand_in = "x" * (len(name) - 4) + ".com"
        octets = hello_octets(stand_in).replace(stand_in.encode(), name.encode())
        with connect(("127.0.0.1", self.tls_port)) as sock:
            sock.sendall(octets)
            self.assertEqual(sock.recv(100), b"\x15\x03\x01\0\x02\x02\x70")
        self.assertNotIn("secret", self.signpost.err_text)

    def test_layout_of_kubernetes(self):
        make_certificate(self.folder / "k8s.example.com", "k8s.example.com", files=KUBERNETES)
        self.assertShown("k8s.example.com", "k8s.example.com")

    def test_two_kinds_of_key(self):
        name = "both.example.com"
        make_certificate(self.folder / name, name)
        make_certificate(
            self.folder / name, name, key="rsa", files=("fullchain.rsa.pem", "privkey.rsa.pem")
        )
        for kind in ("ECDSA", "RSA"):
            context = trusting_context(version=TLS12, ciphers=f"ECDHE-{kind}-AES128-GCM-SHA256")
            with connect(self.tls(name, context=context)) as sock:
                self.assertIn(kind, sock.cipher()[0])
        keys = self.certificate(name)["keys"]
        self.assertEqual(keys, ["ECDSA P-256", "RSA 2048"])

    def certificate(self, name):
        listed = self.ask_json("/certificates")["certificates"]
        return next(item for item in listed if item["name"] == name)

    def test_certificates_are_shown_to_operators(self):
        self.assertShown("other.wild.example.com", "*.wild.example.com")
        self.assertNotRecognized("absent.example.com")
        item = self.certificate("other.wild.example.com")
        self.assertEqual(item["state"], "valid")
        self.assertEqual(item["names"], ["*.wild.example.com"])
        self.assertEqual(item["source"], f"{self.folder}/*.wild.example.com")
        self.assertRegex(item["not_after"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(self.certificate("absent.example.com")["state"], "absent")
        self.assertGreaterEqual(self.metric('signpost_certificates{state="valid"}'), 1)
        expiry = self.metric("signpost_certificates_next_expiry_timestamp_seconds")
        self.assertTrue(29 < (expiry - time.time()) / 86400 <= 30, expiry)

    def test_a_changed_file_is_served(self):
        name = "changes.example.com"
        make_certificate(self.folder / name, name, "old.example.com")
        self.assertEqual(self.names(name)[1], "old.example.com")
        make_certificate(self.folder / name, name, "new.example.com")
        seconds = timed(lambda: wait_until(lambda: "new" in self.names(name)[1], FRESH_S, 0.2))[1]
        print(f"\na changed file was served after {seconds:.1f} s", flush=True)
        self.assertLess(seconds, FRESH_S)
        self.assertTrue(
            self.signpost.wait_line(lambda line: f"{name} has changed" in line, "err", 5)
        )

    def test_a_changed_file_is_served_to_the_first_who_comes_later(self):
        name = "rare.example.com"
        make_certificate(self.folder / name, name, "old.example.com")
        self.assertEqual(self.names(name)[1], "old.example.com")
        make_certificate(self.folder / name, name, "new.example.com")
        end = time.monotonic() + FRESH_S
        wait_until(lambda: time.monotonic() > end, FRESH_S + 1, 0.1)
        self.assertEqual(self.names(name)[1], "new.example.com")

    def names(self, name):
        return shown_names(self.tls(name))

    def test_a_new_folder_is_found(self):
        name = "fresh.example.com"
        self.assertNotRecognized(name)
        make_certificate(self.folder / name, name)

        def is_found():
            try:
                return self.names(name) == [name]
            except ssl.SSLError:
                return False

        self.assertTrue(wait_until(is_found, FRESH_S, 0.2))

    def test_faulty_files_leave_the_old_certificate(self):
        name = "faulty.example.com"
        make_certificate(self.folder / name, name)
        self.assertShown(name, name)
        (self.folder / name / "fullchain.pem").write_text("half a cert")
        wanted = f"{name} can't be used: no certificate in PEM form"

        def is_told():
            self.assertShown(name, name)
            return any(wanted in line for line in self.signpost.err)

        self.assertTrue(wait_until(is_told, FRESH_S, 0.2))
        item = self.certificate(name)
        self.assertEqual(item["state"], "valid")
        self.assertIn("no certificate in PEM form", item["why"])

    def test_reload_looks_at_once(self):
        name = "reloaded.example.com"
        make_certificate(self.folder / name, name, "old.example.com")
        self.assertEqual(self.names(name)[1], "old.example.com")
        make_certificate(self.folder / name, name, "new.example.com")
        before = self.signpost.err.count("signpost: info: reloaded")
        self.signpost.signal(signal.SIGHUP)
        self.assertTrue(
            wait_until(lambda: self.signpost.err.count("signpost: info: reloaded") > before)
        )
        self.assertEqual(self.names(name)[1], "new.example.com")


class ProtocolTest(TlsTest):
    CERTIFICATES = [HOST]
    ROWS = [host_row(HOST, TARGET), host_row("b.example.com", "https://b.example.net/")]
    MORE = {"threads": 4, "fallback": {"www": True}}
    LISTEN = {"https_port": 8443}

    def test_curl(self):
        self.assertEqual(self.curl(HOST), f"2 302 {TARGET}")
        self.assertEqual(self.curl(HOST, "--http1.1"), f"1.1 302 {TARGET}")
        self.assertEqual(self.curl(HOST, "--tls-max", "1.2"), f"2 302 {TARGET}")

    def test_old_versions_are_refused_by_an_alert(self):
        before = self.handshakes("failed")
        text = self.curl(HOST, "--tls-max", "1.1", "--tlsv1.0", "--ciphers", "DEFAULT@SECLEVEL=0")
        self.assertIn("alert protocol version", text)
        self.assertCounted("failed", before + 1)

    def test_protocols(self):
        for alpn, chosen in ((["http/1.1", "h2"], "h2"), (["http/1.1"], "http/1.1"), ([], None)):
            with connect(self.tls(HOST, alpn=tuple(alpn))) as sock:
                self.assertEqual(sock.selected_alpn_protocol(), chosen)
        self.assertAlert("NO_APPLICATION_PROTOCOL", self.tls(HOST, alpn=("spdy/1",)))
        self.assertRedirect(self.fetch_tls(HOST), TARGET)
        with http2.Connection(self.tls(HOST, alpn=("h2",))) as connection:
            for _ in range(3):
                self.assertRedirect(connection.fetch(HOST, scheme="https"), TARGET)

    def test_scheme_is_https(self):
        self.dns.load([host_row(HOST, "https://x.example/{scheme}")])
        self.assertRedirect(self.fetch_tls(HOST), "https://x.example/https")
        self.assertRedirect(self.fetch(HOST), "https://x.example/http")

        def are_told():
            lines = [json.loads(line) for line in self.signpost.out if line.startswith("{")]
            ours = [line for line in lines if (line["location"] or "").startswith("https://x.example/")]
            return sorted(line["scheme"] for line in ours) == ["http", "https"]

        self.assertTrue(wait_until(are_told))

    def test_the_port_of_https_is_told(self):
        self.dns.load([])
        self.assertRedirect(self.fetch_tls(HOST), f"https://www.{HOST}:8443")
        self.assertRedirect(self.fetch(HOST), f"https://www.{HOST}")

    def test_a_session_goes_on_with_any_worker(self):
        for version in (TLS12, TLS13):
            context = trusting_context(version=version)
            where, before = self.tls(HOST, context=context), self.handshakes("resumed")
            session = None
            for index in range(24):
                with connect(where, session=session) as sock:
                    sock.sendall(f"GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
                    self.assertTrue(sock.recv(65536).startswith(b"HTTP/1.1 302 "))
                    self.assertEqual(sock.session_reused, index != 0, index)
                    session = session or sock.session
            self.assertCounted("resumed", before + 23)

    def test_what_is_no_tls(self):
        before = self.handshakes("not_tls")
        with connect(("127.0.0.1", self.tls_port)) as sock:
            sock.sendall(b"GET / HTTP/1.1\r\nHost: a.example.com\r\n\r\n")
            self.assertEqual(sock.recv(100), b"")
        self.assertCounted("not_tls", before + 1)

    def test_a_hello_in_pieces(self):
        octets = hello_octets(HOST)
        with connect(("127.0.0.1", self.tls_port)) as sock:
            for at in range(0, len(octets), 7):
                sock.sendall(octets[at : at + 7])
            self.assertEqual(sock.recv(1), b"\x16")  # a handshake goes on

    def test_clients_that_leave(self):
        octets, before = hello_octets(HOST), self.handshakes("gone")
        for end in (1, 5, 100, len(octets) - 1):
            with connect(("127.0.0.1", self.tls_port)) as sock:
                sock.sendall(octets[:end])
        self.assertTrue(wait_until(lambda: self.handshakes("gone") - before == 4))
        connect(("127.0.0.1", self.tls_port)).close()  # a health check: no handshake at all
        self.assertRedirect(self.fetch_tls(HOST), TARGET)
        self.assertCounted("gone", before + 4)

    def test_clients_that_are_too_slow(self):
        octets, before = hello_octets(HOST), self.handshakes("timeout")

        def wait_for_end(end):
            with connect(("127.0.0.1", self.tls_port), timeout=20) as sock:
                sock.sendall(octets[:end])
                return timed(lambda: [None for data in iter(lambda: sock.recv(65536), b"")])[1]

        for seconds in in_parallel(3, lambda index: wait_for_end((0, 100, len(octets))[index])):
            self.assertTrue(9 < seconds < 14, seconds)
        self.assertCounted("timeout", before + 3)

    def test_sslscan_finds_nothing_weak(self):
        done = subprocess.run(
            ["sslscan", "--no-colour", "--show-certificate", f"--sni-name={HOST}"]
            + [f"127.0.0.1:{self.tls_port}"],
            capture_output=True,
            timeout=120,
            check=True,
        )
        text = done.stdout.decode()
        for old in ("SSLv2", "SSLv3", "TLSv1.0", "TLSv1.1"):
            self.assertRegex(text, rf"(?m)^{old}\s+disabled$")
        for new in ("TLSv1.2", "TLSv1.3"):
            self.assertRegex(text, rf"(?m)^{new}\s+enabled$")
        self.assertIn("Session renegotiation not supported", text)
        self.assertNotIn("Compression enabled", text)
        self.assertNotIn("vulnerable to", text.replace("not vulnerable to", ""))
        ciphers = re.findall(r"(?:Preferred|Accepted)\s+TLSv1\.\d\s+\d+ bits\s+(\S+)", text)
        self.assertGreaterEqual(len(ciphers), 6, text)
        for cipher in ciphers:
            self.assertRegex(cipher, r"^(TLS_|ECDHE-ECDSA-).*(GCM|POLY1305)")


class DrainTest(TlsTest):
    CERTIFICATES = [HOST]
    ROWS = [host_row(HOST, TARGET)]

    def test_connections_end_gently(self):
        """Idle ones see the end of the stream, not an error, when the server stops; whoever is in the
        middle of a handshake can finish it."""
        octets = http1.request_octets("GET", "/", HOST, close=False)
        with http1.Connection(self.tls(HOST)) as idle, connect(("127.0.0.1", self.tls_port)) as late:
            idle.send(octets)
            self.assertRedirect(idle.read(), TARGET)
            self.assertTrue(wait_until(lambda: self.metric("signpost_connections") == 2))
            self.signpost.signal(signal.SIGTERM)
            self.assertTrue(self.signpost.wait_line(lambda line: "stopping" in line, "err", 5))
            with trusting_context().wrap_socket(late.dup(), server_hostname=HOST) as sock:
                sock.sendall(octets)
                self.assertTrue(sock.recv(65536).startswith(b"HTTP/1.1 302 "))
            self.assertTrue(idle.at_end())
        self.assertEqual(self.signpost.wait(20), 0)


class DefaultTest(TlsTest):
    CERTIFICATES = ["default.example.com", HOST]
    MORE = {"tls": {"default": "default.example.com"}}

    def test_who_names_none_or_an_unknown_one_is_shown_it(self):
        self.assertShown(None, "default.example.com")
        self.assertShown("other.example.com", "default.example.com")
        self.assertShown(HOST, HOST)


class CheckTest(TlsTest):
    """What `serve --check` says of settings that can't work."""

    CERTIFICATES = [HOST]

    def check(self, over):
        config = {"listen": [{"address": "127.0.0.1:1", "tls": True}], **over}
        config["dns"] = {"resolvers": ["127.0.0.1:53"]}
        path = self.signpost.directory / "check.json"
        path.write_text(json.dumps(config))
        done = cli("serve", "--check", "--config", str(path))
        return done.returncode, done.stderr

    def test_what_is_right(self):
        tls = {"certificates": str(self.folder), "default": HOST}
        self.assertEqual(self.check({"tls": tls}), (0, ""))

    def test_no_folder(self):
        status, text = self.check({"tls": {"certificates": "/nowhere"}})
        self.assertEqual(status, 2)
        self.assertRegex(
            text, "check.json:1:[0-9]+: .* tls.certificates, /nowhere, can't be used: No such file"
        )
        status, text = self.check({"tls": {"certificates": __file__}})
        self.assertEqual(status, 2)
        self.assertIn("Not a directory", text)

    def test_a_storage_among_the_certificates_of_others(self):
        own = {path.name for path in self.folder.iterdir()}
        for storage in (self.folder, self.folder / "below", self.folder.parent):
            acme = {"storage": str(storage), "challenge": "tls-alpn-01"}
            status, text = self.check({"tls": {"certificates": str(self.folder), "acme": acme}})
            self.assertEqual(status, 2)
            self.assertIn(f"tls.acme.storage, {storage}, must have nothing in common with", text)
        self.assertEqual({path.name for path in self.folder.iterdir()}, own)

    def test_every_folder_is_read(self):
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            for folder, name in (
                ("good.example", "good.example"),
                ("*.wild.example", "*.wild.example"),
                ("_.wild.example", "*.wild.example"),
                ("other.example", "good.example"),
                ("Upper.example", "upper.example"),
                ("mixed.example", "mixed.example"),
            ):
                make_certificate(root / folder, name, name)
            make_expired(root / "old.example", "old.example", 5)
            key = (root / "good.example" / "privkey.pem").read_text()
            (root / "mixed.example" / "privkey.pem").write_text(key)
            (root / "half.example").mkdir()
            (root / "half.example" / "fullchain.pem").write_text("half")
            (root / "private").mkdir()
            (root / "README").write_text("x")
            tls = {"certificates": directory}
            status, text = self.check({"tls": tls})
            lines = text.splitlines()
            self.assertEqual((status, len(lines)), (2, 5), text)
            warning = f"signpost: warning: {directory}"
            for begin, words in (
                (f"{directory}/half.example: ", "cannot read privkey.pem"),
                (f"{directory}/mixed.example: ", "key"),
                (f"{warning}/other.example: ", "does not hold for the name"),
                (f"{warning}/Upper.example: ", "in lower case"),
                (f"{warning}/old.example: ", "has expired"),
            ):
                self.assertTrue(any(x.startswith(begin) and words in x for x in lines), text)
            for folder in ("half.example", "mixed.example"):
                shutil.rmtree(root / folder)
            status, text = self.check({"tls": tls})
            self.assertEqual((status, len(text.splitlines())), (0, 3), text)

    def test_a_default_that_is_none(self):
        tls = {"certificates": str(self.folder), "default": "none.example.com"}
        status, text = self.check({"tls": tls})
        self.assertEqual(status, 2)
        self.assertIn("tls.default", text)
        self.assertIn("there is no certificate", text)

    def test_a_default_that_is_no_name(self):
        status, text = self.check({"tls": {"default": "../x"}})
        self.assertEqual(status, 2)
        self.assertIn("is no host name; expected that of a certificate", text)


class ManyTest(TlsTest):
    """100,000 folders, in memory where that is possible: making them takes minutes on a disk."""

    DIRECTORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    COUNT, ASKED = 100000, 600
    MOST_S, MOST_MB = 2, 200

    def test_a_hundred_thousand(self):
        make_certificate(self.folder / "n0.example.com", "n0.example.com")
        source = self.folder / "n0.example.com"
        for index in range(1, self.COUNT):
            folder = f"{self.folder}/n{index}.example.com"
            os.mkdir(folder)
            for name in ("fullchain.pem", "privkey.pem"):
                # One file has 65,000 names at most.
                if index % 50000 == 0:
                    (source / name).rename(source / f"{name}.old")
                    (source / name).write_bytes((source / f"{name}.old").read_bytes())
                os.link(f"{source}/{name}", f"{folder}/{name}")
        self.signpost.stop()
        self.signpost.start()
        seconds = timed(lambda: self.signpost.wait_line(lambda line: line == "ready"))[1]
        pid = self.signpost.popen.pid
        step = self.COUNT // self.ASKED

        def ask(part):
            for index in range(part * step, self.COUNT, step * 4):
                with connect(self.tls(f"n{index}.example.com")) as sock:
                    self.assertIsNotNone(sock.cipher())

        in_parallel(4, ask)
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        megabytes = int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) >> 10
        figures = self.ask_json("/certificates")
        print(
            f"\n{self.COUNT} folders: ready after {seconds:.2f} s, {megabytes} MB after"
            f" {figures['names']} of them were asked for ({figures['bytes'] >> 10} KB by its own count)",
            flush=True,
        )
        self.assertLess(seconds, self.MOST_S)
        if not os.environ.get("SIGNPOST_SANITIZED"):  # whose own bookkeeping is larger than all the rest
            self.assertLess(megabytes, self.MOST_MB)
        self.assertEqual(figures["names"], len(range(0, self.COUNT, step)))


if __name__ == "__main__":
    unittest.main()
