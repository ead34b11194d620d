# SPDX-License-Identifier: Apache-2.0
"""What DNS holds during a test: rows as the case file writes them, answered as an authoritative
server would, with wildcards (RFC 4592), CNAME chains and the two kinds of absence."""

import socket
from dataclasses import dataclass, field

from . import dns_wire as wire

DEFAULT_TTL = 300
CHAIN_MAX = 16
MAKERS = {
    "TXT": (wire.TXT, wire.txt_data),
    "CNAME": (wire.CNAME, wire.encode_name),
    "A": (wire.A, socket.inet_aton),
    "CAA": (wire.CAA, wire.caa_data),
}


@dataclass
class Reply:
    rcode: int
    answers: list = field(default_factory=list)
    authority: list = field(default_factory=list)
    names: list = field(default_factory=list)  # the one asked for, and those its aliases led to


class Zone:
    """Immutable once made. A row is [name, type, value] or [name, type, value, ttl]; type is TXT,
    CNAME, A or CAA; a list as value is one record of several character-strings."""

    def __init__(self, rows=(), ttl=DEFAULT_TTL, negative_ttl=60):
        self._sets = {}
        self._existing = {""}
        self._soa = wire.Row("", wire.SOA, wire.soa_data(negative_ttl), negative_ttl)
        for row in rows:
            self._add(row, ttl)

    def _add(self, row, ttl):
        name, kind, value = row[0].rstrip(".").lower(), row[1], row[2]
        if kind not in MAKERS:
            raise ValueError(f"type must be one of {', '.join(MAKERS)}, not {kind!r}")
        rtype, make = MAKERS[kind]
        data = make(value)
        target = value.rstrip(".").lower() if kind == "CNAME" else None
        entry = (wire.Row(name, rtype, data, row[3] if len(row) > 3 else ttl), target)
        self._sets.setdefault(name, []).append(entry)
        while name:
            self._existing.add(name)
            name = name.partition(".")[2]

    def _source(self, name):
        """The owner whose rows answer for `name`; None: the name does not exist."""
        if name in self._existing:
            return name
        encloser = name
        while encloser not in self._existing:
            encloser = encloser.partition(".")[2]
        wildcard = f"*.{encloser}" if encloser else "*"
        return wildcard if wildcard in self._existing else None

    def answer(self, name, qtype):
        name, answers, names = name.rstrip(".").lower(), [], []
        for _ in range(CHAIN_MAX):
            names.append(name)
            source = self._source(name)
            if source is None:
                return Reply(wire.NXDOMAIN, answers, [self._soa], names)
            entries = self._sets.get(source, [])
            found = [_owned_by(row, name) for row, _ in entries if row.type == qtype]
            if found:
                return Reply(wire.NOERROR, answers + found, [], names)
            aliases = [(row, target) for row, target in entries if target is not None]
            if not aliases:
                return Reply(wire.NOERROR, answers, [self._soa], names)
            answers.append(_owned_by(aliases[0][0], name))
            name = aliases[0][1]
        return Reply(wire.NOERROR, answers, [], names)


def _owned_by(row, name):
    return wire.Row(name, row.type, row.data, row.ttl)
