# SPDX-License-Identifier: Apache-2.0
"""A certificate authority for tests: pebble, with a DNS server to which every name is on loopback."""

import json
import os
import shutil
import socket
import ssl
import stat
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

from . import http1
from .dns_server import DnsServer
from .ports import free_port
from .process import Process, ProcessError, wait_until
from .signpost import Signpost


def make_server_certificate(directory, name="authority.example"):
    """A certificate for 127.0.0.1 and for `name`, and its key: what an authority's own server
    shows."""
    certificate, key = Path(directory) / "server.pem", Path(directory) / "server.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=authority", "-addext",
         f"subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:{name}", "-keyout", str(key), "-out",
         str(certificate)],
        check=True, capture_output=True, timeout=60)
    return certificate, key


class Pebble(Process):
    """`http_port` and `tls_port`: where it looks for the answers to its challenges. `options` go to
    its configuration."""

    def __init__(self, http_port, tls_port, options=None, environment=None):
        self._directory = None
        self._options = options or {}
        self._ports = (http_port, tls_port)
        self.port, self.management_port = free_port(), free_port()
        self.dns = DnsServer()
        super().__init__(
            [shutil.which("pebble") or "pebble"],
            env={**os.environ, "PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0",
                 **(environment or {})},
            statuses=(0, -15),
            name="pebble")

    @property
    def directory(self):
        return f"https://127.0.0.1:{self.port}/dir"

    @property
    def ca_file(self):
        """Vouches for the authority's own server."""
        return str(Path(self._directory.name) / "server.pem")

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="signpost-pebble-")
        certificate, key = make_server_certificate(self._directory.name)
        self.dns.__enter__()
        self.dns.load([["*", "A", "127.0.0.1"]])
        config = {
            "listenAddress": f"127.0.0.1:{self.port}",
            "managementListenAddress": f"127.0.0.1:{self.management_port}",
            "certificate": str(certificate), "privateKey": str(key),
            "httpPort": self._ports[0], "tlsPort": self._ports[1], "ocspResponderURL": "",
            "externalAccountBindingRequired": False, **self._options}
        path = Path(self._directory.name) / "pebble.json"
        path.write_text(json.dumps({"pebble": config}))
        self.argv += ["-config", str(path), "-dnsserver", self.dns.address]
        self.start()
        if self.wait_line(lambda line: "ACME directory available" in line, timeout=30) is None:
            self.__exit__(ProcessError)
            raise ProcessError(f"pebble did not start\n{self.err_text}")
        return self

    def __exit__(self, kind, *details):
        try:
            super().__exit__(kind, *details)
        finally:
            self.dns.__exit__()
            self._directory.cleanup()

    def root(self):
        """The certificate that all of its others lead to."""
        context = ssl.create_default_context(cafile=self.ca_file)
        url = f"https://127.0.0.1:{self.management_port}/roots/0"
        with urllib.request.urlopen(url, context=context, timeout=20) as response:
            return response.read().decode()

    def orders(self):
        """Orders that it has been asked for."""
        return sum(1 for line in self.out if "POST /order-plz" in line)


def https(port, name, root, timeout=30, client=None):
    """(status, location) of `https://NAME/`, whose certificate `root` must lead to; through a proxy
    that says that it speaks for the address `client`, if one is given. A handshake that is refused
    raises ssl.SSLError."""
    context = ssl.create_default_context(cadata=root)
    with socket.create_connection(("127.0.0.1", port), timeout) as plain:
        if client is not None:
            plain.sendall(f"PROXY TCP4 {client} 192.0.2.1 40000 443\r\n".encode())
        with context.wrap_socket(plain, server_hostname=name) as secure:
            request = f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"
            secure.sendall(request.encode())
            head = b""
            while b"\r\n\r\n" not in head:
                chunk = secure.recv(65536)
                if not chunk:
                    raise ProcessError(f"{name}: the connection ended: {head!r}")
                head += chunk
    lines = head.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    return int(lines[0].split()[1]), fields.get("location", fields.get("Location"))


def shown_certificate(port, name, timeout=30):
    """The certificate that is shown for a name, whoever has signed it, as DER."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), timeout) as plain:
        with context.wrap_socket(plain, server_hostname=name) as secure:
            return secure.getpeercert(binary_form=True)


class AcmeTest(unittest.TestCase):
    """One authority, one DNS server, one storage and one signpost for all tests of a class. `ACME`
    is laid over `tls.acme`, `LISTEN` over the TLS listener, `PEBBLE` over the authority's
    configuration, `CONFIG` over the rest."""

    ACME, LISTEN, PEBBLE, CONFIG, IDENTITY = {}, {}, {}, {}, "authority.example"

    @classmethod
    def setUpClass(cls):
        cls.http_port, cls.tls_port, cls.admin_port = free_port(), free_port(), free_port()
        cls.storage = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="signpost-")))
        cls.authority = cls.enterClassContext(cls.make_authority())
        cls.dns = cls.enterClassContext(DnsServer())
        cls.signpost = cls.enterClassContext(cls.make_signpost())
        # A service that has just begun registers its account first.
        if not wait_until((cls.storage / ".signpost" / "account").exists, timeout=60):
            raise ProcessError(f"no account was registered\n{cls.signpost.err_text}")

    @classmethod
    def make_authority(cls):
        return Pebble(cls.http_port, cls.tls_port, cls.PEBBLE)

    @classmethod
    def make_signpost(cls, listen=None, admin_port=None, **options):
        """`listen`: ports for HTTP and TLS, if others."""
        http_port, tls_port = listen or (cls.http_port, cls.tls_port)
        config = {
            "listen": [{"address": f"127.0.0.1:{http_port}"},
                       {"address": f"127.0.0.1:{tls_port}", "tls": True, **cls.LISTEN}],
            "admin": {"address": f"127.0.0.1:{admin_port or cls.admin_port}"},
            "tls": {"acme": {"storage": str(cls.storage), "directory": cls.authority.directory,
                             "ca_file": cls.authority.ca_file, "email": "admin@example.com",
                             "caa_identities": [cls.IDENTITY], **cls.ACME}},
            **cls.CONFIG}
        return Signpost([cls.dns.address], config, **options)

    def https(self, name, port=None, **options):
        return https(port or self.tls_port, name, self.authority.root(), **options)

    def assertRefused(self, name, **options):
        with self.assertRaises(ssl.SSLError) as caught:
            self.https(name, **options)
        self.assertIn("UNRECOGNIZED_NAME", str(caught.exception).upper().replace(" ", "_"))

    def assertServedAtOnce(self, name, location):
        try:
            self.assertEqual(self.https(name), (302, location))
        except ssl.SSLError as error:
            self.fail(f"{name}: {error}\n{self.signpost.err_text}")

    def assertServed(self, name, location, port=None, timeout=60, **options):
        """As a client that tries again: on a busy machine an order takes longer than a handshake
        waits."""
        end = time.monotonic() + timeout
        while True:
            try:
                self.assertEqual(self.https(name, port, **options), (302, location))
                return
            except ssl.SSLError as error:
                if time.monotonic() > end:
                    self.fail(f"{name}: {error}\n{self.signpost.err_text}")
            time.sleep(0.2)

    def until_served(self, name, root, port=None):
        """The same without asking the authority for its root each time."""
        self.assertTrue(wait_until(lambda: self._is_served(name, root, port or self.tls_port),
                                   timeout=60, step=0.2), f"{name}\n{self.signpost.err_text}")

    def _is_served(self, name, root, port):
        try:
            return https(port, name, root)[0] == 302
        except ssl.SSLError:
            return False

    def endpoint(self, target, status=200):
        response = http1.fetch(("127.0.0.1", self.admin_port), "admin.example", target)
        self.assertEqual(response.status, status, response.text)
        return response

    def ask(self, name):
        """(granted, code, reason), as `/ask` and `/explain` agree on them."""
        response = http1.fetch(("127.0.0.1", self.admin_port), "admin.example",
                               f"/ask?domain={name}")
        asked = json.loads(response.text)
        self.assertEqual(response.status, 200 if asked["granted"] else 403)
        explained = json.loads(self.endpoint(f"/explain?url=https://{name}/").text)["certificate"]
        for key in ("granted", "code", "reason"):
            self.assertEqual(asked[key], explained[key])
        return asked["granted"], asked["code"], asked["reason"]

    def why(self, name):
        """What /certificates says of a name that has none."""
        for item in json.loads(self.endpoint("/certificates").text)["certificates"]:
            if item["name"] == name:
                return item.get("why")
        return None

    def metric(self, line):
        for text in self.endpoint("/metrics").text.splitlines():
            name, _, value = text.rpartition(" ")
            if name == line:
                return float(value)
        return None

    def assertWhole(self, name):
        """A name has a whole pair or none at all, and nobody else may read it."""
        folder = self.storage / name
        if not folder.exists():
            return False
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["fullchain.pem", "privkey.pem"])
        for path in folder.iterdir():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600, path)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "fullchain.pem", folder / "privkey.pem")
        return True

    def left_over(self):
        """Whatever an order should have taken away."""
        return [str(path) for folder in ("orders", "locks", "challenges", "ready", "new", "alpn")
                for path in (self.storage / ".signpost" / folder).iterdir()]


class BadAuthority:
    """An authority that is at fault, in one of these ways: `silent` accepts connections and says
    nothing, `garbage` speaks no HTTP, `refusing` answers 503, `limited` says that it has had enough
    (RFC 8555, 6.6), `closed` does not even listen. A context manager."""

    KINDS = ("silent", "garbage", "refusing", "limited", "closed")
    LIMITED = json.dumps({"type": "urn:ietf:params:acme:error:rateLimited",
                          "detail": "too many of you"})

    def __init__(self, kind):
        self.kind, self.connections, self.port = kind, 0, free_port()
        self._held, self._directory, self._listener, self._thread = [], None, None, None

    @property
    def directory(self):
        return f"https://127.0.0.1:{self.port}/dir"

    @property
    def ca_file(self):
        return str(Path(self._directory.name) / "server.pem")

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="signpost-authority-")
        certificate, key = make_server_certificate(self._directory.name)
        if self.kind != "closed":
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate, key)
            self._listener = socket.create_server(("127.0.0.1", self.port))
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_):
        if self._listener is not None:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._thread.join(10)
            self._listener.close()
        for held in self._held:
            held.close()
        self._directory.cleanup()

    def _run(self):
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if self.kind == "silent":
                self._held.append(plain)
            else:
                self._answer(plain)

    def _answer(self, plain):
        plain.settimeout(10)
        try:
            with self._context.wrap_socket(plain, server_side=True) as secure:
                secure.recv(65536)
                secure.sendall(self._text())
        except OSError:
            plain.close()

    def _text(self):
        if self.kind == "garbage":
            return bytes(range(256)) * 16
        status, body = ("429 Enough", self.LIMITED) if self.kind == "limited" else ("503 No", "")
        return (f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                f"{body}").encode()
