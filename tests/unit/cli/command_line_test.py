# SPDX-License-Identifier: Apache-2.0
"""The command line seen from outside: explain on the example zones, lint, version, usage.

Usage: command_line_test.py SIGNPOST EXAMPLES
"""

import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

SIGNPOST = ""
ZONES = pathlib.Path()
EXAMPLES = ["host", "path", "wildcard", "golang", "containers"]

# Zone, URL, status, Location; what `explain` answers for each record of the examples.
REDIRECTS = [
    ("host", "http://www.example.com/", 301, "https://about.example.net/"),
    ("host", "http://blog.example.com/2024/a?b=c", 308, "https://journal.example.net/2024/a?b=c"),
    ("host", "http://shop.example.com/x", 302, "https://store.example.net/?from=shop.example.com"),
    ("host", "http://store.example.com/", 302, "https://store.example.net/?from=store.example.com"),
    ("path", "http://go.example.com/", 302, "https://www.example.net/links"),
    ("path", "http://go.example.com/talk", 302, "https://video.example.net/watch/8731"),
    ("path", "http://go.example.com/docs/setup", 301, "https://docs.example.net/guides/setup.html"),
    ("path", "http://go.example.com/issue/123", 302, "https://tracker.example.net/browse/123"),
    ("path", "http://go.example.com/nothing", 302, "https://www.example.net/unknown"),
    ("path", "http://releases.example.com/v1.2.3", 302, "https://www.example.net/releases/1.2.3/notes.html"),
    ("path", "http://releases.example.com/v1", 302, "https://www.example.net/series/1"),
    ("path", "http://releases.example.com/latest", 302, "https://www.example.net/releases"),
    ("wildcard", "http://acme.tenants.example.com/", 302, "https://www.example.net/moved?host=acme.tenants.example.com"),
    ("wildcard", "http://tenants.example.com/", 302, "https://www.example.net/moved?host=tenants.example.com"),
    ("wildcard", "http://status.tenants.example.com/", 302, "https://status.example.net/"),
    ("wildcard", "http://ada.people.example.com/", 302, "https://www.example.net/people/ada"),
    ("golang", "http://code.example.com/router", 302, "https://docs.example.net/router"),
    ("golang", "http://code.example.com/router?go-get=1", 200, None),
    ("golang", "http://code.example.com/", 302, "https://www.example.net/code"),
    ("containers", "http://images.example.com/v2/", 200, None),
    ("containers", "http://images.example.com/v2/tools/lint/manifests/latest", 301,
     "https://registry.example.net/v2/tools/lint/manifests/latest"),
    ("containers", "http://images.example.com/", 308, "https://www.example.net/images"),
    ("containers", "http://app.example.com/v2/whatever/manifests/latest", 301,
     "https://registry.example.net/v2/acme/app/manifests/stable"),
    ("demo", "http://nowhere.example.com/", 404, None),
]


def run(*arguments, stdin=None, environment=None, program=None, cwd=None):
    """Status, standard output and standard error of one run, without colours or settings from outside."""
    clean = {key: value for key, value in os.environ.items()
             if not key.startswith("SIGNPOST_") and key != "NO_COLOR"}
    clean.update(environment or {})
    done = subprocess.run([program or SIGNPOST, *arguments], input=stdin, capture_output=True, text=True,
                          timeout=60, env=clean, check=False, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def records(path):
    """The records of a zone file, comments and layout left out, in order."""
    text = re.sub(r'("(?:[^"\\]|\\.)*")|;[^\n]*', lambda found: found.group(1) or "", path.read_text())
    text = re.sub(r"\(([^)]*)\)", lambda found: " ".join(found.group(1).split()), text)
    return [" ".join(line.split()) for line in text.splitlines() if line.strip() and line[0] != "$"]


def refuse_one_question(server):
    """Answers one DNS query with SERVFAIL (RFC 1035, 4.1.1)."""
    question, client = server.recvfrom(4096)
    server.sendto(question[:2] + b"\x81\x82" + question[4:], client)


class Examples(unittest.TestCase):
    def test_each_url_ends_where_the_example_says(self):
        for zone, url, status, location in REDIRECTS:
            for name in (zone, "demo"):
                with self.subTest(zone=name, url=url):
                    code, out, err = run("explain", "--json", "--zone", str(ZONES / f"{name}.zone"), url)
                    decision = json.loads(out)["decision"]
                    self.assertEqual((decision["status"], decision["location"]), (status, location), err)
                    self.assertEqual(code, 0 if status < 400 else 1)

    def test_the_demo_zone_holds_every_example(self):
        demo = records(ZONES / "demo.zone")
        parts = [record for name in EXAMPLES for record in records(ZONES / f"{name}.zone")]
        self.assertEqual([record for record in demo if record in parts], parts)
        self.assertEqual([record.split()[0] for record in demo if record not in parts], ["@", "@", "ns"])

    def test_the_examples_are_free_of_findings(self):
        for name in EXAMPLES + ["demo"]:
            code, out, _ = run("lint", "--zone", str(ZONES / f"{name}.zone"))
            self.assertEqual(code, 0)
            self.assertIn("0 errors, 0 warnings, 0 notes", out)


def readme_examples(text):
    """Each `$ signpost …` line in a fenced block of the README, with the lines that follow it there."""
    examples = []
    for block in re.findall(r"^```[^\n]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.splitlines()
            if command.startswith("signpost "):
                examples.append((command, [line.rstrip() for line in lines if line.strip() not in ("", "...")]))
    return examples


class Readme(unittest.TestCase):
    def test_each_example_prints_what_the_readme_says(self):
        top = ZONES.parent.parent
        examples = readme_examples((top / "README.md").read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(examples), 5, "one for each file of examples/zones")
        for command, expected in examples:
            with self.subTest(command=command):
                done = subprocess.run([SIGNPOST, *shlex.split(command)[1:]], cwd=top, capture_output=True, text=True,
                                      timeout=60, check=False)
                printed = iter(done.stdout.splitlines())
                for line in expected:  # in this order; others may stand between them
                    self.assertIn(line, printed, done.stdout + done.stderr)
                self.assertTrue(expected)


class Explain(unittest.TestCase):
    def explain(self, zone, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".zone") as file:
            file.write("$ORIGIN example.com.\n$TTL 300\n@ SOA ns hostmaster 1 2 3 4 60\n" + zone + "\n")
            file.flush()
            return run("explain", "--zone", file.name, *arguments)

    def test_tells_each_name_in_order(self):
        code, out, _ = self.explain('_redirect._.www TXT "v=txtv0;to=https://a.example/"', "http://www.example.com/")
        self.assertEqual(code, 0)
        first = out.index("1. _redirect.www.example.com\n   NXDOMAIN, TTL 60, from a zone file\n")
        second = out.index("2. _redirect._.www.example.com\n   TXT, TTL 300, from a zone file\n")
        self.assertLess(first, second)
        self.assertIn('   TXT "v=txtv0;to=https://a.example/"\n      v        txtv0\n'
                      "      to       https://a.example/\n", out)
        self.assertIn("\n302 -> https://a.example/\n   redirect, decided by _redirect._.www.example.com: ", out)
        self.assertNotIn("   Location: ", out)

    def test_tells_fields_and_the_page_of_a_go_import(self):
        _, out, _ = self.explain('_redirect.www TXT "v=txtv0;type=gometa;to=https://a.example/r;>X-A=b%20c"',
                                 "http://www.example.com/?go-get=1")
        self.assertIn("\n200\n   page, decided by _redirect.www.example.com", out)
        self.assertIn("\n   X-A: b c\n", out)
        self.assertIn('<meta name="go-import" content="www.example.com git https://a.example/r">', out)

    def test_puts_a_caret_below_the_fault(self):
        code, out, _ = self.explain('_redirect.www TXT "v=txtv0;code=999;to=/\\\\x"', "http://www.example.com/")
        lines = out.splitlines()
        at = next(number for number, line in enumerate(lines) if line.startswith('   TXT "'))
        self.assertEqual(code, 1)
        self.assertEqual(lines[at + 1].index("^"), lines[at].index("999"))
        self.assertIn("   faulty at octet 13: ", lines[at + 2])
        self.assertIn("'999'", lines[at + 2])

    def test_shows_an_excerpt_where_the_fault_is_far_to_the_right(self):
        zone = '_redirect.www TXT "v=txtv0;to=https://a.example/' + "x" * 150 + ';code=999;ref=true"'
        _, out, _ = self.explain(zone, "http://www.example.com/")
        lines = out.splitlines()
        at = next(number for number, line in enumerate(lines) if line.strip() == "^")
        self.assertLess(len(lines[at]), 100)
        self.assertEqual(lines[at].index("^"), lines[at - 1].index("999"))

    def test_escapes_what_a_terminal_would_act_on(self):
        zone = '_redirect.www TXT "v=txtv0;to=https://a.example/;\\027[31m=\\"\\255"'
        _, out, _ = self.explain(zone, "http://www.example.com/")
        self.assertNotIn("\033", out)
        self.assertIn('\\027[31m=\\"\\255"', out)

    def test_gives_programs_the_whole_story(self):
        zone = 'www TXT "spf"\n_redirect.www CNAME _redirect.a\n_redirect.a TXT "v=txtv0;to=https://b.example/;>X-A=b"'
        code, out, _ = self.explain(zone, "--json", "http://www.example.com/x?y")
        story = json.loads(out)
        self.assertEqual(code, 0)
        self.assertEqual(story["request"], {"method": "GET", "scheme": "http", "host": "www.example.com",
                                            "port": None, "path": "/x", "query": "y"})
        self.assertEqual(story["lookup_count"], 1)
        self.assertEqual(len(story["lookups"]), 1)
        lookup = story["lookups"][0]
        self.assertEqual((lookup["name"], lookup["result"], lookup["kind"], lookup["ttl"], lookup["cname"],
                          lookup["source"], lookup["fault"]),
                         ("_redirect.www.example.com", "record", "TXT", 300, "_redirect.a.example.com", "zone", None))
        self.assertEqual(lookup["texts"], ["v=txtv0;to=https://b.example/;>X-A=b"])
        self.assertEqual(lookup["record"], {"type": "host", "code": 302, "fields": {
            "v": "txtv0", "to": "https://b.example/", ">X-A": "b"}})
        self.assertEqual((story["decision"]["status"], story["decision"]["location"], story["decision"]["outcome"],
                          story["decision"]["record"]),
                         (302, "https://b.example/", "redirect", "_redirect.www.example.com"))
        self.assertEqual(story["decision"]["headers"]["X-A"], "b")

    def test_gives_the_place_of_a_fault_to_programs(self):
        _, out, _ = self.explain('_redirect.www TXT "v=txtv0;code=999"', "--json", "www.example.com")
        lookup = json.loads(out)["lookups"][0]
        self.assertEqual((lookup["result"], lookup["record"], lookup["fault"]["offset"]), ("fault", None, 13))

    def test_sends_what_the_options_say(self):
        zone = '_redirect.www TXT "v=txtv0;to=https://a.example/{method}/{>X-Team}"'
        _, out, _ = self.explain(zone, "--json", "-X", "PUT", "-H", "X-Team: red", "-HHost: www.example.com",
                                 "http://other.example.com/")
        self.assertEqual(json.loads(out)["decision"]["location"], "https://a.example/PUT/red")

    def test_believes_forwarding_headers_only_from_a_trusted_proxy(self):
        zone = '_redirect.www TXT "v=txtv0;to={scheme}://a.example/"'
        arguments = ("--json", "-H", "X-Forwarded-Proto: https", "http://www.example.com/")
        _, out, _ = self.explain(zone, *arguments)
        self.assertEqual(json.loads(out)["decision"]["location"], "http://a.example/")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as config:
            config.write('{"trusted_proxies": ["127.0.0.0/8"]}')
            config.flush()
            _, out, _ = self.explain(zone, "--config", config.name, *arguments)
        self.assertEqual(json.loads(out)["decision"]["location"], "https://a.example/")

    def on_terminal(self, **environment):
        """What `explain` writes to a terminal."""
        master, terminal = pty.openpty()
        try:
            clean = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
            subprocess.run([SIGNPOST, "explain", "--zone", str(ZONES / "host.zone"), "http://www.example.com/"],
                           stdin=subprocess.DEVNULL, stdout=terminal, timeout=60, check=True,
                           env={**clean, "TERM": "xterm", **environment})
            return os.read(master, 65536)
        finally:
            os.close(master)
            os.close(terminal)

    def test_uses_colour_on_a_terminal_only(self):
        self.assertIn(b"\033[32m301\033[0m", self.on_terminal())
        self.assertNotIn(b"\033", self.on_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\033", self.on_terminal(TERM="dumb"))
        self.assertNotIn("\033", run("explain", "--zone", str(ZONES / "host.zone"), "http://www.example.com/")[1])

    def test_asks_a_resolver_for_what_no_zone_has(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            server.settimeout(30)
            thread = threading.Thread(target=refuse_one_question, args=(server,))
            thread.start()
            code, out, _ = run("explain", "--json", "--resolver", f"127.0.0.1:{server.getsockname()[1]}",
                               "--zone", str(ZONES / "host.zone"), "http://www.example.net/")
            thread.join()
        story = json.loads(out)
        self.assertEqual((code, story["decision"]["status"]), (1, 503))
        self.assertEqual([(lookup["name"], lookup["result"], lookup["kind"], lookup["source"])
                          for lookup in story["lookups"]],
                         [("_redirect.www.example.net", "failure", "SERVFAIL", "resolver")])

    def test_answers_400_with_a_reason(self):
        code, out, _ = self.explain("", "--json", "http://a..example.com/")
        story = json.loads(out)
        self.assertEqual((code, story["decision"]["status"], story["lookups"]), (1, 400, []))
        self.assertNotEqual(story["decision"]["reason"], "")

    def test_refuses_bad_configuration_and_zones(self):
        code, out, err = self.explain("www A 1.2.3", "http://www.example.com/")
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(err, r"\.zone:4:\d+: ")
        code, out, err = run("explain", "--config", "/nonexistent.json", "http://www.example.com/")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("/nonexistent.json", err)


class Lint(unittest.TestCase):
    def test_reports_in_lines(self):
        zone = '$ORIGIN example.com.\n_redirect.a TXT "v=txtv0;to=b.example"\n'
        code, out, _ = run("lint", "-", stdin=zone)
        self.assertEqual(code, 1)
        self.assertRegex(out, r"^-:2:29: error: [^\n]* \[missing-scheme\]\n    [^\n]+\n-: 1 error, 0 warnings, 0 notes\n$")

    def test_reports_to_programs(self):
        code, out, _ = run("lint", "--json", "--record", "v=txtv0;to=https://a.example/;code=999")
        report = json.loads(out)
        self.assertEqual(code, 1)
        self.assertEqual((report["errors"], report["warnings"], report["notes"]), (1, 0, 0))
        finding = report["findings"][0]
        self.assertEqual((finding["file"], finding["line"], finding["column"], finding["severity"], finding["code"],
                          finding["name"]), ("record", 1, 36, "error", "bad-code", ""))
        self.assertTrue(finding["message"] and finding["advice"])

    def test_finds_every_mistake_of_its_example(self):
        code, out, _ = run("lint", "--json", "--zone", str(ZONES / "mistakes.zone"))
        self.assertEqual(code, 1)
        self.assertEqual([finding["code"] for finding in json.loads(out)["findings"]],
                         ["missing-prefix", "doubled-zone", "missing-scheme", "bad-code", "bad-type",
                          "missing-separator", "two-records", "unknown-key", "unknown-placeholder", "self-target",
                          "target-ring", "use-loop", "use-loop", "use-missing", "open-redirect", "wildcard-cname",
                          "star-label"])

    def test_names_an_unreadable_file(self):
        code, _, err = run("lint", "--zone", "/nonexistent.zone")
        self.assertEqual(code, 1)
        self.assertIn("/nonexistent.zone: No such file", err)

    def test_wants_one_thing_to_look_over(self):
        for arguments in ([], ["-", "--record", "x"], ["file.zone"]):
            self.assertEqual(run("lint", *arguments)[0], 2, arguments)


class Lab(unittest.TestCase):
    def test_finds_its_experiments_in_the_source_tree_that_is_worked_in(self):
        with tempfile.TemporaryDirectory() as folder:
            elsewhere = shutil.copy(SIGNPOST, folder)
            code, out, err = run("lab", "list", "E1", program=elsewhere, cwd=ZONES.parent.parent)
            self.assertEqual(code, 0, err)
            self.assertIn("E1  ", out)

    def test_makes_the_folder_of_its_charts(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            result, charts = folder / "result.json", folder / "some" / "charts"
            result.write_text('{"kind": "signpost-lab", "format": 1, "experiments": []}')
            code, out, err = run("lab", "report", name, "-o", str(folder / "page.html"), "--charts", str(charts))
            self.assertEqual((code, out, err), (0, "", ""))
            self.assertTrue(charts.is_dir())
            code, _, err = run("lab", "report", name, "-o", str(folder / "page.html"), "--charts", str(result / "x"))
            self.assertEqual((code, err), (1, f"signpost lab: {result}/x: Not a directory\n"))

    def test_a_file_that_can_not_be_read_is_no_bad_usage(self):
        for action in ("report", "list"):
            code, _, err = run("lab", action, "/nonexistent.json", cwd=ZONES.parent.parent)
            self.assertEqual(code, 1)
            self.assertIn("/nonexistent.json", err)


class Usage(unittest.TestCase):
    def test_prints_an_overview(self):
        code, out, err = run()
        self.assertEqual((code, err), (0, ""))
        for command in ("serve", "explain", "lint", "load", "lab", "version", "help"):
            self.assertRegex(out, rf"(?m)^  {command} ")
        self.assertEqual(run("help"), (0, out, ""))
        self.assertEqual(run("--help"), (0, out, ""))

    def test_prints_help_for_every_command(self):
        for command in ("serve", "explain", "lint", "load", "lab", "version"):
            code, out, err = run(command, "--help")
            self.assertEqual((code, err), (0, ""))
            for part in (f"Usage: signpost {command} ", "Options:", "Examples:", "Exit status:"):
                self.assertIn(part, out)
            self.assertEqual(run("help", command)[1], out)

    def test_refuses_what_it_does_not_know(self):
        for arguments, message in ((["expalin"], "did you mean 'explain'?"),
                                   (["serve", "--lisen", "x"], "did you mean --listen?"),
                                   (["serve", "extra"], "unexpected argument 'extra'"),
                                   (["explain"], "give a URL"), (["explain", "a", "b"], "give one URL only"),
                                   (["explain", "ftp://a/"], "http:// or https://"),
                                   (["lab", "run", "E1", "-o", "x"], "-o is an option of 'lab report', not of 'lab run'"),
                                   (["lab", "list", "--quick"], "--quick is an option of 'lab run', not of 'lab list'"),
                                   (["lab", "report", "x", "--repeat", "4"], "not of 'lab report'"),
                                   (["lab", "run", "--lab", "/nonexistent"], "say which experiments to run"),
                                   (["lab", "run", "E/1", "--lab", "/nonexistent"], "'E/1' is no experiment"),
                                   (["lab", "run", "E1", "--repeat", "0", "--lab", "/nonexistent"],
                                    "--repeat must be"),
                                   (["lab", "list", "E/1", "--lab", "/nonexistent"], "'E/1' is no experiment"),
                                   (["cert", "forget", "--json", "a.example"],
                                    "--json is an option of 'cert list', not of 'cert forget'"),
                                   (["lab-relay"], "--port must be 1 to 65535"),
                                   (["lab-relay", "--port", "65536"], "--port must be 1 to 65535"),
                                   (["lab-delay", "--queue", "x"], "--queue must be 0 to 65535"),
                                   (["lab-delay", "--jitter-us", "1"], "--jitter-us at most that")):
            with self.subTest(arguments=arguments):
                code, out, err = run(*arguments)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(message, err)
                self.assertEqual(err.count("\n"), 1)

    def test_prints_the_version(self):
        code, out, _ = run("version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^signpost \d+\.\d+\.\d+\n")
        described = json.loads(run("version", "--json")[1])
        self.assertEqual(out.split()[1], described["version"])
        self.assertLessEqual({"h2o", "c-ares", "openssl", "jansson", "idn2"}, set(described["libraries"]))

    def test_checks_a_configuration(self):
        code, out, err = run("serve", "--check", "--zone", str(ZONES / "demo.zone"))
        self.assertEqual((code, out), (0, "configuration is good\n"), err)
        code, out, _ = run("serve", "--check", "--listen", "nonsense")
        self.assertEqual((code, out), (2, ""))

    def test_fails_when_its_output_can_not_be_written(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([SIGNPOST, "version"], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)


if __name__ == "__main__":
    SIGNPOST, ZONES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
    unittest.main(argv=sys.argv[:1], verbosity=2)
