#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""workflows_test.py SOURCE: the workflows are YAML of the shape that GitHub reads, each pins what it uses,
asks for no more rights than it needs, and names only scripts, presets and make targets that exist."""

import json
import re
import sys
import unittest
from pathlib import Path

import yaml

SOURCE = Path()
TRIGGERS = {"push", "pull_request", "schedule", "workflow_dispatch"}


def workflows():
    return sorted((SOURCE / ".github/workflows").glob("*.yml"))


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(workflow):
    for job in workflow["jobs"].values():
        yield from job["steps"]


class Workflows(unittest.TestCase):
    def test_all_are_there(self):
        self.assertEqual([path.stem for path in workflows()], ["chart", "check", "fuzz", "release"])

    def test_have_the_shape_that_is_read(self):
        for path in workflows():
            with self.subTest(path.name):
                workflow = load(path)
                # YAML 1.1 takes the word `on` for true.
                self.assertEqual(set(workflow) - {"env", "concurrency"}, {"name", True, "permissions", "jobs"})
                self.assertEqual(workflow["name"], path.stem)
                self.assertLessEqual(set(workflow[True]), TRIGGERS)
                self.assertEqual(workflow["permissions"], {"contents": "read"})
                for name, job in workflow["jobs"].items():
                    self.assertIn("runs-on", job, name)
                    self.assertIn("timeout-minutes", job, name)
                    for need in job.get("needs", []):
                        self.assertIn(need, workflow["jobs"], name)
                for step in steps(workflow):
                    self.assertEqual(len({"uses", "run"} & set(step)), 1, step)
                    if "uses" in step:
                        self.assertRegex(step["uses"], r"^[\w-]+/[\w/-]+@v\d+(\.\d+)*$")

    def test_name_what_exists(self):
        presets = {one["name"] for one in json.loads((SOURCE / "CMakePresets.json").read_text(encoding="utf-8"))["workflowPresets"]}
        targets = set(re.findall(r"(?m)^([a-z-]+):", (SOURCE / "Makefile").read_text(encoding="utf-8")))
        for path in workflows():
            text = path.read_text(encoding="utf-8")
            scripts = re.findall(r"(?<![\w./-])((?:scripts|tests|charts|\.ci)/[\w./-]+)", text)
            self.assertTrue(scripts, path.name)
            for script in scripts:
                with self.subTest(f"{path.name}: {script}"):
                    self.assertTrue((SOURCE / script).exists())
            for preset in re.findall(r"scripts/test\.sh ([a-z]+)", text) + load(path)["jobs"].get("preset", {}).get(
                    "strategy", {}).get("matrix", {}).get("preset", []):
                self.assertIn(preset, presets, path.name)
            for target in re.findall(r"\bmake ([a-z-]+)", text):
                self.assertIn(target, targets, path.name)

    def test_every_preset_is_checked(self):
        presets = {one["name"] for one in json.loads((SOURCE / "CMakePresets.json").read_text(encoding="utf-8"))["workflowPresets"]}
        self.assertEqual(set(load(SOURCE / ".github/workflows/check.yml")["jobs"]["preset"]["strategy"]["matrix"]["preset"]), presets)

    def test_scripts_in_steps_are_shell(self):
        """An expression of GitHub's in a script lets whoever chooses its value write the script."""
        for path in workflows():
            for step in steps(load(path)):
                for value in re.findall(r"\$\{\{ *([^} ]*)", step.get("run", "")):
                    self.assertRegex(value, r"^(matrix|steps|runner)\.", f"{path.name}: pass it through env:")


if __name__ == "__main__":
    SOURCE = Path(sys.argv.pop(1))
    unittest.main()
