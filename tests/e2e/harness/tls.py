# SPDX-License-Identifier: Apache-2.0
"""A signpost that speaks TLS, and certificates for it."""

import datetime
import os
import ssl
import subprocess
import tempfile
from pathlib import Path

from . import http1
from .admin import AdminTest
from .connect import Tls, connect, trusting_context
from .ports import free_port
from .process import wait_until
from .signpost import merge

PEM = ("fullchain.pem", "privkey.pem")
KUBERNETES = ("tls.crt", "tls.key")


def make_certificate(folder, *names, key="ec", files=PEM):
    """A new certificate for these names in `folder`, put there as careful programs do it."""
    kinds = {
        "ec": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
        "rsa": ["-newkey", "rsa:2048"],
    }
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    fresh = [folder / f".{name}" for name in files]
    subprocess.run(
        ["openssl", "req", "-x509", *kinds[key], "-nodes", "-days", "30", "-subj", "/CN=test"]
        + ["-addext", "subjectAltName=" + ",".join(f"DNS:{name}" for name in names)]
        + ["-out", str(fresh[0]), "-keyout", str(fresh[1])],
        check=True,
        capture_output=True,
        timeout=60,
    )
    for path, name in reversed(list(zip(fresh, files))):
        path.rename(folder / name)


AUTHORITY = """[ca]
default_ca = expired
[expired]
database = {work}/index
serial = {work}/serial
new_certs_dir = {work}
default_md = sha256
policy = policy
x509_extensions = extensions
[policy]
commonName = supplied
[extensions]
subjectAltName = DNS:{name}
"""


def make_expired(folder, name, days):
    """The same with a certificate that held for a week and ended so many days ago."""
    now, stamp = datetime.datetime.now(datetime.timezone.utc), "%Y%m%d%H%M%SZ"
    end = now - datetime.timedelta(days=days)
    begin = end - datetime.timedelta(days=7)
    with tempfile.TemporaryDirectory(prefix="signpost-", dir=Path(folder).parent) as work:
        (Path(work) / "config").write_text(AUTHORITY.format(work=work, name=name))
        (Path(work) / "index").touch()
        (Path(work) / "serial").write_text("01")
        fresh = Path(work) / "fresh"
        fresh.mkdir()
        for command in (
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-subj", "/CN=test", "-keyout", f"{fresh}/privkey.pem", "-out", f"{work}/request"],
            ["ca", "-selfsign", "-batch", "-notext", "-config", f"{work}/config",
             "-keyfile", f"{fresh}/privkey.pem", "-in", f"{work}/request",
             "-startdate", begin.strftime(stamp), "-enddate", end.strftime(stamp),
             "-out", f"{fresh}/fullchain.pem"],
        ):
            subprocess.run(["openssl", *command], check=True, capture_output=True, timeout=60)
        fresh.rename(folder)


def names_of(der):
    """The names that a certificate holds for, as OpenSSL shows them."""
    done = subprocess.run(
        ["openssl", "x509", "-inform", "DER", "-noout", "-ext", "subjectAltName"],
        input=der,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return [part.strip().removeprefix("DNS:") for part in done.stdout.decode().split("\n")[1].split(",")]


def shown_names(where):
    """The names of the certificate that a server shows."""
    with connect(where) as sock:
        return names_of(sock.getpeercert(binary_form=True))


def hello_octets(name):
    """What a client sends first."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = trusting_context().wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        session.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


class TlsTest(AdminTest):
    """`self.tls(NAME)` is where TLS is spoken, `self.where` where it is not. `CERTIFICATES`: names, each of
    which gets a folder. `MORE` is laid over the configuration, `LISTEN` over the TLS listener;
    `LISTENERS` are further ones."""

    CERTIFICATES = ()
    MORE = {}
    LISTEN = {}
    LISTENERS = ()
    DIRECTORY = None  # where the folder of certificates lies; None: where temporary files do

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="signpost-tls-", dir=cls.DIRECTORY)
        cls.addClassCleanup(directory.cleanup)
        cls.folder = Path(directory.name)
        for name in cls.CERTIFICATES:
            make_certificate(cls.folder / name, name)
        cls.plain_port, cls.tls_port = free_port(), free_port()
        cls.SETTINGS = merge(
            {
                "listen": [
                    {"address": f"127.0.0.1:{cls.plain_port}"},
                    {"address": f"127.0.0.1:{cls.tls_port}", "tls": True, **cls.LISTEN},
                    *cls.LISTENERS,
                ],
                "tls": {"certificates": str(cls.folder)},
                "threads": 2,
                "log": {"level": "debug"},
            },
            cls.MORE,
        )
        super().setUpClass()

    @property
    def where(self):
        return ("127.0.0.1", self.plain_port)

    def tls(self, name, **options):
        return Tls("127.0.0.1", self.tls_port, name, **options)

    def fetch_tls(self, name, target="/", **options):
        return http1.fetch(self.tls(name, **options), name, target)

    def handshakes(self, result):
        return self.metric(f'signpost_tls_handshakes_total{{result="{result}"}}')

    def assertCounted(self, result, count):
        """So many handshakes have ended so; workers tell at the end of a turn of their loops."""
        self.assertTrue(wait_until(lambda: self.handshakes(result) >= count), result)
        self.assertEqual(self.handshakes(result), count, result)

    def assertShown(self, name, expected, **options):
        self.assertEqual(shown_names(self.tls(name, **options)), [expected])

    def assertAlert(self, alert, where):
        """The handshake fails with this alert of the server."""
        with self.assertRaises(ssl.SSLError) as caught:
            connect(where).close()
        self.assertIn(alert, str(caught.exception).upper().replace(" ", "_"))

    def assertNotRecognized(self, name, **options):
        self.assertAlert("UNRECOGNIZED_NAME", self.tls(name, **options))

    def curl(self, name, *arguments, target="/"):
        """What curl prints: version, status, where to."""
        done = subprocess.run(
            ["curl", "-sSk", "--max-time", "20", "-o", "/dev/null"]
            + ["-w", "%{http_version} %{http_code} %{redirect_url}"]
            + ["--resolve", f"{name}:{self.tls_port}:127.0.0.1", *arguments]
            + [f"https://{name}:{self.tls_port}{target}"],
            capture_output=True,
            timeout=60,
            check=False,
            env={"PATH": os.environ["PATH"]},
        )
        return (done.stdout + done.stderr).decode()
