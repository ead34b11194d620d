# SPDX-License-Identifier: Apache-2.0
"""Where a server is, and how a client gets there: plainly, or by TLS."""

import socket
import ssl
from typing import NamedTuple


class Tls(NamedTuple):
    """An address where TLS is spoken. `name`: of the server that is asked for; None: it is not said."""

    host: str
    port: int
    name: str | None
    alpn: tuple = ()
    context: ssl.SSLContext | None = None


def trusting_context(alpn=(), version=None, ciphers=None):
    """What a client speaks that trusts everybody. `version`: that one alone."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    if alpn:
        made.set_alpn_protocols(list(alpn))
    if ciphers:
        made.set_ciphers(ciphers)
    if version:
        made.minimum_version = made.maximum_version = version
    return made


def connect(where, timeout=15, session=None, ahead=b""):
    """A connection to (host, port), to the path of a unix socket, or to a Tls address, there after
    the handshake. `ahead`: sent before anything else."""
    if isinstance(where, str):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(timeout)
        sock.connect(where)
        return sock
    sock = socket.create_connection(where[:2], timeout)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if ahead:
            sock.sendall(ahead)
        if not isinstance(where, Tls):
            return sock
        context = where.context or trusting_context(where.alpn)
        return context.wrap_socket(sock, server_hostname=where.name, session=session)
    except BaseException:
        sock.close()
        raise
