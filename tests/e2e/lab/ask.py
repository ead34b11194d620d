# SPDX-License-Identifier: Apache-2.0
"""Asks echo.py, and prints what came back as JSON.

ask.py udp ADDRESS PORT COUNT      each from a socket of its own, one after the other
ask.py pairs ADDRESS PORT COUNT    two at once from each of so many sockets
ask.py flood ADDRESS PORT COUNT    a hundred at a time from one socket
ask.py tcp ADDRESS PORT OCTETS     sends so many (thousands), wants all of them back
"""

import collections
import contextlib
import json
import selectors
import socket
import sys
import time


PATIENCE = 0.5  # of silence, until what has not come is taken for lost


def ask_udp(address, port, count):
    answers = collections.Counter()
    times = []
    for _ in range(count):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(2)
            begin = time.monotonic()
            sock.sendto(b"x", (address, port))
            data, peer = sock.recvfrom(2048)
            times.append(1000 * (time.monotonic() - begin))
            answers[data.split()[0].decode()] += 1
            assert peer == (address, port), peer
    return {"answers": answers, "times": times}


def ask_pairs(address, port, count):
    answered = 0
    for begin in range(0, count, 100):
        with contextlib.ExitStack() as stack:
            selector = stack.enter_context(selectors.DefaultSelector())
            for _ in range(begin, min(begin + 100, count)):
                sock = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                sock.connect((address, port))
                selector.register(sock, selectors.EVENT_READ)
                sock.send(b"x")
                sock.send(b"y")
            missing = 2 * len(selector.get_map())
            while missing != 0 and (ready := selector.select(PATIENCE)):
                for key, _ in ready:
                    key.fileobj.recv(2048)
                missing -= len(ready)
                answered += len(ready)
    return {"asked": 2 * count, "answered": answered}


def flood(address, port, count):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.connect((address, port))
    seen = set()
    for begin in range(0, count, 100):
        for i in range(begin, begin + 100):
            sock.send(b"%d" % i)
        sock.settimeout(0.02 if begin + 100 < count else PATIENCE)
        try:
            while len(seen) != begin + 100:
                seen.add(int(sock.recv(2048).split()[2]))
        except TimeoutError:
            pass
    sock.close()
    return {"asked": count, "answered": len(seen)}


def ask_once(sock):
    begin = time.monotonic()
    sock.sendall(b"z")
    assert sock.recv(2048) == b"z"
    return 1000 * (time.monotonic() - begin)


def ask_tcp(address, port, octets):
    with socket.create_connection((address, port), timeout=5) as sock:
        sock.sendall(b"x\n")
        name, peer, _ = sock.recv(2048).decode().split()
        times = [ask_once(sock) for _ in range(20)]
        congestion = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
        back = 0
        for begin in range(0, octets, 1000):
            sock.sendall(b"y" * 1000)
            while back != begin + 1000:
                back += len(sock.recv(65536))
        sock.shutdown(socket.SHUT_WR)
        ended = not sock.recv(2048)
    congestion = congestion.rstrip(b"\0").decode()
    return {"name": name, "peer": peer, "times": times, "congestion": congestion, "back": back, "ended": ended}


def main(how, address, port, count):
    ways = {"udp": ask_udp, "pairs": ask_pairs, "flood": flood, "tcp": ask_tcp}
    print(json.dumps(ways[how](address, int(port), int(count))))


main(*sys.argv[1:])
