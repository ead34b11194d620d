#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unbound_test.py: the sidecar's unbound.conf as the chart renders it asks a forwarder over TLS, and believes none
whose certificate is for another name or from another authority. Needs no helm."""

import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

from harness import dns_wire as wire  # noqa: E402
from harness.ports import free_port  # noqa: E402
from harness.process import Process, ProcessError, wait_until  # noqa: E402
from harness.resolver_chain import program  # noqa: E402

NAME = "dns.example.net"  # whom the values of the rendering forward to
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
ANSWER = "v=txtv0;to=https://example.net/"

FORWARDER = """
server:
  interface: 127.0.0.1@{port}
  tls-port: {port}
  tls-service-key: "{folder}/leaf.key"
  tls-service-pem: "{folder}/leaf.pem"
  do-daemonize: no
  chroot: ""
  username: ""
  directory: "{folder}"
  pidfile: ""
  use-syslog: no
  local-zone: "example.com." redirect
  local-data: 'example.com. 300 TXT "{answer}"'
remote-control:
  control-enable: no
"""


def rendered():
    """unbound.conf out of the golden rendering."""
    objects = yaml.safe_load_all((HERE / "sidecar.golden.yaml").read_text())
    return next(one["data"]["unbound.conf"] for one in objects
                if one and one["kind"] == "ConfigMap" and "unbound.conf" in one["data"])


def replaced(text, before, after):
    if text.count(before) != 1:
        raise AssertionError(f"unbound.conf has {text.count(before)} times '{before}', expected it once:\n{text}")
    return text.replace(before, after)


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)


def make_authority(folder, name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem")


def make_leaf(folder, authority):
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={NAME}",
            "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", folder / "leaf.key", "-out", folder / "leaf.csr")
    openssl("x509", "-req", "-days", "2", "-copy_extensions", "copy", "-CA", folder / f"{authority}.pem",
            "-CAkey", folder / f"{authority}.key", "-CAcreateserial", "-in", folder / "leaf.csr", "-out", folder / "leaf.pem")


def listens(port):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def ask(port, name, patience=0.5):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(patience)
        sock.sendto(wire.build_query(name, wire.TXT), ("127.0.0.1", port))
        return wire.parse_response(sock.recv(4096))


class UnboundTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="signpost-chart-")))
        for name in ("trusted", "other"):
            make_authority(self.folder, name)
        make_leaf(self.folder, "trusted")
        self.forwarder = free_port()
        self.run_unbound("forwarder", FORWARDER.format(port=self.forwarder, folder=self.folder, answer=ANSWER))
        self.assertTrue(wait_until(lambda: listens(self.forwarder), timeout=20))

    def run_unbound(self, name, text):
        path = self.folder / f"{name}.conf"
        path.write_text(text)
        return self.enterContext(Process([program("unbound"), "-d", "-p", "-c", path], name=name))

    def answer(self, name=NAME, bundle="trusted"):
        """What the sidecar answers whose forwarder is called `name`, and that trusts `bundle`."""
        port = free_port()
        text = replaced(rendered(), "interface: 127.0.0.1@5353", f"interface: 127.0.0.1@{port}")
        text = replaced(text, BUNDLE, f"{self.folder}/{bundle}.pem")
        text = replaced(text, f"forward-addr: 192.0.2.53@853#{NAME}", f"forward-addr: 127.0.0.1@{self.forwarder}#{name}")
        text = replaced(text, "server:\n", "server:\n  do-not-query-localhost: no\n")
        text = replaced(text, 'directory: "/tmp"', f'directory: "{self.folder}"')
        unbound = self.run_unbound("sidecar", text)
        end = time.monotonic() + 20
        while time.monotonic() < end and unbound.running():
            try:
                return ask(port, "_redirect.www.example.com")
            except OSError:
                continue  # neither of both says when it is up
        raise ProcessError(f"unbound does not answer\n{unbound.err_text}")

    def test_asks_over_tls(self):
        answer = self.answer()
        self.assertEqual(answer.rcode, wire.NOERROR)
        self.assertEqual([wire.txt_strings(row.data) for row in answer.answers], [[ANSWER.encode()]])

    def test_believes_no_other_name(self):
        self.assertEqual(self.answer(name="dns.example.org").rcode, wire.SERVFAIL)

    def test_believes_no_other_authority(self):
        self.assertEqual(self.answer(bundle="other").rcode, wire.SERVFAIL)


if __name__ == "__main__":
    unittest.main()
