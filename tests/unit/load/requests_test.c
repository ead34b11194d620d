/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "load/requests.h"

static sp_load_target_t list[] = {
    {.host = {"a.example:8080", 14}, .path = {"/", 1}},
    {.host = {"b", 1}, .path = {"/long/path?x=%20", 16}},
};
static const sp_load_targets_t targets = {.list = list, .count = SP_COUNT(list)};

static void expect_octets(bool keep_alive, size_t target, const char *expected)
{
    sp_load_plan_t plan = {.targets = &targets, .keep_alive = keep_alive};
    sp_load_requests_t requests;
    sp_str_t octets;

    cr_assert_eq(sp_load_requests_init(&requests, &plan), SP_OK);
    octets = sp_load_request_octets(&requests, target);
    cr_expect(sp_str_eq(octets, sp_str_from(expected)), "%.*s", (int)octets.len, octets.ptr);
    sp_load_requests_clear(&requests);
}

Test(requests, are_written_as_http)
{
    expect_octets(true, 0, "GET / HTTP/1.1\r\nHost: a.example:8080\r\n\r\n");
    expect_octets(true, 1, "GET /long/path?x=%20 HTTP/1.1\r\nHost: b\r\n\r\n");
}

Test(requests, say_when_the_connection_is_for_them_alone)
{
    expect_octets(false, 1,
                  "GET /long/path?x=%20 HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n");
}
