/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "http/request_head.h"

static sp_status_t read_head(const char *text, sp_arena_t *arena, sp_request_head_t *ret_head,
                             sp_error_t *err)
{
    sp_arena_init(arena, NULL, 0, 1024);
    return sp_request_head_read(sp_str_from(text), arena, ret_head, err);
}

/* Expects the text to be refused, with a sentence that holds `words`. */
static void expect_refused(const char *text, sp_status_t expected, const char *words)
{
    sp_arena_t arena;
    sp_request_head_t head = {0};
    sp_error_t err = {0};
    sp_status_t status = read_head(text, &arena, &head, &err);

    cr_expect_eq(status, expected, "%s: %s", text, sp_status_name(status));
    cr_expect_not_null(strstr(err.message, words), "%s: '%s'", text, err.message);
    cr_expect_null(head.hosts, "results are written on success only");
    sp_arena_clear(&arena);
}

static void expect_header(const sp_header_t *header, const char *name, const char *value)
{
    cr_expect(sp_str_eq(header->name, sp_str_from(name)), "%.*s", (int)header->name.len,
              header->name.ptr);
    cr_expect(sp_str_eq(header->value, sp_str_from(value)), "%.*s", (int)header->value.len,
              header->value.ptr);
}

Test(request_head, keeps_hosts_apart_from_the_other_fields)
{
    sp_arena_t arena;
    sp_request_head_t head;

    cr_assert_eq(read_head("GET / HTTP/1.1\r\nAccept: a\r\nHost: one\r\nX: \t b c \t\r\n\r\n",
                           &arena, &head, NULL),
                 SP_OK);
    cr_assert_eq(head.host_count, 1);
    cr_expect(sp_str_eq(head.hosts[0], SP_STR("one")));
    cr_assert_eq(head.header_count, 2);
    expect_header(&head.headers[0], "Accept", "a");
    expect_header(&head.headers[1], "X", "b c");
    sp_arena_clear(&arena);
}

Test(request_head, finds_every_host)
{
    sp_arena_t arena;
    sp_request_head_t head;

    cr_assert_eq(
        read_head("GET / HTTP/1.1\r\nhost: a\r\nHOST:b\r\nHost:\r\n\r\n", &arena, &head, NULL),
        SP_OK);
    cr_assert_eq(head.host_count, 3);
    cr_expect(sp_str_eq(head.hosts[1], SP_STR("b")));
    cr_expect_eq(head.hosts[2].len, 0);
    cr_expect_eq(head.header_count, 0);
    sp_arena_clear(&arena);
}

Test(request_head, reads_a_head_without_fields)
{
    sp_arena_t arena;
    sp_request_head_t head;

    cr_assert_eq(read_head("GET / HTTP/1.0\r\n\r\n", &arena, &head, NULL), SP_OK);
    cr_expect_eq(head.host_count, 0);
    cr_expect_eq(head.header_count, 0);
    sp_arena_clear(&arena);
}

Test(request_head, ignores_one_empty_line_ahead_and_whatever_follows)
{
    sp_arena_t arena;
    sp_request_head_t head;

    cr_assert_eq(read_head("\r\nPOST / HTTP/1.1\r\nHost: a\r\n\r\nHost: body\n \r\n\r\n", &arena,
                           &head, NULL),
                 SP_OK);
    cr_expect_eq(head.host_count, 1);
    sp_arena_clear(&arena);
}

Test(request_head, refuses_bare_line_feeds)
{
    expect_refused("GET / HTTP/1.1\nHost: a\r\n\r\n", SP_BAD_SYNTAX, "CRLF");
    expect_refused("GET / HTTP/1.1\r\nHost: a\n\r\n", SP_BAD_SYNTAX, "CRLF");
    expect_refused("GET / HTTP/1.1\r\nHost: a\r\n\n", SP_BAD_SYNTAX, "CRLF");
    expect_refused("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", SP_BAD_SYNTAX, "CRLF");
}

Test(request_head, refuses_folded_lines)
{
    expect_refused("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", SP_BAD_SYNTAX, "one line");
    expect_refused("GET / HTTP/1.1\r\n\tHost: a\r\n\r\n", SP_BAD_SYNTAX, "one line");
}

Test(request_head, refuses_fields_without_a_proper_name)
{
    expect_refused("GET / HTTP/1.1\r\nHost : a\r\n\r\n", SP_BAD_SYNTAX, "blank");
    expect_refused("GET / HTTP/1.1\r\nHost\t: a\r\n\r\n", SP_BAD_SYNTAX, "blank");
    expect_refused("GET / HTTP/1.1\r\nHost\r\n\r\n", SP_BAD_SYNTAX, "Name: value");
    expect_refused("GET / HTTP/1.1\r\n: a\r\n\r\n", SP_BAD_SYNTAX, "Name: value");
}

Test(request_head, refuses_two_ways_to_tell_the_length_of_the_body)
{
    expect_refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: "
                   "chunked\r\n\r\n",
                   SP_BAD_SYNTAX, "not both");
}

Test(request_head, refuses_a_length_told_twice)
{
    expect_refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\n",
                   SP_BAD_SYNTAX, "once");
    expect_refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n",
                   SP_BAD_SYNTAX, "once");
}

Test(request_head, refuses_an_encoding_that_the_version_does_not_know)
{
    expect_refused("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                   SP_BAD_SYNTAX, "HTTP/1.0");
}

Test(request_head, refuses_a_head_without_end)
{
    expect_refused("GET / HTTP/1.1\r\nHost: a\r\n", SP_BAD_SYNTAX, "empty line");
    expect_refused("", SP_BAD_SYNTAX, "empty line");
}

/* A head of exactly `size` octets with one large field. */
static char *make_head(size_t size)
{
    static const char start[] = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    char *text = malloc(size + 1);

    cr_assert_not_null(text);
    memset(text, 'x', size);
    memcpy(text, start, sizeof(start) - 1);
    memcpy(text + size - 4, "\r\n\r\n", 5);
    return text;
}

Test(request_head, takes_32_kib_and_not_one_octet_more)
{
    char *fits = make_head(SP_HEAD_SIZE_MAX);
    char *over = make_head(SP_HEAD_SIZE_MAX + 1);
    sp_arena_t arena;
    sp_request_head_t head;

    cr_expect_eq(read_head(fits, &arena, &head, NULL), SP_OK);
    sp_arena_clear(&arena);
    expect_refused(over, SP_TOO_LONG, "32768");
    free(fits);
    free(over);
}

Test(request_head, names_a_fault_ahead_of_the_limit_rather_than_the_limit)
{
    char *over = make_head(SP_HEAD_SIZE_MAX * 2);

    over[strlen("GET / HTTP/1.1\r\nHo")] = '\n';
    expect_refused(over, SP_BAD_SYNTAX, "CRLF");
    free(over);
}
