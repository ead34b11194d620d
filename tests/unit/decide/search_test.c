/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "unit/decide/world.h"

static world_t world;

static void start(void)
{
    world_init(&world);
}

static void finish(void)
{
    world_clear(&world);
}

TestSuite(use, .init = start, .fini = finish);
TestSuite(child, .init = start, .fini = finish);

Test(use, replaces_the_record)
{
    world_add(&world, "_redirect.a.example",
              "use=_redirect.U.Example.;to=https://wrong.example/;code=301;ref=true");
    world_add(&world, "_redirect.u.example", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    EXPECT_STR(world.outcome->record, "_redirect.u.example");
    cr_expect_null(world_header(&world, "Referer").ptr);
}

Test(use, reaches_the_wildcard_of_its_zone)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.u.example");
    world_add(&world, "_redirect._.u.example", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_str_eq(world_asked(&world),
                     "_redirect.a.example _redirect.u.example _redirect._.u.example");
}

Test(use, keeps_the_visitors_request_for_placeholders)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.u");
    world_add(&world, "_redirect.u", "to=https://x.example/{hostonly}{path}");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://x.example/a.example/p");
}

Test(use, moves_the_zone_of_children)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.u.example");
    world_add(&world, "_redirect.u.example", "type=path");
    world_add(&world, "_redirect.p.u.example", "to=https://x.example/");
    world_add(&world, "_redirect.p.a.example", "to=https://wrong.example/");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(use, tries_the_next_when_one_gives_no_record)
{
    world_add(&world, "_redirect.a.example",
              "use=example.com;use=_redirect.bad..name;use=_redirect.absent;use=_redirect.faulty;"
              "use=_redirect.good;use=_redirect.never");
    world_add(&world, "_redirect.faulty", "v=txtv0;code=1");
    world_add(&world, "_redirect.good", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_str_eq(world_asked(&world),
                     "_redirect.a.example _redirect.absent _redirect._.absent _redirect.faulty "
                     "_redirect.good");
}

Test(use, that_gives_no_record_at_all_falls_back)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.absent;to=https://wrong.example/");
    world_ask(&world, "a.example", "/");
    cr_expect_eq(world.outcome->status, 404);
    cr_expect_eq(world.outcome->location.len, 0);
}

Test(use, that_fails_ends_in_503)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.broken;use=_redirect.good");
    world_add(&world, "_redirect.good", "to=https://x.example/");
    world_break(&world, "_redirect.broken", SP_FAILURE_TIMEOUT);
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 503, SP_OUTCOME_DNS_FAILURE);
}

Test(use, may_be_nested)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.b");
    world_add(&world, "_redirect.b", "use=_redirect.c;>X-B=1");
    world_add(&world, "_redirect.c", "to=https://x.example/;>X-C=1");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    EXPECT_STR(world_header(&world, "X-B"), "1");
    EXPECT_STR(world_header(&world, "X-C"), "1");
}

Test(use, that_comes_back_is_passed_over)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.b;use=_redirect.c");
    world_add(&world, "_redirect.b", "use=_redirect.a.example");
    world_add(&world, "_redirect.c", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect(world_trace_contains(&world, "comes back"));
}

Test(use, drops_the_headers_of_records_that_were_passed_over)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.b;use=_redirect.c;>X-A=1");
    world_add(&world, "_redirect.b", "use=_redirect.absent;>X-B=1");
    world_add(&world, "_redirect.c", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_STR(world_header(&world, "X-A"), "1");
    cr_expect_null(world_header(&world, "X-B").ptr);
}

Test(use, passes_over_a_type_that_is_not_enabled)
{
    world.policy.types = 1U << SP_TYPE_HOST;
    world_add(&world, "_redirect.a.example", "use=_redirect.b;use=_redirect.c");
    world_add(&world, "_redirect.b", "type=path;to=https://wrong.example/");
    world_add(&world, "_redirect.c", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(use, does_not_need_the_default_type_enabled)
{
    world.policy.types = 1U << SP_TYPE_PATH;
    world_add(&world, "_redirect.a.example", "use=_redirect.b");
    world_add(&world, "_redirect.b", "type=path;to=https://x.example/");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(use, passes_over_a_container_record_that_is_not_usable)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.b;use=_redirect.c");
    world_add(&world, "_redirect.b", "type=dockerv2;to=/relative");
    world_add(&world, "_redirect.c", "to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

/* A record whose uses are `repetitions` times _redirect.absent, then _redirect.good. */
static void add_long_list(size_t repetitions)
{
    static char text[4096];

    strcpy(text, "v=txtv0");
    for (size_t i = 0; i != repetitions; ++i) {
        strcat(text, ";use=_redirect.absent");
    }
    strcat(text, ";use=_redirect.good");
    world_add(&world, "_redirect.a.example", text);
    world_add(&world, "_redirect.good", "to=https://x.example/");
}

Test(use, leads_through_100_records_at_most)
{
    add_long_list(99);
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 4);
}

Test(use, beyond_100_records_is_given_up)
{
    add_long_list(100);
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
    cr_expect(world_trace_contains(&world, "too many records"));
}

Test(use, counts_against_the_lookup_limit)
{
    static const char *const chain[] = {"_redirect.a.example", "_redirect.b", "_redirect.c",
                                        "_redirect.d"};

    world_add(&world, chain[0], "use=_redirect.b");
    world_add(&world, chain[1], "use=_redirect.c");
    world_add(&world, chain[2], "use=_redirect.d");
    world_add(&world, chain[3], "to=https://x.example/");
    world.policy.max_lookups = 4;
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    world.policy.max_lookups = 3;
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 508, SP_OUTCOME_LIMITED);
}

/* ---- children ---- */

Test(child, is_found_by_the_path_backwards)
{
    world_add(&world, "_redirect.a.example", "type=path");
    world_add(&world, "_redirect.two-x.one.a.example", "to=https://x.example/");
    world_ask(&world, "a.example", "/One/TWO.x?q=/three");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(child, that_is_absent_is_looked_for_among_the_wildcards)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/");
    world_ask(&world, "a.example", "/one/two");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_str_eq(world_asked(&world),
                     "_redirect.a.example _redirect.two.one.a.example _redirect._.one.a.example "
                     "_redirect._._.a.example");
}

Test(child, that_is_faulty_ends_the_search)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/");
    world_add(&world, "_redirect.one.a.example", "v=txtv0;code=1");
    world_add(&world, "_redirect._.a.example", "to=https://wrong.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(child, whose_label_no_name_can_hold_is_reached_by_the_wildcard)
{
    char target[80] = "/";

    world_add(&world, "_redirect.a.example", "type=path");
    world_add(&world, "_redirect._.a.example", "to=https://x.example/");
    memset(target + 1, 'x', 64);
    world_ask(&world, "a.example", target);
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 2);
    target[64] = '\0';
    world_ask(&world, "a.example", target);
    cr_expect_eq(world.asked_count, 3, "63 octets are a label");
    world_ask(&world, "a.example", "/a@b");
    cr_expect_eq(world.asked_count, 2);
}

Test(child, of_a_path_of_2000_segments_costs_no_lookups)
{
    static char target[4001];

    for (size_t i = 0; i != 2000; ++i) {
        target[2 * i] = '/';
        target[2 * i + 1] = 'a';
    }
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/");
    world_ask(&world, "a.example", target);
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 1);
}

Test(child, search_that_meets_the_lookup_limit_finds_nothing)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/");
    world.policy.max_lookups = 3;
    world_ask(&world, "a.example", "/a/b/c/d");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 3);
}

Test(child, may_be_another_path_record_below_the_same_zone)
{
    world_add(&world, "_redirect.a.example", "type=path;re=/([a-z]+)");
    world_add(&world, "_redirect.two.one.a.example", "type=path;re=[0-9]+");
    world_add(&world, "_redirect.12.a.example", "to=https://x.example/{1}");
    world_ask(&world, "a.example", "/one/two/12");
    EXPECT_REDIRECT(&world, 302, "https://x.example/12");
}

Test(child, may_have_a_use)
{
    world_add(&world, "_redirect.a.example", "type=path");
    world_add(&world, "_redirect.p.a.example", "use=_redirect.u");
    world_add(&world, "_redirect.u", "to=https://x.example/{1}");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://x.example/p");
}
