#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""configuration_test.py PROGRAM: `serve --check` takes the configuration of every golden rendering of the chart,
with the files that its pod would have mounted. Needs no helm."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent


def mount(objects, config, root):
    """What the configuration names, below `root`; the configuration as it is then."""
    text = config.replace("/etc/signpost", f"{root}/etc").replace("/var/lib/signpost", f"{root}/storage")
    (root / "etc" / "zones").mkdir(parents=True)
    (root / "storage").mkdir(mode=0o700)
    for one in objects:
        if one["kind"] == "ConfigMap" and one["metadata"]["name"].endswith("-zones"):
            for name, zone in one["data"].items():
                (root / "etc" / "zones" / name).write_text(zone)
    default = json.loads(text).get("tls", {}).get("default")
    if default is not None:
        folder = root / "etc" / "tls" / default
        folder.mkdir(parents=True)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                        f"/CN={default}", "-addext", f"subjectAltName=DNS:{default}", "-keyout", str(folder / "tls.key"),
                        "-out", str(folder / "tls.crt")], check=True, capture_output=True)
    return text


def check(program, golden):
    objects = [one for one in yaml.safe_load_all(golden.read_text()) if one]
    config = next(one["data"]["signpost.json"] for one in objects
                  if one["kind"] == "ConfigMap" and not one["metadata"]["name"].endswith("-dashboard") and "signpost.json" in one["data"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "signpost.json"
        path.write_text(mount(objects, config, Path(folder)))
        done = subprocess.run([program, "serve", "--check", "--config", str(path)], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{golden.name}: {done.stderr}"


def main():
    goldens = sorted(HERE.glob("*.golden.yaml"))
    complaints = [words for words in (check(sys.argv[1], golden) for golden in goldens) if words]
    if complaints or not goldens:
        sys.exit("".join(complaints) or "no golden files")


main()
