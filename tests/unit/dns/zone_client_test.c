/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/zone_client.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX 3

static const char example[] = "$ORIGIN example.com.\n"
                              "$TTL 300\n"
                              "@ SOA ns hostmaster 1 2 3 4 90\n"
                              "@ NS ns\n"
                              "ns A 192.0.2.1\n"
                              "_redirect TXT \"to=https://\" \"example.org\"\n"
                              "_redirect TXT second\n"
                              "alias 100 CNAME _redirect\n"
                              "far 50 CNAME alias\n"
                              "broken CNAME nothing.example.com.\n"
                              "bare CNAME ns\n"
                              "leaves 40 CNAME other.example.net.\n"
                              "loop1 CNAME loop2\n"
                              "loop2 CNAME loop1\n"
                              "*.wild TXT any\n"
                              "*.alias.wild CNAME _redirect\n"
                              "deep.empty.wild TXT deep\n"
                              "sub NS ns.sub\n"
                              "glue.sub TXT hidden\n"
                              "*.out CNAME _redirect.elsewhere.example.\n";

typedef struct told {
    unsigned count;
    size_t line;
    char message[300];
} told_t;

static void tell(void *arg, const char *path, size_t line, size_t column, const char *message)
{
    told_t *told = arg;

    told->count += 1;
    told->line = line;
    cr_assert_gt(
        snprintf(told->message, sizeof(told->message), "%s:%zu: %s", path, column, message), 0);
}

/* Writes the texts to files, loads them, and removes the files. */
static sp_status_t load(const char *const *texts, size_t count, told_t *told,
                        sp_zones_t **ret_zones, sp_error_t *err)
{
    char paths[FILES_MAX][32];
    const char *list[FILES_MAX];
    sp_status_t status;

    for (size_t i = 0; i != count; ++i) {
        FILE *file;

        (void)strcpy(paths[i], "/tmp/signpost-zone-XXXXXX");
        file = fdopen(mkstemp(paths[i]), "w");
        cr_assert_not_null(file);
        cr_assert_geq(fputs(texts[i], file), 0);
        cr_assert_eq(fclose(file), 0);
        list[i] = paths[i];
    }
    status = sp_zones_load(list, count, tell, told, ret_zones, err);
    for (size_t i = 0; i != count; ++i) {
        cr_expect_eq(unlink(paths[i]), 0);
    }
    return status;
}

static sp_zones_t *load_one(const char *text)
{
    sp_zones_t *zones = NULL;
    sp_error_t err = {0};
    told_t told = {0};

    cr_assert_eq(load(&text, 1, &told, &zones, &err), SP_OK, "%s", err.message);
    return zones;
}

/* "-" not covered; else kind, TTL, texts, canonical. */
static void expect_answer(const sp_zones_t *zones, const char *name, const char *expected)
{
    const sp_answer_t *answer = NULL;
    char text[300] = "-";
    int len;

    if (sp_zones_answer(zones, sp_str_from(name), &answer) == SP_OK) {
        len =
            snprintf(text, sizeof(text), "%s %u", sp_answer_kind_name(answer->kind), answer->ttl_s);
        for (size_t i = 0; i != answer->text_count; ++i) {
            len += snprintf(text + len, sizeof(text) - (size_t)len, " [%.*s]",
                            (int)answer->texts[i].len, answer->texts[i].ptr);
        }
        if (answer->canonical.len != 0) {
            (void)snprintf(text + len, sizeof(text) - (size_t)len, " %.*s",
                           (int)answer->canonical.len, answer->canonical.ptr);
        }
    }
    cr_expect_str_eq(text, expected, "%s: %s", name, text);
    cr_expect_eq(sp_zones_covers(zones, sp_str_from(name)), answer != NULL);
    sp_answer_release(answer);
}

Test(zone_client, answers_texts_in_the_order_of_the_file)
{
    sp_zones_t *zones = load_one(example);

    expect_answer(zones, "_redirect.example.com", "TXT 300 [to=https://example.org] [second]");
    sp_zones_destroy(zones);
}

Test(zone_client, tells_nodata_from_nxdomain)
{
    sp_zones_t *zones = load_one(example);

    expect_answer(zones, "ns.example.com", "NODATA 90");
    expect_answer(zones, "example.com", "NODATA 90");
    expect_answer(zones, "empty.wild.example.com", "NODATA 90");
    expect_answer(zones, "wild.example.com", "NODATA 90");
    expect_answer(zones, "nothing.example.com", "NXDOMAIN 90");
    expect_answer(zones, "a.b.c.example.com", "NXDOMAIN 90");
    sp_zones_destroy(zones);
}

Test(zone_client, follows_cnames_with_the_smallest_ttl)
{
    sp_zones_t *zones = load_one(example);

    expect_answer(zones, "far.example.com",
                  "TXT 50 [to=https://example.org] [second] _redirect.example.com");
    expect_answer(zones, "broken.example.com", "NXDOMAIN 90 nothing.example.com");
    expect_answer(zones, "bare.example.com", "NODATA 90 ns.example.com");
    sp_zones_destroy(zones);
}

Test(zone_client, ends_cname_loops_with_servfail)
{
    sp_zones_t *zones = load_one(example);
    const sp_answer_t *answer = NULL;

    cr_assert_eq(sp_zones_answer(zones, SP_STR("loop1.example.com"), &answer), SP_OK);
    cr_expect_eq(answer->kind, SP_ANSWER_FAILURE);
    cr_expect_eq(answer->failure, SP_FAILURE_SERVFAIL);
    sp_answer_release(answer);
    sp_zones_destroy(zones);
}

Test(zone_client, says_where_a_cname_leaves_the_zones)
{
    sp_zones_t *zones = load_one(example);

    expect_answer(zones, "leaves.example.com", "NODATA 40 other.example.net");
    expect_answer(zones, "_redirect.any.out.example.com", "NODATA 300 _redirect.elsewhere.example");
    cr_expect_not(sp_zones_covers(zones, SP_STR("other.example.net")));
    sp_zones_destroy(zones);
}

Test(zone_client, expands_wildcards_below_the_closest_encloser_only)
{
    sp_zones_t *zones = load_one(example);

    expect_answer(zones, "x.wild.example.com", "TXT 300 [any]");
    expect_answer(zones, "y.x.wild.example.com", "TXT 300 [any]");
    expect_answer(zones, "*.wild.example.com", "TXT 300 [any]");
    expect_answer(zones, "x.empty.wild.example.com", "NXDOMAIN 90");
    expect_answer(zones, "x.deep.empty.wild.example.com", "NXDOMAIN 90");
    expect_answer(zones, "q.alias.wild.example.com",
                  "TXT 300 [to=https://example.org] [second] _redirect.example.com");
    sp_zones_destroy(zones);
}

Test(zone_client, does_not_cover_what_is_delegated_or_outside)
{
    sp_zones_t *zones = load_one(example);

    expect_answer(zones, "sub.example.com", "-");
    expect_answer(zones, "glue.sub.example.com", "-");
    expect_answer(zones, "x.sub.example.com", "-");
    expect_answer(zones, "example.net", "-");
    expect_answer(zones, "com", "-");
    expect_answer(zones, "", "-");
    expect_answer(zones, "notexample.com", "-");
    sp_zones_destroy(zones);
}

Test(zone_client, covers_the_domains_of_a_file_without_soa)
{
    sp_zones_t *zones = load_one("_redirect.example.com. 5 TXT one\n"
                                 "_redirect._.example.net. 5 TXT two\n"
                                 "*.example.org. 5 TXT three\n"
                                 "_redirect. 5 TXT root\n");

    expect_answer(zones, "_redirect.example.com", "TXT 5 [one]");
    expect_answer(zones, "example.com", "NODATA 60");
    expect_answer(zones, "_redirect._.www.example.com", "NXDOMAIN 60");
    expect_answer(zones, "_redirect.www.example.net", "NXDOMAIN 60");
    expect_answer(zones, "a.b.example.org", "TXT 5 [three]");
    expect_answer(zones, "_redirect", "TXT 5 [root]");
    expect_answer(zones, "_redirect._.com", "-");
    expect_answer(zones, "example.edu", "-");
    sp_zones_destroy(zones);
}

Test(zone_client, takes_several_files_for_one_set)
{
    const char *texts[] = {"$ORIGIN a.example.\n@ 9 SOA a b 1 2 3 4 5\nx 9 CNAME y.b.example.\n",
                           "$ORIGIN b.example.\n@ 9 SOA a b 1 2 3 4 5\ny 3 TXT there\n",
                           "_redirect.c.example. 4 TXT c\n"};
    sp_zones_t *zones = NULL;
    told_t told = {0};

    cr_assert_eq(load(texts, 3, &told, &zones, NULL), SP_OK);
    expect_answer(zones, "x.a.example", "TXT 3 [there] y.b.example");
    expect_answer(zones, "_redirect.c.example", "TXT 4 [c]");
    expect_answer(zones, "example", "-");
    expect_answer(zones, "q.b.example", "NXDOMAIN 5");
    sp_zones_destroy(zones);
}

Test(zone_client, shares_one_answer_among_all_who_ask)
{
    sp_zones_t *zones = load_one(example);
    const sp_answer_t *first = NULL;
    const sp_answer_t *second = NULL;

    cr_assert_eq(sp_zones_answer(zones, SP_STR("a.wild.example.com"), &first), SP_OK);
    cr_assert_eq(sp_zones_answer(zones, SP_STR("b.wild.example.com"), &second), SP_OK);
    cr_expect_eq(first, second);
    sp_zones_destroy(zones);
    cr_expect(sp_str_eq(first->texts[0], SP_STR("any")));
    sp_answer_release(first);
    sp_answer_release(second);
}

Test(zone_client, tells_every_fault_of_every_file)
{
    const char *texts[] = {"a. 1 TXT x\nb. FOO\n\nc. BAR\n", "d. 1 CNAME e.\nd. 1 TXT beside\n",
                           "f. 1 CNAME g.\nf. 1 CNAME g.\nf. 1 CNAME h.\n"};
    sp_zones_t *zones = NULL;
    sp_error_t err = {0};
    told_t told = {0};

    cr_expect_eq(load(texts, 3, &told, &zones, &err), SP_BAD_SYNTAX);
    cr_expect_null(zones);
    cr_expect_eq(told.count, 4);
    cr_expect_eq(told.line, 3);
    cr_expect_not_null(strstr(told.message, "a second CNAME"), "%s", told.message);
    cr_expect_not_null(strstr(err.message, ":2:4: 'FOO'"), "%s", err.message);
}

Test(zone_client, goes_on_when_a_file_cannot_be_read)
{
    const char *paths[] = {"/no/such/file.zone", "/no/such/other.zone"};
    sp_zones_t *zones = NULL;
    sp_error_t err = {0};
    told_t told = {0};

    cr_expect_eq(sp_zones_load(paths, 2, tell, &told, &zones, &err), SP_IO);
    cr_expect_eq(told.count, 2);
    cr_expect_eq(told.line, 0);
    cr_expect_not_null(strstr(err.message, "file.zone: No such file"), "%s", err.message);
}
