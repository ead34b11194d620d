/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/log.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>
#include <time.h>

static const struct timespec noon = {.tv_sec = 1700000000, .tv_nsec = 7000000};

static void expect_line(sp_log_format_t format, sp_log_level_t level, const char *text,
                        const char *expected)
{
    char line[SP_LOG_LINE_MAX + 1];
    size_t len = sp_log_line_write(format, level, text, &noon, line);

    line[len] = '\0';
    cr_expect_str_eq(line, expected);
}

Test(log, writes_text_with_its_level)
{
    expect_line(SP_LOG_TEXT, SP_LOG_ERROR, "no memory", "signpost: no memory\n");
    expect_line(SP_LOG_TEXT, SP_LOG_WARNING, "slow", "signpost: warning: slow\n");
    expect_line(SP_LOG_TEXT, SP_LOG_INFO, "ready", "signpost: info: ready\n");
    expect_line(SP_LOG_TEXT, SP_LOG_DEBUG, "x", "signpost: debug: x\n");
}

Test(log, writes_json_with_time_and_level)
{
    expect_line(SP_LOG_JSON, SP_LOG_WARNING, "slow",
                "{\"time\":\"2023-11-14T22:13:20.007Z\",\"level\":\"warning\","
                "\"message\":\"slow\"}\n");
}

Test(log, shows_octets_that_could_forge_a_line)
{
    expect_line(SP_LOG_TEXT, SP_LOG_ERROR, "a\nb\x1b\xff", "signpost: a\\x0ab\\x1b\\xff\n");
    expect_line(SP_LOG_JSON, SP_LOG_ERROR, "a\n\"\\\xff",
                "{\"time\":\"2023-11-14T22:13:20.007Z\",\"level\":\"error\","
                "\"message\":\"a\\\\x0a\\\"\\\\\\\\xff\"}\n");
}

Test(log, cuts_a_long_event_and_ends_its_line)
{
    static const sp_log_format_t formats[] = {SP_LOG_TEXT, SP_LOG_JSON};
    char text[2 * SP_LOG_LINE_MAX];
    char line[SP_LOG_LINE_MAX];

    memset(text, '\n', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    for (size_t i = 0; i != 2; ++i) {
        size_t len = sp_log_line_write(formats[i], SP_LOG_ERROR, text, &noon, line);

        cr_expect_leq(len, SP_LOG_LINE_MAX);
        cr_expect_eq(line[len - 1], '\n');
        cr_expect_eq(memchr(line, '\n', len), &line[len - 1]);
        if (formats[i] == SP_LOG_JSON) {
            json_t *event = json_loadb(line, len, 0, NULL);

            cr_expect_not_null(event, "a cut line is JSON still");
            json_decref(event);
        }
    }
}
