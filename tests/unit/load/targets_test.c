/* SPDX-License-Identifier: Apache-2.0 */
#include "load/targets.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sp_load_targets_t parse(const char *text)
{
    sp_load_targets_t targets = {.count = 0};
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_load_targets_parse(sp_str_from(text), &targets, &err), SP_OK, "%s",
                 err.message);
    return targets;
}

static void expect_text(sp_str_t text, const char *expected)
{
    cr_expect(sp_str_eq(text, sp_str_from(expected)), "%.*s, not %s", (int)text.len, text.ptr,
              expected);
}

Test(load_targets, reads_host_path_status_and_location)
{
    sp_load_targets_t targets =
        parse("www.example.com\t/a?b=c\t301\thttps://example.net/\xc3\xa4 b\n"
              "[::1]:8080\t/\r\n");

    cr_assert_eq(targets.count, 2);
    expect_text(targets.list[0].host, "www.example.com");
    expect_text(targets.list[0].path, "/a?b=c");
    cr_expect_eq(targets.list[0].status, 301);
    cr_expect(targets.list[0].has_location);
    expect_text(targets.list[0].location, "https://example.net/\xc3\xa4 b");
    expect_text(targets.list[1].host, "[::1]:8080");
    expect_text(targets.list[1].path, "/");
    cr_expect_eq(targets.list[1].status, 0);
    cr_expect_not(targets.list[1].has_location);
    sp_load_targets_clear(&targets);
}

Test(load_targets, tells_an_empty_location_from_none)
{
    sp_load_targets_t targets = parse("a\t/\t404\t\nb\t/\t404\nc\t/\t\t/x\nd\t/\t\t");

    cr_assert_eq(targets.count, 4);
    cr_expect(targets.list[0].has_location);
    cr_expect_eq(targets.list[0].location.len, 0);
    cr_expect_not(targets.list[1].has_location);
    cr_expect_eq(targets.list[2].status, 0);
    expect_text(targets.list[2].location, "/x");
    cr_expect(targets.list[3].has_location);
    sp_load_targets_clear(&targets);
}

Test(load_targets, passes_over_comments_and_empty_lines)
{
    sp_load_targets_t targets = parse("# host, path\n\n\r\na\t/\n#b\t/\n");

    cr_expect_eq(targets.count, 1);
    sp_load_targets_clear(&targets);
}

Test(load_targets, says_where_and_what_is_wrong)
{
    static const struct {
        const char *text;
        size_t offset;
        const char *words;
    } cases[] = {
        {"", 0, "no request in it"},
        {"# nothing\n", 0, "no request in it"},
        {"\t/", 0, "must begin with a host"},
        {"a", 1, "a path is missing"},
        {"a\t/\nb\n", 5, "a path is missing"},
        {"https://a/\t/", 6, "no URL"},
        {"a b\t/", 1, "no URL"},
        {"\xc3\xa4.example\t/", 0, "no URL"},
        {"a\t", 2, "must begin with '/'"},
        {"a\tx", 2, "must begin with '/'"},
        {"a\t/x y", 4, "visible ASCII"},
        {"a\t/x#y", 4, "visible ASCII"},
        {"a\t/\xc3\xa4", 3, "visible ASCII"},
        {"a\t/\t199", 4, "200 to 599"},
        {"a\t/\t600", 4, "200 to 599"},
        {"a\t/\t3xx", 4, "200 to 599"},
        {"a\t/\t301\t/\tx", 9, "four fields"},
        {"a\t/\t301\t/\x01", 9, "control"},
        {"a\t/\t301\t/\x7f", 9, "control"},
    };

    for (size_t i = 0; i != SP_COUNT(cases); ++i) {
        sp_load_targets_t targets = {.count = 0};
        sp_error_t err = {.message = ""};

        cr_expect_eq(sp_load_targets_parse(sp_str_from(cases[i].text), &targets, &err),
                     SP_BAD_SYNTAX, "%s", cases[i].text);
        cr_expect_eq(err.offset, cases[i].offset, "%s: %zu", cases[i].text, err.offset);
        cr_expect_not_null(strstr(err.message, cases[i].words), "%s: %s", cases[i].text,
                           err.message);
    }
}

Test(load_targets, takes_each_status_at_the_limits)
{
    sp_load_targets_t targets = parse("a\t/\t200\na\t/\t599");

    cr_expect_eq(targets.list[0].status, 200);
    cr_expect_eq(targets.list[1].status, 599);
    sp_load_targets_clear(&targets);
}

/* A line of `host` octets of host and as many of path as make it `len` octets long. */
static sp_status_t parse_long(size_t host, size_t len, sp_error_t *err)
{
    char *line = malloc(len);
    sp_load_targets_t targets = {.count = 0};
    sp_status_t status = SP_OK;

    cr_assert_not_null(line);
    memset(line, 'x', len);
    line[host] = '\t';
    line[host + 1] = '/';
    status = sp_load_targets_parse((sp_str_t){line, len}, &targets, err);
    sp_load_targets_clear(&targets);
    free(line);
    return status;
}

Test(load_targets, holds_lines_and_hosts_to_their_limits)
{
    sp_error_t err = {.message = ""};

    cr_expect_eq(parse_long(1, SP_LOAD_TARGET_LINE_MAX, &err), SP_OK);
    cr_expect_eq(parse_long(1, SP_LOAD_TARGET_LINE_MAX + 1, &err), SP_BAD_SYNTAX);
    cr_expect_not_null(strstr(err.message, "65536"));
    cr_expect_eq(parse_long(SP_LOAD_TARGET_HOST_MAX, 400, &err), SP_OK);
    cr_expect_eq(parse_long(SP_LOAD_TARGET_HOST_MAX + 1, 400, &err), SP_BAD_SYNTAX);
    cr_expect_not_null(strstr(err.message, "320"));
}

Test(load_targets, holds_the_list_to_its_limit)
{
    static const char line[] = "a\t/\n";
    size_t len = (SP_LOAD_TARGETS_MAX + 1) * (sizeof(line) - 1);
    char *text = malloc(len);
    sp_load_targets_t targets = {.count = 0};
    sp_error_t err = {.message = ""};

    cr_assert_not_null(text);
    for (size_t i = 0; i != len; i += sizeof(line) - 1) {
        memcpy(text + i, line, sizeof(line) - 1);
    }
    cr_assert_eq(sp_load_targets_parse((sp_str_t){text, len - 4}, &targets, &err), SP_OK);
    cr_expect_eq(targets.count, SP_LOAD_TARGETS_MAX);
    sp_load_targets_clear(&targets);
    cr_expect_eq(sp_load_targets_parse((sp_str_t){text, len}, &targets, &err), SP_BAD_SYNTAX);
    cr_expect_not_null(strstr(err.message, "a million"));
    free(text);
}

/* Writes the text to a file and reads it. */
static sp_status_t read_back(const char *text, sp_load_targets_t *ret_targets, char *path,
                             sp_error_t *err)
{
    FILE *file = NULL;
    sp_status_t status = SP_OK;

    (void)strcpy(path, "/tmp/signpost-load-XXXXXX");
    file = fdopen(mkstemp(path), "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
    status = sp_load_targets_read(path, ret_targets, err);
    cr_expect_eq(unlink(path), 0);
    return status;
}

Test(load_targets, reads_files)
{
    sp_load_targets_t targets = {.count = 0};
    sp_error_t err = {.message = ""};
    char path[32];
    char *text = malloc(200001);

    cr_assert_not_null(text);
    for (size_t i = 0; i != 200000; i += 8) {
        memcpy(text + i, "abc\t/xy\n", 8);
    }
    text[200000] = '\0';
    cr_assert_eq(read_back(text, &targets, path, &err), SP_OK, "%s", err.message);
    cr_expect_eq(targets.count, 25000);
    expect_text(targets.list[24999].path, "/xy");
    sp_load_targets_clear(&targets);
    free(text);
}

Test(load_targets, names_file_line_and_column)
{
    sp_load_targets_t targets = {.count = 0};
    sp_error_t err = {.message = ""};
    char path[32];
    char expected[64];

    cr_assert_eq(read_back("a\t/\n# more\nb\t/\t999\n", &targets, path, &err), SP_BAD_SYNTAX);
    (void)snprintf(expected, sizeof(expected), "%s:3:5: the status must be", path);
    cr_expect(sp_str_starts_with(sp_str_from(err.message), sp_str_from(expected)), "%s",
              err.message);
    cr_assert_eq(sp_load_targets_read("/nonexistent/targets", &targets, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "/nonexistent/targets: "));
    cr_assert_eq(sp_load_targets_read("/", &targets, &err), SP_IO);
}
