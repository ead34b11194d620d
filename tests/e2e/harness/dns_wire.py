# SPDX-License-Identifier: Apache-2.0
"""DNS messages as octets (RFC 1035, RFC 6891): reading queries, writing answers, and the reverse
for the tests of the harness itself."""

import struct
from dataclasses import dataclass, field

TXT, CNAME, SOA, OPT, A, CAA = 16, 5, 6, 41, 1, 257
TYPE_NAMES = {TXT: "TXT", CNAME: "CNAME", SOA: "SOA", OPT: "OPT", A: "A", CAA: "CAA"}
NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED = 0, 1, 2, 3, 4, 5
CLASS_IN = 1
FLAG_RESPONSE, FLAG_AUTHORITATIVE, FLAG_TRUNCATED = 0x8000, 0x0400, 0x0200
FLAG_RECURSION_DESIRED, FLAG_RECURSION_AVAILABLE = 0x0100, 0x0080
PLAIN_UDP_SIZE = 512  # what a client without EDNS takes
POINTER_TO_QUESTION = b"\xc0\x0c"


class WireError(Exception):
    """The octets are no DNS message that this reader understands."""


@dataclass(frozen=True)
class Row:
    """One resource record: `data` is finished rdata."""

    name: str
    type: int
    data: bytes
    ttl: int = 300


@dataclass
class Query:
    ident: int
    name: str  # as sent, without the final dot
    type: int
    flags: int
    udp_size: int | None  # None: no EDNS
    question: bytes  # the question section as received


@dataclass
class Message:
    ident: int
    flags: int
    rcode: int
    answers: list = field(default_factory=list)
    authority: list = field(default_factory=list)
    has_edns: bool = False


def caa_data(text):
    """`FLAGS TAG VALUE` (RFC 8659, 4.1.1)"""
    flags, tag, value = text.split(" ", 2)
    return bytes([int(flags), len(tag)]) + tag.encode() + value.encode()


def encode_name(name):
    out = b""
    for label in [part for part in name.rstrip(".").split(".") if part]:
        raw = label.encode("utf-8")
        if len(raw) > 63:
            raise WireError(f"label over 63 octets in {name!r}")
        out += bytes([len(raw)]) + raw
    return out + b"\0"


def decode_name(packet, offset):
    """The name at `offset` and where the next thing begins; compression is followed."""
    labels, after, jumps = [], None, 0
    while True:
        if offset >= len(packet):
            raise WireError("name runs past the end")
        length = packet[offset]
        if length & 0xC0 == 0xC0:
            if jumps > 32 or offset + 2 > len(packet):
                raise WireError("bad compression")
            after = offset + 2 if after is None else after
            offset = struct.unpack_from("!H", packet, offset)[0] & 0x3FFF
            jumps += 1
            continue
        if length > 63:
            raise WireError("bad label type")
        offset += 1
        if length == 0:
            return ".".join(labels), offset if after is None else after
        labels.append(packet[offset : offset + length].decode("utf-8", "surrogateescape"))
        offset += length


def txt_data(value):
    """Rdata of one TXT record: a text is cut into strings of 255 octets, a list is taken as the
    character-strings that it holds."""
    if isinstance(value, str):
        raw = value.encode("utf-8")
        strings = [raw[i : i + 255] for i in range(0, len(raw), 255)] or [b""]
    else:
        strings = [part.encode("utf-8") if isinstance(part, str) else part for part in value]
    return b"".join(bytes([len(part)]) + part for part in strings)


def soa_data(minimum):
    timers = struct.pack("!IIIII", 1, 3600, 600, 86400, minimum)
    return encode_name("ns.invalid") + encode_name("hostmaster.invalid") + timers


def parse_query(packet):
    if len(packet) < 12:
        raise WireError("shorter than a header")
    ident, flags, questions, answers, authority, extra = struct.unpack_from("!HHHHHH", packet)
    if flags & FLAG_RESPONSE or questions != 1 or answers or authority:
        raise WireError("not one plain question")
    name, offset = decode_name(packet, 12)
    qtype = struct.unpack_from("!H", packet, offset)[0]
    question = packet[12 : offset + 4]
    udp_size = _edns_size(packet, offset + 4, extra)
    return Query(ident, name, qtype, flags, udp_size, question)


def _edns_size(packet, offset, extra):
    for _ in range(extra):
        _, offset = decode_name(packet, offset)
        rtype, rclass, _, length = struct.unpack_from("!HHIH", packet, offset)
        if rtype == OPT:
            return rclass
        offset += 10 + length
    return None


def build_query(name, qtype=TXT, ident=1, udp_size=1232):
    extra = b"" if udp_size is None else b"\0" + struct.pack("!HHIH", OPT, udp_size, 0, 0)
    head = struct.pack("!HHHHHH", ident, FLAG_RECURSION_DESIRED, 1, 0, 0, 1 if extra else 0)
    return head + encode_name(name) + struct.pack("!HH", qtype, CLASS_IN) + extra


def build_response(query, rcode, answers=(), authority=(), truncated=False, ident=None):
    flags = FLAG_RESPONSE | FLAG_AUTHORITATIVE | FLAG_RECURSION_AVAILABLE | rcode
    flags |= query.flags & FLAG_RECURSION_DESIRED
    flags |= FLAG_TRUNCATED if truncated else 0
    edns = query.udp_size is not None
    counts = (1, len(answers), len(authority), 1 if edns else 0)
    out = struct.pack("!HHHHHH", query.ident if ident is None else ident, flags, *counts)
    out += query.question
    for row in [*answers, *authority]:
        out += _row(row, query.name)
    if edns:
        out += b"\0" + struct.pack("!HHIH", OPT, 1232, 0, 0)
    return out


def _row(row, question_name):
    same = row.name.lower() == question_name.lower()
    owner = POINTER_TO_QUESTION if same and question_name else encode_name(row.name)
    return owner + struct.pack("!HHIH", row.type, CLASS_IN, row.ttl, len(row.data)) + row.data


def parse_response(packet):
    if len(packet) < 12:
        raise WireError("shorter than a header")
    ident, flags, questions, *counts = struct.unpack_from("!HHHHHH", packet)
    offset = 12
    for _ in range(questions):
        _, offset = decode_name(packet, offset)
        offset += 4
    message = Message(ident, flags, flags & 15)
    for section, count in zip((message.answers, message.authority, []), counts):
        for _ in range(count):
            row, offset = _parse_row(packet, offset)
            if row.type == OPT:
                message.has_edns = True
            section.append(row)
    return message


def _parse_row(packet, offset):
    name, offset = decode_name(packet, offset)
    rtype, _, ttl, length = struct.unpack_from("!HHIH", packet, offset)
    offset += 10
    if offset + length > len(packet):
        raise WireError("rdata runs past the end")
    data = packet[offset : offset + length]
    if rtype == CNAME:
        data = decode_name(packet, offset)[0].encode()
    return Row(name, rtype, data, ttl), offset + length


def txt_strings(data):
    """The character-strings in the rdata of a TXT record."""
    strings, offset = [], 0
    while offset < len(data):
        length = data[offset]
        strings.append(data[offset + 1 : offset + 1 + length])
        offset += 1 + length
    return strings
