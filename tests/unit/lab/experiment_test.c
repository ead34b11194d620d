/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/experiment.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD "{\"id\": \"T\", \"title\": \"t\", \"question\": \"q\", "
#define RESOLVER "\"resolver\": \"10.96.0.10\""
#define APP "\"app\": {\"role\": \"signpost\", \"parameters\": {\"cache\": false, \"tries\": 2}}, "
#define SETUP(name) "{\"name\": \"" name "\", \"title\": \"t\", " RESOLVER "}"

static sp_lab_experiment_t *must_read(const char *text)
{
    sp_lab_experiment_t *experiment = NULL;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_experiment_read(sp_str_from(text), "t.json", &experiment, &err), SP_OK,
                 "%s", err.message);
    return experiment;
}

/* Reading fails, and the message begins with `place`, and holds `words`. */
static void must_refuse(const char *text, const char *place, const char *words)
{
    sp_lab_experiment_t *experiment = NULL;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_experiment_read(sp_str_from(text), "t.json", &experiment, &err),
                 SP_BAD_VALUE, "%s", text);
    cr_expect(strncmp(err.message, place, strlen(place)) == 0, "%s", err.message);
    cr_expect(strstr(err.message, words) != NULL, "%s", err.message);
}

Test(lab_experiment, combines_setups_and_loads)
{
    sp_lab_experiment_t *experiment = must_read(
        HEAD APP "\"load\": {\"timeout_s\": 7}, \"loads\": ["
                 "{\"name\": \"open\", \"rate\": 100}, "
                 "{\"name\": \"closed\", \"loop\": \"closed\", \"connections\": 9}], "
                 "\"setups\": [" SETUP(
                     "a") ", {\"name\": \"b\", \"title\": \"t\", " RESOLVER
                          ", \"loads\": [\"closed\"], \"load\": {\"connections\": 3}}], "
                          "\"quick\": {\"setups\": [\"a\"], \"skip_loads\": [\"open\"], "
                          "\"loads\": {\"closed\": {\"duration_s\": 2}}, \"repetitions\": 1}}");
    const sp_lab_cases_t *full = &experiment->full;

    cr_assert_eq(full->count, 3);
    cr_expect_eq(full->repetitions, 3);
    cr_expect_str_eq(full->list[0].name, "a/open");
    cr_expect_float_eq(full->list[0].load.rate, 100, 1e-9);
    cr_expect_float_eq(full->list[0].load.timeout_s, 7, 1e-9);
    cr_expect_str_eq(full->list[1].name, "a/closed");
    cr_expect_eq(full->list[1].load.connections, 9);
    cr_expect_str_eq(full->list[2].name, "b/closed");
    cr_expect_eq(full->list[2].load.connections, 3);
    cr_assert_eq(experiment->quick.count, 1);
    cr_expect_eq(experiment->quick.repetitions, 1);
    cr_expect_str_eq(experiment->quick.list[0].name, "a/closed");
    cr_expect_float_eq(experiment->quick.list[0].load.duration_s, 2, 1e-9);
    sp_lab_experiment_destroy(experiment);
}

Test(lab_experiment, a_single_load_needs_no_name)
{
    sp_lab_experiment_t *experiment = must_read(HEAD APP "\"setups\": [" SETUP("a") "]}");

    cr_assert_eq(experiment->full.count, 1);
    cr_expect_str_eq(experiment->full.list[0].name, "a");
    cr_expect_null(experiment->full.list[0].load_name);
    cr_expect_eq(experiment->names, 10000);
    cr_expect(isnan(experiment->setups[0].step));
    sp_lab_experiment_destroy(experiment);
}

Test(lab_experiment, lays_parameters_over_the_shared_ones)
{
    sp_lab_experiment_t *experiment =
        must_read(HEAD APP "\"setups\": [{\"name\": \"a\", \"title\": \"t\", " RESOLVER
                           ", \"app\": {\"parameters\": {\"tries\": 3, \"new\": 1.5}}}]}");
    const sp_lab_use_t *app = &experiment->setups[0].app;

    cr_assert_eq(app->parameters.count, 3);
    cr_expect_str_eq(app->role, "signpost");
    cr_expect_str_eq(app->name, "app");
    cr_expect_str_eq(app->parameters.list[0].name, "cache");
    cr_expect_str_eq(app->parameters.list[0].value, "no");
    cr_expect_str_eq(app->parameters.list[1].value, "3");
    cr_expect_str_eq(app->parameters.list[2].value, "1.5");
    sp_lab_experiment_destroy(experiment);
}

Test(lab_experiment, puts_common_roles_and_impairments_first)
{
    sp_lab_experiment_t *experiment = must_read(
        HEAD APP "\"roles\": [{\"role\": \"nsd\", \"at\": \"upstream\", \"address\": "
                 "\"10.33.0.53\"}], "
                 "\"impairments\": [{\"kind\": \"delay\", \"wire\": \"wan1\", \"ms\": 2}], "
                 "\"setups\": [{\"name\": \"a\", \"title\": \"t\", " RESOLVER
                 ", \"roles\": [{\"role\": \"unbound\", \"name\": \"r\", \"at\": \"cluster\", "
                 "\"address\": \"10.32.2.11\", \"forward\": [\"10.33.0.53\"]}], "
                 "\"impairments\": [{\"kind\": \"loss\", \"protocol\": \"udp\", \"percent\": 2}]}, "
                 "{\"name\": \"b\", \"title\": \"t\", " RESOLVER ", \"common_roles\": false}]}");
    const sp_lab_setup_t *a = &experiment->setups[0];

    cr_assert_eq(a->roles.count, 2);
    cr_expect_str_eq(a->roles.list[0].name, "nsd");
    cr_expect_eq(a->roles.list[0].at, SP_PLACE_UPSTREAM);
    cr_expect_str_eq(a->roles.list[1].name, "r");
    cr_assert_eq(a->impairment_count, 2);
    cr_expect_eq(a->impairments[0].wire, SP_WIRE_WAN1);
    cr_expect_eq(a->impairments[1].wire, SP_WIRE_NODE);
    cr_expect_eq(a->impairments[1].protocol, SP_PROTOCOL_UDP);
    cr_expect_eq(experiment->setups[1].roles.count, 0);
    cr_expect_eq(experiment->setups[1].impairment_count, 1);
    sp_lab_experiment_destroy(experiment);
}

Test(lab_experiment, reads_lookups_steps_raw_tools_and_events)
{
    sp_lab_experiment_t *experiment = must_read(
        HEAD "\"setups\": [{\"name\": \"l\", \"title\": \"t\", " RESOLVER
             ", \"lookups\": {\"concurrency\": 5, \"search\": [\"x.test\"], \"names\": "
             "\"relative\", \"options\": [\"single-request\"]}, "
             "\"roles\": [{\"role\": \"nsd\", \"at\": \"upstream\", \"address\": \"10.33.0.53\"}], "
             "\"events\": [{\"at_s\": 2, \"kill\": \"nsd\"}]}, "
             "{\"name\": \"s\", \"title\": \"t\", \"steps\": {\"tool\": \"dnsperf\", \"rates\": "
             "[1000, 2000], \"seconds\": 4}, "
             "\"raw\": [\"iperf3\", {\"role\": \"dnsperf\", \"name\": \"dot\", \"port\": 853}]}]}");
    const sp_lab_setup_t *l = &experiment->setups[0];
    const sp_lab_setup_t *s = &experiment->setups[1];

    cr_expect_eq(l->lookups.concurrency, 5);
    cr_expect_eq(l->lookups.names, 1);
    cr_expect_str_eq(l->lookups.options.list[0], "single-request");
    cr_expect_eq(l->event_count, 1);
    cr_expect_not(sp_lab_setup_serves(l));
    cr_assert_eq(s->steps.rate_count, 2);
    cr_expect_float_eq(s->steps.rates[1], 2000, 1e-9);
    cr_expect_float_eq(s->steps.seconds, 4, 1e-9);
    cr_assert_eq(s->raw.count, 2);
    cr_expect_str_eq(s->raw.list[0].name, "iperf3");
    cr_expect_str_eq(s->raw.list[1].name, "dot");
    cr_expect_eq(s->raw.list[1].port, 853);
    cr_expect_eq(s->raw.list[1].at, SP_PLACE_POD);
    sp_lab_experiment_destroy(experiment);
}

Test(lab_experiment, says_where_the_fault_is)
{
    must_refuse("", "t.json:1:1: ", "empty");
    must_refuse("{", "t.json:1:", "not JSON");
    must_refuse("[]", "t.json:1:1: ", "an object");
    must_refuse("{\"id\": \"T\", \"id\": \"U\"}", "t.json:1:", "not JSON");
    must_refuse("{\n \"nothing\": 1}", "t.json:2:2: ", "unknown key 'nothing'");
    must_refuse("{\"id\": \"T\", \"title\": \"t\", \"setups\": []}", "t.json:1:1: ", "'question'");
    must_refuse("{\"id\": \"a/b\"}", "t.json:1:8: ", "letters, digits");
    must_refuse("{\"id\": 7}", "t.json:1:8: ", "expected a text, not a number");
    must_refuse("{\"title\": \"a\\u0007\"}", "t.json:1:11: ", "control characters");
    must_refuse("{\"title\": \"\"}", "t.json:1:11: ", "empty");
    must_refuse("{\"t\\u0069tle\": \"t\"}", "t.json:1:2: ", "unknown key");
    must_refuse(HEAD "\"setups\": []}", "t.json:1:54: ", "at least one");
    must_refuse(HEAD "\"setups\": [" SETUP("a") "]}", "t.json:1:", "nothing is measured");
    must_refuse(HEAD APP "\"setups\": [" SETUP("a") ", " SETUP("a") "]}",
                "t.json:1:", "two set-ups are called 'a'");
    must_refuse(HEAD APP "\"setups\": [{\"name\": \"a\", \"title\": \"t\"}]}",
                "t.json:1:", "'resolver' is missing");
    must_refuse(HEAD APP "\"setups\": [{\"name\": \"a\", \"title\": \"t\", \"resolver\": \"x\"}]}",
                "t.json:1:", "IPv4 address");
}

Test(lab_experiment, checks_names_that_refer_to_something)
{
    must_refuse(HEAD APP "\"setups\": [{\"name\": \"a\", \"title\": \"t\", " RESOLVER
                         ", \"loads\": [\"x\"]}]}",
                "t.json:1:", "no load is called 'x'");
    must_refuse(HEAD APP "\"setups\": [{\"name\": \"a\", \"title\": \"t\", " RESOLVER
                         ", \"events\": [{\"at_s\": 1, \"kill\": \"x\"}]}]}",
                "t.json:1:", "no role 'x' here");
    must_refuse(HEAD APP "\"setups\": [" SETUP("a") "], \"quick\": {\"setups\": [\"x\"]}}",
                "t.json:1:", "names no set-up: 'x'");
    must_refuse(HEAD APP "\"setups\": [" SETUP("a") "], \"comparisons\": [{\"metric\": "
                                                    "\"throughput_rps\", \"of\": \"a\", \"to\": "
                                                    "\"x\"}]}",
                "t.json:1:", "'to' names no set-up");
    must_refuse(HEAD APP "\"setups\": [" SETUP("a") "], \"assertions\": [{\"kind\": "
                                                    "\"at_least\", \"limit\": 1}]}",
                "t.json:1:", "unknown key");
    must_refuse(HEAD APP "\"setups\": [{\"name\": \"a\", \"title\": \"t\", " RESOLVER
                         ", \"roles\": [{\"role\": \"nsd\", \"name\": \"app\", \"address\": "
                         "\"10.33.0.53\"}]}]}",
                "t.json:1:", "that is taken");
}

/* At each limit and one beyond it. */
Test(lab_experiment, keeps_numbers_within_their_limits)
{
    static const struct {
        const char *good, *bad;
    } loads[] = {
        {"\"connections\": 100000", "\"connections\": 100001"},
        {"\"connections\": 1", "\"connections\": 0"},
        {"\"connections\": 1", "\"connections\": 1.5"},
        {"\"rate\": 1e7", "\"rate\": 10000001"},
        {"\"threads\": 256", "\"threads\": 257"},
        {"\"duration_s\": 86400", "\"duration_s\": 86401"},
        {"\"names\": \"zipf:1.1\"", "\"names\": \"random\""},
        {"\"loop\": \"closed\"", "\"loop\": \"half\""},
    };
    char text[512];

    for (size_t i = 0; i != SP_COUNT(loads); ++i) {
        (void)snprintf(text, sizeof(text), HEAD APP "\"load\": {%s}, \"setups\": [%s]}",
                       loads[i].good, SETUP("a"));
        sp_lab_experiment_destroy(must_read(text));
        (void)snprintf(text, sizeof(text), HEAD APP "\"load\": {%s}, \"setups\": [%s]}",
                       loads[i].bad, SETUP("a"));
        must_refuse(text, "t.json:1:", "'");
    }
}

Test(lab_experiment, takes_so_many_setups_and_no_more)
{
    for (size_t count = SP_LAB_EXPERIMENT_SETUPS_MAX; count != SP_LAB_EXPERIMENT_SETUPS_MAX + 2;
         ++count) {
        static char text[(SP_LAB_EXPERIMENT_SETUPS_MAX + 2) * 80];
        size_t len = (size_t)snprintf(text, sizeof(text), "%s", HEAD APP "\"setups\": [");

        for (size_t i = 0; i != count; ++i) {
            len += (size_t)snprintf(text + len, sizeof(text) - len,
                                    "%s{\"name\": \"s%zu\", \"title\": \"t\", " RESOLVER "}",
                                    i == 0 ? "" : ", ", i);
        }
        (void)snprintf(text + len, sizeof(text) - len, "]}");
        if (count == SP_LAB_EXPERIMENT_SETUPS_MAX) {
            sp_lab_experiment_destroy(must_read(text));
        } else {
            must_refuse(text, "t.json:1:", "at most 64");
        }
    }
}

Test(lab_experiment, tells_how_long_it_takes)
{
    sp_lab_experiment_t *experiment =
        must_read(HEAD APP "\"repetitions\": 4, \"load\": {\"duration_s\": 10, \"warm_s\": 1, "
                           "\"timeout_s\": 12}, \"setups\": [" SETUP(
                               "a") ", {\"name\": \"b\", \"title\": \"t\", " RESOLVER
                                    ", \"impairments\": [{\"kind\": \"loss\", \"percent\": 2}]}]}");

    /* two seconds of starting each; what is lost is waited for */
    cr_expect_float_eq(sp_lab_case_seconds(&experiment->full.list[0]), 13, 1e-9);
    cr_expect_float_eq(sp_lab_case_seconds(&experiment->full.list[1]), 19, 1e-9);
    cr_expect_float_eq(sp_lab_cases_seconds(&experiment->full), 4 * 32, 1e-9);
    sp_lab_experiment_destroy(experiment);
}
