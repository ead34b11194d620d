# SPDX-License-Identifier: Apache-2.0
"""echo.py NAME ADDRESS:PORT…: answers each UDP packet, and what comes first on a TCP connection, with NAME,
the address it came from, and itself; everything after that with itself. Makes the file that READY names
when it listens."""

import os
import pathlib
import selectors
import socket
import sys


def open_sockets(place):
    address, port = place.rsplit(":", 1)
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for sock in (datagrams, listener):
        sock.bind((address, int(port)))
    listener.listen(64)
    return datagrams, listener


def main(name, *places):
    selector = selectors.DefaultSelector()

    def reply(peer, data):
        return f"{name} {peer[0]} ".encode() + data

    def serve_datagram(sock):
        data, peer = sock.recvfrom(2048)
        sock.sendto(reply(peer, data), peer)

    def accept(sock):
        client, _ = sock.accept()
        selector.register(client, selectors.EVENT_READ, greet)

    def greet(sock):
        selector.modify(sock, selectors.EVENT_READ, serve_stream)
        sock.sendall(reply(sock.getpeername(), sock.recv(65536)))

    def serve_stream(sock):
        data = sock.recv(65536)
        if data:
            sock.sendall(data)
        else:
            selector.unregister(sock)
            sock.close()

    for place in places:
        datagrams, listener = open_sockets(place)
        selector.register(datagrams, selectors.EVENT_READ, serve_datagram)
        selector.register(listener, selectors.EVENT_READ, accept)
    if "READY" in os.environ:
        pathlib.Path(os.environ["READY"]).touch()
    while True:
        for key, _ in selector.select():
            key.data(key.fileobj)


main(*sys.argv[1:])
