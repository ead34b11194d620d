/* SPDX-License-Identifier: Apache-2.0 */
#include "http/clients.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static sp_clients_t *clients;

static void create(void)
{
    cr_assert_eq(sp_clients_create(0, &clients), SP_OK);
}

static void destroy(void)
{
    sp_clients_destroy(clients);
}

TestSuite(clients, .init = create, .fini = destroy);

static sp_client_t named(const char *address)
{
    return sp_client_named(clients, sp_str_from(address));
}

static bool are_one(const char *a, const char *b)
{
    sp_client_t one = named(a);
    sp_client_t other = named(b);

    cr_assert(one.is_counted && other.is_counted, "%s, %s", a, b);
    return memcmp(one.cells, other.cells, sizeof(one.cells)) == 0;
}

Test(clients, are_ipv4_addresses_and_ipv6_networks)
{
    cr_expect(are_one("192.0.2.1", "192.0.2.1"));
    cr_expect_not(are_one("192.0.2.1", "192.0.2.2"));
    cr_expect(are_one("192.0.2.1", "::ffff:192.0.2.1"));
    cr_expect(are_one("2001:db8:0:0100::1", "2001:db8:0:01ff:ffff::2"), "one /56");
    cr_expect_not(are_one("2001:db8:0:0100::1", "2001:db8:0:0200::1"));
}

static uint64_t number_of(const char *address)
{
    sp_client_t client = named(address);

    cr_expect(client.is_counted, "%s: general limits are another matter", address);
    return sp_client_to_number(&client);
}

Test(clients, are_nobody_in_particular_by_addresses_that_many_may_have)
{
    static const char *const inside[] = {"127.0.0.1",      "127.255.255.255", "10.0.0.0",
                                         "10.255.255.255", "172.16.0.0",      "172.31.255.255",
                                         "192.168.0.0",    "192.168.9.9",     "169.254.0.1",
                                         "100.64.0.0",     "100.127.255.255", "::1",
                                         "fe80::1",        "febf::1",         "fc00::1",
                                         "fdff::1",        "::ffff:10.0.0.1"};
    static const char *const outside[] = {
        "126.255.255.255", "128.0.0.0",     "9.255.255.255", "11.0.0.0",        "172.15.255.255",
        "172.32.0.0",      "192.167.255.1", "192.169.0.0",   "169.253.255.1",   "169.255.0.0",
        "100.63.255.255",  "100.128.0.0",   "::2",           "fe7f::1",         "fec0::1",
        "fbff::1",         "fe00::1",       "2001:db8::1",   "::ffff:192.0.2.1"};

    for (size_t i = 0; i != SP_COUNT(inside); ++i) {
        cr_expect_eq(number_of(inside[i]), 0, "%s", inside[i]);
    }
    for (size_t i = 0; i != SP_COUNT(outside); ++i) {
        cr_expect_neq(number_of(outside[i]), 0, "%s", outside[i]);
    }
}

Test(clients, have_the_same_cells_by_address_and_by_name)
{
    struct sockaddr_storage ipv4 = {0}; /* addresses of connections lie in such */
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = 7};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    struct sockaddr_storage none = {.ss_family = AF_UNIX};
    sp_client_t client;
    sp_client_t same;

    cr_assert_eq(inet_pton(AF_INET, "192.0.2.9", &in.sin_addr), 1);
    cr_assert_eq(inet_pton(AF_INET6, "::ffff:192.0.2.9", &in6.sin6_addr), 1);
    memcpy(&ipv4, &in, sizeof(in));
    client = sp_client_of(clients, (struct sockaddr *)&ipv4);
    same = named("192.0.2.9");
    cr_expect_arr_eq(client.cells, same.cells, sizeof(same.cells));
    client = sp_client_of(clients, (struct sockaddr *)&in6);
    cr_expect_arr_eq(client.cells, same.cells, sizeof(same.cells));
    cr_expect_not(sp_client_of(clients, (struct sockaddr *)&none).is_counted);
}

Test(clients, need_an_address)
{
    static const char *const bad[] = {"",
                                      "unknown",
                                      "_hidden",
                                      "192.0.2.1:80",
                                      "[::1]",
                                      "192.0.2",
                                      "1234567890123456789012345678901234567890123456"};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect_not(named(bad[i]).is_counted, "%s", bad[i]);
    }
}

Test(clients, hold_connections_up_to_the_limit)
{
    sp_client_t client = named("192.0.2.1");
    sp_client_t other = named("192.0.2.2");

    for (int i = 0; i != 3; ++i) {
        cr_expect(sp_clients_enter(clients, &client, 3));
    }
    cr_expect_not(sp_clients_enter(clients, &client, 3));
    cr_expect(sp_clients_enter(clients, &other, 3));
    cr_expect(sp_clients_enter(clients, &client, 0), "no limit");
    cr_expect_eq(sp_clients_count(clients), 5);
    sp_clients_leave(clients, &client);
    cr_expect_not(sp_clients_enter(clients, &client, 3));
    sp_clients_leave(clients, &client);
    cr_expect(sp_clients_enter(clients, &client, 3));
}

Test(clients, are_limited_in_all)
{
    sp_clients_t *few = NULL;
    sp_client_t nobody = {.is_counted = false};

    cr_assert_eq(sp_clients_create(2, &few), SP_OK);
    cr_expect(sp_clients_enter(few, &nobody, 1));
    cr_expect_not(sp_clients_are_full(few));
    cr_expect(sp_clients_enter(few, &nobody, 1));
    cr_expect(sp_clients_are_full(few));
    sp_clients_leave(few, &nobody);
    cr_expect_not(sp_clients_are_full(few));
    sp_clients_destroy(few);
}

Test(clients, may_ask_so_often_in_a_second)
{
    sp_client_t client = named("2001:db8::1");
    sp_client_t nobody = {.is_counted = false};

    for (int i = 0; i != 5; ++i) {
        cr_expect(sp_clients_may_ask(clients, &client, 5, 7100));
    }
    cr_expect_not(sp_clients_may_ask(clients, &client, 5, 7999));
    cr_expect(sp_clients_may_ask(clients, &client, 5, 8000), "the next second");
    cr_expect_not(sp_clients_may_ask(clients, &client, 1, 8001));
    cr_expect(sp_clients_may_ask(clients, &nobody, 1, 8001));
    cr_expect(sp_clients_may_ask(clients, &nobody, 1, 8001));
}

Test(clients, have_a_share_of_each_kind_for_its_while)
{
    const uint64_t whiles_ms[SP_CLIENT_SHARES] = {1000, 60000, 3600000};
    sp_client_t client = named("192.0.2.1");
    sp_client_t other = named("192.0.2.2");
    sp_client_t nobody = {.is_counted = false};

    for (int i = 0; i != SP_CLIENT_SHARES; ++i) {
        sp_client_share_t share = (sp_client_share_t)i;
        uint64_t end_ms = 50 * whiles_ms[i];

        cr_expect(sp_clients_take(clients, &client, share, 2, end_ms - whiles_ms[i]));
        cr_expect(sp_clients_have_left(clients, &client, share, 2, end_ms - 1));
        cr_expect(sp_clients_take(clients, &client, share, 2, end_ms - 1));
        cr_expect_not(sp_clients_have_left(clients, &client, share, 2, end_ms - 1));
        cr_expect_not(sp_clients_take(clients, &client, share, 2, end_ms - 1));
        cr_expect(sp_clients_take(clients, &other, share, 2, end_ms - 1));
        cr_expect(sp_clients_take(clients, &nobody, share, 0, end_ms - 1));
        cr_expect(sp_clients_take(clients, &client, share, 2, end_ms), "the next while");
    }
}

Test(clients, are_the_same_as_numbers)
{
    sp_client_t client = named("192.0.2.1");
    sp_client_t nobody = {.is_counted = false};
    sp_client_t again = sp_client_from_number(sp_client_to_number(&client));

    cr_expect(again.is_counted);
    cr_expect_arr_eq(again.cells, client.cells, sizeof(client.cells));
    cr_expect_eq(sp_client_to_number(&nobody), 0);
    cr_expect_not(sp_client_from_number(0).is_counted);
    client = (sp_client_t){.is_counted = true, .cells = {0, 0}};
    cr_expect(sp_client_from_number(sp_client_to_number(&client)).is_counted);
}

/* A table of fixed size takes two for one now and then; hardly ever the busy one for a quiet one.
 */
Test(clients, do_not_pay_for_the_busy)
{
    unsigned refused = 0;

    for (unsigned i = 0; i != 500; ++i) {
        char text[32];
        sp_client_t busy;

        (void)snprintf(text, sizeof(text), "10.0.%u.%u", i / 250, i % 250);
        busy = named(text);
        while (sp_clients_may_ask(clients, &busy, 10, 1000)) {
        }
    }
    for (unsigned i = 0; i != 2000; ++i) {
        char text[32];
        sp_client_t quiet;

        (void)snprintf(text, sizeof(text), "172.16.%u.%u", i / 250, i % 250);
        quiet = named(text);
        refused += !sp_clients_may_ask(clients, &quiet, 10, 1000);
    }
    cr_expect_leq(refused, 5, "%u of 2000", refused);
}
