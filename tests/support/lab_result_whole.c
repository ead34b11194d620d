/* SPDX-License-Identifier: Apache-2.0 */

/* The experiments of sp_sample_result. */

#include <stdio.h>

#include "support/lab_result.h"

#define REPETITIONS 3

/* Repetitions differ by a few percent. */
static double factor(int repetition)
{
    return 1 + 0.04 * (repetition - 2);
}

static void append(json_t *array, json_t *value)
{
    (void)json_array_append_new(array, value);
}

static json_t *make_role(const char *name, const char *title, const char *at, const char *address,
                         const char *missing)
{
    return json_pack(
        "{ss,ss,ss,ss,ss,so,ss,s[sss],s{ss}}", "name", name, "role", "unbound", "title", title,
        "at", at, "address", address, "stand_in_for",
        missing == NULL ? json_null() : json_string(missing), "version", "Version 1.17.1",
        "command", "unbound", "-d", "-c", "files", "unbound.conf",
        "server:\n    interface: 10.32.2.11\n    so-rcvbuf: 4m\n    # <no markup> & \"quotes\"\n");
}

static json_t *loss_impairment(double percent)
{
    double p = percent / 100;
    char text[120];

    (void)snprintf(text, sizeof(text),
                   "%g %% of the UDP packets are lost in each direction between node and cluster",
                   percent);
    return json_pack("{ss,ss,s{sf,sf,si}}", "text", text, "means", "iptables statistic",
                     "calibration", "expected", 1 - (1 - p) * (1 - p), "measured",
                     1.01 * (1 - (1 - p) * (1 - p)), "packets", 20000);
}

typedef struct server {
    const char *base, *title, *says;
    double closed_rps, median_us;
    int stalls; /* loses what the wire loses */
} server_t;

static const server_t servers[] = {
    {"kube-dns", "kube-dns", "Two dnsmasq behind a ClusterIP: the default until 2018.", 8012, 420,
     1},
    {"coredns", "CoreDNS", "Two CoreDNS behind a ClusterIP: the default since.", 17010, 360, 1},
    {"nodelocal", "Node-local cache", "A cache on each node, which asks the cluster DNS over TCP.",
     17600, 310, 0},
};

static json_t *e1_setup(const server_t *server, const char *load, double loss)
{
    char name[80], title[80];
    json_t *setup = NULL;

    (void)snprintf(name, sizeof(name), "%s%s/%s", server->base, loss > 0 ? "-loss" : "", load);
    (void)snprintf(title, sizeof(title), "%s%s", server->title, loss > 0 ? " with loss" : "");
    setup = sp_sample_setup(name, title);
    (void)json_object_set_new(setup, "says", json_string(server->says));
    (void)json_object_set_new(setup, "load_name", json_string(load));
    (void)snprintf(name, sizeof(name), "%s%s", server->base, loss > 0 ? "-loss" : "");
    (void)json_object_set_new(setup, "base", json_string(name));
    append(json_object_get(setup, "roles"),
           make_role("replica-1", server == &servers[1] ? "Unbound" : "dnsmasq", "cluster",
                     "10.32.2.11", server == &servers[1] ? "CoreDNS" : NULL));
    if (loss > 0) {
        append(json_object_get(setup, "impairments"), loss_impairment(loss));
    }
    return setup;
}

static void e1_runs(json_t *runs, json_t *setup, const server_t *server, int closed, double loss,
                    double speed)
{
    const char *name = json_string_value(json_object_get(setup, "name"));

    for (int i = 1; i <= REPETITIONS; ++i) {
        double stalled = loss > 0 && server->stalls ? 0.0396 + 0.0004 * (i - 2) : 0;
        double rps = stalled > 0 ? server->closed_rps / 7 : server->closed_rps;
        double median = closed ? 256e6 / server->closed_rps : server->median_us;
        sp_sample_latency_t latency = {median * factor(i) / speed, 0.7, stalled, 24000};

        append(runs, sp_sample_run(name, i, closed ? rps * factor(i) * speed : 2000,
                                   closed ? 0 : 2000, latency));
    }
}

static json_t *e1_comparisons(void)
{
    return json_pack("[{ss,ss,ss,ss,ss,ss},{ss,ss,ss,ss,ss},{ss,ss,ss,ss,ss}]", "metric",
                     "throughput_rps", "of", "kube-dns", "to", "coredns", "expect", "less", "load",
                     "closed", "claim", "kube-dns serves fewer requests than CoreDNS", "metric",
                     "latency.p99_ms", "of", "coredns-loss", "to", "nodelocal-loss", "expect",
                     "more", "claim",
                     "loss stalls one request in a hundred for five seconds, unless a node-local "
                     "cache asks over "
                     "TCP",
                     "metric", "throughput_rps", "of", "nodelocal", "to", "coredns", "expect",
                     "more", "claim", "the node-local cache serves the most");
}

static json_t *e1_assertions(void)
{
    return json_pack("[{ss,ss,si,ss,si},{ss,ss,si},{ss,ss,ss,si},{ss,ss,ss,si}]", "kind",
                     "slow_share", "setup", "coredns-loss", "over_ms", 4900, "theory",
                     "first_try_lost", "loss_percent", 2, "kind", "both_tries_lost", "setup",
                     "kube-dns-loss", "loss_percent", 2, "kind", "at_least", "setup",
                     "coredns-loss", "metric", "latency.p99_ms", "value", 4900, "kind", "at_most",
                     "setup", "nodelocal-loss", "metric", "latency.p99_ms", "value", 250);
}

static void e1_disturbed(json_t *runs)
{
    json_t *copy = json_deep_copy(json_array_get(runs, 0));

    (void)json_object_set_new(copy, "discarded",
                              json_string("other programs took 0.43 cores meanwhile"));
    append(runs, copy);
}

static json_t *make_e1(double speed)
{
    json_t *setups = json_array(), *runs = json_array(), *e1 = NULL, *missing = NULL;

    for (int closed = 0; closed != 2; ++closed) {
        for (int lossy = 0; lossy != 2; ++lossy) {
            for (size_t i = 0; i != sizeof(servers) / sizeof(servers[0]); ++i) {
                json_t *setup = e1_setup(&servers[i], closed ? "closed" : "open", lossy ? 2 : 0);

                append(setups, setup);
                e1_runs(runs, setup, &servers[i], closed, lossy ? 2 : 0, speed);
            }
        }
    }
    missing = sp_sample_setup("nodelocal-dot/closed", "Node-local cache over DoT");
    (void)json_object_set_new(missing, "load_name", json_string("closed"));
    (void)json_object_set_new(missing, "possible", json_string("dnsdist is not installed"));
    append(setups, missing);
    e1_disturbed(runs);
    e1 = sp_sample_experiment("E1", setups, runs, e1_comparisons(), e1_assertions());
    (void)json_object_set_new(e1, "title",
                              json_string("Which cluster DNS serves a DNS-heavy "
                                          "application best?"));
    (void)json_object_set_new(
        e1, "published",
        json_pack("{ss,s[sss]}", "in", "the KubeCon talk \u201cSwitching the Engine\u201d", "says",
                  "kube-dns serves fewer requests than CoreDNS",
                  "loss stalls requests for five seconds", "a node-local cache avoids that"));
    (void)json_object_set_new(
        e1, "theory",
        json_pack("[s]", "A lookup over UDP is lost when its query or its answer is. The resolver "
                         "asks again after five seconds, so that each lost lookup shows as a "
                         "request of five seconds."));
    return e1;
}

static json_t *make_e2(void)
{
    static const char *const transports[] = {"UDP", "TCP", "Hedged"};
    static const double losses[] = {0, 1, 2, 5, 10, 15};
    json_t *setups = json_array(), *runs = json_array(), *e2 = NULL;

    for (size_t i = 0; i != 3; ++i) {
        for (size_t j = 0; j != 6; ++j) {
            double p = losses[j] / 100, lost = 1 - (1 - p) * (1 - p);
            sp_sample_latency_t latency = {400 + 200 * (double)i * (1 + 10 * p), 0.6 + 3 * p,
                                           i == 0 ? lost : 0, 8000};
            char name[40];
            json_t *setup = NULL;

            (void)snprintf(name, sizeof(name), "%s-%g", transports[i], losses[j]);
            setup = sp_sample_setup(name, name);
            (void)json_object_set_new(setup, "series", json_string(transports[i]));
            (void)json_object_set_new(setup, "step", json_real(losses[j]));
            if (p > 0) {
                append(json_object_get(setup, "impairments"), loss_impairment(losses[j]));
            }
            append(setups, setup);
            append(runs, sp_sample_run(name, 1, 500, 500, latency));
        }
    }
    e2 = sp_sample_experiment("E2", setups, runs, NULL, NULL);
    (void)json_object_set_new(e2, "title", json_string("UDP or TCP when packets are lost?"));
    (void)json_object_set_new(e2, "step_title", json_string("Loss in each direction (%)"));
    return e2;
}

static json_t *make_e5(void)
{
    static const struct {
        const char *title;
        double capacity;
    } authorities[] = {{"NSD", 74700}, {"Knot DNS", 81200}, {"BIND", 42100}, {"PowerDNS", 23800}};
    json_t *setups = json_array(), *runs = json_array(), *e5 = NULL;

    for (size_t i = 0; i != 4; ++i) {
        append(setups, sp_sample_setup(authorities[i].title, authorities[i].title));
        for (int j = 1; j <= REPETITIONS; ++j) {
            double capacity = authorities[i].capacity * factor(j);
            json_t *steps = json_array();

            for (double offered = 5000; offered <= 100000; offered += 5000) {
                double answered = offered < capacity ? offered : capacity;

                append(steps, json_pack("{sf,sf,sf,sf}", "offered_qps", offered, "answered_qps",
                                        answered, "lost", offered - answered, "avg_ms", 0.4));
            }
            append(runs, json_pack("{ss,si,sb,so}", "setup", authorities[i].title, "repetition", j,
                                   "discarded", 0, "steps", steps));
        }
    }
    e5 = sp_sample_experiment("E5", setups, runs,
                              json_pack("[{ss,ss,ss,ss,ss}]", "metric", "steps.best_answered_qps",
                                        "of", "NSD", "to", "BIND", "expect", "more", "claim",
                                        "NSD answers more than BIND"),
                              NULL);
    (void)json_object_set_new(e5, "title", json_string("How much does an authority answer?"));
    return e5;
}

static json_t *make_e7(void)
{
    static const struct {
        const char *name, *title;
        double mbit, rps;
    } paths[] = {{"loopback", "Loopback (bare metal)", 21000, 24100},
                 {"bridge", "veth and bridge", 5300, 17300},
                 {"routed", "veth, routed", 5600, 17900},
                 {"vxlan", "VXLAN", 2100, 13200},
                 {"macvlan", "macvlan", 7900, 19400},
                 {"relay", "User-space relay", 1900, 8300}};
    json_t *setups = json_array(), *runs = json_array(), *e7 = NULL;

    for (size_t i = 0; i != sizeof(paths) / sizeof(paths[0]); ++i) {
        append(setups, sp_sample_setup(paths[i].name, paths[i].title));
        for (int j = 1; j <= REPETITIONS; ++j) {
            sp_sample_latency_t latency = {256e6 / paths[i].rps, 0.5, 0, 6000};
            json_t *run = sp_sample_run(paths[i].name, j, paths[i].rps * factor(j), 0, latency);

            (void)json_object_set_new(
                run, "raw", json_pack("{s{sf}}", "iperf3", "mbit_s", paths[i].mbit * factor(j)));
            append(runs, run);
        }
    }
    e7 = sp_sample_experiment(
        "E7", setups, runs,
        json_pack("[{ss,ss,ss,ss},{ss,ss,ss,ss,ss}]", "metric", "throughput_rps", "with",
                  "raw.iperf3.mbit_s", "expect", "positive", "claim",
                  "what has bandwidth serves requests", "metric", "throughput_rps", "of", "relay",
                  "to", "bridge", "expect", "less", "claim", "a user-space proxy costs the most"),
        NULL);
    (void)json_object_set_new(e7, "title",
                              json_string("What does the network path cost the application?"));
    return e7;
}

json_t *sp_sample_result(double speed)
{
    return json_pack(
        "{ss,si,ss,ss,sf,sb,s{ss,si,sI,ss,ss,ss,ss,ss},s[o,o,o,o]}", "kind", "signpost-lab",
        "format", 1, "version", "0.1.0", "started", "2026-11-30T15:30:00Z", "elapsed_s", 221.4,
        "interrupted", 0, "machine", "cpu", "Made-up CPU @ 2.50GHz", "cores", 2, "memory_bytes",
        (json_int_t)8 << 30, "kernel", "Linux 6.18.0", "os", "Debian GNU/Linux 12 (bookworm)",
        "congestion_control", "cubic", "offload", "off on wires with loss", "virtualisation", "kvm",
        "experiments", make_e1(speed), make_e2(), make_e5(), make_e7());
}
