/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/http1.h"

#define END "\r\n\r\n"

/* A text of `len` octets, in memory that the caller frees. */
static char *repeat(char c, size_t len)
{
    char *text = malloc(len + 1);

    cr_assert_not_null(text);
    memset(text, c, len);
    text[len] = '\0';
    return text;
}

static bool read_head(const char *text, sp_http1_answer_t *ret_answer)
{
    return sp_http1_head_read(sp_str_from(text), ret_answer);
}

static void expect_no_head(const char *text)
{
    sp_http1_answer_t answer = {.status = 0};

    cr_expect_not(read_head(text, &answer), "%s", text);
    cr_expect_eq(answer.status, 0, "results are written on success only: %s", text);
}

static sp_http1_framing_t framing_of(const char *head)
{
    sp_http1_answer_t answer = {.status = 0};

    cr_assert(read_head(head, &answer), "%s", head);
    return answer.framing;
}

static bool keeps_alive(const char *head)
{
    sp_http1_answer_t answer = {.status = 0};

    cr_assert(read_head(head, &answer), "%s", head);
    return answer.keep_alive;
}

Test(http1_head, tells_status_and_location)
{
    sp_http1_answer_t answer;

    cr_assert(read_head("HTTP/1.1 302 Found\r\nServer: x\r\nlOcation: \thttps://a.example/?b \r\n"
                        "Content-Length: 0" END,
                        &answer));
    cr_expect_eq(answer.status, 302);
    cr_expect_eq(answer.location_count, 1);
    cr_expect(sp_str_eq(answer.location, SP_STR("https://a.example/?b")));
    cr_expect(answer.keep_alive);
    cr_expect_eq(answer.framing, SP_HTTP1_NO_BODY);
}

Test(http1_head, counts_locations_and_tells_the_first)
{
    sp_http1_answer_t answer;

    cr_assert(read_head("HTTP/1.1 302 \r\nLocation: /a\r\nLocation: /b" END, &answer));
    cr_expect_eq(answer.location_count, 2);
    cr_expect(sp_str_eq(answer.location, SP_STR("/a")));
    cr_assert(read_head("HTTP/1.1 302 \r\nX-Location: /a" END, &answer));
    cr_expect_eq(answer.location_count, 0);
    cr_assert(read_head("HTTP/1.1 302 \r\nLocation:" END, &answer));
    cr_expect_eq(answer.location_count, 1);
    cr_expect_eq(answer.location.len, 0);
}

Test(http1_head, accepts_every_status_that_there_is_and_no_other)
{
    static const char *const wrong[] = {
        "HTTP/1.1 099 x" END,  "HTTP/1.1 600 x" END, "HTTP/1.1 20 x" END,
        "HTTP/1.1 2000 x" END, "HTTP/1.1 2x0 x" END, "HTTP/1.1  200 x" END,
        "HTTP/1.1\t200 x" END, "HTTP/1.1 200" END,   "HTTP/1.1 101 x" END};
    sp_http1_answer_t answer;

    cr_expect(read_head("HTTP/1.1 100 " END, &answer));
    cr_expect(read_head("HTTP/1.1 200 \t any \xc3\xa9 words" END, &answer));
    cr_expect(read_head("HTTP/1.1 599 x" END, &answer));
    for (size_t i = 0; i != SP_COUNT(wrong); ++i) {
        expect_no_head(wrong[i]);
    }
}

Test(http1_head, refuses_what_is_not_http)
{
    static const char *const wrong[] = {
        "",
        "\r\n",
        END,
        "HTTP/2.0 200 x" END,
        "HTTP/1.2 200 x" END,
        "http/1.1 200 x" END,
        "HTTP/1.1 200 x\n\n",
        "HTTP/1.1 200 x\r\nA: b\n\r\n",
        "HTTP/1.1 200 x\r\nA: b\r\r\n\r\n",
        "HTTP/1.1 200 x\r\nA" END,
        "HTTP/1.1 200 x\r\n: b" END,
        "HTTP/1.1 200 x\r\nA : b" END,
        "HTTP/1.1 200 x\r\nA: b\r\n c" END,
        "HTTP/1.1 200 x\r\nA: b\x01" END,
        "HTTP/1.1 200 x\x7f" END,
        "HTTP/1.1 200 x\r\nA: b" END "more",
        "HTTP/1.1 200 x\r\nA: b\r\n",
    };

    for (size_t i = 0; i != SP_COUNT(wrong); ++i) {
        expect_no_head(wrong[i]);
    }
}

Test(http1_head, tells_how_the_body_ends)
{
    sp_http1_answer_t answer;

    cr_assert(read_head("HTTP/1.1 200 x\r\nContent-Length: 9223372036854775807" END, &answer));
    cr_expect_eq(answer.framing, SP_HTTP1_LENGTH);
    cr_expect_eq(answer.length, (uint64_t)INT64_MAX);
    cr_expect_eq(framing_of("HTTP/1.1 200 x\r\nContent-Length: 5\r\nContent-Length: 5" END),
                 SP_HTTP1_LENGTH);
    cr_expect_eq(framing_of("HTTP/1.1 200 x\r\nTransfer-Encoding: Chunked" END), SP_HTTP1_CHUNKED);
    cr_expect_eq(framing_of("HTTP/1.1 200 x" END), SP_HTTP1_UNTIL_CLOSE);
    cr_expect_eq(framing_of("HTTP/1.1 204 x\r\nContent-Length: 5" END), SP_HTTP1_NO_BODY);
    cr_expect_eq(framing_of("HTTP/1.1 304 x\r\nTransfer-Encoding: chunked" END), SP_HTTP1_NO_BODY);
    cr_expect_eq(framing_of("HTTP/1.1 103 x" END), SP_HTTP1_NO_BODY);
}

Test(http1_head, refuses_bodies_that_could_end_in_two_places)
{
    expect_no_head("HTTP/1.1 200 x\r\nContent-Length: 9223372036854775808" END);
    expect_no_head("HTTP/1.1 200 x\r\nContent-Length: 5\r\nContent-Length: 6" END);
    expect_no_head("HTTP/1.1 200 x\r\nContent-Length: 5, 5" END);
    expect_no_head("HTTP/1.1 200 x\r\nContent-Length: +5" END);
    expect_no_head("HTTP/1.1 200 x\r\nContent-Length:" END);
    expect_no_head("HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5" END);
    expect_no_head("HTTP/1.1 200 x\r\nTransfer-Encoding: gzip, chunked" END);
    expect_no_head(
        "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked" END);
}

Test(http1_head, tells_whether_the_connection_lasts)
{
    cr_expect(keeps_alive("HTTP/1.1 204 x" END));
    cr_expect_not(keeps_alive("HTTP/1.1 204 x\r\nConnection: close" END));
    cr_expect_not(keeps_alive("HTTP/1.1 204 x\r\nConnection: Keep-Alive, CLOSE ,x" END));
    cr_expect(keeps_alive("HTTP/1.1 204 x\r\nConnection: closed" END));
    cr_expect_not(keeps_alive("HTTP/1.0 204 x" END));
    cr_expect(keeps_alive("HTTP/1.0 204 x\r\nConnection: keep-alive" END));
    cr_expect_not(keeps_alive("HTTP/1.1 200 x" END), "its body ends with the connection");
}

/* Feeds a text in pieces of `piece` octets; *ret_used is what belongs to the answer. */
static sp_http1_step_t feed(sp_http1_reader_t *reader, sp_str_t text, size_t piece,
                            size_t *ret_used)
{
    size_t at = 0;

    *ret_used = 0;
    while (at != text.len) {
        size_t len = text.len - at < piece ? text.len - at : piece;
        size_t used = 0;
        sp_http1_step_t step = SP_HTTP1_MORE;
        char *copy = malloc(len);

        cr_assert_not_null(copy);
        memcpy(copy, text.ptr + at, len);
        step = sp_http1_reader_feed(reader, (sp_str_t){copy, len}, &used);
        if (step == SP_HTTP1_DONE && reader->answer.location.len != 0) {
            /* it may lie in what is freed now */
            cr_expect(sp_str_eq(reader->answer.location, SP_STR("https://b.example/")));
        }
        free(copy);
        *ret_used += used;
        if (step != SP_HTTP1_MORE) {
            return step;
        }
        at += len;
    }
    return SP_HTTP1_MORE;
}

#define HEAD(fields) "HTTP/1.1 302 Found\r\nLocation: https://b.example/\r\n" fields "\r\n"

static const char *const complete[] = {
    HEAD("Content-Length: 0\r\n"),
    HEAD("Content-Length: 5\r\n") "hello",
    HEAD("Transfer-Encoding: chunked\r\n") "0\r\n\r\n",
    HEAD("Transfer-Encoding: chunked\r\n") "5\r\nhello\r\n0b;ext=\"1\"\r\nhello world\r\n0\r\n\r\n",
    HEAD("Transfer-Encoding: chunked\r\n") "1 \r\nx\r\n000;\t\r\nA: b\r\nC:\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nLink: /\r\n\r\n" HEAD(
        "Content-Length: 1\r\n") "x",
};

Test(http1_reader, does_not_care_how_octets_come)
{
    for (size_t i = 0; i != SP_COUNT(complete); ++i) {
        sp_str_t text = sp_str_from(complete[i]);

        for (size_t piece = 1; piece <= text.len; ++piece) {
            sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
            size_t used = 0;

            cr_expect_eq(feed(&reader, text, piece, &used), SP_HTTP1_DONE, "%zu by %zu", i, piece);
            cr_expect_eq(used, text.len, "%zu by %zu: %zu", i, piece, used);
            cr_expect_eq(reader.answer.status, 302);
            cr_expect_eq(reader.answer.location_count, 1);
            sp_http1_reader_clear(&reader);
        }
    }
}

Test(http1_reader, leaves_what_follows_the_answer)
{
    for (size_t i = 0; i != SP_COUNT(complete); ++i) {
        char text[512];
        size_t len = strlen(complete[i]);
        sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
        size_t used = 0;

        (void)snprintf(text, sizeof(text), "%sHTTP/1.1 404", complete[i]);
        cr_expect_eq(sp_http1_reader_feed(&reader, sp_str_from(text), &used), SP_HTTP1_DONE);
        cr_expect_eq(used, len, "%zu: %zu of %zu", i, used, len);
        sp_http1_reader_clear(&reader);
    }
}

Test(http1_reader, reads_one_answer_after_the_other)
{
    sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
    size_t used = 0;

    for (size_t turn = 0; turn != 3; ++turn) {
        for (size_t i = 0; i != SP_COUNT(complete); ++i) {
            sp_http1_reader_restart(&reader);
            cr_expect_eq(feed(&reader, sp_str_from(complete[i]), 1 + turn * 20, &used),
                         SP_HTTP1_DONE);
        }
    }
    sp_http1_reader_clear(&reader);
}

Test(http1_reader, never_takes_part_of_an_answer_for_the_whole)
{
    for (size_t i = 0; i != SP_COUNT(complete); ++i) {
        for (size_t len = 0; len != strlen(complete[i]); ++len) {
            sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
            size_t used = 0;

            cr_expect_eq(feed(&reader, (sp_str_t){complete[i], len}, 1000, &used), SP_HTTP1_MORE,
                         "%zu: %zu octets", i, len);
            cr_expect_eq(used, len);
            cr_expect_eq(sp_http1_reader_end(&reader), SP_HTTP1_MORE);
            sp_http1_reader_clear(&reader);
        }
    }
}

Test(http1_reader, lets_a_body_end_with_the_connection)
{
    sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
    size_t used = 0;

    cr_expect_eq(feed(&reader, SP_STR("HTTP/1.1 302 x\r\nLocation: https://b.example/" END "some"),
                      7, &used),
                 SP_HTTP1_MORE);
    cr_expect_eq(sp_http1_reader_end(&reader), SP_HTTP1_DONE);
    cr_expect(sp_str_eq(reader.answer.location, SP_STR("https://b.example/")), "it was kept");
    sp_http1_reader_clear(&reader);
}

Test(http1_reader, refuses_bodies_that_are_not_chunked_as_they_say)
{
    static const char *const wrong[] = {"g\r\n",         "\r\n",     ";x\r\n",     " 5\r\n",
                                        "5\n",           "5\rx",     "5x\r\n",     "5;\x01\r\n",
                                        "1\r\nxy",       "1\r\nx\n", "1\r\nx\r\r", "0\r\nA: b\n",
                                        "0\r\nA\r: b\n", "0\r\n\rx", "-1\r\n",     "0x1\r\n"};

    for (size_t i = 0; i != SP_COUNT(wrong); ++i) {
        for (size_t piece = 1; piece <= 4; ++piece) {
            sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
            size_t used = 0;

            cr_assert_eq(
                feed(&reader, sp_str_from(HEAD("Transfer-Encoding: chunked\r\n")), 999, &used),
                SP_HTTP1_MORE);
            cr_expect_eq(feed(&reader, sp_str_from(wrong[i]), piece, &used), SP_HTTP1_BAD, "'%s'",
                         wrong[i]);
            sp_http1_reader_clear(&reader);
        }
    }
}

Test(http1_reader, does_not_wait_for_more_of_what_can_be_no_answer)
{
    static const char *const wrong[] = {"S", "HTTP/2", "SSH-2.0-x\r\n", "\r", "HTTP/1x"};

    for (size_t i = 0; i != SP_COUNT(wrong); ++i) {
        sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
        size_t used = 0;

        cr_expect_eq(feed(&reader, sp_str_from(wrong[i]), 1, &used), SP_HTTP1_BAD, "%s", wrong[i]);
        sp_http1_reader_clear(&reader);
    }
}

/* A head of exactly `len` octets, by a long field. */
static char *long_head(size_t len)
{
    static const char begin[] = "HTTP/1.1 204 x\r\nA:";
    char *text = repeat('a', len);

    memcpy(text, begin, sizeof(begin) - 1);
    memcpy(text + len - 4, END, 4);
    return text;
}

static sp_http1_step_t feed_text(const char *text, size_t piece)
{
    sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
    size_t used = 0;
    sp_http1_step_t step = feed(&reader, sp_str_from(text), piece, &used);

    sp_http1_reader_clear(&reader);
    return step;
}

Test(http1_reader, limits_a_head)
{
    char *fits = long_head(SP_HTTP1_HEAD_MAX);
    char *too_long = long_head(SP_HTTP1_HEAD_MAX + 1);
    char *endless = long_head(4 * SP_HTTP1_HEAD_MAX);

    for (size_t piece = 1000; piece < 10 * SP_HTTP1_HEAD_MAX; piece *= 10) {
        cr_expect_eq(feed_text(fits, piece), SP_HTTP1_DONE);
        cr_expect_eq(feed_text(too_long, piece), SP_HTTP1_BAD);
        cr_expect_eq(feed_text(endless, piece), SP_HTTP1_BAD);
    }
    free(fits);
    free(too_long);
    free(endless);
}

Test(http1_reader, limits_interim_answers)
{
    static const char interim[] = "HTTP/1.1 100 x" END;
    sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
    size_t used = 0;

    for (unsigned i = 0; i != SP_HTTP1_INTERIM_MAX; ++i) {
        cr_expect_eq(feed(&reader, sp_str_from(interim), 999, &used), SP_HTTP1_MORE);
    }
    cr_expect_eq(feed(&reader, sp_str_from(interim), 999, &used), SP_HTTP1_BAD);
    sp_http1_reader_clear(&reader);
}

/* What follows the head of a chunked answer. */
static sp_http1_step_t feed_chunks(const char *text)
{
    sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
    size_t used = 0;
    sp_http1_step_t step =
        feed(&reader, sp_str_from(HEAD("Transfer-Encoding: chunked\r\n")), 999, &used);

    cr_assert_eq(step, SP_HTTP1_MORE);
    step = feed(&reader, sp_str_from(text), 999, &used);
    sp_http1_reader_clear(&reader);
    return step;
}

Test(http1_reader, limits_what_surrounds_chunks)
{
    char *line = repeat('x', SP_HTTP1_CHUNK_LINE_MAX + 1);
    char *trailers = repeat('x', SP_HTTP1_HEAD_MAX + 4);

    memcpy(line, "0;", 2);
    memcpy(line + SP_HTTP1_CHUNK_LINE_MAX - 1, "\n", 2);
    line[SP_HTTP1_CHUNK_LINE_MAX - 2] = '\r';
    cr_expect_eq(feed_chunks(line), SP_HTTP1_MORE);
    line[SP_HTTP1_CHUNK_LINE_MAX - 2] = 'x';
    line[SP_HTTP1_CHUNK_LINE_MAX - 1] = '\r';
    line[SP_HTTP1_CHUNK_LINE_MAX] = '\n';
    cr_expect_eq(feed_chunks(line), SP_HTTP1_BAD);

    memcpy(trailers, "0\r\n", 3);
    memcpy(trailers + SP_HTTP1_HEAD_MAX + 3 - 4, END "", 5);
    cr_expect_eq(feed_chunks(trailers), SP_HTTP1_DONE);
    memcpy(trailers + SP_HTTP1_HEAD_MAX + 3 - 4, "x" END, 5);
    cr_expect_eq(feed_chunks(trailers), SP_HTTP1_BAD);

    cr_expect_eq(feed_chunks("fffffffffffffff\r\nabc"), SP_HTTP1_MORE);
    cr_expect_eq(feed_chunks("0fffffffffffffff\r\n"), SP_HTTP1_BAD);
    free(line);
    free(trailers);
}
