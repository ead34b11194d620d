# SPDX-License-Identifier: Apache-2.0
"""The report of the laboratory, made of made-up results, in a real browser: wide and narrow, light and
dark, with everything unfolded, and its charts as files of their own."""

import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest
from xml.etree import ElementTree

from harness.browser import Browser, missing_programs

SIGNPOST = os.environ["SIGNPOST_BINARY"]
SAMPLE = os.environ["LAB_SAMPLE_BINARY"]
WIDTHS = (320, 390, 768, 1024, 1280)
SCHEMES = ("light", "dark")

UNFOLD = "document.querySelectorAll('details').forEach(d => d.open = true);"

# Pairs of texts that cover one another, and texts that stick out of their chart.
COLLISIONS = """
const found = [];
for (const svg of document.querySelectorAll('svg')) {
  const frame = svg.getBoundingClientRect();
  if (frame.width === 0) continue;
  const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
  boxes.forEach(([text, a], i) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 ||
        a.bottom > frame.bottom + 1) found.push('outside: ' + text);
    for (const [other, b] of boxes.slice(i + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 3) found.push(svg.querySelector('title').textContent + ': ' + text +
                                             ' | ' + other);
    }
  });
}
return found;
"""

# The contrast between the colour of what `selector` finds first and that of `back`.
CONTRAST = """
const light = (selector, property) => {
  const color = getComputedStyle(document.querySelector(selector))[property];
  const [r, g, b] = color.match(/[0-9.]+/g).map(Number).map(n => n / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const pair = [light('%s', '%s'), light('%s', 'backgroundColor')].sort((a, b) => b - a);
return (pair[0] + 0.05) / (pair[1] + 0.05);
"""

TEXTS = (
    ("body", "color", "body"),
    (".question", "color", "section.experiment"),
    (".published", "color", "section.experiment"),
    (".contents a", "color", "nav"),
    ("summary", "color", "section.experiment"),
    ("figcaption p", "color", "section.experiment"),
    (".id", "color", ".id"),
    (".good p", "color", ".good"),
    (".good .verdict", "color", ".good"),
    (".good .claim", "color", ".good"),
    (".open .verdict", "color", ".open"),
    (".open .claim", "color", ".open"),
    ("td small", "color", "section.experiment"),
    ("pre", "color", "pre"),
    ("svg text", "fill", "section.experiment"),
    ("svg text.dim", "fill", "section.experiment"),
)


def report(*arguments):
    return subprocess.run(
        [SIGNPOST, "lab", "report", *arguments], capture_output=True, text=True, timeout=60
    )


def flat(value, path=""):
    """Path and value of everything in it that is no list or object."""
    inner = (
        value.items() if isinstance(value, dict)
        else enumerate(value) if isinstance(value, list)
        else None
    )
    if inner is None:
        return [(path, value)]
    return [leaf for key, item in inner for leaf in flat(item, f"{path}/{key}")]


class ReportTest(unittest.TestCase):
    SCRIPTS = True

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(
            cls.enterClassContext(tempfile.TemporaryDirectory(prefix="signpost-report-"))
        )
        for name, speed in (("one", "1"), ("two", "1.3")):
            with open(cls.folder / f"{name}.json", "w", encoding="utf-8") as out:
                subprocess.run([SAMPLE, speed], stdout=out, check=True, timeout=60)
        (cls.folder / "charts").mkdir()
        one, two = (str(cls.folder / f"{name}.json") for name in ("one", "two"))
        for arguments in (
            (one, "-o", str(cls.folder / "one.html"), "--charts", str(cls.folder / "charts")),
            (one, two, "-o", str(cls.folder / "both.html")),
        ):
            done = report(*arguments)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
        cls.browser = cls.enterClassContext(Browser(cls.SCRIPTS))

    def show(self, name="one.html", width=1280, scheme="light"):
        self.browser.set_scheme(scheme)
        self.browser.set_width(width)
        self.browser.go((self.folder / name).as_uri())


class PageTest(ReportTest):
    def test_nothing_is_complained_of_and_nothing_fetched(self):
        self.browser.console()
        for name in ("one.html", "both.html"):
            for scheme in SCHEMES:
                self.show(name, scheme=scheme)
                fetched = self.browser.run(
                    "return performance.getEntriesByType('resource').map(e => e.name)"
                    ".filter(n => !n.startsWith('data:'));"
                )
                self.assertEqual(fetched, [])
        self.assertEqual(self.browser.console(), [])

    def test_no_width_scrolls_sideways(self):
        for name in ("one.html", "both.html"):
            for width in WIDTHS:
                self.show(name, width)
                self.browser.run(UNFOLD)
                inner, wide = self.browser.run(
                    "return [window.innerWidth, document.documentElement.scrollWidth];"
                )
                self.assertEqual(inner, width)
                self.assertLessEqual(wide, inner, name)

    def test_labels_of_charts_do_not_cover_one_another(self):
        for name in ("one.html", "both.html"):
            for width in (390, 1280):
                self.show(name, width)
                self.browser.run(UNFOLD)
                self.assertEqual(self.browser.run(COLLISIONS), [], (name, width))

    def test_each_chart_is_drawn_for_the_width(self):
        for width, shown, hidden in ((390, "narrow", "wide"), (1280, "wide", "narrow")):
            self.show(width=width)
            self.browser.run(UNFOLD)
            seen = self.browser.run(
                "return [...document.querySelectorAll('figure')].map(f => "
                "['.%s', '.%s'].map(s => f.querySelector(s).getBoundingClientRect().width > 0));"
                % (shown, hidden)
            )
            self.assertGreater(len(seen), 20)
            self.assertEqual(set(map(tuple, seen)), {(True, False)})

    def test_each_chart_says_what_it_shows(self):
        self.show()
        charts = self.browser.run(
            "return [...document.querySelectorAll('figure')].map(f => ["
            "f.querySelector('svg').getAttribute('role'), f.querySelector('svg > title').textContent,"
            "f.querySelector('svg > desc').textContent, f.querySelectorAll('tbody tr').length]);"
        )
        for role, title, description, rows in charts:
            self.assertEqual(role, "img")
            self.assertTrue(title and description, title)
            self.assertGreaterEqual(rows, 1, title)

    def test_text_can_be_read_in_light_and_dark(self):
        for scheme in SCHEMES:
            self.show(scheme=scheme)
            self.browser.run(UNFOLD)
            for selector, name, back in TEXTS:
                contrast = self.browser.run(CONTRAST % (selector, name, back))
                self.assertGreaterEqual(contrast, 4.5, (scheme, selector))
            for look in range(6):
                contrast = self.browser.run(
                    CONTRAST % (f"path.l.c{look}", "stroke", "section.experiment")
                )
                self.assertGreaterEqual(contrast, 3, (scheme, look))

    def test_the_raw_result_is_in_it(self):
        self.show("both.html")
        for number, name in ((1, "one"), (2, "two")):
            text = self.browser.run(f"return document.getElementById('result-{number}').textContent;")
            written = (self.folder / f"{name}.json").read_text(encoding="utf-8")
            for (place, found), (wanted_place, wanted) in zip(
                flat(json.loads(text)), flat(json.loads(written)), strict=True
            ):
                self.assertEqual(place, wanted_place)
                if isinstance(wanted, float):
                    self.assertTrue(math.isclose(found, wanted, rel_tol=1e-10), place)
                else:
                    self.assertEqual(found, wanted, place)

    def test_experiments_are_reached_from_the_top(self):
        self.show()
        for target in self.browser.run(
            "return [...document.querySelectorAll('nav a')].map(a => a.getAttribute('href'));"
        ):
            self.assertEqual(len(self.browser.find(f"section{target}")), 1)

    def test_a_claim_is_judged_in_words(self):
        self.show()
        first = self.browser.texts(".findings li")[0]
        self.assertIn("kube-dns answered 8,012 requests/s [7,692 \u2026 8,332]", first)
        self.assertIn("Agrees with the publication", first)


class NoScriptTest(ReportTest):
    """The page does without scripts."""

    SCRIPTS = False

    def test_it_shows_without_scripts(self):
        self.show()
        self.assertGreater(len(self.browser.find("svg")), 20)
        self.assertEqual(self.browser.texts("main h2")[0][:2], "E1")


class ChartsTest(ReportTest):
    def test_each_is_a_picture(self):
        self.browser.console()
        charts = sorted((self.folder / "charts").iterdir())
        self.assertGreater(len(charts), 20)
        for chart in charts:
            root = ElementTree.parse(chart).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            for scheme in SCHEMES:
                self.show(f"charts/{chart.name}", scheme=scheme)
                self.assertEqual(self.browser.run(COLLISIONS), [], chart.name)
            self.assertGreaterEqual(
                self.browser.run(
                    CONTRAST.replace("'backgroundColor'", "'fill'") % ("text", "fill", "rect.back")
                ),
                4.5,
            )
        self.assertEqual(self.browser.console(), [])


class FaultTest(unittest.TestCase):
    def test_what_is_no_result_is_said_in_one_line(self):
        with tempfile.TemporaryDirectory(prefix="signpost-report-") as folder:
            path = os.path.join(folder, "r.json")
            for text, message in (
                ('{"kind":\n oops', f"{path}:2:5: not JSON: invalid token near 'oops'"),
                ("{}", f"{path}: not a result of signpost lab"),
            ):
                pathlib.Path(path).write_text(text, encoding="utf-8")
                done = report(path, "-o", os.path.join(folder, "r.html"))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertEqual(os.listdir(folder), ["r.json"])


del ReportTest  # it has no tests of its own

if __name__ == "__main__":
    if missing_programs():
        raise SystemExit("missing: " + ", ".join(missing_programs()))
    unittest.main()
