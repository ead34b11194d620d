# SPDX-License-Identifier: Apache-2.0
"""The conformance cases: reading them, turning one into a request, and comparing what came back."""

import json
import os
import re
from pathlib import Path

from . import http1

DIRECTORY = Path(__file__).resolve().parents[2] / "cases"
# Faults by `drop` cost a whole time-out each.
DROP_TIMEOUTS = {"dns": {"timeout_ms": 600, "try_ms": 200, "tries": 2}}


def load_cases():
    """Those of the file that SIGNPOST_CASES names, else of all files."""
    chosen = os.environ.get("SIGNPOST_CASES")
    paths = [Path(chosen)] if chosen else sorted(DIRECTORY.glob("*.json"))
    cases = [case for path in paths for case in json.loads(path.read_text(encoding="utf-8"))]
    if not cases or len({case["id"] for case in cases}) != len(cases):
        raise ValueError(f"{paths}: no cases, or two of one id")
    return cases


def group_by_config(cases):
    """[(configuration, cases)]: those of one configuration share a process."""
    groups = {}
    for case in cases:
        config = dict(case.get("config", {}))
        if "drop" in case.get("fault", {}).values():
            config = {**config, **DROP_TIMEOUTS}
        groups.setdefault(json.dumps(config, sort_keys=True), []).append(case)
    return [(json.loads(key), members) for key, members in groups.items()]


def spread(cases):
    """One case of each group in turn, so that wherever time ends every feature has been met."""
    groups = {}
    for case in cases:
        groups.setdefault(case["group"], []).append(case)
    ordered = []
    while groups:
        for name in list(groups):
            ordered.append(groups[name].pop(0))
            if not groups[name]:
                del groups[name]
    return ordered


def play_http1(where, case, timeout=15):
    """The answer over HTTP/1.1; a body after HEAD is an error."""
    request = case["request"]
    octets = http1.request_octets(
        request["method"], request["path"], request["host"], request["headers"]
    )
    with http1.Connection(where, timeout) as connection:
        connection.send(octets)
        response = connection.read(request["method"])
        if not connection.at_end():
            raise http1.HttpError("octets behind the response")
        return response


def play_http2(connection, case):
    """The answer over HTTP/2. It has no absolute form: what that says goes into :authority."""
    request = case["request"]
    host, path = request["host"], request["path"]
    absolute = re.fullmatch(r"http://([^/?]*)([^?]*)(.*)", path)
    if absolute:
        host, path = absolute[1], (absolute[2] or "/") + absolute[3]
    fields = [(name.lower(), value) for name, value in request["headers"].items()]
    return connection.fetch(host, path, method=request["method"], headers=fields)


def _mismatch(what, expected, got):
    return f"{what}: expected {json.dumps(expected)}, got {json.dumps(got)}"


def _header_fits(expected, got):
    if expected is None or got is None:
        return expected == got
    if expected.startswith("~"):
        return re.search(expected[1:], got) is not None
    return expected == got


def compare(expect, status, location, headers=None, body=None):
    """What differs, as sentences. `headers`: a function from a name to its value or None. Without
    headers or body their expectations are left out."""
    faults = []
    statuses = expect["status"] if isinstance(expect["status"], list) else [expect["status"]]
    if status not in statuses:
        faults.append(_mismatch("status", expect["status"], status))
    wanted = expect.get("location")
    if location not in (wanted if isinstance(wanted, list) else [wanted]):
        faults.append(_mismatch("location", wanted, location))
    for name, value in (expect.get("headers") or {}).items() if headers else ():
        if not _header_fits(value, headers(name)):
            faults.append(_mismatch(name, value, headers(name)))
    for part in expect.get("body_contains", ()) if body is not None else ():
        if part not in body:
            faults.append(_mismatch("body", part, body[:600]))
    return faults


def compare_response(case, response):
    """`compare` for an answer over HTTP, with what has to hold for every answer besides."""
    body = None if case["request"]["method"] == "HEAD" else response.text
    faults = compare(case["expect"], response.status, response.location, response.header, body)
    if len(response.all("location")) > 1:
        faults.append("more than one Location")
    return faults


def report(results):
    """A message that names the failing cases; "" when there are none. `results`: (case, faults)."""
    failing = [(case, faults) for case, faults in results if faults]
    if not failing:
        return ""
    lines = [f"{len(failing)} of {len(results)} cases fail"]
    for case, faults in failing:
        lines.append(f"{case['id']}: {'; '.join(faults)}\n    {case['note']}")
    return "\n".join(lines)
