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


def _claim(number):
    """A socket that stands for a claim on a port, which no other test of this machine can make as long
    as it is open; None when another has it. Somebody who was told that a port is free needs a moment
    until it is bound."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        sock.bind(f"\0signpost-test-port-{number}")
    except OSError:
        sock.close()
        return None
    return sock


def _pair(host, number):
    udp = _bind(socket.SOCK_DGRAM, host, number)
    try:
        return udp, _bind(socket.SOCK_STREAM, host, number)
    except OSError:
        udp.close()
        raise


def _claim_pair(host):
    """(claim, UDP socket, TCP socket) of a port that is free for both."""
    for _ in range(ATTEMPTS):
        number = random.randint(LOWEST, HIGHEST)
        claim = _claim(number)
        if claim is None:
            continue
        try:
            return claim, *_pair(host, number)
        except OSError as error:
            claim.close()
            if error.errno != errno.EADDRINUSE:
                raise
    raise RuntimeError(f"no free port on {host} in {ATTEMPTS} attempts")


def bind_pair(host="127.0.0.1", port=None):
    """A UDP and a TCP socket bound to the same port: `port`, or one that is free for both."""
    if port:
        return _pair(host, port)
    claim, *pair = _claim_pair(host)
    claim.close()
    return tuple(pair)


def free_port(host="127.0.0.1"):
    """A port that nobody uses; no test is told the same one while this process lives."""
    claim, udp, tcp = _claim_pair(host)
    number = udp.getsockname()[1]
    udp.close()
    tcp.close()
    claim.detach()  # open until the process ends
    return number
