# SPDX-License-Identifier: Apache-2.0
"""Rows written as an RFC 1035 master file."""

SOA = "SOA ns.invalid. hostmaster.invalid. 1 3600 600 86400 60"


def _escape(octets, special):
    out = ""
    for octet in octets:
        if not 33 <= octet <= 126:
            out += f"\\{octet:03d}"
        else:
            out += ("\\" if chr(octet) in special else "") + chr(octet)
    return out


def owner_text(name):
    labels = [label for label in name.rstrip(".").split(".") if label]
    return "".join(_escape(label.encode("utf-8"), '\\";()@$.') + "." for label in labels) or "."


def _strings(value):
    parts = value if isinstance(value, list) else _cut(value.encode("utf-8"))
    raw = [part.encode("utf-8") if isinstance(part, str) else part for part in parts]
    return " ".join('"' + _escape(part, '\\"') + '"' for part in raw)


def _cut(octets):
    return [octets[i : i + 255] for i in range(0, len(octets), 255)] or [b""]


def zone_text(rows, apex=".", ttl=300):
    """A zone file for `apex` that holds these rows."""
    lines = [f"$TTL {ttl}", f"{owner_text(apex)} {SOA}"]
    for name, kind, value, *rest in rows:
        data = _strings(value) if kind == "TXT" else owner_text(value)
        lines.append(f"{owner_text(name)} {rest[0] if rest else ttl} IN {kind} {data}")
    return "\n".join(lines) + "\n"
