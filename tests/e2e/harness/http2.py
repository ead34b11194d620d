# SPDX-License-Identifier: Apache-2.0
"""A client for cleartext HTTP/2 with prior knowledge (RFC 9113): several streams on one connection,
and any frame that a test wants to send."""

import struct
from dataclasses import dataclass, field

from . import hpack
from .connect import connect
from .http1 import Closed, HttpError, Response

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY = 0, 1, 3, 4, 5, 6, 7
WINDOW_UPDATE, CONTINUATION = 8, 9
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 1, 1, 4, 8, 32


class Reset(HttpError):
    """The server ended the stream with RST_STREAM."""


class GoneAway(HttpError):
    """The server ended the connection with GOAWAY."""


@dataclass
class _Stream:
    block: bytes = b""
    response: Response | None = None
    body: bytes = b""
    reset: int | None = None
    ended: bool = False


@dataclass
class Frame:
    type: int
    flags: int
    stream: int
    payload: bytes = field(repr=False, default=b"")


def frame_octets(kind, flags, stream, payload=b""):
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


class Connection:
    """One HTTP/2 connection. Use as a context manager."""

    def __init__(self, where, timeout=15):
        self.sock = connect(where, timeout)
        self._buffer, self._decoder, self._streams, self._next = b"", hpack.Decoder(), {}, 1
        self.goaway = None
        self.send(PREFACE + frame_octets(SETTINGS, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, octets):
        self.sock.sendall(octets)

    def request(self, authority, path="/", method="GET", headers=(), scheme="http", body=b""):
        """Starts a request and returns its stream. `authority` None: no such field."""
        fields = [(":method", method), (":scheme", scheme), (":path", path)]
        if authority is not None:
            fields.append((":authority", authority))
        return self.request_fields([*fields, *headers], body)

    def request_fields(self, fields, body=b""):
        stream, self._next = self._next, self._next + 2
        self._streams[stream] = _Stream()
        block = b"".join(hpack.encode_literal(name, value) for name, value in fields)
        flags = END_HEADERS | (0 if body else END_STREAM)
        out = frame_octets(HEADERS, flags, stream, block)
        if body:
            out += frame_octets(DATA, END_STREAM, stream, body)
        self.send(out)
        return stream

    def reset(self, stream, code=8):
        self.send(frame_octets(RST_STREAM, 0, stream, struct.pack("!I", code)))

    def read(self, stream):
        """The response on this stream; frames of the others are kept for them."""
        state = self._streams[stream]
        while not state.ended:
            if state.reset is not None:
                raise Reset(f"stream {stream}: code {state.reset}")
            self._step()
        state.response.body = state.body
        return state.response

    def fetch(self, authority, path="/", **options):
        return self.read(self.request(authority, path, **options))

    def wait_closed(self):
        """Reads until the server closes; the code of its GOAWAY, or None."""
        try:
            while True:
                self._step()
        except (Closed, GoneAway):
            return self.goaway

    def _step(self):
        frame = self._read_frame()
        handlers = {HEADERS: self._on_headers, CONTINUATION: self._on_headers, DATA: self._on_data}
        if frame.type in handlers:
            handlers[frame.type](frame, self._streams.setdefault(frame.stream, _Stream()))
        elif frame.type == RST_STREAM:
            state = self._streams.setdefault(frame.stream, _Stream())
            state.reset = struct.unpack("!I", frame.payload)[0]
        elif frame.type == SETTINGS and not frame.flags & ACK:
            self.send(frame_octets(SETTINGS, ACK, 0))
        elif frame.type == PING and not frame.flags & ACK:
            self.send(frame_octets(PING, ACK, 0, frame.payload))
        elif frame.type == GOAWAY:
            self.goaway = struct.unpack_from("!I", frame.payload, 4)[0]
            if self.goaway:
                raise GoneAway(f"code {self.goaway}")

    def _on_headers(self, frame, state):
        payload = frame.payload
        if frame.type == HEADERS and frame.flags & PADDED:
            payload = payload[1 : len(payload) - payload[0]]
        if frame.type == HEADERS and frame.flags & PRIORITY:
            payload = payload[5:]
        state.block += payload
        if frame.type == HEADERS:
            state.ended = bool(frame.flags & END_STREAM)
        if not frame.flags & END_HEADERS:
            return
        fields, state.block = self._decoder.decode(state.block), b""
        if state.response is None:
            status = [value for name, value in fields if name == ":status"]
            if len(status) != 1:
                raise HttpError(f"{len(status)} :status fields")
            plain = [pair for pair in fields if not pair[0].startswith(":")]
            if any(name != name.lower() for name, _ in plain):
                raise HttpError("upper-case field name")
            state.response = Response(int(status[0]), plain, version="HTTP/2")

    def _on_data(self, frame, state):
        payload = frame.payload
        if frame.flags & PADDED:
            payload = payload[1 : len(payload) - payload[0]]
        state.body += payload
        state.ended = bool(frame.flags & END_STREAM)

    def _read_frame(self):
        head = self._take(9)
        length = struct.unpack("!I", b"\0" + head[:3])[0]
        kind, flags, stream = struct.unpack("!BBI", head[3:])
        return Frame(kind, flags, stream & 0x7FFFFFFF, self._take(length))

    def _take(self, count):
        while len(self._buffer) < count:
            try:
                data = self.sock.recv(65536)
            except ConnectionError:
                data = b""
            if not data:
                raise Closed("closed by the server")
            self._buffer += data
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken
