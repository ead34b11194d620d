# SPDX-License-Identifier: Apache-2.0
"""A signpost with an admin listener, and how it is asked."""

import json
from urllib.parse import urlencode

from . import http1
from .base import ServerTest
from .ports import free_port
from .process import run


def promtool(text):
    """What `promtool check metrics` says against them: nothing, when they are good."""
    done = run(["promtool", "check", "metrics"], timeout=60, stdin=text)
    return f"{done.stdout}{done.stderr}" + (f"exit status {done.returncode}" if done.returncode else "")


class AdminTest(ServerTest):
    """As ServerTest, with `SETTINGS` in the place of `CONFIG`."""

    SETTINGS = {}

    @classmethod
    def setUpClass(cls):
        cls.admin_port = free_port()
        cls.CONFIG = {**cls.SETTINGS, "admin": {"address": f"127.0.0.1:{cls.admin_port}"}}
        super().setUpClass()

    @property
    def admin(self):
        return ("127.0.0.1", self.admin_port)

    def ask(self, path, query=None, method="GET", headers=()):
        """An endpoint's answer; `query` is an object."""
        target = f"{path}?{urlencode(query)}" if query else path
        return http1.fetch(self.admin, "admin.example", target, method=method, headers=headers)

    def ask_json(self, path, query=None, status=200):
        response = self.ask(path, query)
        self.assertEqual(response.status, status, response.text)
        self.assertEqual(response.header("content-type"), "application/json")
        return json.loads(response.text)

    def explain(self, url, **more):
        return self.ask_json("/explain", {"url": url, **more})

    def forget(self, **query):
        return self.ask("/cache", query, method="DELETE")

    def metric(self, line):
        """The value of a metric, named with its labels; None where there is none."""
        for text in self.ask("/metrics").text.splitlines():
            name, _, value = text.rpartition(" ")
            if name == line:
                return float(value)
        return None
