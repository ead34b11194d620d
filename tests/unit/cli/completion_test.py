# SPDX-License-Identifier: Apache-2.0
"""`signpost completion`: each shell reads what it prints, and completes what --help tells.

Usage: completion_test.py SIGNPOST
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SIGNPOST = ""
ACTIONS = {"lab": {"list", "run", "report"}, "cert": {"list", "renew", "forget"}}
CHOICES = {"--arrivals": {"poisson", "constant"}, "--names": {"uniform", "zipf:", "sequential"}, "--http": {"1.1", "2"}}


def run(*argv, cwd=None):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def script_for(shell):
    return run(SIGNPOST, "completion", shell)[1]


def commands():
    listed = re.findall(r"(?m)^  ([a-z]+) +\S", run(SIGNPOST, "help")[1])
    return [name for name in listed if name != "help"]


def options_of(command):
    """Long names, and letters of options that have none, as --help lists them."""
    text = run(SIGNPOST, command, "--help")[1].split("\nOptions:\n")[1].split("\n\n")[0]
    return {long or short for short, long in re.findall(r"(?m)^  (?:(-[A-Za-z])(?:, |\b(?! *--)))?(--[a-z-]+)?", text)
            if long or short}


class Shell:
    """What all three have to do."""

    shell = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.script = os.path.join(cls.folder, "script")
        with open(cls.script, "w", encoding="utf-8") as file:
            file.write(script_for(cls.shell))
        with open(os.path.join(cls.folder, "some.zone"), "w", encoding="utf-8"):
            pass

    def test_is_read_without_complaint(self):
        self.assertEqual(run(self.shell, "-n", self.script), (0, "", ""))
        self.assertGreater(os.path.getsize(self.script), 500)


class Bash(Shell, unittest.TestCase):
    shell = "bash"

    def complete(self, *words):
        line = " ".join(shlex.quote(word) for word in ("signpost", *words))
        program = (f"source {shlex.quote(self.script)}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _signpost; "
                   "printf '%s\\n' \"${COMPREPLY[@]}\"")
        code, out, err = run("bash", "--norc", "-c", program, cwd=self.folder)
        self.assertEqual((code, err), (0, ""))
        return set(out.split())

    def test_commands(self):
        self.assertEqual(self.complete(""), {*commands(), "help", "--help", "--version"})
        self.assertEqual(self.complete("li"), {"lint"})
        self.assertEqual(self.complete("help", ""), set(commands()))

    def test_options_are_those_of_the_help(self):
        for command in commands():
            self.assertEqual(self.complete(command, "-"), options_of(command), command)
            self.assertIn("--help", options_of(command))

    def test_values(self):
        for words in (("serve", "--zone", ""), ("serve", "--zone", "=", "so"), ("serve", "--zone", "="), ("lint", "so")):
            self.assertIn("some.zone", self.complete(*words), words)
        self.assertEqual(self.complete("serve", "--listen", ""), set())
        self.assertEqual(self.complete("completion", ""), {"bash", "zsh", "fish"})
        for option, words in CHOICES.items():
            self.assertEqual(self.complete("load", option, ""), words)

    def test_actions(self):
        for command, actions in ACTIONS.items():
            self.assertEqual(self.complete(command, ""), actions)
            self.assertEqual(self.complete(command, "--help", "re"), {word for word in actions if word.startswith("re")})
            for action in actions:
                self.assertEqual(self.complete(command, action, "so"), {"some.zone"})
                self.assertIn("--help", self.complete(command, action, "--"))


class Fish(Shell, unittest.TestCase):
    shell = "fish"

    def complete(self, line):
        program = f"source {shlex.quote(self.script)}; complete -C {shlex.quote(line)}"
        code, out, err = run("fish", "--no-config", "-c", program, cwd=self.folder)
        self.assertEqual((code, err), (0, ""))
        return {text.split("\t")[0] for text in out.splitlines()}

    def test_commands(self):
        self.assertEqual(self.complete("signpost "), {*commands(), "help"})

    def test_options_are_those_of_the_help(self):
        for command in commands():
            self.assertLessEqual(options_of(command), self.complete(f"signpost {command} -"), command)

    def test_values(self):
        self.assertIn("some.zone", self.complete("signpost serve --zone "))
        self.assertEqual(self.complete("signpost serve --listen "), set())
        self.assertEqual(self.complete("signpost completion "), {"bash", "zsh", "fish"})
        for option, words in CHOICES.items():
            self.assertEqual(self.complete(f"signpost load {option} "), words)

    def test_actions(self):
        for command, actions in ACTIONS.items():
            self.assertEqual(self.complete(f"signpost {command} "), actions)
            for action in actions:
                self.assertEqual(self.complete(f"signpost {command} {action} so"), {"some.zone"})


class Zsh(Shell, unittest.TestCase):
    shell = "zsh"

    def complete(self, *words):
        """zsh completes in its line editor only: what it would hand to that is recorded here."""
        line = " ".join(shlex.quote(word) for word in ("signpost", *words))
        program = ("compdef() { :; }; _describe() { print -l -- ${(P)2%%:*}; }; _arguments() { print -rl -- \"$@\"; }\n"
                   f"source {shlex.quote(self.script)}; words=({line}); CURRENT={len(words) + 1}; _signpost")
        code, out, err = run("zsh", "-f", "-c", program)
        self.assertEqual((code, err), (0, ""))
        return out.splitlines()

    def test_commands(self):
        self.assertEqual(set(self.complete("")), {*commands(), "help"})
        self.assertEqual(set(self.complete("help", "")), {*commands(), "help"})

    def test_options_are_those_of_the_help(self):
        for command in commands():
            found = {re.match(r"\*?(--?[A-Za-z-]+)", one).group(1) for one in self.complete(command, "-")
                     if one.startswith(("-", "*-"))}
            self.assertEqual(found, options_of(command), command)

    def test_values(self):
        self.assertIn("*--zone=[answer from this zone file; may be given more than once]:FILE:_files", self.complete("serve", ""))
        self.assertIn(r"*--listen=[listen here; may be given more than once]:ADDR\:PORT:", self.complete("serve", ""))
        self.assertIn("*:argument:(bash zsh fish)", self.complete("completion", ""))
        self.assertIn(r"*--names=[which request is next, uniform unless given]:uniform|zipf\:S|sequential:(uniform zipf\: sequential)",
                      self.complete("load", ""))

    def test_actions(self):
        for command, actions in ACTIONS.items():
            offered = [one for one in self.complete(command, "") if one.startswith("1:")]
            self.assertEqual([set(re.fullmatch(r"1:action:\((.*)\)", one).group(1).split()) for one in offered], [actions])
            self.assertIn("*:argument:_files", self.complete(command, ""))


class Usage(unittest.TestCase):
    def test_wants_one_shell_that_it_knows(self):
        for arguments in ([], ["ksh"], ["bash", "zsh"]):
            code, out, err = run(SIGNPOST, "completion", *arguments)
            self.assertEqual((code, out), (2, ""))
            self.assertIn("bash, zsh or fish", err)


if __name__ == "__main__":
    SIGNPOST = sys.argv.pop(1)
    unittest.main()
