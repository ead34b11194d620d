# SPDX-License-Identifier: Apache-2.0
"""The records that README.md shows above a `$ signpost explain` are the ones that the command reads, and
the paths that the documents name exist. (That a command prints what README.md says is held by
tests/unit/cli/command_line_test.py.)

readme_test.py PROGRAM"""

import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECORD = re.compile(r'^_redirect\S+\s+TXT\s+(".*")$', re.MULTILINE)
COMMAND = re.compile(r"^\$ (signpost explain .*)$", re.MULTILINE)
PATH = re.compile(r"`((?:src|tests|examples|include|scripts|cmake|man|\.github|\.ci)/[^\s`*]*)`")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
PLACEHOLDER = "TARGET"  # in a path that stands for several
PROGRAM = ""


def output_of(command):
    words = [PROGRAM, *shlex.split(command)[1:]]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


class DocumentsTest(unittest.TestCase):
    def test_records_are_the_ones_that_are_read(self):
        count = 0
        for block in BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")):
            outputs = [output_of(command) for command in COMMAND.findall(block)]
            for record in RECORD.findall(block) if outputs else ():
                with self.subTest(record):
                    self.assertTrue(any(f"TXT {record}\n" in output for output in outputs))
                count += 1
        self.assertGreater(count, 5)

    def test_paths_exist(self):
        for document in DOCUMENTS:
            for path in PATH.findall((ROOT / document).read_text(encoding="utf-8")):
                with self.subTest(document=document, path=path):
                    self.assertTrue(PLACEHOLDER in path or (ROOT / path).exists())


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
