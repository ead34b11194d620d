# SPDX-License-Identifier: Apache-2.0
"""An HTTP/1.1 server whose answers are scripted by the path that is asked for: right ones in every
shape, wrong ones, late ones, broken ones. It notes what came on which connection."""

import asyncio
import socket
import struct
import threading

LOCATION = "https://target.example/"
_FOUND = f"HTTP/1.1 302 Found\r\nLocation: {LOCATION}\r\n"


def _answer(head, body=""):
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode("latin-1")


ANSWERS = {
    "/ok": _answer(_FOUND),
    "/body": _answer(_FOUND, "words " * 20000),
    "/chunked": (_FOUND + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n").encode(),
    "/interim": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + _answer(_FOUND),
    "/none": _answer("HTTP/1.1 404 Not Found\r\n", "none"),
    "/elsewhere": _answer("HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/\r\n"),
    "/twice": _answer(_FOUND + f"Location: {LOCATION}\r\n"),
    "/missing": _answer("HTTP/1.1 302 Found\r\n"),
    "/garbage": b"SSH-2.0-OpenSSH_9.2\r\n",
    "/lengths": _answer(_FOUND + "Content-Length: 7\r\n"),
    "/more": _answer(_FOUND) + b"and more",
    "/long": b"HTTP/1.1 302 Found\r\nX: " + b"x" * 70000,
    "/silent": _answer(_FOUND),
    "/polite": _answer(_FOUND + "Connection: close\r\n"),
    "/clinging": _answer(_FOUND + "Connection: close\r\n"),
    "/until-close": (_FOUND + "Connection: close\r\n\r\nto the end").encode(),
    "/cut": _answer(_FOUND, "words")[:-3],
    "/head-cut": _FOUND.encode(),
    "/closes": b"",
    "/resets": b"",
    "/never": b"",
}
CLOSING = {"/polite", "/silent", "/until-close", "/cut", "/head-cut", "/closes", "/garbage"}


class _Connection(asyncio.Protocol):
    def __init__(self, server):
        self._server, self._buffer, self.transport = server, b"", None

    def connection_made(self, transport):
        self.transport = transport
        self._server.connections.add(self)
        self._server.opened += 1

    def connection_lost(self, exc):
        self._server.connections.discard(self)

    def data_received(self, data):
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            self._server.requests += 1
            self._take(head.split(b" ", 2)[1].decode())

    def _take(self, path):
        delay = self._server.delay_of(path)
        if delay:
            asyncio.get_running_loop().call_later(delay, self._send, path)
        elif path == "/slowly":
            self._dribble(ANSWERS["/body"])
        else:
            self._send(path)

    def _send(self, path):
        if path == "/resets":
            linger = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, linger
            )
            self.transport.abort()
            return
        if path == "/silent":  # the answer and the end of the connection in one packet
            self.transport.get_extra_info("socket").setsockopt(
                socket.IPPROTO_TCP, socket.TCP_CORK, 1
            )
        self.transport.write(ANSWERS.get(path.partition("?")[0], ANSWERS["/ok"]))
        if path in CLOSING:
            self.transport.close()

    def _dribble(self, octets):
        """The head octet by octet, then the rest."""
        loop = asyncio.get_running_loop()
        for index in range(100):
            loop.call_later(index * 0.001, self.transport.write, octets[index : index + 1])
        loop.call_later(0.1, self.transport.write, octets[100:])


class ScriptedHttp:
    """Use as a context manager. `delay_of`: path → seconds before the answer."""

    def __init__(self, delay_of=lambda path: 0):
        self.delay_of = delay_of
        self.connections, self.opened, self.requests = set(), 0, 0
        self._loop = asyncio.new_event_loop()
        self._server, self._thread = None, threading.Thread(target=self._run, daemon=True)

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def __enter__(self):
        self._thread.start()
        start = self._loop.create_server(
            lambda: _Connection(self), "127.0.0.1", 0, backlog=4096
        )
        self._server = asyncio.run_coroutine_threadsafe(start, self._loop).result(10)
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    async def _stop(self):
        self._server.close()
        for connection in list(self.connections):
            connection.transport.abort()
        await self._server.wait_closed()

    @property
    def where(self):
        return self._server.sockets[0].getsockname()[:2]

    @property
    def address(self):
        return "{}:{}".format(*self.where)
