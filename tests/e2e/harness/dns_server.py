# SPDX-License-Identifier: Apache-2.0
"""A DNS server on loopback, UDP and TCP on one port, in one thread. What it holds can be swapped
at any time, each name can be told to fail in a particular way, and every query is written down."""

import heapq
import itertools
import random
import selectors
import socket
import struct
import threading
import time
from dataclasses import dataclass

from . import dns_wire as wire
from .dns_zone import Zone
from .ports import bind_pair

FAULTS = (
    "servfail",
    "refused",
    "notimp",
    "formerr",
    "drop",
    "delay",
    "garbage",
    "wrong-id",
    "truncate",
    "close",
    "empty",
    "raw",
)


@dataclass(frozen=True)
class Fault:
    """How queries for one name fail. `times`: only the first so many (0: all). `transport`: "udp"
    or "tcp" alone. `delay_ms`: for "delay". `raw`: for "raw", a function from the right answer's
    octets to those that are sent."""

    kind: str
    times: int = 0
    transport: str = ""
    delay_ms: int = 0
    raw: object = None

    def __post_init__(self):
        if self.kind not in FAULTS:
            raise ValueError(f"fault must be one of {', '.join(FAULTS)}, not {self.kind!r}")


@dataclass(frozen=True)
class Asked:
    name: str
    type: str
    transport: str
    udp_size: int | None


class _TcpPeer:
    def __init__(self, sock):
        self.sock = sock
        self.buffer = b""


class DnsServer:
    """Use as a context manager. `address` is "127.0.0.1:PORT"."""

    def __init__(self, zone=None, host="127.0.0.1", port=None):
        self._udp, self._tcp = bind_pair(host, port)
        self.host, self.port = host, self._udp.getsockname()[1]
        self._tcp.listen(64)
        self._lock = threading.Lock()
        self._zone, self._faults, self._default = zone or Zone(), {}, None
        self._log = []
        self._asked = threading.Condition(self._lock)
        self._random = random.Random(20)
        self._later, self._order = [], itertools.count()
        self._selector = selectors.DefaultSelector()
        self._wake_in, self._wake_out = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="dns-server", daemon=True)

    @property
    def address(self):
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __enter__(self):
        for sock in (self._udp, self._tcp, self._wake_out):
            sock.setblocking(False)
            self._selector.register(sock, selectors.EVENT_READ, None)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._wake_in.send(b"x")
        self._thread.join(10)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()
        self._wake_in.close()

    def load(self, rows=(), faults=None, default=None, **zone_options):
        """Replaces everything that is held: rows, faults by name (a Fault or its kind), and what
        `default` fault all other names get. Forgets the queries seen so far."""
        zone = rows if isinstance(rows, Zone) else Zone(rows, **zone_options)
        made = {name.lower(): _fault(value) for name, value in (faults or {}).items()}
        with self._lock:
            self._zone, self._faults, self._log = zone, made, []
            self._default = None if default is None else _fault(default)

    def asked(self, name=None):
        """The queries since the last `load` or `forget`, in order."""
        with self._lock:
            return [q for q in self._log if name is None or q.name == name.lower()]

    def names(self):
        return [q.name for q in self.asked()]

    def count(self, name=None, transport=None):
        return sum(1 for q in self.asked(name) if transport in (None, q.transport))

    def forget(self):
        with self._lock:
            self._log = []

    def wait_for(self, count, name=None, timeout=10):
        """Waits until `count` queries have come in; says whether they did."""

        def enough():
            return sum(1 for q in self._log if name is None or q.name == name.lower()) >= count

        with self._asked:
            return self._asked.wait_for(enough, timeout)

    def _run(self):
        while True:
            for key, _ in self._selector.select(self._pause()):
                if key.fileobj is self._wake_out:
                    return
                self._on_readable(key)
            self._send_due()

    def _pause(self):
        return max(0, self._later[0][0] - time.monotonic()) if self._later else None

    def _send_due(self):
        while self._later and self._later[0][0] <= time.monotonic():
            heapq.heappop(self._later)[2]()

    def _on_readable(self, key):
        if key.fileobj is self._udp:
            packet, peer = self._udp.recvfrom(65535)
            self._on_packet(packet, "udp", lambda out: self._send_udp(out, peer), lambda: None)
        elif key.fileobj is self._tcp:
            sock, _ = self._tcp.accept()
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(sock, selectors.EVENT_READ, _TcpPeer(sock))
        else:
            self._on_stream(key.data)

    def _send_udp(self, packet, peer):
        try:
            self._udp.sendto(packet, peer)
        except OSError:
            pass  # the asker has gone: what a real server sees too

    def _send_tcp(self, peer, packet):
        try:
            peer.sock.sendall(struct.pack("!H", len(packet)) + packet)
        except OSError:
            self._drop_peer(peer)

    def _drop_peer(self, peer):
        if peer.sock.fileno() >= 0:
            self._selector.unregister(peer.sock)
            peer.sock.close()

    def _on_stream(self, peer):
        try:
            data = peer.sock.recv(65535)
        except OSError:
            data = b""
        if not data:
            self._drop_peer(peer)
            return
        peer.buffer += data
        while len(peer.buffer) >= 2:
            length = struct.unpack_from("!H", peer.buffer)[0]
            if len(peer.buffer) < 2 + length:
                return
            packet, peer.buffer = peer.buffer[2 : 2 + length], peer.buffer[2 + length :]
            self._on_packet(
                packet, "tcp", lambda out: self._send_tcp(peer, out), lambda: self._drop_peer(peer)
            )

    def _on_packet(self, packet, transport, send, close):
        try:
            query = wire.parse_query(packet)
        except (wire.WireError, struct.error):
            return
        with self._asked:
            name = query.name.lower()
            kind = wire.TYPE_NAMES.get(query.type, str(query.type))
            self._log.append(Asked(name, kind, transport, query.udp_size))
            reply = self._zone.answer(query.name, query.type)
            fault = self._take_fault(reply.names, transport)
            self._asked.notify_all()
        self._reply(query, reply, transport, fault, send, close)

    def _take_fault(self, names, transport):
        """A name fails as it was told to, or as the first one fails that its aliases lead to."""
        name = next((each for each in names if each in self._faults), names[0])
        fault = self._faults.get(name, self._default)
        if fault is None or fault.transport not in ("", transport):
            return None
        if fault.times == 1:
            self._faults.pop(name, None)
        elif fault.times > 1 and name in self._faults:
            left = Fault(fault.kind, fault.times - 1, fault.transport, fault.delay_ms, fault.raw)
            self._faults[name] = left
        return fault

    def _reply(self, query, reply, transport, fault, send, close):
        kind = fault.kind if fault else ""
        rcodes = {
            "servfail": wire.SERVFAIL,
            "refused": wire.REFUSED,
            "notimp": wire.NOTIMP,
            "formerr": wire.FORMERR,
        }
        if kind in rcodes:
            send(wire.build_response(query, rcodes[kind]))
        elif kind == "drop":
            return
        elif kind == "delay":
            when = time.monotonic() + fault.delay_ms / 1000
            right = self._right(query, reply, transport)
            heapq.heappush(self._later, (when, next(self._order), lambda: send(right)))
        elif kind == "garbage":
            noise = self._random.randbytes(self._random.randrange(1, 200))
            send(struct.pack("!H", query.ident) + noise)
        elif kind == "wrong-id":
            right = wire.build_response(
                query, reply.rcode, reply.answers, reply.authority, ident=query.ident ^ 0x5A5A
            )
            send(right)
        elif kind == "truncate" and transport == "udp":
            send(wire.build_response(query, reply.rcode, truncated=True))
        elif kind == "close":
            close()
        elif kind == "empty":
            send(b"")
        elif kind == "raw":
            send(fault.raw(self._right(query, reply, transport)))
        else:
            send(self._right(query, reply, transport))

    @staticmethod
    def _right(query, reply, transport):
        whole = wire.build_response(query, reply.rcode, reply.answers, reply.authority)
        limit = max(query.udp_size or wire.PLAIN_UDP_SIZE, wire.PLAIN_UDP_SIZE)
        if transport == "udp" and len(whole) > limit:
            return wire.build_response(query, reply.rcode, truncated=True)
        return whole


def _fault(value):
    return value if isinstance(value, Fault) else Fault(value)
