#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""chart-readme.py [--check]: writes the table of values in charts/signpost/README.md from the comments
of values.yaml, and fails where a value has none. --check: says whether the table is as it should be."""

import re
import sys
from pathlib import Path

CHART = Path(__file__).resolve().parents[1] / "charts" / "signpost"
BEGIN, END = "<!-- values -->\n", "<!-- end of values -->\n"


def shown(text):
    text = text.strip()
    return f"`{text}`" if text else ""


def rows():
    """Each key with a `# --` comment: its path, its default as it stands there, the comment."""
    path, comment = [], None
    lines = (CHART / "values.yaml").read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*# --", line):
            comment = line.split("# --", 1)[1].strip()
            continue
        match = re.match(r"( *)([A-Za-z0-9_]+):(.*)$", line)
        if match is None:
            continue
        depth = len(match[1]) // 2
        if depth > len(path):
            continue  # inside a value that was described as a whole
        path = path[:depth]
        path.append(match[2])
        default = match[3]
        if comment is None and default.strip():
            sys.exit(f"values.yaml:{number}: {'.'.join(path)} has no comment `# -- what it means`")
        if comment is not None:
            if not default.strip():
                default = "see values.yaml"
                yield ".".join(path), default, comment
                path.pop()  # what is below it is part of it
            else:
                yield ".".join(path), shown(default), comment
                path.pop()
            comment = None


def table():
    text = "| value | default | meaning |\n| --- | --- | --- |\n"
    for path, default, comment in rows():
        text += f"| `{path}` | {default} | {comment.replace('|', chr(92) + '|')} |\n"
    return text


def main():
    readme = CHART / "README.md"
    text = readme.read_text()
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    wanted = head + BEGIN + table() + END + tail
    if "--check" in sys.argv[1:]:
        if text != wanted:
            sys.exit("charts/signpost/README.md: the table of values is not that of values.yaml; "
                     "run scripts/chart-readme.py")
        return
    readme.write_text(wanted)


main()
