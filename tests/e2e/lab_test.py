# SPDX-License-Identifier: Apache-2.0
"""`signpost lab` as a whole: a laboratory of one minute whose figures theory knows, and what it says
when it can't. Needs root."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import tempfile
import unittest

from harness import lab
from harness.process import Process, run, wait_until

HERE = pathlib.Path(__file__).parent
SIGNPOST = os.environ["SIGNPOST_BINARY"]
DATA = HERE.parent.parent / "examples" / "lab"
MINUTE = HERE / "lab" / "minute.json"
NOBODY = 65534
OTHER = "another laboratory is running"
LOCKED = pathlib.Path("/run/signpost-lab")


def command(*words):
    return [SIGNPOST, "lab", *words]


def run_alone(argv, timeout=150):
    """Waits for a laboratory of somebody else's to end."""
    while True:
        done = run(argv, timeout=timeout)
        if OTHER not in done.stderr or not wait_until(lambda: not LOCKED.exists(), 300, 1):
            return done


class LabTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def refused(self, *words, status):
        done = run_alone(command(*words))
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr


class MeasuringTest(LabTest):
    def test_one_minute(self):
        out = self.folder / "results" / "first"
        done = run_alone(command("run", MINUTE, "--quick", "--repeat", 2, "--lab", DATA, "--out", out))
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((out / "result.json").read_text())
        experiment = result["experiments"][0]
        with self.subTest("what theory says holds"):
            for verdict in experiment["verdicts"]:
                if verdict["kind"] == "assertion":
                    self.assertTrue(verdict["holds"], verdict)
                else:
                    self.assertTrue(verdict["agrees"], verdict)
            self.assertEqual(len(experiment["verdicts"]), 4)
        with self.subTest("the wires do what they say"):
            for setup in experiment["setups"]:
                self.assertIs(setup["possible"], True)
                seen = setup["impairments"][0]["calibration"]
                self.assertLess(lab_sigmas(seen), 4, seen)
        with self.subTest("runs are interleaved and all there"):
            kept = [run for run in experiment["runs"] if not run["discarded"]]
            self.assertEqual(
                [(run["repetition"], run["setup"]) for run in kept],
                [(1, "direct"), (1, "nodelocal"), (2, "nodelocal"), (2, "direct")],
            )
        with self.subTest("counters add up"):
            for one in kept:
                self.check_run(one)
        with self.subTest("the machine and the servers stand in it"):
            self.assertGreater(result["machine"]["memory_bytes"], 0)
            roles = {role["name"]: role for role in experiment["setups"][0]["roles"]}
            self.assertIn("interface: 10.32.2.11", roles["replica-1"]["files"]["unbound.conf"])
            self.assertIn("NSD", roles["authority"]["version"])
        with self.subTest("there is a page"):
            self.assertIn("A laboratory of one minute", (out / "report.html").read_text())
            self.assertEqual(sorted(path.name for path in out.iterdir()), ["report.html", "result.json"])
        with self.subTest("nothing is left"):
            self.check_nothing_left()

    def check_nothing_left(self):
        """Save for what belongs to another laboratory that is under way."""
        groups = pathlib.Path("/sys/fs/cgroup").glob("*/signpost-lab.*")
        left = [path for path in groups if not os.path.exists(f"/proc/{path.name.split('.')[1]}")]
        seen = lab.outside(os.getpid())
        self.assertEqual((left, seen["mounts"], seen["rules"]), ([], [], []))

    def started(self, out):
        """The laboratory of one minute, under way; when somebody else's has ended."""
        while True:
            words = ("run", MINUTE, "--quick", "--lab", DATA, "--out", out)
            laboratory = Process(command(*words), statuses=(1,))
            laboratory.start()
            if laboratory.wait_line(lambda line: "repetition 1" in line, "err", 60) is not None:
                return laboratory
            laboratory.wait()
            self.assertIn(OTHER, laboratory.err_text)
            self.assertTrue(wait_until(lambda: not LOCKED.exists(), 300, 1))

    def check_run(self, one):
        queries = {(kind["transport"], kind["rcode"]): kind["count"] for kind in one["dns"]["queries"]}
        due = one["load"]["requests"]["due"]
        dropped = sum(one["dropped_by_rules"].values())
        self.assertEqual(one["load"]["requests"]["wrong_location"], 0)
        self.assertGreater(one["memory_bytes"]["app"], 0)
        self.assertGreater(one["cpu"]["own_cores"], 0)
        if one["setup"] == "direct":
            # a lost first try is sent again, a lost second one is a request that failed
            again = one["dns"]["datagrams_sent"] - due
            failed = due - one["load"]["requests"]["ok"]
            self.assertEqual(again + failed, dropped)
            self.assertGreater(queries["udp", "timeout"], 0)
            self.assertGreaterEqual(one["dns"]["queries_per_request"], 1)
        else:
            self.assertEqual(dropped, 0)
            self.assertEqual(queries, {("udp", "noerror"): due})

    def test_a_stop_writes_what_there_is(self):
        out = self.folder / "out"
        laboratory = self.started(out)
        with contextlib.ExitStack() as stack:
            stack.callback(laboratory.kill)
            self.assertIsNotNone(
                laboratory.wait_line(lambda line: "minute nodelocal, repetition 1" in line, "err", 60)
            )
            second = run(command("run", MINUTE, "--lab", DATA, "--out", self.folder / "second"))
            self.assertEqual(second.returncode, 1)
            self.assertIn("another laboratory is running", second.stderr)
            self.assertFalse((self.folder / "second").exists())
            laboratory.signal(signal.SIGINT)
            self.assertEqual(laboratory.wait(30), 1, laboratory.err_text)
        self.assertIn("interrupted", laboratory.err_text)
        result = json.loads((out / "result.json").read_text())
        self.assertIs(result["interrupted"], True)
        runs = result["experiments"][0]["runs"]
        self.assertIn((None, "direct"), [(run["discarded"], run["setup"]) for run in runs])
        self.assertEqual(("interrupted", "nodelocal"), (runs[-1]["discarded"], runs[-1]["setup"]))
        self.assertTrue((out / "report.html").exists())
        with self.subTest("no result is replaced"):
            before = (out / "result.json").read_bytes()
            again = self.refused("run", MINUTE, "--quick", "--lab", DATA, "--out", out, status=1)
            self.assertIn(f"{out} already holds a result.json; name another folder", again)
            self.assertEqual((out / "result.json").read_bytes(), before)
        self.check_nothing_left()


class RefusingTest(LabTest):
    def test_needs_root(self):
        self.folder.chmod(0o755)
        own = shutil.copy(SIGNPOST, self.folder / "signpost")
        experiment = shutil.copy(MINUTE, self.folder / "minute.json")
        become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        done = run([*become, own, "lab", "run", experiment, "--lab", self.library(), "--out", "/nowhere"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("need root: run it with sudo", done.stderr)

    def library(self, **roles):
        """A folder with roles of our own, readable for all."""
        library = self.folder / "library"
        (library / "experiments").mkdir(parents=True, exist_ok=True)
        for name, role in roles.items():
            (library / "roles" / name).mkdir(parents=True, exist_ok=True)
            (library / "roles" / name / "role.json").write_text(json.dumps(role))
        return library

    def test_says_what_is_missing(self):
        absent = {"kind": "dns", "program": "no-such-server", "command": ["no-such-server"]}
        library = self.library(
            nsd=absent | {"title": "Packaged", "package": "some-package"},
            unbound=absent | {"title": "Built", "install": "build it"},
            signpost=absent | {"title": "Odd"},
        )
        done = self.refused("run", MINUTE, "--lab", library, "--out", self.folder / "out", status=1)
        self.assertIn("Packaged is missing ('no-such-server'): apt-get install", done)
        self.assertIn("some-package", done)
        self.assertIn("Built is missing ('no-such-server'): build it", done)
        helped = {"title": "Helped", "kind": "dns", "program": "sh", "needs": ["env", "no-such-helper"],
                  "command": ["sh"]}
        done = self.refused("run", MINUTE, "--lab", self.library(nsd=helped), "--out", self.folder / "out", status=1)
        self.assertIn("Helped is missing ('no-such-helper'): ", done)
        self.assertFalse((self.folder / "out").exists())

    def test_says_what_is_missing_for_all_experiments(self):
        library = shutil.copytree(DATA, self.folder / "library")
        for path in (library / "roles").glob("*/role.json"):
            role = json.loads(path.read_text())
            path.write_text(json.dumps(role | {"program": "no-" + role["program"].strip("{}")}))
        done = self.refused("run", "E1", "E5", "--lab", library, "--out", self.folder / "out", status=1)
        for title in ("CoreDNS", "dnsmasq", "Knot DNS", "PowerDNS", "dnsperf"):
            self.assertIn(f"  {title} is missing ('no-", done)

    def test_a_server_that_ends_is_told_with_its_words(self):
        failing = {"title": "Failing", "kind": "dns", "program": "sh", "ready": {"dns": True},
                   "command": ["sh", "-c", "echo no such luck >&2; exit 7"]}
        library = self.library(nsd=failing, unbound=failing, signpost=failing)
        done = self.refused("run", MINUTE, "--lab", library, "--out", self.folder / "out", "--quick", status=1)
        self.assertIn("authority (Failing) ended with 7; it said: no such luck", done)
        result = json.loads((self.folder / "out" / "result.json").read_text())
        self.assertIn("no such luck", result["experiments"][0]["runs"][0]["discarded"])

    def test_points_at_faults(self):
        path = self.folder / "bad.json"
        path.write_text('{\n  "id": "x",\n  "tittle": "x"\n}')
        self.assertIn("bad.json:3:3: unknown key 'tittle'", self.refused("run", path, "--lab", DATA, status=2))
        self.assertIn("there is no experiment 'E99'", self.refused("run", "E99", "--lab", DATA, status=2))
        self.assertIn("say which experiments", self.refused("run", "--lab", DATA, status=2))
        self.assertIn("'walk' is neither", self.refused("walk", status=2))
        self.assertIn("--repeat must be", self.refused("run", MINUTE, "--repeat", "0", "--lab", DATA, status=2))
        self.assertIn("experiments", self.refused("list", "--lab", self.folder, status=2))

    def test_lists_every_experiment(self):
        done = run(command("list", "--lab", DATA))
        self.assertEqual(done.returncode, 0, done.stderr)
        names = [line.split()[0] for line in done.stdout.splitlines() if line and not line.startswith(" ")]
        self.assertEqual(names, [f"E{number}" for number in range(1, 9)])
        for number in range(1, 9):
            self.assertIn(f"E{number}  ", done.stdout)
        self.assertEqual(done.stdout.count("with --quick"), 8)


def lab_sigmas(calibration):
    expected, packets = calibration["expected"], calibration["packets"]
    return abs(calibration["measured"] - expected) / (expected * (1 - expected) / packets) ** 0.5


if __name__ == "__main__":
    unittest.main(verbosity=2)
