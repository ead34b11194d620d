/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/zone_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Records and faults are written down, one a line, and compared as text. */
typedef struct notes {
    char text[8192];
    size_t len;
} notes_t;

static void note_record(void *arg, const sp_zone_record_t *record)
{
    notes_t *notes = arg;
    char *out = notes->text + notes->len;
    size_t room = sizeof(notes->text) - notes->len;
    int len = snprintf(out, room, "%zu:%zu %.*s %u %u", record->line, record->column,
                       (int)record->owner.len, record->owner.ptr, record->ttl_s, record->type);

    for (size_t i = 0; i != record->string_count; ++i) {
        len += snprintf(out + len, room - (size_t)len, " [%.*s]", (int)record->strings[i].len,
                        record->strings[i].ptr);
    }
    if (record->target.ptr != NULL) {
        len += snprintf(out + len, room - (size_t)len, " %.*s", (int)record->target.len,
                        record->target.ptr);
    }
    if (record->type == 6) {
        len += snprintf(out + len, room - (size_t)len, " %u", record->soa_minimum_s);
    }
    notes->len += (size_t)len;
    notes->text[notes->len++] = '\n';
    notes->text[notes->len] = '\0';
}

static void note_fault(void *arg, size_t line, size_t column, const char *message)
{
    notes_t *notes = arg;

    notes->len += (size_t)snprintf(notes->text + notes->len, sizeof(notes->text) - notes->len,
                                   "%zu:%zu! %s\n", line, column, message);
}

static void expect_read(sp_str_t text, const char *expected)
{
    notes_t notes = {.len = 0};
    sp_error_t err = {0};
    sp_status_t status = sp_zone_text_read(text, NULL, note_record, note_fault, &notes, &err);

    cr_expect_eq(status, strchr(expected, '!') == NULL ? SP_OK : SP_BAD_SYNTAX, "%s", err.message);
    cr_expect_str_eq(notes.text, expected);
}

/* One fault, at a place, whose message has two texts in it. */
static void expect_fault(const char *text, const char *place, const char *what)
{
    notes_t notes = {.len = 0};

    cr_expect_eq(sp_zone_text_read(sp_str_from(text), NULL, note_record, note_fault, &notes, NULL),
                 SP_BAD_SYNTAX);
    cr_expect(strstr(notes.text, place) == notes.text, "'%s' gave '%s'", text, notes.text);
    cr_expect_not_null(strstr(notes.text, what), "'%s' gave '%s'", text, notes.text);
}

Test(zone_file, reads_records_with_their_places)
{
    expect_read(SP_STR("; a comment\n"
                       "$ORIGIN Example.COM.\n"
                       "$TTL 60\n"
                       "@ IN SOA ns hostmaster 1 2 3 4 55\n"
                       "\n"
                       "_redirect  300 IN TXT \"to=https://example.org\"\n"
                       "\tTXT two words ; and a comment\n"
                       "www CNAME @\n"
                       "sub 1h NS ns.example.net.\n"
                       "*.wild A 192.0.2.1\n"),
                "4:10 example.com 60 6 55\n"
                "6:23 _redirect.example.com 300 16 [to=https://example.org]\n"
                "7:6 _redirect.example.com 60 16 [two] [words]\n"
                "8:11 www.example.com 60 5 example.com\n"
                "9:11 sub.example.com 3600 2 ns.example.net\n"
                "10:10 *.wild.example.com 60 1\n");
}

Test(zone_file, reads_parentheses_and_escapes)
{
    expect_read(SP_STR("a.example. 1 IN TXT ( \"one; \" ; comment (\n"
                       "   two ) ; end\n"
                       "b.example. ( 2\n  TXT\n  \"q\\\"q\\059\\\\\" )\n"
                       "c\\.d\\000.example. 3 TXT x\n"),
                "1:23 a.example 1 16 [one; ] [two]\n"
                "3:1 b.example 2 16 [q\"q;\\]\n"
                "6:25 c\\046d\\000.example 3 16 [x]\n"
                "");
}

Test(zone_file, reads_dos_line_ends_and_a_missing_last_one)
{
    expect_read(SP_STR("a. 1 TXT \"x\"\r\n\r\nb. 2 TXT y\r\nc. 3 TXT (\r\n z )"),
                "1:10 a 1 16 [x]\n3:10 b 2 16 [y]\n4:6 c 3 16 [z]\n");
    expect_read(SP_STR("a. 1 TXT x\r"), "1:10 a 1 16 [x]\n");
    expect_read(SP_STR(""), "");
    expect_read(SP_STR("; nothing"), "");
}

Test(zone_file, goes_on_behind_each_fault)
{
    notes_t notes = {.len = 0};
    const char *at;

    cr_expect_eq(sp_zone_text_read(SP_STR("a. 1 TXT one\n"
                                          "b. TXTT two\n"
                                          "$BAD directive\n"
                                          "c. 3 TXT \"open\n"
                                          "d. 4 A 1.2.3\n"
                                          "e. 5 TXT x )\n"
                                          "  5 TXT still-e\n"
                                          "$TTL never\n"
                                          "f. 6 TXT six\n"),
                                   NULL, note_record, note_fault, &notes, NULL),
                 SP_BAD_SYNTAX);
    at = strstr(notes.text, "1:10 a 1 16 [one]\n2:4! 'TXTT': neither");
    cr_expect_eq(at, notes.text, "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "\n3:2! '$BAD'"), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "\n4:15! "), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "\n5:"), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "\n6:12! "), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "\n7:9 e 5 16 [still-e]\n8:"), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "\n9:10 f 6 16 [six]\n"), "%s", notes.text);
}

Test(zone_file, keeps_the_origin_that_was_in_force_before_a_bad_one)
{
    notes_t notes = {.len = 0};

    cr_expect_eq(sp_zone_text_read(SP_STR("$ORIGIN example.com.\na 1 TXT x\n$ORIGIN sub\n"
                                          "b 1 TXT y\n"),
                                   NULL, note_record, note_fault, &notes, NULL),
                 SP_BAD_SYNTAX);
    cr_expect_not_null(strstr(notes.text, "4:9 b.example.com 1 16 [y]"), "%s", notes.text);
}

Test(zone_file, words_its_faults_for_people)
{
    expect_fault("a. FOO x\n", "1:4!", "'FOO': neither a TTL nor class IN nor a record type");
    expect_fault("a. CH TXT x\n", "1:4!", "neither a TTL nor class IN");
    expect_fault(" TXT x\n", "1:1!", "expected OWNER first");
    expect_fault("a. TXT\n", "1:7!", "missing or incomplete");
    expect_fault("a..b. TXT x\n", "1:3!", "no name may have");
    expect_fault("\n\na. TXT ( \"x\"\nb. TXT y\n", "3:1!", "never closed");
    expect_fault("a. A 1.2.3.4 5\n", "1:14!", "nothing more may stand here");
    expect_fault("a. A 300.1.1.1\n", "1:", "IPv4");
    expect_fault("a. TXT \"x\\999\"\n", "1:", "at most 255");
    expect_fault("$ORIGIN relative\n", "1:", "final dot");
    expect_fault("$INCLUDE other\n", "1:1!", "in a file only");
}

Test(zone_file, joins_no_strings_and_splits_long_ones)
{
    static char text[9000];
    notes_t notes = {.len = 0};

    cr_assert_gt(snprintf(text, sizeof(text), "a. 1 TXT %05091d", 0), 0);
    cr_expect_eq(sp_zone_text_read(sp_str_from(text), NULL, note_record, note_fault, &notes, NULL),
                 SP_OK);
    cr_expect_gt(notes.len, 5091);
}

Test(zone_file, uses_the_origin_it_is_given)
{
    notes_t notes = {.len = 0};
    sp_error_t err = {0};

    cr_expect_eq(sp_zone_text_read(SP_STR("a 1 TXT x\n"), "example.com.", note_record, note_fault,
                                   &notes, NULL),
                 SP_OK);
    cr_expect_str_eq(notes.text, "1:9 a.example.com 1 16 [x]\n");
    cr_expect_eq(sp_zone_text_read(SP_STR("a 1 TXT x\n"), "not a name", note_record, note_fault,
                                   &notes, &err),
                 SP_BAD_VALUE);
    cr_expect_not_null(strstr(err.message, "not a name"));
}

Test(zone_file, gives_up_after_a_thousand_faults)
{
    static char text[20000];
    notes_t notes = {.len = 0};

    memset(text, '\n', sizeof(text) - 1);
    for (size_t i = 0; i + 8 < sizeof(text); i += 4) {
        text[i] = '$';
        text[i + 1] = 'X';
        text[i + 2] = ' ';
    }
    cr_expect_eq(sp_zone_text_read(sp_str_from(text), NULL, note_record, NULL, &notes, NULL),
                 SP_BAD_SYNTAX);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    FILE *file;

    cr_assert_gt(snprintf(path, sizeof(path), "%s/%s", folder, name), 0);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

static void remove_file(const char *folder, const char *name)
{
    char path[200];

    cr_assert_gt(snprintf(path, sizeof(path), "%s/%s", folder, name), 0);
    cr_expect_eq(unlink(path), 0);
}

static sp_status_t read_main(const char *folder, notes_t *notes, sp_error_t *err)
{
    char path[200];

    cr_assert_gt(snprintf(path, sizeof(path), "%s/main.zone", folder), 0);
    return sp_zone_file_read(path, NULL, note_record, note_fault, notes, err);
}

Test(zone_file, reads_included_files_beside_the_file)
{
    char folder[] = "/tmp/signpost-zones-XXXXXX";
    notes_t notes = {.len = 0};

    cr_assert_not_null(mkdtemp(folder));
    write_file(folder, "main.zone",
               "$ORIGIN example.com.\n$TTL 9\n$INCLUDE more.zone sub.example.com.\n"
               "$INCLUDE \"more.zone\" ; again\nb TXT y\n");
    write_file(folder, "more.zone", "a TXT x\nbad FOO\n");
    cr_expect_eq(read_main(folder, &notes, NULL), SP_BAD_SYNTAX);
    remove_file(folder, "main.zone");
    remove_file(folder, "more.zone");
    cr_expect_eq(rmdir(folder), 0);
    cr_expect_not_null(strstr(notes.text, "3:1 a.sub.example.com 9 16 [x]\n3:1! included file "),
                       "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "more.zone, line 2, column 5: 'FOO'"), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "4:1 a.example.com 9 16 [x]\n"), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "5:7 b.example.com 9 16 [y]\n"), "%s", notes.text);
}

Test(zone_file, refuses_files_that_include_themselves_or_are_not_there)
{
    char folder[] = "/tmp/signpost-zones-XXXXXX";
    notes_t notes = {.len = 0};

    cr_assert_not_null(mkdtemp(folder));
    write_file(folder, "main.zone", "$INCLUDE loop.zone\n$INCLUDE none.zone\na. 1 TXT x\n");
    write_file(folder, "loop.zone", "$INCLUDE main.zone\n");
    cr_expect_eq(read_main(folder, &notes, NULL), SP_BAD_SYNTAX);
    remove_file(folder, "main.zone");
    remove_file(folder, "loop.zone");
    cr_expect_eq(rmdir(folder), 0);
    cr_expect_not_null(strstr(notes.text, "includes itself"), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "2:1! "), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "none.zone: No such file"), "%s", notes.text);
    cr_expect_not_null(strstr(notes.text, "3:10 a 1 16 [x]\n"), "%s", notes.text);
}

Test(zone_file, says_why_a_file_cannot_be_read)
{
    notes_t notes = {.len = 0};
    sp_error_t err = {0};

    cr_expect_eq(read_main("/no/such/folder", &notes, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "/no/such/folder/main.zone: No such file"));
    cr_expect_eq(sp_zone_file_read("/tmp", NULL, note_record, note_fault, &notes, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "/tmp"));
}
