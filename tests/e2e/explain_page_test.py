# SPDX-License-Identifier: Apache-2.0
"""The page that explains a URL, in a real browser: with and without scripts, wide and narrow, light
and dark, and with records that would like to be markup."""

import unittest
from urllib.parse import urlencode

from harness.admin import AdminTest
from harness.base import host_row
from harness.browser import Browser, missing_programs

HOST = "a.example.com"
TARGET = "https://a.example.net/"
FAULTY = "v=txtv0;to=https://x.example.net/;code=999"
MARKUP = 'v=txtv0;to=https://x.example.net/?<img src=x onerror=alert(1)><script>"\';x=</pre><b>'
LONG = "v=txtv0;to=https://x.example.net/" + "long" * 120
ROWS = [
    host_row(HOST, TARGET),
    ["_redirect.faulty.example.com", "TXT", FAULTY, 300],
    ["_redirect.markup.example.com", "TXT", MARKUP, 300],
    ["_redirect.long.example.com", "TXT", LONG, 300],
    ["_redirect.go.example.com", "TXT", "v=txtv0;type=path", 300],
    ["_redirect._.issue.go.example.com", "TXT", "v=txtv0;to=https://t.example.net/{2}", 300],
    host_row("method.example.com", "https://x.example.net/{method}/{>X-A}"),
]


class PageTest(AdminTest):
    ROWS = ROWS
    SCRIPTS = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = cls.enterClassContext(Browser(cls.SCRIPTS))

    def address(self, path="/", **query):
        return f"http://127.0.0.1:{self.admin_port}{path}" + (
            f"?{urlencode(query)}" if query else ""
        )

    def show(self, url, **more):
        self.browser.go(self.address("/explain", url=url, **more))


class FormTest(PageTest):
    """Scripts are forbidden in this browser."""

    SCRIPTS = False

    def test_a_url_is_tried(self):
        browser = self.browser
        browser.go(self.address())
        browser.type("#url", f"http://{HOST}/x?y=1&z")
        browser.submit("button")
        self.assertIn("/explain?url=http%3A%2F%2Fa.example.com%2Fx%3Fy%3D1%26z", browser.url)
        self.assertEqual(browser.text(".answer h2"), f"302 Found \u2192 {TARGET}")
        self.assertEqual(browser.property("#url", "value"), f"http://{HOST}/x?y=1&z")
        self.assertEqual(browser.text(".request"), f"GET http://{HOST}/x?y=1&z")

    def test_method_and_headers(self):
        browser = self.browser
        browser.go(self.address("/explain"))
        browser.click("summary")
        browser.type("#url", "http://method.example.com/")
        browser.click("#method option:nth-of-type(4)")
        browser.type("#headers", "X-B: c\nX-A: b")
        browser.submit("button")
        self.assertIn("https://x.example.net/PUT/b", browser.text(".answer h2"))
        self.assertEqual(browser.property("#headers", "value"), "X-B: c\nX-A: b")
        self.assertEqual(browser.property("#method", "value"), "PUT")

    def test_what_is_no_url(self):
        browser = self.browser
        browser.go(self.address("/explain"))
        browser.type("#url", "ftp://example.com/<b>")
        browser.submit("button")
        self.assertIn("must begin with http:// or https://", browser.text("[role=alert]"))
        self.assertEqual(browser.property("#url", "value"), "ftp://example.com/<b>")


class StoryTest(PageTest):
    def test_each_lookup_in_order(self):
        self.show("http://go.example.com/issue/123")
        browser = self.browser
        self.assertEqual(
            browser.texts(".lookup h3 code"),
            [
                "_redirect.go.example.com",
                "_redirect.123.issue.go.example.com",
                "_redirect._.issue.go.example.com",
            ],
        )
        kinds = browser.texts(".lookup .origin .kind")
        self.assertEqual(kinds, ["TXT", "NXDOMAIN", "TXT"])
        self.assertIn("from a resolver in", browser.texts(".lookup .origin")[0])
        self.assertEqual(browser.texts(".lookup.record .fields th"), ["v", "type", "v", "to"])
        self.assertIn("_redirect._.issue.go.example.com", browser.text(".answer"))

    def test_the_faulty_octet_is_marked(self):
        self.show("http://faulty.example.com/")
        browser = self.browser
        self.assertEqual(browser.text("mark"), "9")
        self.assertEqual(browser.text(".lookup.fault .txt"), FAULTY)
        self.assertIn("code must be 301, 302, 303, 307 or 308", browser.text(".fault p.fault"))
        self.assertIn("404", browser.text(".answer.bad h2"))

    def test_a_fault_at_the_end(self):
        record = "v=txtv0;type=host;to="
        self.dns.load([["_redirect.end.example.com", "TXT", record, 300]])
        self.show("http://end.example.com/")
        self.assertEqual(self.browser.text(".lookup.fault mark.end"), "end")

    def test_records_are_no_markup(self):
        self.show("http://markup.example.com/\"><script>alert(1)</script><img/src=x>")
        browser = self.browser
        self.assertEqual(browser.find("img, script, main b"), [])
        self.assertEqual(browser.texts(".txt")[0], MARKUP)

    def test_octets_that_are_no_text(self):
        self.dns.load([["_redirect.octets.example.com", "TXT", "v=txtv0;to=/\x01\t\x7f", 300]])
        self.show("http://octets.example.com/")
        self.assertIn("\\001\\009\\127", self.browser.texts(".txt")[0])

    def test_trouble_with_dns(self):
        self.dns.load(default="servfail")
        self.show("http://b.example.com/")
        browser = self.browser
        self.assertEqual(browser.texts(".lookup.failure .kind"), ["SERVFAIL"])
        self.assertIn("503", browser.text(".answer.bad h2"))


class LookTest(PageTest):
    def test_nothing_is_complained_of(self):
        self.browser.console()
        for url in (HOST, "faulty.example.com", "markup.example.com"):
            self.show(f"http://{url}/")
        self.browser.go(self.address())
        self.assertEqual(self.browser.console(), [])

    def test_the_policy_is_strict_and_met(self):
        page = self.ask("/explain", {"url": HOST}, headers=[("Accept", "text/html")])
        policy = page.header("content-security-policy")
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertNotIn("<script", page.text)
        self.assertNotIn("style=", page.text)
        self.show(HOST)
        self.assertNotEqual(self.browser.css(".answer", "background-color"), "rgba(0, 0, 0, 0)")
        self.browser.run("const s = document.createElement('script'); s.textContent = 'var ran = 1';"
                         "document.body.append(s);")
        self.assertIsNone(self.browser.run("return window.ran;"))
        self.browser.console()

    def luminance(self, selector, name):
        numbers = self.browser.css(selector, name).partition("(")[2].rstrip(")").split(",")[:3]
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (int(n) / 255 for n in numbers)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(self, ink, back):
        high, low = sorted((ink, back), reverse=True)
        return (high + 0.05) / (low + 0.05)

    def test_light_and_dark(self):
        self.show("http://faulty.example.com/")
        backs = {}
        for scheme in ("light", "dark"):
            self.browser.set_scheme(scheme)
            backs[scheme] = self.luminance("body", "background-color")
            for selector, back in (
                ("body", "body"),
                (".request", "body"),
                (".other a", "body"),
                (".answer h2", ".answer"),
                (".answer .reason", ".answer"),
                ("p.fault strong", "body"),
                ("mark", "mark"),
                ("button", "button"),
            ):
                ink = self.luminance(selector, "color")
                behind = self.luminance(back, "background-color")
                self.assertGreaterEqual(self.contrast(ink, behind), 4.5, (scheme, selector))
        self.assertGreater(backs["light"], 0.8)
        self.assertLess(backs["dark"], 0.1)
        self.browser.set_scheme("light")

    def test_every_width_does_without_scrolling_sideways(self):
        for width in (320, 390, 768, 1280):
            self.browser.set_width(width)
            for url in ("go.example.com/issue/123", "long.example.com/" + "x" * 300,
                        "faulty.example.com", "markup.example.com"):
                self.show(f"http://{url}")
                inner, wide = self.browser.run(
                    "return [window.innerWidth, document.documentElement.scrollWidth];"
                )
                self.assertEqual(inner, width)
                self.assertLessEqual(wide, inner, url)


del PageTest  # it has no tests of its own

if __name__ == "__main__":
    if missing_programs():
        raise SystemExit("missing: " + ", ".join(missing_programs()))
    unittest.main()
