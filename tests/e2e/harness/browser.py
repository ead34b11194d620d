# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven over WebDriver (https://www.w3.org/TR/webdriver2/) with nothing
but urllib."""

import json
import re
import shutil
import tempfile
import urllib.error
import urllib.request

from .process import Process, ProcessError, wait_until

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
NO_SCRIPTS = {"profile.managed_default_content_settings.javascript": 2}


def missing_programs():
    return [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]


class Browser(Process):
    """A browser with a profile of its own. `scripts`: pages may run JavaScript."""

    def __init__(self, scripts=True):
        super().__init__(["chromedriver", "--port=0"], statuses=(0, -15), name="chromedriver")
        self._profile = tempfile.TemporaryDirectory(prefix="signpost-browser-")
        self._scripts, self._base, self._session = scripts, "", ""
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def __enter__(self):
        super().__enter__()
        line = self.wait_line(lambda text: "started successfully on port" in text)
        if line is None:
            self.kill()
            raise ProcessError(f"chromedriver did not start\n{self.err_text}")
        port = re.search(r"on port ([0-9]+)", line).group(1)
        self._base = f"http://127.0.0.1:{port}/session"
        try:
            self._session = self._call("POST", "", self._capabilities())["sessionId"]
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, kind, *details):
        try:
            if kind is None:
                self._call("DELETE", f"/{self._session}")
        finally:
            # Also ends what the browser may have left behind: it has the driver's process group.
            self.kill()
            self._profile.cleanup()

    def _capabilities(self):
        options = {"args": [*ARGUMENTS, f"--user-data-dir={self._profile.name}"]}
        if not self._scripts:
            options["prefs"] = NO_SCRIPTS
        return {
            "capabilities": {
                "alwaysMatch": {
                    "browserName": "chrome",
                    "goog:chromeOptions": options,
                    "goog:loggingPrefs": {"browser": "ALL"},
                }
            }
        }

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with self._open(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise ProcessError(f"{method} {path}: {error.read().decode()}") from None

    def _do(self, path, body=None):
        return self._call("POST", f"/{self._session}{path}", body or {})

    def _get(self, path):
        return self._call("GET", f"/{self._session}{path}")

    def go(self, url):
        self._do("/url", {"url": url})

    @property
    def url(self):
        return self._get("/url")

    @property
    def source(self):
        return self._get("/source")

    def find(self, selector):
        """All elements that the CSS selector fits."""
        found = self._do("/elements", {"using": "css selector", "value": selector})
        return [element[ELEMENT] for element in found]

    def one(self, selector):
        found = self.find(selector)
        if len(found) != 1:
            raise ProcessError(f"{len(found)} elements fit {selector!r}, not one\n{self.source}")
        return found[0]

    def text(self, selector):
        return self._get(f"/element/{self.one(selector)}/text")

    def texts(self, selector):
        return [self._get(f"/element/{element}/text") for element in self.find(selector)]

    def css(self, selector, name):
        return self._get(f"/element/{self.one(selector)}/css/{name}")

    def property(self, selector, name):
        return self._get(f"/element/{self.one(selector)}/property/{name}")

    def type(self, selector, text):
        element = self.one(selector)
        self._do(f"/element/{element}/clear")
        self._do(f"/element/{element}/value", {"text": text})

    def click(self, selector):
        self._do(f"/element/{self.one(selector)}/click")

    def submit(self, selector):
        """Clicks what leads to another page, and waits for that page."""
        old = self.one("html")
        self.click(selector)
        if not wait_until(lambda: self._is_gone(old)):
            raise ProcessError(f"a click on {selector!r} leads nowhere\n{self.source}")

    def _is_gone(self, element):
        try:
            self._get(f"/element/{element}/name")
        except ProcessError as error:
            # The second is what the driver says while the next page takes the place of the old one.
            if "stale element reference" in str(error) or "does not belong to the document" in str(error):
                return True
            raise
        return False

    def run(self, script):
        return self._do("/execute/sync", {"script": script, "args": []})

    def console(self):
        """What pages have complained of since the last call."""
        return [entry["message"] for entry in self._do("/se/log", {"type": "browser"})]

    def emulate(self, command, parameters):
        self._do("/goog/cdp/execute", {"cmd": f"Emulation.{command}", "params": parameters})

    def set_scheme(self, scheme):
        """"light" or "dark"."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.emulate("setEmulatedMedia", {"features": [feature]})

    def set_width(self, width, height=800):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.emulate("setDeviceMetricsOverride", size)
