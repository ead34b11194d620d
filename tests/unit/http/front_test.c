/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "front_world.h"

/* One request on a connection of its own. */
static bool ask_octets(const char *request, size_t len)
{
    int fd = connect_client();
    bool closed = exchange(fd, request, len, 1);

    (void)close(fd);
    return closed;
}

static void expect_status(const char *request, unsigned status)
{
    char start[32];

    (void)ask_octets(request, strlen(request));
    (void)snprintf(start, sizeof(start), "HTTP/1.1 %u ", status);
    cr_expect_eq(strncmp(answer, start, strlen(start)), 0, "%s\n→ %s", request, answer);
}

TestSuite(front, .init = create_world, .fini = destroy_world);

Test(front, redirects)
{
    expect_status("GET /x?y HTTP/1.1\r\n" HOST "\r\n", 302);
    cr_expect_not_null(strstr(answer, "\r\nLocation: https://to.example.net/x?y\r\n"));
    cr_expect_not_null(strstr(answer, "\r\nServer: signpost\r\n"));
    cr_expect_not_null(strstr(answer, "\r\nConnection: keep-alive\r\n"));
    expect_status("GET / HTTP/1.1\r\nHost: b.example.com\r\n\r\n", 404);
}

Test(front, answers_head_as_get_without_body)
{
    char length[64];
    const char *at = NULL;

    expect_status("GET / HTTP/1.1\r\n" HOST "\r\n", 302);
    at = strstr(answer, "Content-Length: ");
    cr_assert_not_null(at);
    (void)snprintf(length, sizeof(length), "%.*s", (int)strcspn(at, "\r"), at);
    expect_status("HEAD / HTTP/1.1\r\n" HOST "\r\n", 302);
    cr_expect_not_null(strstr(answer, length));
    cr_expect_str_eq(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
}

Test(front, refuses_what_the_library_lets_through)
{
    static const char *const requests[] = {
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST HOST "\r\n",
        "GET / HTTP/1.1\nHost: a.example.com\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.example.com\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "\n",
        "GET / HTTP/1.1\r\n" HOST "X: a\r\n b\r\n\r\n",
        "CONNECT a.example.com:443 HTTP/1.1\r\n" HOST "\r\n",
        "OPTIONS * HTTP/1.1\r\n" HOST "\r\n",
        "POST / HTTP/1.1\r\n" HOST HOST "Content-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\n" HOST HOST "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\n" HOST
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    };

    for (size_t i = 0; i != SP_COUNT(requests); ++i) {
        expect_status(requests[i], 400);
        cr_expect_not_null(strstr(answer, "\r\nConnection: close\r\n"), "%s", requests[i]);
        cr_expect_not_null(strstr(answer, "text/plain"), "%s", requests[i]);
    }
    cr_expect_eq(world.reports, SP_COUNT(requests));
    cr_expect_eq(world.last.kind, SP_OUTCOME_BAD_REQUEST);
}

Test(front, ignores_upgrades_rather_than_let_requests_slip_by)
{
#define UPGRADE                                                                                    \
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
    expect_status("GET / HTTP/1.1\r\n" HOST UPGRADE "\r\n", 302);
    expect_status("GET / HTTP/1.1\r\n" HOST HOST UPGRADE "\r\n", 400);
}

/* `start`, then `count` times 'x', then `end`; the caller frees it. */
static char *fill(const char *start, size_t count, const char *end, size_t *ret_len)
{
    size_t start_len = strlen(start);
    size_t end_len = strlen(end);
    char *text = malloc(start_len + count + end_len + 1);

    cr_assert_not_null(text);
    memcpy(text, start, start_len);
    memset(text + start_len, 'x', count);
    memcpy(text + start_len + count, end, end_len + 1);
    *ret_len = start_len + count + end_len;
    return text;
}

static void expect_filled(const char *start, size_t count, const char *end, const char *expected)
{
    size_t len = 0;
    char *request = fill(start, count, end, &len);

    (void)ask_octets(request, len);
    cr_expect_not_null(strstr(answer, expected), "%s… × %zu → %s", start, count, answer);
    free(request);
}

Test(front, limits_heads_to_32_kib)
{
    const char *start = "GET / HTTP/1.1\r\n" HOST "X: ";
    size_t rest = 32768 - strlen(start) - 4;

    expect_filled(start, rest, "\r\n\r\n", "HTTP/1.1 302 ");
    expect_filled(start, rest + 1, "\r\n\r\n", "HTTP/1.1 431 ");
    expect_filled("GET /", 100000, " HTTP/1.1\r\n" HOST "\r\n", "HTTP/1.1 431 ");
}

Test(front, limits_bodies_to_64_kib)
{
    const char *chunked = "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";
    char start[256];

    expect_filled("POST / HTTP/1.1\r\n" HOST "Content-Length: 65536\r\n\r\n", 65536, "",
                  "HTTP/1.1 302 ");
    expect_filled("POST / HTTP/1.1\r\n" HOST "Content-Length: 65537\r\n\r\n", 65537, "",
                  "HTTP/1.1 413 ");
    (void)snprintf(start, sizeof(start), "%s10000\r\n", chunked);
    expect_filled(start, 0x10000, "\r\n0\r\n\r\n", "HTTP/1.1 302 ");
    (void)snprintf(start, sizeof(start), "%s10001\r\n", chunked);
    expect_filled(start, 0x10001, "\r\n0\r\n\r\n", "HTTP/1.1 413 ");
}

Test(front, delivers_its_refusal_to_a_client_that_is_still_sending)
{
    size_t len = 0;
    char *request =
        fill("POST / HTTP/1.1\r\n" HOST "Content-Length: 700000\r\n\r\n", 700000, "", &len);
    int fd = connect_client();

    cr_expect(exchange(fd, request, len, 0), "the server closes");
    cr_expect_eq(strncmp(answer, "HTTP/1.1 413 ", 13), 0, "%s", answer);
    (void)close(fd);
    free(request);
}

Test(front, keeps_connections_and_answers_in_order)
{
    const char *three = "GET /1 HTTP/1.1\r\n" HOST "\r\nGET /2 HTTP/1.1\r\n" HOST
                        "\r\nGET /3 HTTP/1.1\r\n" HOST "\r\n";
    int fd = connect_client();
    const char *second = NULL;

    cr_expect_not(exchange(fd, three, strlen(three), 3));
    second = strstr(answer, "example.net/2");
    cr_assert_not_null(second);
    cr_expect_not_null(strstr(second, "example.net/3"));
    cr_expect_eq(sp_front_counters(world.front)->connections, 1);
    cr_expect_eq(sp_front_counters(world.front)->accepted, 1);
    (void)close(fd);
}

Test(front, drains)
{
    int idle = connect_client();
    int half = connect_client();
    const char *rest = "1\r\n" HOST "\r\n";

    cr_expect_not(exchange(idle, "GET / HTTP/1.1\r\n" HOST "\r\n", 39, 1));
    cr_assert_eq(send(half, "GET / HTTP/1.", 13, 0), 13);
    (void)h2o_evloop_run(world.loop, 10);
    sp_front_drain(world.front);
    cr_expect(exchange(idle, "", 0, 0), "what is idle is closed");
    cr_expect_not(sp_front_is_drained(world.front));
    cr_expect(exchange(half, rest, strlen(rest), 0), "what has begun is finished, then closed");
    cr_expect_eq(strncmp(answer, "HTTP/1.1 302 ", 13), 0, "%s", answer);
    cr_expect_not_null(strstr(answer, "\r\nConnection: close\r\n"));
    (void)close(idle);
    (void)close(half);
    for (int turn = 0; turn != 100 && !sp_front_is_drained(world.front); ++turn) {
        (void)h2o_evloop_run(world.loop, 10);
    }
    cr_expect(sp_front_is_drained(world.front));
}

Test(front, reports_what_became_of_a_request)
{
    expect_status("GET / HTTP/1.1\r\n" HOST "User-Agent: test\r\n\r\n", 302);
    cr_assert_eq(world.reports, 1);
    cr_expect(world.last.was_answered);
    cr_expect_eq(world.last.kind, SP_OUTCOME_REDIRECT);
    cr_expect_eq(world.last.status, 302);
    cr_expect_eq(world.last.version, 0x101);
    cr_expect_eq(world.last.lookups, 1);
    cr_expect_eq(world.last.cache, SP_REPORT_HIT);
    cr_expect_eq(world.last.header_count, 1);
    cr_expect_geq(world.last.ended_us, world.last.started_us);
}
