#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""User-space instructions that signpost takes for a request, by valgrind's callgrind: for HTTP/1.1 and
HTTP/2, access log off and on, the record read from a zone file.

Unlike rates they are the same on a busy machine, to about one in a hundred. What the kernel does for a
request is not in them. Where they go: build with `-g`, keep the profiles (--out), callgrind_annotate."""

import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from harness import http1  # noqa: E402
from harness.ports import free_port  # noqa: E402
from harness.process import Process, run, wait_until  # noqa: E402

FEW, MANY = 1000, 6000  # what both runs have in common, such as the start, drops out
HOST = "bench.example"
TARGET = "https://target.example.net/"
SERIES = [
    ("HTTP/1.1", "1.1", 1, "off"),
    ("HTTP/1.1, access log", "1.1", 1, "json"),
    ("HTTP/2", "2", 16, "off"),
    ("HTTP/2, access log", "2", 16, "json"),
]


def redirects(where):
    try:
        return http1.fetch(where, HOST, "/x").status == 302
    except (OSError, http1.HttpError):
        return False


def count(binary, directory, series, requests):
    """Instructions of a whole run that answers so many requests, and a few more."""
    title, version, streams, log = series
    where = ("127.0.0.1", free_port())
    config = {
        "listen": [{"address": f"{where[0]}:{where[1]}"}],
        "threads": 1,
        "dns": {"zones": [str(directory / "zone")]},
        "log": {"level": "error", "access": log},
    }
    path = directory / "config.json"
    path.write_text(json.dumps(config))
    profile = directory / f"{re.sub('[^a-z0-9]+', '-', title.lower())}.{requests}"
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}"]
    with Process([*valgrind, binary, "serve", "--config", path], stop_s=60):
        if not wait_until(lambda: redirects(where), timeout=60):
            raise SystemExit(f"{binary} does not redirect under valgrind")
        load = ["--connections", 1, "--streams", streams] if version == "2" else ["--connections", 1]
        done = run(
            [binary, "load", "--connect", f"{where[0]}:{where[1]}", "--http", version]
            + [*load, "--requests", requests, directory / "targets"]
        )
        if done.returncode != 0:
            raise SystemExit(done.stdout + done.stderr)
    return int(re.search(r"^totals: (\d+)", profile.read_text(), re.MULTILINE).group(1))


def measure(binary, directory):
    (directory / "zone").write_text(f'_redirect.{HOST}. 60 IN TXT "v=txtv0;to={TARGET}"\n')
    (directory / "targets").write_text(f"{HOST}\t/x\t302\t{TARGET}\n")
    for series in SERIES:
        many, few = (count(binary, directory, series, requests) for requests in (MANY, FEW))
        print(f"{series[0]:<22}{(many - few) / (MANY - FEW):>8,.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    default = os.environ.get("SIGNPOST_BINARY") or str(ROOT / "build" / "signpost")
    parser.add_argument("binary", nargs="?", default=default, help="a release build of signpost")
    parser.add_argument("--out", metavar="FOLDER", help="keep the profiles there")
    options = parser.parse_args()
    binary = Path(options.binary).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(options.out or temporary).resolve()
        directory.mkdir(parents=True, exist_ok=True)
        measure(binary, directory)


if __name__ == "__main__":
    main()
