# SPDX-License-Identifier: Apache-2.0
"""A certificate authority for tests: pebble, with a DNS server to which every name is on loopback."""

import json
import os
import shutil
import ssl
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from .dns_server import DnsServer
from .ports import free_port
from .process import Process, ProcessError


def make_server_certificate(directory):
    """A certificate for 127.0.0.1 and its key: what an authority's own server shows."""
    certificate, key = Path(directory) / "server.pem", Path(directory) / "server.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=authority", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out",
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
            env={**os.environ, "PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "5",
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
