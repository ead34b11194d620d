# SPDX-License-Identifier: Apache-2.0
"""The floods of flood_test.py over TLS, and those that only TLS makes possible. Well-behaved clients
come by plain HTTP, to the same thread."""

import random
import threading
import unittest

import flood_test
from harness.connect import connect
from harness.floods import Crowd, random_hosts
from harness.tls import TlsTest, hello_octets

HOST = flood_test.HOST


class TlsFloodTest(TlsTest, flood_test.FloodTest):
    CERTIFICATES = [HOST]
    MORE = flood_test.FloodTest.CONFIG
    # What is measured without TLS three times over needs to be seen with it once. OpenSSL holds some 16 KB for
    # each of 1,500 slow clients.
    ROUNDS = 1
    GROWTH_LIMIT = 40 << 20

    @property
    def attacked(self):
        is_http1 = self._testMethodName in ("test_slowloris", "test_slow_read")
        return self.tls(HOST, alpn=("http/1.1",) if is_http1 else ("h2",))

    @property
    def tls_address(self):
        return ("127.0.0.1", self.tls_port)

    def test_hellos_that_never_end(self):
        begin = hello_octets(HOST)[:100]
        self.run_beside("half a ClientHello", Crowd(self.tls_address, 1500, begin, b"\0"))

    def test_names_that_nobody_has_a_certificate_for(self):
        """Each costs a look for its folder, in another thread."""
        attack = Hellos(self.tls_address, random.random())
        self.run_beside("unknown names", attack)
        self.assertGreater(self.handshakes("no_certificate"), attack.connects // 2)


class Hellos:
    """Clients that ask for one name after the other and wait for the alert."""

    def __init__(self, where, seed):
        self._where, self._is_over, self.connects = where, False, 0
        self._threads = [
            threading.Thread(target=self._run, args=(random_hosts(f"{seed} {index}"),), daemon=True)
            for index in range(4)
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_over = True
        for thread in self._threads:
            thread.join(20)

    def _run(self, hosts):
        while not self._is_over:
            try:
                with connect(self._where, 5) as sock:
                    sock.sendall(hello_octets(next(hosts)))
                    sock.recv(100)
                    self.connects += 1
            except OSError:
                continue


if __name__ == "__main__":
    unittest.main()
