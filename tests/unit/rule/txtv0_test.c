/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/record.h>
#include <stdio.h>
#include <string.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;
static sp_record_t record;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 1024);
    record = (sp_record_t){.re = NULL};
}

static void finish(void)
{
    sp_record_clear(&record);
    sp_arena_clear(&arena);
}

TestSuite(txtv0, .init = start, .fini = finish);

/* `record` is what `text` says. */
static void parse(const char *text)
{
    sp_error_t err = {.message = ""};

    sp_record_clear(&record);
    cr_assert_eq(sp_dialect_txtv0.parse(sp_str_from(text), &arena, NULL, NULL, &record, &err),
                 SP_OK, "%s: %s", text, err.message);
}

static void expect_fault(const char *text, sp_status_t status, size_t offset)
{
    sp_record_t untouched = {.code = 1};
    sp_error_t err = {.message = ""};

    cr_expect_eq(sp_dialect_txtv0.parse(sp_str_from(text), &arena, NULL, NULL, &untouched, &err),
                 status, "%s: %s", text, err.message);
    cr_expect_eq(err.offset, offset, "%s: fault at %zu: %s", text, err.offset, err.message);
    cr_expect_eq(untouched.code, 1, "outputs are written on success only");
    cr_expect_eq(sp_dialect_txtv0.parse(sp_str_from(text), &arena, NULL, NULL, &untouched, NULL),
                 status, "the error is optional");
}

static bool is_claimed(const char *text, bool alone)
{
    return sp_dialect_txtv0.claims(sp_str_from(text), alone);
}

Test(txtv0, claims_a_text_with_a_version)
{
    cr_expect(is_claimed("v=txtv0;to=/", false));
    cr_expect(is_claimed(" to=/ ; v = txtv0 ", false));
    cr_expect(is_claimed("v=txtv1", false), "a version that is not read is ours nevertheless");
    cr_expect(is_claimed("v=txtv", false));
    cr_expect(is_claimed("\"v=txtv0;to=/\"", false));
    cr_expect(is_claimed("v=txtv0\\;to=/", false));
    cr_expect_not(is_claimed("v=spf1 -all", true));
    cr_expect_not(is_claimed("V=txtv0", true), "keys are lower case");
    cr_expect_not(is_claimed("v=TXTV0", true));
    cr_expect_not(is_claimed("txtv0", true));
}

Test(txtv0, claims_a_lone_text_with_a_field_of_its_own)
{
    static const char *const texts[] = {"to=/", "type=path", "use=_redirect.a", "root=/", "a;to=x"};

    for (size_t i = 0; i != SP_COUNT(texts); ++i) {
        cr_expect(is_claimed(texts[i], true), "%s", texts[i]);
        cr_expect_not(is_claimed(texts[i], false), "%s", texts[i]);
    }
    cr_expect_not(is_claimed("code=301", true));
    cr_expect_not(is_claimed("", true));
    cr_expect_not(is_claimed("to", true));
    cr_expect_not(is_claimed("google-site-verification=to", true));
}

Test(txtv0, has_defaults)
{
    parse("to=/a");
    cr_expect_eq(record.type, SP_TYPE_HOST);
    cr_expect_eq(record.code, 302);
    cr_expect_not(record.ref);
    cr_expect_not(record.has_re);
    cr_expect_not(record.has_from);
    cr_expect_not(record.has_type);
    EXPECT_STR(record.vcs, "git");
    EXPECT_STR(record.to->text, "/a");
    cr_expect_null(record.root);
    cr_expect_null(record.website);
    cr_expect_null(record.re);
    cr_expect_null(record.use);
    cr_expect_null(record.headers);
}

Test(txtv0, reads_every_field)
{
    parse("v=txtv0;type=path;to=/a;code=308;from=/$2/$1;re=x(y);root=/b;website=/c;ref=true;"
          ">X-A=1");
    cr_expect_eq(record.type, SP_TYPE_PATH);
    cr_expect_eq(record.code, 308);
    cr_expect(record.ref);
    cr_expect(record.has_type);
    EXPECT_STR(record.from, "/$2/$1");
    cr_expect_eq(sp_regex_group_count(record.re), 1);
    EXPECT_STR(record.to->text, "/a");
    EXPECT_STR(record.root->text, "/b");
    EXPECT_STR(record.website->text, "/c");
    EXPECT_STR(record.headers->field.name, "X-A");
}

Test(txtv0, drops_one_pair_of_quotes)
{
    parse("\"v=txtv0;to=/a\"");
    EXPECT_STR(record.to->text, "/a");
    EXPECT_STR(record.text, "v=txtv0;to=/a");
    parse("\"\"type=path;to=/a\"\"");
    EXPECT_STR(record.text, "\"type=path;to=/a\"");
    EXPECT_STR(record.to->text, "/a\"");
    cr_expect_eq(record.type, SP_TYPE_HOST, "what the key \"type is, nobody knows");
}

Test(txtv0, drops_backslashes_before_semicolons_only)
{
    parse("v=txtv0\\;to=/a\\b\\;code=301");
    EXPECT_STR(record.to->text, "/a\\b");
    cr_expect_eq(record.code, 301);
    parse("to=/a\\");
    EXPECT_STR(record.to->text, "/a\\");
}

Test(txtv0, counts_the_last_of_a_repeated_key)
{
    parse("to=/a;code=999;to=/b;code=301");
    EXPECT_STR(record.to->text, "/b");
    cr_expect_eq(record.code, 301);
    expect_fault("to=/a;code=301;code=999", SP_BAD_VALUE, 20);
}

Test(txtv0, ignores_what_it_does_not_know)
{
    parse("to=/a;;https://example.com/;foo=bar;TO=/b;Code=999");
    EXPECT_STR(record.to->text, "/a");
    cr_expect_eq(record.code, 302);
}

Test(txtv0, keeps_further_equals_signs_in_the_value)
{
    parse("to=/?a=b=c");
    EXPECT_STR(record.to->text, "/?a=b=c");
}

Test(txtv0, has_4096_octets_at_most)
{
    static char text[SP_RECORD_MAX + 2];

    memset(text, 'x', SP_RECORD_MAX + 1);
    memcpy(text, "to=/", 4);
    expect_fault(text, SP_TOO_LONG, SP_RECORD_MAX);
    text[SP_RECORD_MAX] = '\0';
    parse(text);
    cr_expect_eq(record.to->text.len, SP_RECORD_MAX - 3);
}

Test(txtv0, has_no_other_version)
{
    expect_fault("v=txtv1;to=/", SP_UNSUPPORTED, 2);
    expect_fault("to=/;v=txtv00", SP_UNSUPPORTED, 7);
    expect_fault("v=;to=/", SP_UNSUPPORTED, 2);
    parse("to=/");
}

Test(txtv0, has_four_types)
{
    parse("type=host;to=/");
    cr_expect_eq(record.type, SP_TYPE_HOST);
    parse("type=path");
    cr_expect_eq(record.type, SP_TYPE_PATH);
    parse("type=gometa");
    cr_expect_eq(record.type, SP_TYPE_GOMETA);
    parse("type=dockerv2;to=https://a.example");
    cr_expect_eq(record.type, SP_TYPE_DOCKERV2);
    parse("type=;to=/");
    cr_expect_eq(record.type, SP_TYPE_HOST);
    cr_expect_not(record.has_type);
    expect_fault("type=Host;to=/", SP_BAD_VALUE, 5);
    expect_fault("type=proxy;to=/", SP_BAD_VALUE, 5);
}

Test(txtv0, redirects_with_five_codes)
{
    static const unsigned codes[] = {301, 302, 303, 307, 308};
    char text[32];

    for (size_t i = 0; i != SP_COUNT(codes); ++i) {
        (void)snprintf(text, sizeof(text), "to=/;code=%u", codes[i]);
        parse(text);
        cr_expect_eq(record.code, codes[i]);
    }
    parse("to=/;code=0");
    cr_expect_eq(record.code, 302);
}

Test(txtv0, refuses_other_codes)
{
    static const char *const bad[] = {"",      "300", "304",   "305",   "309",
                                      "200",   "404", "30",    "-1",    "+302",
                                      "0x12e", "3o2", "302.0", "65838", "99999999999999999999"};
    char text[64];

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        (void)snprintf(text, sizeof(text), "to=/;code=%s", bad[i]);
        expect_fault(text, SP_BAD_VALUE, 10);
    }
    expect_fault("type=path;code=x", SP_BAD_VALUE, 15);
    parse("type=gometa;code=x");
    parse("type=dockerv2;to=https://a.example;code=x");
}

Test(txtv0, takes_gos_words_for_true_and_false)
{
    static const char *const yes[] = {"1", "t", "T", "true", "True", "TRUE"};
    static const char *const no[] = {"0", "f", "F", "false", "False", "FALSE"};
    static const char *const bad[] = {"", "yes", "tRUE", "2", "on"};
    char text[32];

    for (size_t i = 0; i != SP_COUNT(yes); ++i) {
        (void)snprintf(text, sizeof(text), "to=/;ref=%s", yes[i]);
        parse(text);
        cr_expect(record.ref);
        (void)snprintf(text, sizeof(text), "to=/;ref=%s", no[i]);
        parse(text);
        cr_expect_not(record.ref);
    }
    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        (void)snprintf(text, sizeof(text), "to=/;ref=%s", bad[i]);
        expect_fault(text, SP_BAD_VALUE, 9);
    }
}

Test(txtv0, knows_the_version_control_systems_of_go)
{
    static const char *const known[] = {"git", "hg", "svn", "bzr", "fossil", "mod"};
    char text[64];

    for (size_t i = 0; i != SP_COUNT(known); ++i) {
        (void)snprintf(text, sizeof(text), "type=gometa;vcs=%s", known[i]);
        parse(text);
        EXPECT_STR(record.vcs, known[i]);
    }
    expect_fault("type=gometa;vcs=cvs", SP_BAD_VALUE, 16);
    parse("to=/;vcs=cvs");
    EXPECT_STR(record.vcs, "git");
}

Test(txtv0, needs_a_target_where_the_type_says_so)
{
    expect_fault("v=txtv0", SP_BAD_VALUE, 7);
    expect_fault("v=txtv0;to=", SP_BAD_VALUE, 11);
    expect_fault("type=dockerv2;website=/", SP_BAD_VALUE, 23);
    parse("type=path");
    parse("type=gometa");
    parse("use=_redirect.a");
    parse("type=dockerv2;use=_redirect.a");
}

Test(txtv0, takes_an_empty_target_for_a_missing_one)
{
    parse("type=path;to=;root=;website=");
    cr_expect_null(record.to);
    cr_expect_null(record.root);
    cr_expect_null(record.website);
}

Test(txtv0, judges_targets_only_when_they_are_used)
{
    parse("to=javascript:alert(1)");
    parse("to={label0}");
}

Test(txtv0, keeps_an_expression_that_does_not_compile_as_a_field)
{
    parse("type=path;re=(;to=/");
    cr_expect(record.has_re);
    cr_expect_null(record.re);
    cr_expect_not(record.numbered);
}

Test(txtv0, marks_numbered_records)
{
    parse("type=path;re=record");
    cr_expect(record.numbered);
    parse("type=path;re=records");
    cr_expect_not(record.numbered);
}

Test(txtv0, lists_its_uses_in_order)
{
    parse("use=_redirect.A.example;use=_Redirect.b.example.;use=c.example;use=");
    cr_assert_not_null(record.use);
    cr_expect(sp_str_eq_nocase(record.use->zone, SP_STR("a.example")));
    EXPECT_STR(record.use->next->zone, "b.example");
    EXPECT_STR(record.use->next->next->zone, "");
    EXPECT_STR(record.use->next->next->next->zone, "");
    cr_expect_null(record.use->next->next->next->next);
}

Test(txtv0, checks_other_fields_beside_a_use)
{
    expect_fault("use=_redirect.a;v=txtv9", SP_UNSUPPORTED, 18);
    expect_fault("use=_redirect.a;type=x", SP_BAD_VALUE, 21);
    expect_fault("use=_redirect.a;code=1", SP_BAD_VALUE, 21);
    expect_fault("use=_redirect.a;ref=maybe", SP_BAD_VALUE, 20);
    parse("use=_redirect.a;type=gometa;vcs=cvs");
}

static sp_str_t header(const char *name)
{
    for (const sp_record_header_t *h = record.headers; h != NULL; h = h->next) {
        if (sp_str_eq_nocase(h->field.name, sp_str_from(name))) {
            return h->field.value;
        }
    }
    return (sp_str_t){.ptr = NULL, .len = 0};
}

Test(txtv0, collects_headers)
{
    parse("to=/;>X-A = a%3Bb ; >X-B= 2;> X-E=5;>X-C;>Bad Name=3;>X-D=%zz;>=4;>Location=/");
    EXPECT_STR(header("x-a"), "a;b");
    EXPECT_STR(header("X-B"), "2");
    cr_expect_null(header("X-C").ptr);
    cr_expect_null(header(" X-E").ptr);
    cr_expect_null(header("X-E").ptr);
    cr_expect_null(header("Bad Name").ptr);
    cr_expect_null(header("X-D").ptr);
    cr_expect_null(header("").ptr);
    cr_expect_null(header("Location").ptr);
}

Test(txtv0, counts_the_last_header_of_a_name)
{
    parse("to=/;>X-A=1;>x-a=2");
    EXPECT_STR(header("X-A"), "2");
    parse("to=/;>X-A=1;>X-A=%zz");
    cr_expect_null(header("X-A").ptr, "also where that one is ignored");
}

Test(txtv0, gives_offsets_in_the_text_as_it_was_given)
{
    expect_fault("\"to=/;code=1\"", SP_BAD_VALUE, 11);
    expect_fault("v=txtv0\\;to=/\\;code=1", SP_BAD_VALUE, 20);
    expect_fault("\"a\\;b\\;to=/\\;ref=x\"", SP_BAD_VALUE, 17);
}

Test(txtv0, has_a_name)
{
    cr_expect_str_eq(sp_dialect_txtv0.name, "txtv0");
}

Test(txtv0, survives_any_two_octets)
{
    char text[] = "to=/;??";

    for (unsigned pair = 0; pair != 65536; ++pair) {
        bool is_version = pair == (unsigned)('v' << 8 | '=');
        sp_record_t read;

        text[5] = (char)(pair >> 8);
        text[6] = (char)(pair & 0xff);
        cr_assert_eq(sp_dialect_txtv0.parse((sp_str_t){.ptr = text, .len = 7}, &arena, NULL, NULL,
                                            &read, NULL),
                     is_version ? SP_UNSUPPORTED : SP_OK, "%#x", pair);
        sp_arena_clear(&arena);
    }
}
