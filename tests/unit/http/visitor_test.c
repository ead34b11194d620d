/* SPDX-License-Identifier: Apache-2.0 */
#include "http/visitor.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
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

TestSuite(visitor, .init = create, .fini = destroy);

/* 10.0.0.0/8 is trusted. */
static bool trusts(const void *arg, const struct sockaddr *peer)
{
    struct sockaddr_in in;

    (void)arg;
    memcpy(&in, peer, sizeof(in));
    return peer->sa_family == AF_INET && *(const uint8_t *)&in.sin_addr == 10;
}

static void expect(const sp_header_t *headers, size_t count, const char *first, const char *second)
{
    const char *const wanted[] = {first, second};
    const sp_service_t service = {.trusts = trusts};
    sp_client_t found[SP_VISITORS_MAX];
    size_t expected = first == NULL ? 0 : second == NULL ? 1 : 2;

    cr_assert_eq(sp_visitors_find(clients, &service, headers, count, found), expected, "%.*s",
                 (int)headers[0].value.len, headers[0].value.ptr);
    for (size_t i = 0; i != expected; ++i) {
        sp_client_t client = sp_client_named(clients, sp_str_from(wanted[i]));

        cr_expect_arr_eq(found[i].cells, client.cells, sizeof(client.cells), "%s", wanted[i]);
    }
}

static void expect_one(const char *name, const char *value, const char *address)
{
    sp_header_t header = {.name = sp_str_from(name), .value = sp_str_from(value)};

    expect(&header, 1, address, NULL);
}

Test(visitor, is_the_last_one_that_is_no_trusted_proxy)
{
    expect_one("X-Forwarded-For", "192.0.2.1", "192.0.2.1");
    expect_one("x-forwarded-for", "198.51.100.1, 192.0.2.1", "192.0.2.1");
    expect_one("X-Forwarded-For", "198.51.100.1,192.0.2.1, 10.1.1.1 , 10.2.2.2", "192.0.2.1");
    expect_one("X-Forwarded-For", "10.3.3.3, 10.2.2.2", "10.3.3.3");
    expect_one("X-Forwarded-For", "192.0.2.1:4711", "192.0.2.1");
    expect_one("X-Forwarded-For", "2001:db8::1", "2001:db8::1");
    expect_one("Forwarded", "for=198.51.100.1;proto=http, proto=https;For=\"[2001:db8::1]:80\"",
               "2001:db8::1");
    expect_one("Forwarded", "for=192.0.2.1, for=10.0.0.1", "192.0.2.1");
}

Test(visitor, needs_an_address)
{
    static const char *const bad[] = {"",  ",",  ", ,",  "unknown", "_hidden", "192.0.2.1, unknown",
                                      "[", "\"", "=;,=;"};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        expect_one("X-Forwarded-For", bad[i], NULL);
        expect_one("Forwarded", bad[i], NULL);
    }
    expect_one("Forwarded", "for=", NULL);
    expect_one("Forwarded", "for=\"", NULL);
    expect_one("Forwarded", "proto=https", NULL);
    expect_one("Via", "192.0.2.1", NULL);
}

Test(visitor, may_be_named_by_several_fields)
{
    const sp_header_t both[] = {{SP_STR("X-Forwarded-For"), SP_STR("192.0.2.7")},
                                {SP_STR("Forwarded"), SP_STR("for=198.51.100.1")},
                                {SP_STR("X-Forwarded-For"), SP_STR("192.0.2.1")},
                                {SP_STR("X-Forwarded-For"), SP_STR("10.0.0.1")}};

    expect(both, SP_COUNT(both), "198.51.100.1", "192.0.2.1");
}
