/* SPDX-License-Identifier: Apache-2.0 */

/* Requests made from a zone, and the answers that they must get. */

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "load/targets.h"

#define HEAD                                                                                       \
    "$ORIGIN example.com.\n$TTL 300\n"                                                             \
    "@ SOA ns admin 1 2 3 4 60\n@ NS ns.example.net.\n"

typedef struct made {
    sp_load_targets_t targets;
    sp_error_t err;
    sp_status_t status;
    char *text; /* all targets, one a line: host, path, status, location */
} made_t;

static void print_targets(made_t *made)
{
    size_t len = 0;
    FILE *out = open_memstream(&made->text, &len);

    cr_assert_not_null(out);
    for (size_t i = 0; i != made->targets.count; ++i) {
        const sp_load_target_t *target = &made->targets.list[i];

        cr_expect(target->has_location);
        (void)fprintf(out, "%.*s %.*s %u %.*s\n", (int)target->host.len, target->host.ptr,
                      (int)target->path.len, target->path.ptr, target->status,
                      (int)target->location.len, target->location.ptr);
    }
    cr_assert_eq(fclose(out), 0);
}

static made_t make(const char *zone, bool https)
{
    made_t made = {.status = SP_OK};
    char path[] = "/tmp/signpost-zone-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");

    cr_assert_not_null(file);
    cr_assert_geq(fputs(zone, file), 0);
    cr_assert_eq(fclose(file), 0);
    made.status = sp_load_targets_from_zone(path, https, &made.targets, &made.err);
    cr_expect_eq(unlink(path), 0);
    if (made.status == SP_OK) {
        print_targets(&made);
    }
    return made;
}

static void clear(made_t *made)
{
    sp_load_targets_clear(&made->targets);
    free(made->text);
}

static void expect_made(const char *zone, const char *expected, size_t skipped)
{
    made_t made = make(zone, false);

    cr_assert_eq(made.status, SP_OK, "%s", made.err.message);
    cr_expect_str_eq(made.text, expected, "%s", made.text);
    cr_expect_eq(made.targets.skipped, skipped, "%zu", made.targets.skipped);
    clear(&made);
}

Test(load_targets_zone, makes_a_request_for_each_host_in_the_order_of_the_file)
{
    expect_made(HEAD "_redirect.www TXT \"v=txtv0;to=https://b.example.net/;code=301\"\n"
                     "_redirect TXT \"v=txtv0;to=https://a.example.net{uri}\"\n"
                     "other TXT \"v=txtv0;to=https://no.example.net/\"\n"
                     "_redirect.blog CNAME _redirect.www\n",
                "www.example.com / 301 https://b.example.net/\n"
                "example.com / 302 https://a.example.net/\n"
                "blog.example.com / 301 https://b.example.net/\n",
                0);
}

Test(load_targets_zone, makes_one_request_for_records_that_share_a_name)
{
    expect_made(HEAD "_redirect.www TXT \"foreign\"\n"
                     "_redirect.www TXT \"v=txtv0;to=https://a.example.net\"\n",
                "www.example.com / 302 https://a.example.net\n", 0);
}

Test(load_targets_zone, gives_wildcards_a_name)
{
    expect_made(HEAD "_redirect._.people TXT \"v=txtv0;to=https://a.example.net/{label1}\"\n"
                     "*.shops TXT \"v=txtv0;to=https://b.example.net/{host}\"\n"
                     "*.mail TXT \"v=spf1 -all\"\n",
                "w1.people.example.com / 302 https://a.example.net/w1\n"
                "w1.shops.example.com / 302 https://b.example.net/w1.shops.example.com\n",
                0);
}

Test(load_targets_zone, makes_paths_of_what_is_below_a_path_record)
{
    expect_made(HEAD "_redirect.go TXT \"v=txtv0;type=path;root=https://a.example.net/root\"\n"
                     "_redirect.docs.go TXT \"v=txtv0;to=https://a.example.net/docs\"\n"
                     "_redirect.setup.docs.go TXT \"v=txtv0;to=https://a.example.net/setup\"\n"
                     "_redirect._.issue.go TXT \"v=txtv0;to=https://a.example.net/{2}\"\n"
                     "_redirect._._.tag.go TXT \"v=txtv0;to=https://a.example.net/{2}/{3}\"\n",
                "go.example.com / 302 https://a.example.net/root\n"
                "go.example.com /docs 302 https://a.example.net/docs\n"
                "go.example.com /docs/setup 302 https://a.example.net/setup\n"
                "go.example.com /issue/w1 302 https://a.example.net/w1\n"
                "go.example.com /tag/w1/w1 302 https://a.example.net/w1/w1\n",
                0);
}

Test(load_targets_zone, finds_the_order_of_segments)
{
    expect_made(HEAD "_redirect.go TXT \"v=txtv0;type=path;from=/$2/$1;to=https://a.example.net\"\n"
                     "_redirect.b.a.go TXT \"v=txtv0;to=https://a.example.net/ab\"\n",
                "go.example.com / 302 https://a.example.net\n"
                "go.example.com /b/a 302 https://a.example.net/ab\n",
                0);
}

Test(load_targets_zone, follows_use_and_answers_pages)
{
    expect_made(
        HEAD "_redirect.a TXT \"v=txtv0;use=_redirect.b.example.com\"\n"
             "_redirect.b TXT \"v=txtv0;to=https://b.example.net/{host}\"\n"
             "_redirect.images TXT \"v=txtv0;type=dockerv2;to=https://registry.example.net/x\"\n",
        "a.example.com / 302 https://b.example.net/a.example.com\n"
        "b.example.com / 302 https://b.example.net/b.example.com\n"
        "images.example.com /v2/ 200 \n",
        0);
}

Test(load_targets_zone, counts_what_no_request_is_found_for)
{
    made_t made =
        make(HEAD "_redirect.go TXT \"v=txtv0;type=path;re=record;to=https://a.example.net\"\n"
                  "_redirect.1.go TXT \"v=txtv0;re=/x(.*);to=https://b.example.net/{2}\"\n"
                  "_redirect.bad TXT \"v=txtv0;to=ftp://a.example.net\"\n"
                  "_redirect.spf TXT \"v=spf1 -all\"\n"
                  "_redirect.away CNAME elsewhere.example.org.\n",
             false);

    cr_assert_eq(made.status, SP_OK, "%s", made.err.message);
    cr_expect_str_eq(made.text, "go.example.com / 302 https://a.example.net\n", "%s", made.text);
    cr_expect_eq(made.targets.skipped, 4, "%zu", made.targets.skipped);
    cr_expect(sp_str_eq(made.targets.first_skipped, SP_STR("_redirect.1.go.example.com")));
    clear(&made);
}

Test(load_targets_zone, knows_the_scheme)
{
    made_t made = make(HEAD "_redirect.www TXT \"v=txtv0;to={scheme}://a.example.net/\"\n", true);

    cr_assert_eq(made.status, SP_OK, "%s", made.err.message);
    cr_expect_str_eq(made.text, "www.example.com / 302 https://a.example.net/\n");
    clear(&made);
}

Test(load_targets_zone, refuses_zones_that_are_bad_or_have_nothing)
{
    made_t bad = make(HEAD "_redirect.www TXT \"unfinished\n", false);
    made_t nothing = make(HEAD "www TXT \"v=txtv0;to=https://a.example.net\"\n", false);
    sp_error_t err = {.message = ""};
    sp_load_targets_t targets = {.count = 0};

    cr_expect_eq(bad.status, SP_BAD_SYNTAX);
    cr_expect_not_null(strstr(bad.err.message, ":5:"), "%s", bad.err.message);
    cr_expect_eq(nothing.status, SP_BAD_VALUE);
    cr_expect_not_null(strstr(nothing.err.message, "no _redirect record"));
    cr_expect_eq(sp_load_targets_from_zone("/nonexistent/zone", false, &targets, &err), SP_IO);
}
