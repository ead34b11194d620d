/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/load/read_plan.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

#define SECOND UINT64_C(1000000000)
#define WORDS_MAX 16

/* Reads words that are separated by blanks, after `--connect 127.0.0.1:80`. */
static sp_status_t read_plan(const char *words, sp_load_plan_t *ret_plan, sp_error_t *err)
{
    char text[256];
    char *rest = text;
    char *list[WORDS_MAX];
    int count = 0;
    sp_arguments_t arguments;
    sp_status_t status = SP_OK;

    (void)snprintf(text, sizeof(text), "--connect 127.0.0.1:80 %s", words);
    for (char *word = NULL; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        cr_assert_lt(count, WORDS_MAX);
        list[count++] = word;
    }
    cr_assert_eq(sp_arguments_parse(&sp_command_load, count, list, &arguments, err), SP_OK, "%s",
                 words);
    status = sp_load_plan_read(&arguments, ret_plan, err);
    sp_arguments_clear(&arguments);
    return status;
}

static sp_load_plan_t plan_of(const char *words)
{
    sp_load_plan_t plan = {.threads = 0};
    sp_error_t err = {.message = ""};

    cr_assert_eq(read_plan(words, &plan, &err), SP_OK, "%s: %s", words, err.message);
    return plan;
}

Test(load_plan, has_the_defaults_of_a_closed_loop)
{
    sp_load_plan_t plan = plan_of("");

    cr_expect_eq(plan.address.ss_family, AF_INET);
    cr_expect_eq(plan.address_len, sizeof(struct sockaddr_in));
    cr_expect_not(plan.tls);
    cr_expect_eq(plan.http, SP_LOAD_HTTP1);
    cr_expect(plan.keep_alive);
    cr_expect_eq(plan.loop, SP_LOAD_CLOSED);
    cr_expect_eq(plan.connections, 64);
    cr_expect_eq(plan.streams, 1);
    cr_expect_eq(plan.threads, 1);
    cr_expect_eq(plan.duration_ns, 10 * SECOND);
    cr_expect_eq(plan.requests, 0);
    cr_expect_eq(plan.timeout_ns, 15 * SECOND);
    cr_expect_eq(plan.names, SP_LOAD_UNIFORM);
    cr_expect_eq(plan.seed, 1);
    cr_expect_not(plan.keep_samples);
}

Test(load_plan, has_the_defaults_of_an_open_loop)
{
    sp_load_plan_t plan = plan_of("--rate 2000");

    cr_expect_eq(plan.loop, SP_LOAD_OPEN);
    cr_expect_eq(plan.arrivals, SP_LOAD_POISSON);
    cr_expect_float_eq(plan.rate, 2000.0, 1e-9);
    cr_expect_eq(plan.connections, 1000);
}

Test(load_plan, takes_what_is_given)
{
    sp_load_plan_t plan =
        plan_of("--tls --http=2 --streams 7 --rate 0.5 --arrivals constant --connections 3");

    cr_expect(plan.tls);
    cr_expect_eq(plan.http, SP_LOAD_HTTP2);
    cr_expect_eq(plan.streams, 7);
    cr_expect_float_eq(plan.rate, 0.5, 1e-9);
    cr_expect_eq(plan.arrivals, SP_LOAD_CONSTANT);
    cr_expect_eq(plan.connections, 3);
    plan = plan_of("--no-keep-alive --requests 9 --timeout 0.25 --names zipf:1.1 --threads 2");
    cr_expect_not(plan.keep_alive);
    cr_expect_eq(plan.requests, 9);
    cr_expect_eq(plan.duration_ns, 0);
    cr_expect_eq(plan.timeout_ns, SECOND / 4);
    cr_expect_eq(plan.names, SP_LOAD_ZIPF);
    cr_expect_float_eq(plan.zipf_s, 1.1, 1e-9);
    cr_expect_eq(plan.threads, 2);
    plan = plan_of("--names sequential --seed 0 --samples x --duration 1.5 --closed");
    cr_expect_eq(plan.names, SP_LOAD_SEQUENTIAL);
    cr_expect_eq(plan.seed, 0);
    cr_expect(plan.keep_samples);
    cr_expect_eq(plan.duration_ns, 3 * SECOND / 2);
}

Test(load_plan, takes_each_number_at_its_limits_and_none_beyond)
{
    static const struct {
        const char *fine;
        const char *beyond;
    } cases[] = {
        {"--rate 10000000", "--rate 10000000.5"},
        {"--rate 0.001", "--rate 0"},
        {"--duration 604800", "--duration 604800.1"},
        {"--duration 0.0000000001", "--duration 0.0"},
        {"--timeout 3600", "--timeout 3601"},
        {"--requests 1", "--requests 0"},
        {"--requests 1000000000000", "--requests 1000000000001"},
        {"--connections 1", "--connections 0"},
        {"--connections 100000", "--connections 100001"},
        {"--threads 256 --connections 256", "--threads 257 --connections 257"},
        {"--threads 2 --connections 2", "--threads 3 --connections 2"},
        {"--http 2 --streams 1000", "--http 2 --streams 1001"},
        {"--http 2 --streams 1", "--http 2 --streams 0"},
        {"--seed 9223372036854775807", "--seed 9223372036854775808"},
        {"--names zipf:10", "--names zipf:10.1"},
        {"--names zipf:0.01", "--names zipf:0"},
        {"--rate 1", "--rate 1e3"},
        {"--rate .5", "--rate ."},
        {"--rate 1.", "--rate 1.2.3"},
        {"--rate 00000000000000000000000000000001", "--rate 000000000000000000000000000000001"},
    };

    for (size_t i = 0; i != SP_COUNT(cases); ++i) {
        sp_load_plan_t plan;
        sp_error_t err = {.message = ""};

        (void)plan_of(cases[i].fine);
        cr_expect_eq(read_plan(cases[i].beyond, &plan, &err), SP_BAD_VALUE, "%s", cases[i].beyond);
        cr_expect_neq(err.message[0], '\0', "%s", cases[i].beyond);
    }
}

Test(load_plan, never_rounds_a_time_to_none)
{
    cr_expect_eq(plan_of("--duration 0.0000000001").duration_ns, 1);
    cr_expect_eq(plan_of("--timeout 0.0000000001").timeout_ns, 1);
}

/* "localhost" is in /etc/hosts. */
Test(load_plan, looks_up_the_name_of_the_server)
{
    sp_load_plan_t plan = plan_of("--connect LocalHost:8080");
    char host[INET6_ADDRSTRLEN];
    char port[8];

    cr_assert_eq(getnameinfo((const struct sockaddr *)&plan.address, plan.address_len, host,
                             sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV),
                 0);
    cr_expect(strcmp(host, "127.0.0.1") == 0 || strcmp(host, "::1") == 0, "%s", host);
    cr_expect_str_eq(port, "8080");
}

Test(load_plan, refuses_servers_that_can_not_be)
{
    static const char *const wrong[] = {
        "localhost", "localhost:",      "localhost:0",      "localhost:65536",
        ":80",       "localhost:80:80", "http://localhost", "256.0.0.1:80",
        "[::1]",     "[localhost]:80",  "unix:/run/http",   "1.2.3:80"};

    for (size_t i = 0; i != SP_COUNT(wrong); ++i) {
        char words[64];
        sp_load_plan_t plan;
        sp_error_t err = {.message = ""};

        (void)snprintf(words, sizeof(words), "--connect %s", wrong[i]);
        cr_expect_eq(read_plan(words, &plan, &err), SP_BAD_VALUE, "%s", wrong[i]);
        cr_expect(strstr(err.message, wrong[i]) != NULL, "%s", err.message);
    }
}

Test(load_plan, takes_addresses_of_both_families)
{
    sp_load_plan_t plan = plan_of("--connect [::1]:8443");
    struct sockaddr_in6 address;
    char text[INET6_ADDRSTRLEN];

    cr_assert_eq(plan.address_len, sizeof(address));
    memcpy(&address, &plan.address, sizeof(address));
    cr_expect_eq(ntohs(address.sin6_port), 8443);
    cr_assert_not_null(inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof(text)));
    cr_expect_str_eq(text, "::1");
}
