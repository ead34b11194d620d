# SPDX-License-Identifier: Apache-2.0
"""The container image: what it is made of, that it can be built again, and that copies of it, run as the
chart runs them, are replaced one after the other behind an ingress controller without a failed request.

Usage: image_test.py SOURCE PACKAGES BASE SIGNPOST, as root; PACKAGES is a folder of Debian packages, BASE
the tar file of a Debian root, SIGNPOST a program whose `load` sends the requests.
SIGNPOST_ROLLOUT=chart takes the chart's own times; else they are shorter, with the same proportions.
"""

import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "e2e"))

from bundle import Container, chart_values, specification  # noqa: E402
from harness.ports import free_port  # noqa: E402
from harness.process import wait_until  # noqa: E402
from ingress import Ingress  # noqa: E402

SOURCE = PACKAGES = BASE = Path()
SIGNPOST = ""
SIZE_MAX = 40_000_000  # octets beyond the base, unpacked
RATE, COPIES = 2000, 2
SHORTER = 5  # times shorter than in the chart
PREFIX = f"signpost-test-{os.getpid()}"
NUMBERS = itertools.count(1)


def run(*argv, **options):
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=600, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{argv} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Images:
    """A place for buildah's images that goes when the test ends."""

    def __init__(self, folder):
        self.folder, self.containers = folder, []

    def buildah(self, *arguments):
        return run("buildah", "--root", self.folder / "root", "--runroot", self.folder / "run", "--storage-driver", "vfs", *arguments)

    def build(self, tag):
        sbom = self.folder / f"{tag}.spdx.json"
        name = f"localhost/signpost:{tag}"
        run(SOURCE / "scripts/image.sh", "--base", BASE, "--packages", PACKAGES, "--storage", self.folder, "--tag", name,
            "--sbom", sbom, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        return json.loads(self.buildah("inspect", "--type", "image", name)), sbom.read_text(encoding="utf-8")

    def mount(self, tag):
        self.containers.append(self.buildah("from", "--pull-never", f"localhost/signpost:{tag}").strip())
        return Path(self.buildah("mount", self.containers[-1]).strip())

    def clean(self):
        for container in self.containers:
            self.buildah("umount", container)
            self.buildah("rm", container)


class WithImage(unittest.TestCase):
    """The image is built once for all."""

    built = None

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="signpost-image-")))
        cls.folder.chmod(0o755)
        cls.images, (cls.image, cls.sbom) = WithImage.built
        cls.values = chart_values(SOURCE)


def setUpModule():
    folder = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="signpost-images-")))
    folder.chmod(0o755)  # the root file system is below, and belongs to others
    images = Images(folder)
    unittest.addModuleCleanup(images.clean)
    WithImage.built = images, images.build("one")


class ImageTest(WithImage):
    def test_can_be_built_again(self):
        again, sbom = self.images.build("two")
        self.assertEqual(again["OCIv1"]["rootfs"]["diff_ids"], self.image["OCIv1"]["rootfs"]["diff_ids"])
        self.assertEqual(again["OCIv1"]["config"], self.image["OCIv1"]["config"])
        self.assertEqual(sbom, self.sbom)

    def test_is_small(self):
        folder = self.folder / "layers"
        self.images.buildah("push", "--quiet", "localhost/signpost:one", f"dir:{folder}")
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(len(manifest["layers"]), 2)
        digest = manifest["layers"][1]["digest"].split(":")[1]
        size = int(run("sh", "-c", f"gzip -dcf '{folder / digest}' | wc -c"))
        print(f"beyond the base layer: {size / 1e6:.1f} MB", flush=True)
        self.assertLess(size, SIZE_MAX)

    def test_says_what_it_is(self):
        config = self.image["OCIv1"]["config"]
        self.assertEqual(config["User"], "65532:65532")
        self.assertEqual(config["Entrypoint"], ["/usr/bin/signpost"])
        self.assertEqual(config["Cmd"], ["serve", "--config", "/etc/signpost/signpost.json"])
        self.assertEqual(self.image["Docker"]["config"]["Healthcheck"]["Test"], ["CMD", "/usr/bin/signpost", "health"])
        labels = config["Labels"]
        for name in ("title", "description", "licenses", "version", "revision", "base.name"):
            self.assertTrue(labels[f"org.opencontainers.image.{name}"], name)
        self.assertIn(f"VERSION {labels['org.opencontainers.image.version']}\n", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))

    def test_its_bill_of_materials_is_what_dpkg_has(self):
        bill = json.loads(self.sbom)
        root = self.images.mount("one")
        listed = run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f=${Package} ${Version}\\n").splitlines()
        self.assertEqual(sorted(f"{one['name']} {one['versionInfo']}" for one in bill["packages"]), sorted(listed))
        self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
        self.assertEqual(bill["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        identifiers = [one["SPDXID"] for one in bill["packages"]]
        self.assertEqual(len(set(identifiers)), len(identifiers))
        self.assertTrue({"signpost", "libh2o-evloop0.13", "libssl3"} <= {one["name"] for one in bill["packages"]})


class RolloutTest(WithImage):
    """Endpoint lists reach the ingress controller after half of the time that the chart allows for it."""

    def setUp(self):
        self.root = self.images.mount("one")
        shorter = 1 if os.environ.get("SIGNPOST_ROLLOUT") == "chart" else SHORTER
        rollout = self.values["rollout"]
        self.propagation, self.min_ready = rollout["propagationSeconds"] / shorter, rollout["minReadySeconds"] / shorter
        self.drain = max(rollout["drainSeconds"] // shorter, 2)
        self.grace = self.propagation + self.drain + 10
        self.period = self.values["probes"]["readiness"]["periodSeconds"] / shorter

    def start(self, stack):
        """A copy with the configuration that the chart makes, save for addresses."""
        name = f"{PREFIX}-{next(NUMBERS)}"
        port, admin = free_port(), free_port()
        config = self.folder / f"{name}.json"
        config.write_text(json.dumps({
            "listen": [{"address": f"127.0.0.1:{port}"}],
            "admin": {"address": f"127.0.0.1:{admin}"},
            "dns": {"resolvers": [], "zones": ["/etc/signpost/zones/demo.zone"]},
            "drain": {"delay_s": 0, "timeout_s": self.drain},
            "trusted_proxies": ["127.0.0.0/8"],
            "log": {"format": "json"},
        }), encoding="utf-8")
        files = {"/etc/signpost/signpost.json": config, "/etc/signpost/zones": SOURCE / "examples/zones"}
        arguments = ["serve", "--config", "/etc/signpost/signpost.json"]
        spec = specification(self.root, self.image["OCIv1"]["config"], self.values, arguments, files, name)
        copy = stack.enter_context(Container(self.folder, name, spec, admin))
        copy.port = port
        self.assertTrue(wait_until(lambda: copy.probe("/readyz") == 200, 60, self.period), copy.err.read_text(encoding="utf-8"))
        return copy

    def pause(self, seconds):
        """Time that has to pass in a rollout; there is no event in it."""
        threading.Event().wait(seconds)

    def test_runs_as_restricted_as_the_chart_says(self):
        with contextlib.ExitStack() as stack:
            copy = self.start(stack)
            process = copy.status_of_process()
            self.assertEqual(process["Uid"].split(), ["65532"] * 4)
            self.assertEqual(process["Gid"].split(), ["65532"] * 4)
            for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
                self.assertEqual(int(process[capabilities], 16), 0, capabilities)
            self.assertEqual((process["NoNewPrivs"], process["Seccomp"]), ("1", "2"))
            self.assertIn("ro", process["RootOptions"].split(","))
            health = ("exec", copy.name, "/usr/bin/signpost", "health", "--admin", f"127.0.0.1:{copy.admin}")
            self.assertEqual(copy.runc(*health).returncode, 0)
            self.assertNotEqual(copy.runc("exec", copy.name, "/bin/sh", "-c", "true").returncode, 0)
            self.assertEqual(copy.terminate(self.grace), 0, copy.err.read_text(encoding="utf-8"))

    def replace(self, stack, ingress, old):
        """What a Deployment does with maxSurge 1 and maxUnavailable 0."""
        new = self.start(stack)
        self.pause(self.propagation / 2)
        ingress.send_to([*ingress.endpoints, new.port])
        self.pause(max(self.min_ready - self.propagation / 2, 0))
        # From here on the old copy is ending: it leaves the endpoints, and the kubelet waits with SIGTERM.
        self.pause(self.propagation / 2)
        ingress.send_to([port for port in ingress.endpoints if port != old.port])
        self.pause(self.propagation / 2)
        self.assertEqual(old.terminate(self.grace), 0, old.err.read_text(encoding="utf-8"))
        return new

    def test_no_request_fails_while_both_copies_are_replaced(self):
        seconds = int(COPIES * (2 * self.propagation + self.min_ready + 5) + 5)
        with contextlib.ExitStack() as stack:
            copies = [self.start(stack) for _ in range(COPIES)]
            ingress = stack.enter_context(Ingress(self.folder / "nginx", free_port(), [copy.port for copy in copies]))
            zone = SOURCE / "examples/zones/demo.zone"
            load = [SIGNPOST, "load", "--connect", f"127.0.0.1:{ingress.port}", "--zone", str(zone), "--json", "-", "--no-keep-alive"]
            # The load generator's own check that nginx is up.
            self.assertTrue(wait_until(lambda: subprocess.run([*load, "--requests", "20"], capture_output=True, check=False).returncode == 0, 20))
            process = subprocess.Popen([*load, "--rate", str(RATE), "--duration", str(seconds)], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            stack.callback(process.kill)
            begun = time.monotonic()
            for copy in copies:
                self.replace(stack, ingress, copy)
            took = time.monotonic() - begun
            self.assertIsNone(process.poll(), f"the load had ended before the rollout, which took {took:.1f} s")
            out, err = process.communicate(timeout=seconds + 60)
            figures = json.loads(out)
            print(f"{COPIES} copies replaced in {took:.1f} s of {seconds} s at {RATE}/s: {json.dumps(figures['requests'])}", flush=True)
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(figures["requests"]["ok"], figures["requests"]["due"])
            self.assertGreater(figures["requests"]["ok"], RATE * seconds * 0.95)
            self.assertNotIn("[error]", (self.folder / "nginx/error.log").read_text(encoding="utf-8"))
            # Those that are left have seen nothing but what was asked of them.
            self.assertEqual(len(ingress.endpoints), COPIES)


if __name__ == "__main__":
    SOURCE, PACKAGES, BASE = (Path(word).resolve() for word in sys.argv[1:4])
    SIGNPOST = sys.argv[4]
    del sys.argv[1:5]
    unittest.main(verbosity=2)
