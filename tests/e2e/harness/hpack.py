# SPDX-License-Identifier: Apache-2.0
"""Header compression of HTTP/2 (RFC 7541): a complete decoder, and an encoder that uses nothing but
literals, so that a test decides about every octet of a field."""

STATIC_NAMES = (
    ":authority :method :method :path :path :scheme :scheme :status :status :status :status "
    ":status :status :status accept-charset accept-encoding accept-language accept-ranges accept "
    "access-control-allow-origin age allow authorization cache-control content-disposition "
    "content-encoding content-language content-length content-location content-range content-type "
    "cookie date etag expect expires from host if-match if-modified-since if-none-match if-range "
    "if-unmodified-since last-modified link location max-forwards proxy-authenticate "
    "proxy-authorization range referer refresh retry-after server set-cookie "
    "strict-transport-security transfer-encoding user-agent vary via www-authenticate"
).split()
STATIC_VALUES = {
    2: "GET",
    3: "POST",
    4: "/",
    5: "/index.html",
    6: "http",
    7: "https",
    8: "200",
    9: "204",
    10: "206",
    11: "304",
    12: "400",
    13: "404",
    14: "500",
    16: "gzip, deflate",
}
STATIC_COUNT = len(STATIC_NAMES)

# The code is canonical (RFC 7541, appendix B): the bit lengths of the codes for octets 0 to 255
# and for the end of the string are enough to rebuild it. Written as "length×count".
CODE_LENGTHS = (
    "13 23 28×7 24 30 28×2 30 28×8 30 28×9 6 10×2 12 13 6 8 11 10×2 8 11 8 6×3 5×3 6×7 7 8 15 6 12 "
    "10 13 6 7×22 8 7 8 13 19 13 14 6 15 5 6 5 6 5 6×3 5 7×2 6×3 5 6 7 6 5×2 6 7×5 15 11 14 13 28 "
    "20 22 20×2 22×3 23 22 23×5 24 23 24×2 22 23 24 23×4 21 22 23 22 23×2 24 22 21 20 22×2 23×2 21 "
    "23 22×2 24 21 22 23×2 21×2 22 21 23 22 23×2 20 22×3 23 22×2 23 26×2 20 19 22 23 22 25 26×3 "
    "27×2 26 24 25 19 21 26 27×2 26 27 24 21×2 26×2 28 27×3 20 24 20 21 22 21×2 23 22×2 25×2 24×2 "
    "26 23 26 27 26×2 27×5 28 27×5 26 30"
)


class HpackError(Exception):
    """The header block is malformed."""


def _code_lengths():
    lengths = []
    for part in CODE_LENGTHS.split():
        length, _, count = part.partition("×")
        lengths += [int(length)] * int(count or 1)
    return lengths


def _build_codes():
    """(length, code) → symbol; codes of one length follow each other in the order of symbols."""
    code, last, codes = 0, 0, {}
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(_code_lengths())):
        code <<= length - last
        codes[(length, code)] = symbol
        code, last = code + 1, length
    return codes


HUFFMAN = _build_codes()
END_OF_STRING = 256


def huffman_decode(octets):
    out, code, length = bytearray(), 0, 0
    for octet in octets:
        for bit in range(7, -1, -1):
            code, length = (code << 1) | (octet >> bit & 1), length + 1
            symbol = HUFFMAN.get((length, code))
            if symbol == END_OF_STRING or length > 30:
                raise HpackError("bad Huffman code")
            if symbol is not None:
                out.append(symbol)
                code, length = 0, 0
    if length > 7 or code != (1 << length) - 1:
        raise HpackError("bad Huffman padding")
    return bytes(out)


def encode_integer(value, prefix, first=0):
    limit = (1 << prefix) - 1
    if value < limit:
        return bytes([first | value])
    out, value = bytearray([first | limit]), value - limit
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def encode_literal(name, value):
    """One field, literal without indexing, no Huffman code. Text goes out as UTF-8."""
    out = b"\0"
    for part in (name, value):
        raw = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        out += encode_integer(len(raw), 7) + raw
    return out


class Decoder:
    """The decoding side of one connection."""

    def __init__(self, table_size=4096):
        self._dynamic, self._limit = [], table_size

    def decode(self, block):
        """The fields of one header block as (name, value) texts."""
        fields, offset = [], 0
        while offset < len(block):
            first = block[offset]
            if first & 0x80:
                index, offset = self._integer(block, offset, 7)
                fields.append(self._entry(index))
            elif first & 0xE0 == 0x20:
                self._limit, offset = self._integer(block, offset, 5)
                self._evict()
            else:
                entry, offset = self._literal(block, offset, 6 if first & 0x40 else 4)
                fields.append(entry)
                if first & 0x40:
                    self._dynamic.insert(0, entry)
                    self._evict()
        return fields

    def _entry(self, index):
        if 1 <= index <= STATIC_COUNT:
            return STATIC_NAMES[index - 1], STATIC_VALUES.get(index, "")
        if 0 < index - STATIC_COUNT <= len(self._dynamic):
            return self._dynamic[index - STATIC_COUNT - 1]
        raise HpackError(f"no entry {index}")

    def _evict(self):
        while sum(len(n) + len(v) + 32 for n, v in self._dynamic) > self._limit:
            self._dynamic.pop()

    def _literal(self, block, offset, prefix):
        index, offset = self._integer(block, offset, prefix)
        if index:
            name = self._entry(index)[0]
        else:
            name, offset = self._string(block, offset)
        value, offset = self._string(block, offset)
        return (name, value), offset

    def _string(self, block, offset):
        coded = block[offset] & 0x80
        length, offset = self._integer(block, offset, 7)
        raw = block[offset : offset + length]
        if len(raw) != length:
            raise HpackError("string runs past the end")
        return (huffman_decode(raw) if coded else raw).decode("utf-8", "replace"), offset + length

    @staticmethod
    def _integer(block, offset, prefix):
        limit = (1 << prefix) - 1
        value, offset, shift = block[offset] & limit, offset + 1, 0
        if value < limit:
            return value, offset
        while True:
            if offset >= len(block) or shift > 28:
                raise HpackError("bad integer")
            octet, offset = block[offset], offset + 1
            value += (octet & 127) << shift
            shift += 7
            if not octet & 128:
                return value, offset
