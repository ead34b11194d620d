# SPDX-License-Identifier: Apache-2.0
"""Every command in README.md that begins with `$ signpost` prints what README.md says, and the records
above it are the ones it reads. A line `...` stands for any lines. Also: paths that the documents name
exist.

readme_test.py PROGRAM"""

import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECORD = re.compile(r'^_redirect\S+\s+TXT\s+(".*")$')
PATH = re.compile(r"`((?:src|tests|examples|include|scripts|cmake|man|\.github|\.ci)/[^\s`*]*)`")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
PROGRAM = ""


def examples():
    """(command, expected lines, records of its block), in order."""
    for block in BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        records, found = [], []
        for line in block.splitlines():
            record = RECORD.match(line)
            if line.startswith("$ signpost "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
            elif record:
                records.append(record[1])
        for command, expected in found:
            yield command, expected, records


def pattern(lines):
    """What the output must look like as a whole."""
    parts = [r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in lines]
    return re.compile("".join(parts))


def run(command):
    words = shlex.split(command)
    done = subprocess.run(
        [PROGRAM, *words[1:]], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr


class ReadmeTest(unittest.TestCase):
    def test_commands_print_what_it_says(self):
        count = 0
        for command, expected, _ in examples():
            with self.subTest(command):
                output = run(command)
                self.assertTrue(pattern(expected).fullmatch(output), f"$ {command}\n{output}")
            count += 1
        self.assertGreater(count, 8)

    def test_records_are_the_ones_that_are_read(self):
        outputs = {}
        for command, _, records in examples():
            seen = outputs.setdefault(tuple(records), [])
            seen.append(run(command))
        for records, seen in outputs.items():
            for record in records:
                with self.subTest(record):
                    self.assertTrue(any(f"TXT {record}\n" in output for output in seen))

    def test_paths_exist(self):
        for document in DOCUMENTS:
            for path in PATH.findall((ROOT / document).read_text(encoding="utf-8")):
                if path.isupper() or "TARGET" in path:
                    continue
                with self.subTest(document=document, path=path):
                    self.assertTrue((ROOT / path).exists())


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
