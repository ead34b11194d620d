# SPDX-License-Identifier: Apache-2.0
"""Ports that nobody uses. They are looked for below the range from which the kernel takes ports
for outgoing connections, so that a port found free is still free a moment later."""

import errno
import random
import socket

LOWEST, HIGHEST, ATTEMPTS = 10240, 32000, 200


def _family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _bind(kind, host, port):
    sock = socket.socket(_family(host), kind)
    try:
        if kind == socket.SOCK_STREAM:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
    except OSError:
        sock.close()
        raise
    return sock


def bind_pair(host="127.0.0.1", port=None):
    """A UDP and a TCP socket bound to the same port: `port`, or one that is free for both."""
    for _ in range(ATTEMPTS):
        number = port or random.randint(LOWEST, HIGHEST)
        try:
            udp = _bind(socket.SOCK_DGRAM, host, number)
        except OSError as error:
            if port or error.errno != errno.EADDRINUSE:
                raise
            continue
        try:
            return udp, _bind(socket.SOCK_STREAM, host, number)
        except OSError as error:
            udp.close()
            if port or error.errno != errno.EADDRINUSE:
                raise
    raise RuntimeError(f"no free port on {host} in {ATTEMPTS} attempts")


def free_port(host="127.0.0.1"):
    udp, tcp = bind_pair(host)
    number = udp.getsockname()[1]
    udp.close()
    tcp.close()
    return number
