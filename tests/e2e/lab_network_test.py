# SPDX-License-Identifier: Apache-2.0
"""The laboratory's network (needs root): topology, datapaths, impairments, quotas; and that nothing of it
is left, whoever is killed at whatever moment. SIGNPOST_LAB_KILLS: how often each kind is killed (3)."""

import math
import os
import random
import signal
import statistics
import subprocess
import time
import unittest

from harness import lab
from harness.lab import Driver, LabError

KILLS = int(os.environ.get("SIGNPOST_LAB_KILLS", "3"))
CLUSTER_IP = "10.96.0.10"
REPLICAS = ("10.32.2.11", "10.32.2.12")
UPSTREAM = "10.33.0.53"
NODE_LOCAL = "169.254.20.10"
POD = "10.32.1.2"


def sigmas(seen, of, share):
    """How far a count is from what is expected of `of` trials."""
    return abs(seen - of * share) / math.sqrt(of * share * (1 - share))


class NetworkTest(unittest.TestCase):
    def setUp(self):
        self.lab = self.enterContext(Driver())

    def replicas(self):
        for number, address in enumerate(REPLICAS):
            self.lab.echo("cluster", f"replica-{number}", f"{address}:53", f"{address}:853")

    def test_up_and_down(self):
        self.assertLess(int(self.lab.tell("up", "bridge")), 3000)
        self.assertLess(int(self.lab.tell("down")), 3000)
        self.lab.tell("up", "bridge")

    def test_the_cluster_address_spreads_over_both_replicas(self):
        self.lab.tell("up", "bridge")
        self.replicas()
        for place in ("pod", "node"):
            answers = self.lab.ask(place, "udp", CLUSTER_IP, 53, 400)["answers"]
            self.assertEqual(set(answers), {"replica-0", "replica-1"})
            self.assertLess(sigmas(answers["replica-0"], 400, 0.5), 4)
            for port in (53, 853):
                self.assertIn(self.lab.ask(place, "tcp", CLUSTER_IP, port, 1000)["name"], answers)
        self.assertEqual(self.lab.ask("pod", "udp", "10.96.0.11", 53, 20)["answers"].keys(), set(answers))
        with self.assertRaises(LabError):
            self.lab.ask("pod", "udp", CLUSTER_IP, 54, 1)

    def test_replicas_may_be_one_or_three(self):
        for count in (1, 3):
            self.lab.tell("up", "bridge", count)
            addresses = [f"10.32.2.{11 + i}" for i in range(count)]
            for address in addresses:
                self.lab.echo("cluster", f"{count}-{address}", f"{address}:53")
            answers = self.lab.ask("pod", "udp", CLUSTER_IP, 53, 300)["answers"]
            self.assertEqual(set(answers), {f"{count}-{address}" for address in addresses})
            self.assertTrue(all(number >= 50 for number in answers.values()), answers)
            self.lab.tell("end-processes")
            self.lab.tell("down")
        with self.assertRaisesRegex(LabError, "at most 8"):
            self.lab.tell("up", "bridge", 9)

    def test_both_ways_upstream_and_the_node_local_address(self):
        self.lab.tell("up", "bridge")
        self.lab.echo("upstream", "upstream", f"{UPSTREAM}:53")
        self.lab.echo("node", "node-local", f"{NODE_LOCAL}:53")
        peers = {"cluster": "10.33.0.1", "node": "10.34.0.1", "pod": POD}
        for place, peer in peers.items():
            seen = self.lab.ask(place, "tcp", UPSTREAM, 53, 0)
            self.assertEqual((seen["name"], seen["peer"], seen["congestion"]), ("upstream", peer, "cubic"))
        tracked = int(self.lab.tell("counters", "node").split()[2])
        self.assertEqual(self.lab.ask("pod", "udp", NODE_LOCAL, 53, 50)["answers"], {"node-local": 50})
        self.assertLess(int(self.lab.tell("counters", "node").split()[2]) - tracked, 25)

    def test_no_way_out(self):
        self.lab.tell("up", "bridge")
        for place in ("client", "pod", "node", "cluster", "upstream"):
            names = self.lab.run(place, "ip", "-o", "link").splitlines()
            known = {"lo", "eth0", "client", "pod", "cni0", "wire", "wan1", "wan2"}
            seen = {line.split(": ")[1].split("@")[0] for line in names}
            self.assertLessEqual(seen, known | {"sit0", "ip6tnl0", "tunl0", "gre0"})

    def test_each_datapath_carries_the_application(self):
        peers = {"bridge": "198.18.0.2", "routed": "198.18.0.2", "loopback": POD, "vxlan": "10.32.9.2",
                 "macvlan": "198.18.0.2", "relay": "10.32.1.1"}
        for datapath, peer in peers.items():
            with self.subTest(datapath):
                try:
                    self.lab.tell("up", datapath)
                except LabError as error:
                    # What a kernel may lack, and nothing else.
                    self.assertIn(datapath, ("vxlan", "macvlan"))
                    self.assertIn("Unknown device type", str(error))
                    continue
                address = self.lab.tell("address")
                self.lab.echo("pod", f"app-{datapath}", f"{address}:8080")
                self.replicas()
                seen = self.lab.ask("client", "tcp", address, 8080, 300000)
                self.assertEqual((seen["name"], seen["peer"]), (f"app-{datapath}", peer))
                self.assertEqual((seen["back"], seen["ended"]), (300000, True))
                answers = self.lab.ask("pod", "udp", CLUSTER_IP, 53, 50)["answers"]
                self.assertEqual(sum(answers.values()), 50)
                self.lab.tell("end-processes")
                self.lab.tell("down")

    def test_loss_is_as_large_as_asked_for(self):
        self.lab.tell("up", "bridge")
        self.replicas()
        says = self.lab.tell("impair", "loss", "node-cluster", "udp", 2)
        self.assertEqual(says, "2 % of the UDP packets are lost in each direction between node and cluster")
        self.lab.tell("apply")
        asked = 20000
        seen = self.lab.ask("node", "flood", REPLICAS[0], 53, asked)
        self.assertLess(sigmas(asked - seen["answered"], asked, 1 - 0.98**2), 3, seen)
        counts = {line.split()[1]: int(line.split()[2]) for line in self.lab.tell("counts").splitlines()}
        self.assertEqual(set(counts), {"node", "cluster"})
        self.assertEqual(sum(counts.values()), asked - seen["answered"])
        self.assertEqual(self.lab.ask("node", "tcp", REPLICAS[0], 53, 100000)["back"], 100000)
        self.assertEqual(sum(int(line.split()[2]) for line in self.lab.tell("counts").splitlines()),
                         asked - seen["answered"])
        self.lab.tell("clear")
        self.assertEqual(self.lab.ask("node", "flood", REPLICAS[0], 53, 2000)["answered"], 2000)

    def test_the_race_hits_the_second_of_two_questions_to_the_cluster_address(self):
        self.lab.tell("up", "bridge")
        self.replicas()
        self.lab.tell("impair", "race", "", "", 20)
        self.lab.tell("impair", "delay", "node-cluster", "all", 2)  # no answer between the two questions
        self.lab.tell("apply")
        pairs = 1000
        self.assertEqual(self.lab.ask("pod", "pairs", REPLICAS[0], 53, pairs)["answered"], 2 * pairs)
        self.assertEqual(sum(self.lab.ask("pod", "udp", CLUSTER_IP, 53, 200)["answers"].values()), 200)
        lost = 2 * pairs - self.lab.ask("pod", "pairs", CLUSTER_IP, 53, pairs)["answered"]
        self.assertLess(sigmas(lost, pairs, 0.2), 4, lost)
        dropped = [int(line.split()[2]) for line in self.lab.tell("counts").splitlines() if line.startswith("0 ")]
        self.assertEqual(sum(dropped), lost)
        self.lab.tell("clear")
        self.assertEqual(self.lab.ask("pod", "pairs", CLUSTER_IP, 53, 200)["answered"], 400)

    def test_delay_is_as_long_as_asked_for(self):
        self.lab.tell("up", "bridge")
        self.lab.echo("upstream", "upstream", f"{UPSTREAM}:53")
        self.lab.tell("impair", "delay", "cluster-upstream", "all", 5)
        self.lab.tell("apply")
        self.assertIn(self.lab.tell("means").strip(), ("netem", "NFQUEUE to signpost lab-delay"))
        for how in ("udp", "tcp"):
            times = sorted(self.lab.ask("cluster", how, UPSTREAM, 53, 100)["times"])
            self.assertGreaterEqual(times[0], 9.9)
            self.assertLess(times[0], 13)
        self.assertLess(min(self.lab.ask("node", "udp", UPSTREAM, 53, 10)["times"]), 5)
        for line in self.lab.tell("counts").splitlines():
            self.assertEqual(line.split()[3], "0")

    def test_delay_of_one_protocol_with_jitter(self):
        self.lab.tell("up", "bridge")
        self.replicas()
        says = self.lab.tell("impair", "delay", "pod-node", "udp", 4, 3)
        self.assertIn("UDP packets take 4 ms longer in each direction between pod and node, give or take 3 ms", says)
        self.lab.tell("apply")
        self.assertEqual(self.lab.tell("means").strip(), "NFQUEUE to signpost lab-delay")
        times = self.lab.ask("pod", "udp", CLUSTER_IP, 53, 200)["times"]
        self.assertGreaterEqual(min(times), 2)
        self.assertLess(abs(statistics.median(times) - 8.3), 2)
        self.assertGreater(statistics.pstdev(times), 1)
        self.assertLess(min(self.lab.ask("pod", "tcp", CLUSTER_IP, 53, 0)["times"]), 3)
        flood = self.lab.ask("pod", "flood", CLUSTER_IP, 53, 5000)
        self.assertEqual(flood["answered"], 5000)

    def test_loss_and_delay_on_one_wire(self):
        self.lab.tell("up", "bridge")
        self.replicas()
        self.lab.tell("impair", "delay", "node-cluster", "all", 1)
        self.lab.tell("impair", "loss", "node-cluster", "udp", 10)
        self.lab.tell("apply")
        seen = self.lab.ask("node", "flood", REPLICAS[0], 53, 5000)
        self.assertLess(sigmas(5000 - seen["answered"], 5000, 0.19), 4, seen)
        self.assertGreaterEqual(min(self.lab.ask("node", "tcp", REPLICAS[0], 53, 0)["times"]), 1.9)

    def test_a_rate_slows_a_wire_down(self):
        self.lab.tell("up", "bridge")
        self.replicas()
        self.lab.tell("impair", "rate", "node-cluster", "all", 8)
        self.lab.tell("apply")
        self.assertEqual(self.lab.tell("means").strip(), "TBF")
        begin = time.monotonic()
        seen = self.lab.ask("node", "tcp", REPLICAS[0], 53, 1000000)
        self.assertEqual(seen["back"], 1000000)
        self.assertGreater(time.monotonic() - begin, 0.8)

    def test_what_cannot_be_is_refused_and_leaves_no_rule(self):
        self.lab.tell("up", "loopback")
        self.lab.tell("impair", "loss", "node-cluster", "udp", 2)
        self.lab.tell("impair", "loss", "client-node", "udp", 2)
        with self.assertRaisesRegex(LabError, "no wire between client and node"):
            self.lab.tell("apply")
        self.assertNotIn("SIGNPOST-LAB", self.lab.run("node", "iptables-save"))
        self.lab.tell("clear")
        self.lab.tell("impair", "loss", "node-cluster", "udp", 101)
        with self.assertRaisesRegex(LabError, "0.001 to 100 percent"):
            self.lab.tell("apply")

    def test_a_quota_holds_up(self):
        self.lab.tell("up", "bridge")
        if "version" not in self.lab.group:
            with self.assertRaisesRegex(LabError, "no control group that limits"):
                self.lab.tell("spawn", "pod", 0.2, "/bin/true")
            return
        before = [int(number) for number in self.lab.tell("cpu").split()]
        self.lab.tell("spawn", "pod", 0.2, "/bin/sh", "-c", "while :; do :; done")
        begin = time.monotonic()
        self.assertTrue(lab.wait_for(lambda: int(self.lab.tell("throttled").split()[1]) >= 15))
        elapsed = time.monotonic() - begin
        after = [int(number) for number in self.lab.tell("cpu").split()]
        self.assertLess(after[0] / 1e9, 0.25 * elapsed + 0.1)
        self.assertGreater(after[0] / 1e9, 0.05 * elapsed)
        self.assertGreaterEqual(after[1] - before[1], after[0] * 0.9)
        self.lab.tell("end-processes")
        self.lab.tell("forget")

    def test_counters_see_what_is_lost(self):
        self.lab.tell("up", "bridge")
        self.replicas()
        self.lab.tell("impair", "loss", "node-cluster", "tcp", 10)
        self.lab.tell("apply")
        self.lab.ask("pod", "tcp", REPLICAS[0], 53, 200000)
        self.assertGreater(int(self.lab.tell("counters", "pod").split()[0]), 0)
        self.assertGreater(int(self.lab.tell("counters", "node").split()[2]), 0)

    def test_a_program_that_is_missing_is_named(self):
        self.lab.tell("up", "bridge")
        with self.assertRaisesRegex(LabError, "no program 'no-such-program'"):
            self.lab.tell("spawn", "pod", 0, "no-such-program")
        with self.assertRaisesRegex(LabError, "exit 3|ended with 3"):
            self.lab.run("pod", "/bin/sh", "-c", "exit 3")
        with self.assertRaisesRegex(LabError, "because"):
            self.lab.run("pod", "/bin/sh", "-c", "echo because >&2; exit 3")


class NothingLeftTest(unittest.TestCase):
    def setUp(self):
        self.before = lab.outside(0)

    def busy(self):
        """A laboratory with everything in it: rules, processes that ignore signals or hide, groups, a limit."""
        driver = Driver()
        self.addCleanup(driver.close)
        driver.start()
        self.fill(driver)
        return driver

    @staticmethod
    def fill(driver):
        driver.tell("up", "relay")
        driver.tell("impair", "loss", "node-cluster", "udp", 2)
        driver.tell("impair", "delay", "cluster-upstream", "all", 5)
        driver.tell("apply")
        quota = 0.5 if "version" in driver.group else 0
        driver.tell("spawn", "pod", quota, "/bin/sh", "-c", "trap '' TERM INT HUP; while :; do sleep 100; done")
        driver.tell("spawn", "cluster", 0, "setsid", "-f", "sleep", "1000")
        driver.tell("spawn", "node", 0, "/bin/sh", "-c", "mount -t tmpfs signpost-lab-test /mnt; sleep 1000")
        if lab.CONNTRACK_MAX.exists():
            driver.tell("limit", int(lab.CONNTRACK_MAX.read_text()) - 1)

    def assert_nothing_left(self, driver, people, spaces, end):
        """`people` are (number, beginning) of processes, `spaces` namespaces that were there, `end` the
        time of the end: later, other programs may get the same numbers."""
        def dead():
            return not any(lab.identity(pid) == (pid, began) and not lab.is_zombie(pid) for pid, began in people)

        self.assertTrue(lab.wait_for(dead), "processes are left")
        self.assertTrue(lab.wait_for(lambda: lab.outside(driver.pid) == self.before),
                        f"before {self.before}, after {lab.outside(driver.pid)}")
        for pid in lab.processes():
            one = lab.identity(pid)
            if one is not None and int(one[1]) < end and not lab.is_zombie(pid):
                self.assertFalse(lab.namespaces(pid) & spaces)

    def remember(self, driver):
        warden, conductor, inside = driver.family()
        people = [lab.identity(pid) for pid in (warden, conductor, *inside) if pid is not None]
        spaces = set().union(*(lab.namespaces(pid) for pid in inside))
        return warden, conductor, [one for one in people if one is not None], spaces

    def test_an_orderly_end(self):
        driver = self.busy()
        _, conductor, people, spaces = self.remember(driver)
        self.assertIsNotNone(conductor)
        self.assertGreaterEqual(len(people), 8)
        self.assertGreaterEqual(len(spaces), 9)  # mnt, pid, uts, ipc, and the network's five
        end = lab.now_ticks()
        driver.tell("quit", 7)
        self.assertEqual(driver.wait(), 7)
        self.assert_nothing_left(driver, people, spaces, end)

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            driver = self.busy()
            *_, people, spaces = self.remember(driver)
            end = lab.now_ticks()
            driver.signal(number)
            self.assertEqual(driver.wait(), 130)
            self.assert_nothing_left(driver, people, spaces, end)

    def test_a_second_signal_kills(self):
        driver = self.busy()
        *_, people, spaces = self.remember(driver)
        count = len(lab.children(driver.pid))
        driver.send("run", "pod", "/bin/sleep", "50")  # meanwhile nobody looks at the request to stop
        self.assertTrue(lab.wait_for(lambda: len(lab.children(driver.pid)) > count))
        end = lab.now_ticks()
        driver.signal(signal.SIGTERM)
        time.sleep(0.2)  # no event tells that the first has been taken
        driver.signal(signal.SIGTERM)
        self.assertEqual(driver.wait(5), 1)
        self.assert_nothing_left(driver, people, spaces, end)

    def killed(self, choose, moment):
        """Kills those that `choose` names; at once when all is up, or at a moment while it is coming up."""
        driver = Driver()
        self.addCleanup(driver.close)
        driver.start()
        if moment is None:
            self.fill(driver)
        else:
            driver.send("up", "relay")
            for words in (("impair", "delay", "node-cluster", "all", 5), ("apply",), ("down",), ("up", "bridge")):
                driver.send(*words)
            time.sleep(moment)  # any moment will do
        warden, conductor, people, spaces = self.remember(driver)
        end = lab.now_ticks()
        lab.kill(*choose(driver.pid, warden, conductor))
        driver.wait()
        self.assert_nothing_left(driver, people, spaces, end)

    def kill_again_and_again(self, choose):
        self.killed(choose, None)
        for _ in range(KILLS):
            moment = random.uniform(0, 0.4)
            with self.subTest(moment=moment):
                self.killed(choose, moment)

    def test_the_conductor_is_killed(self):
        self.kill_again_and_again(lambda caller, warden, conductor: [conductor])

    def test_the_caller_is_killed(self):
        self.kill_again_and_again(lambda caller, warden, conductor: [caller])

    def test_caller_and_conductor_are_killed(self):
        self.kill_again_and_again(lambda caller, warden, conductor: [caller, conductor])

    def test_caller_and_warden_are_killed(self):
        self.kill_again_and_again(lambda caller, warden, conductor: [warden, caller])

    def test_conductor_and_warden_are_killed(self):
        self.kill_again_and_again(lambda caller, warden, conductor: [warden, conductor])

    def test_all_are_killed_and_the_next_run_puts_things_back(self):
        driver = self.busy()
        warden, conductor, *_ = self.remember(driver)
        lab.kill(warden, driver.pid, conductor)
        driver.wait()
        for pid in (warden, conductor):
            self.assertTrue(lab.wait_for(lambda: lab.identity(pid) is None or lab.is_zombie(pid)))
        with Driver() as second:
            second.tell("quit", 0)
            self.assertEqual(second.wait(), 0)
        self.assert_nothing_left(driver, [], set(), 0)
        self.assert_nothing_left(second, [], set(), 0)

    def test_killed_while_it_begins(self):
        for _ in range(KILLS):
            driver = Driver()
            time.sleep(random.uniform(0, 0.03))  # any moment will do
            *_, people, spaces = self.remember(driver)
            end = lab.now_ticks()
            driver.signal(signal.SIGKILL)
            driver.wait()
            driver.close()
            if not lab.wait_for(lambda: lab.outside(driver.pid) == self.before, timeout=3):
                # Killed between the lock and the warden's birth: the one thing that is left to the next run.
                self.assertEqual((lab.outside(driver.pid)["groups"], people), ([], []))
                with Driver() as second:
                    second.tell("quit", 0)
            self.assert_nothing_left(driver, people, spaces, end)

    def test_a_second_run_is_refused(self):
        driver = self.busy()
        with self.assertRaisesRegex(LabError, f"another laboratory is running .process {driver.pid}.*kill {driver.pid}"):
            with Driver(patient=False):
                pass
        self.assertIsNotNone(driver.tell("address"))
        driver.tell("quit", 0)
        self.assertEqual(driver.wait(), 0)

    def test_not_root(self):
        done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", lab.DRIVER, lab.SIGNPOST],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("needs root", done.stderr)


if __name__ == "__main__":
    unittest.main()
