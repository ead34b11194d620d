/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

TestSuite(path, .init = start, .fini = finish);
TestSuite(from, .init = start, .fini = finish);
TestSuite(re, .init = start, .fini = finish);

Test(path, of_slashes_only_goes_to_root)
{
    world_add(&world, "_redirect.a.example",
              "type=path;root=https://r.example/;to=https://x.example/;code=301");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 301, "https://r.example/");
    world_ask(&world, "a.example", "///?q");
    EXPECT_REDIRECT(&world, 301, "https://r.example/");
    cr_expect_eq(world.asked_count, 1);
}

Test(path, of_slashes_only_goes_to_to_without_a_root)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(path, of_slashes_only_falls_back_without_either)
{
    world_add(&world, "_redirect.a.example", "type=path;website=https://x.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
}

Test(path, without_segments_goes_to_to)
{
    world_add(&world, "_redirect.a.example",
              "type=path;root=https://r.example/;to=https://x.example/");
    world_ask(&world, "a.example", "/%20");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 1);
}

Test(path, segments_are_decoded_runs_behind_slashes)
{
    world_add(&world, "_redirect.a.example", "type=path");
    world_add(&world, "_redirect.c.b.a.a.example", "to=https://x.example/{1}-{2}-{3}-{$3}{4}");
    world_ask(&world, "a.example", "//%61%2Fb%20x//c");
    EXPECT_REDIRECT(&world, 302, "https://x.example/%61-b-c-c");
}

Test(path, that_leads_in_circles_ends_with_its_own_target)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/");
    world_add(&world, "_redirect.p.a.example", "type=path;to=https://y.example/");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://y.example/");
    cr_expect_eq(world.asked_count, 2);
    cr_expect(world_trace_contains(&world, "looked into before"));
}

Test(path, values_of_the_record_above_stay_visible)
{
    world_add(&world, "_redirect.a.example", "type=path;re=/([a-z]+)");
    world_add(&world, "_redirect.p.a.example", "type=path;re=[0-9]+;to=https://x.example/{1}");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://x.example/p");
}

Test(path, budget_of_expressions_is_shared_by_a_request, .timeout = 60)
{
    static char target[8000];
    clock_t begin = clock();

    world_add(&world, "_redirect.a.example", "type=path;re=record;to=https://x.example/");
    for (unsigned i = 1; i != 65; ++i) {
        char *name = sp_arena_zalloc(&world.arena, 1, 40);

        cr_assert_not_null(name);
        (void)snprintf(name, 40, "_redirect.%u.a.example", i);
        world_add(&world, name, "to=https://y.example/;re=(a|aa|[ab]{1,9}){1,99}[ab]{0,500}$");
    }
    memset(target, 'a', sizeof(target) - 1);
    target[0] = '/';
    target[sizeof(target) - 2] = '!';
    world_ask(&world, "a.example", target);
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_lt((clock() - begin) / CLOCKS_PER_SEC, 20, "generous: sanitizers, busy machines");
}

Test(path, use_of_a_child_counts_against_the_lookup_limit)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://wrong.example/");
    world_add(&world, "_redirect.p.a.example", "use=_redirect.u");
    world_add(&world, "_redirect.u", "to=https://x.example/");
    world.policy.max_lookups = 3;
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    world.policy.max_lookups = 2;
    world_ask(&world, "a.example", "/p");
    EXPECT_STATUS(&world, 508, SP_OUTCOME_LIMITED);
}

/* ---- from ---- */

Test(from, orders_the_labels_by_its_numbers)
{
    world_add(&world, "_redirect.a.example", "type=path;from=/$2/$3/$1");
    world_add(&world, "_redirect.two.one.three.a.example", "to=https://x.example/{1}{2}{3}");
    world_ask(&world, "a.example", "/one/two/three");
    EXPECT_REDIRECT(&world, 302, "https://x.example/onetwothree");
}

Test(from, that_does_not_fit_goes_to_to)
{
    static const char *const misfits[] = {"type=path;to=https://x.example/;from=/$1",
                                          "type=path;to=https://x.example/;from=/$1/$2/$3",
                                          "type=path;to=https://x.example/;from=/$1/$1",
                                          "type=path;to=https://x.example/;from=",
                                          "type=path;to=https://x.example/;from=/$a/$b",
                                          "type=path;to=https://x.example/;from=$1$2",
                                          "type=path;to=https://x.example/;from=/$/$"};

    for (size_t i = 0; i != SP_COUNT(misfits); ++i) {
        world.row_count = 0;
        world_add(&world, "_redirect.a.example", misfits[i]);
        world_ask(&world, "a.example", "/one/two");
        EXPECT_REDIRECT(&world, 302, "https://x.example/");
        cr_expect_eq(world.asked_count, 1, "%s", misfits[i]);
    }
}

Test(from, takes_any_numbers)
{
    world_add(&world, "_redirect.a.example", "type=path;from=/$99999999999/$7");
    world_add(&world, "_redirect.one.two.a.example", "to=https://x.example/");
    world_ask(&world, "a.example", "/one/two");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(from, and_re_exclude_each_other)
{
    world_add(&world, "_redirect.a.example", "type=path;from=/$1;re=.*;to=https://x.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 1);
}

Test(from, shuts_out_the_parents_re)
{
    world_add(&world, "_redirect.a.example", "type=path;re=/(o)");
    world_add(&world, "_redirect.o.a.example", "type=path;from=/$1/$2");
    world_add(&world, "_redirect.two.one.a.example", "to=https://x.example/{2}");
    world_ask(&world, "a.example", "/one/two");
    EXPECT_REDIRECT(&world, 302, "https://x.example/two");
}

/* ---- re ---- */

Test(re, gives_a_label_for_each_match)
{
    world_add(&world, "_redirect.a.example", "type=path;re=[0-9]+");
    world_add(&world, "_redirect.34.12.a.example", "to=https://x.example/{1}/{2}/{$1}");
    world_ask(&world, "a.example", "/x12/y34");
    EXPECT_REDIRECT(&world, 302, "https://x.example/12/34/x12");
}

Test(re, gives_the_first_group_where_there_is_one)
{
    world_add(&world, "_redirect.a.example", "type=path;re=/([a-z])[a-z]*");
    world_add(&world, "_redirect.t.o.a.example", "to=https://x.example/{1}{2}");
    world_ask(&world, "a.example", "/one/two");
    EXPECT_REDIRECT(&world, 302, "https://x.example/ot");
}

Test(re, with_names_gives_the_groups_in_the_order_of_their_names)
{
    world_add(&world, "_redirect.a.example", "type=path;re=/(?P<b>[^/]+)/(?<a>[^/]+)/(x)");
    world_add(&world, "_redirect.one.two.a.example", "to=https://x.example/{1}/{2}/{a}/{$b}/{c}");
    world_ask(&world, "a.example", "/one/two/x");
    EXPECT_REDIRECT(&world, 302, "https://x.example/two/one/two/one/%7Bc%7D");
}

Test(re, reaches_an_empty_group_through_the_wildcard)
{
    world_add(&world, "_redirect.a.example", "type=path;re=/(?P<a>x?)");
    world_add(&world, "_redirect._.a.example", "to=https://x.example/");
    world_ask(&world, "a.example", "/y");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 2);
}

Test(re, sees_the_decoded_path)
{
    world_add(&world, "_redirect.a.example", "type=path;re=/(.) (.*)");
    world_add(&world, "_redirect.b.a.example", "to=https://x.example/{1}");
    world_ask(&world, "a.example", "/%62%20c?d");
    EXPECT_REDIRECT(&world, 302, "https://x.example/b");
}

Test(re, takes_an_octet_that_is_no_utf8_for_one_character_as_go_does)
{
    world_add(&world, "_redirect.a.example", "type=path;re=^/(.)([^/]*)$");
    world_add(&world, "_redirect._.a.example", "to=https://x.example/{1}");
    world_ask(&world, "a.example", "/%ffb%c3%bc%e2");
    EXPECT_REDIRECT(&world, 302, "https://x.example/%FF");
}

Test(re, sees_the_query_as_sent_when_it_asks_for_it)
{
    world_add(&world, "_redirect.a.example",
              "type=path;re=\\?query=(%6[0-9]);to=https://y.example/");
    world_add(&world, "_redirect._.a.example", "to=https://x.example/{1}");
    world_ask(&world, "a.example", "/p?query=%61");
    EXPECT_REDIRECT(&world, 302, "https://x.example/%2561");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://y.example/");
}

Test(re, that_does_not_match_goes_to_to)
{
    world_add(&world, "_redirect.a.example", "type=path;re=[0-9]+;to=https://x.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 1);
}

Test(re, that_is_not_valid_goes_to_to)
{
    world_add(&world, "_redirect.a.example", "type=path;re=(;to=https://x.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(re, of_a_parent_serves_its_children)
{
    world_add(&world, "_redirect.a.example", "type=path;re=/([a-z]+)");
    world_add(&world, "_redirect.two.one.a.example", "use=_redirect.u");
    world_add(&world, "_redirect.u", "type=path");
    world_add(&world, "_redirect.two.one.u", "to=https://x.example/");
    world_ask(&world, "a.example", "/one9/two9");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

/* `count` times "/a". */
static const char *slashes(size_t count)
{
    static char target[2 * SP_REGEX_SUBJECT_MAX];

    for (size_t i = 0; i != count; ++i) {
        target[2 * i] = '/';
        target[2 * i + 1] = 'a';
    }
    target[2 * count] = '\0';
    return target;
}

Test(re, looks_at_128_matches_at_most)
{
    world_add(&world, "_redirect.a.example", "type=path;re=a;to=https://x.example/{128}{129}");
    world_ask(&world, "a.example", slashes(SP_REGEX_MATCHES_MAX));
    EXPECT_REDIRECT(&world, 302, "https://x.example/a");
    world_ask(&world, "a.example", slashes(SP_REGEX_MATCHES_MAX + 1));
    EXPECT_REDIRECT(&world, 302, "https://x.example/a");
}

Test(re, sees_8192_octets_at_most)
{
    world_add(&world, "_redirect.a.example", "type=path;re=^/.;to=https://x.example/{1}");
    world_ask(&world, "a.example", slashes(SP_REGEX_SUBJECT_MAX / 2));
    EXPECT_REDIRECT(&world, 302, "https://x.example//a");
    world_ask(&world, "a.example", slashes(SP_REGEX_SUBJECT_MAX / 2 + 1));
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}
