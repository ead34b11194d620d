# SPDX-License-Identifier: Apache-2.0
"""An HTTP/1 client that sends exactly the octets it is given and reads what comes back strictly: a
response that breaks the framing rules of RFC 9112 is an error, not something to be lenient about.
"""

import re
from dataclasses import dataclass, field

from .connect import connect

STATUS_LINE = re.compile(rb"(HTTP/1\.[01]) ([1-5][0-9][0-9]) ([^\r\n]*)\r\n")
FIELD_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*?)[ \t]*\r\n")
HEAD_MAX = 256 * 1024


class HttpError(Exception):
    """The response is malformed."""


class Closed(HttpError):
    """The server closed the connection where a response was due."""


@dataclass
class Response:
    status: int
    headers: list = field(default_factory=list)  # (name, value) in order, as received
    body: bytes = b""
    version: str = "HTTP/1.1"
    reason: str = ""

    def all(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def header(self, name):
        """The value; several are joined by ", "; None where there is none."""
        values = self.all(name)
        return ", ".join(values) if values else None

    @property
    def location(self):
        return self.header("location")

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


class Connection:
    """One connection, wherever `connect` gets. A context manager."""

    def __init__(self, where, timeout=15):
        self.sock = connect(where, timeout)
        self._buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    def send(self, octets):
        self.sock.sendall(octets)

    def _receive(self):
        try:
            data = self.sock.recv(65536)
        except ConnectionError:
            data = b""
        self._buffer += data
        return bool(data)

    def at_end(self):
        """True when the server has closed and nothing is left; waits for that or for octets."""
        return not self._buffer and not self._receive()

    def read(self, method="GET"):
        """The next final response; interim ones (1xx) are passed over."""
        while True:
            response = self._read_head()
            if response.status < 200 and response.status != 101:
                continue
            if method != "HEAD" and response.status not in (101, 204, 304):
                response.body = self._read_body(response)
            return response

    def _read_head(self):
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > HEAD_MAX:
                raise HttpError("response head without end")
            if not self._receive():
                raise Closed(f"closed after {self._buffer[:60]!r}")
        head, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        return parse_head(head + b"\r\n")

    def _read_body(self, response):
        codings = response.header("transfer-encoding")
        lengths = response.all("content-length")
        if codings and lengths:
            raise HttpError("both Transfer-Encoding and Content-Length")
        if codings:
            return self._read_chunks(codings)
        if lengths:
            if len(lengths) > 1 or not lengths[0].isdigit():
                raise HttpError(f"Content-Length {lengths!r}")
            return self._take(int(lengths[0]))
        while self._receive():
            pass
        body, self._buffer = self._buffer, b""
        return body

    def _read_chunks(self, codings):
        if codings.lower() != "chunked":
            raise HttpError(f"Transfer-Encoding {codings!r}")
        body = b""
        while True:
            size = int(self._take_line().split(b";")[0], 16)
            if size == 0:
                while self._take_line():
                    pass
                return body
            body += self._take(size)
            if self._take(2) != b"\r\n":
                raise HttpError("chunk without CRLF")

    def _take_line(self):
        while b"\r\n" not in self._buffer:
            if not self._receive():
                raise Closed("closed inside a chunk")
        line, self._buffer = self._buffer.split(b"\r\n", 1)
        return line

    def _take(self, count):
        while len(self._buffer) < count:
            if not self._receive():
                raise Closed(f"closed {count - len(self._buffer)} octets short")
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken


def parse_head(head):
    start = STATUS_LINE.match(head)
    if start is None:
        raise HttpError(f"bad status line {head[:80]!r}")
    response = Response(int(start[2]), version=start[1].decode(), reason=start[3].decode("latin-1"))
    offset = start.end()
    while offset < len(head):
        line = FIELD_LINE.match(head, offset)
        if line is None:
            raise HttpError(f"bad field line {head[offset : offset + 80]!r}")
        response.headers.append((line[1].decode(), line[2].decode("utf-8", "replace")))
        offset = line.end()
    return response


def request_octets(method, target, host, headers=(), body=b"", version="HTTP/1.1", close=True):
    """A request as octets. `host` None: no Host line. `headers`: pairs, or a mapping."""
    pairs = list(headers.items()) if isinstance(headers, dict) else list(headers)
    if host is not None:
        pairs.insert(0, ("Host", host))
    if body:
        pairs.append(("Content-Length", str(len(body))))
    if close:
        pairs.append(("Connection", "close"))
    lines = [f"{method} {target} {version}"] + [f"{name}: {value}" for name, value in pairs]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def send_raw(where, octets, method="GET", timeout=15):
    """One connection, these octets, one response."""
    with Connection(where, timeout) as connection:
        connection.send(octets)
        return connection.read(method)


def fetch(where, host, target="/", method="GET", headers=(), body=b"", timeout=15):
    return send_raw(where, request_octets(method, target, host, headers, body), method, timeout)
