/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "unit/decide/world.h"

static world_t world;

static void start(void)
{
    world_init(&world);
    world_add(&world, "_redirect.a.example", "type=path;re=record;to=https://fallback.example/");
}

static void finish(void)
{
    world_clear(&world);
}

TestSuite(numbered, .init = start, .fini = finish);

Test(numbered, longest_match_wins)
{
    world_add(&world, "_redirect.1.a.example", "re=/o;to=https://one.example/");
    world_add(&world, "_redirect.2.a.example", "re=/one;to=https://two.example/");
    world_add(&world, "_redirect.3.a.example", "re=/on;to=https://three.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://two.example/");
    cr_expect_str_eq(world_asked(&world), "_redirect.a.example _redirect.1.a.example "
                                          "_redirect.2.a.example _redirect.3.a.example "
                                          "_redirect.4.a.example");
}

Test(numbered, more_groups_win_among_equal_matches)
{
    world_add(&world, "_redirect.1.a.example", "re=/one;to=https://one.example/");
    world_add(&world, "_redirect.2.a.example", "re=/(o)(n)e;to=https://two.example/");
    world_add(&world, "_redirect.3.a.example", "re=/(o)(.)e;to=https://three.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://two.example/");
}

Test(numbered, first_match_alone_is_measured)
{
    world_add(&world, "_redirect.1.a.example", "re=x+;to=https://one.example/");
    world_add(&world, "_redirect.2.a.example", "re=yy;to=https://two.example/");
    world_ask(&world, "a.example", "/x/xxx/yy");
    EXPECT_REDIRECT(&world, 302, "https://two.example/");
}

Test(numbered, none_that_matches_goes_to_to)
{
    world_add(&world, "_redirect.1.a.example", "re=/x;to=https://one.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://fallback.example/");
}

Test(numbered, gives_the_whole_match_and_its_groups)
{
    world_add(&world, "_redirect.1.a.example",
              "re=/(o)(?P<rest>.*);to=https://x.example{1}/{2}/{3}/{4}/{rest}/{$1}");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example/one/o/ne//ne/one");
}

Test(numbered, passes_unusable_ones_over)
{
    world_add(&world, "_redirect.1.a.example", "v=txtv0;code=1");
    world_add(&world, "_redirect.2.a.example", "to=https://wrong.example/");
    world_add(&world, "_redirect.3.a.example", "re=(;to=https://wrong.example/");
    world_add(&world, "_redirect.4.a.example", "re=/;to=https://x.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(numbered, are_read_before_their_use)
{
    world_add(&world, "_redirect.1.a.example", "re=/one;use=_redirect.u");
    world_add(&world, "_redirect.u", "to=https://x.example/{1}");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example//one");
}

Test(numbered, that_wins_but_is_faulty_goes_to_to)
{
    world_add(&world, "_redirect.1.a.example", "re=/one;to=ftp://x.example/");
    world_add(&world, "_redirect.2.a.example", "re=/;to=https://wrong.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://fallback.example/");
}

Test(numbered, of_a_type_that_is_not_enabled_goes_to_to)
{
    world.policy.types = 1U << SP_TYPE_PATH;
    world_add(&world, "_redirect.1.a.example", "re=/one;to=https://wrong.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://fallback.example/");
}

Test(numbered, that_fails_ends_in_503)
{
    world_add(&world, "_redirect.1.a.example", "re=/;to=https://x.example/");
    world_break(&world, "_redirect.2.a.example", SP_FAILURE_REFUSED);
    world_ask(&world, "a.example", "/one");
    EXPECT_STATUS(&world, 503, SP_OUTCOME_DNS_FAILURE);
}

static void add_numbers(unsigned count, const char *last)
{
    for (unsigned i = 1; i <= count; ++i) {
        char *name = sp_arena_zalloc(&world.arena, 1, 40);

        cr_assert_not_null(name);
        (void)snprintf(name, 40, "_redirect.%u.a.example", i);
        world_add(&world, name, i == count ? last : "re=x;to=https://wrong.example/");
    }
}

Test(numbered, count_as_one_lookup)
{
    add_numbers(20, "re=/one;to=https://x.example/");
    world.policy.max_lookups = 2;
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(sp_decision_trace(world.decision)->lookups, 2);
    world.policy.max_lookups = 1;
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://fallback.example/");
}

Test(numbered, are_64_at_most)
{
    add_numbers(64, "re=/one;to=https://x.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
    cr_expect_eq(world.asked_count, 65);
}

Test(numbered, the_65th_is_not_asked_for)
{
    add_numbers(65, "re=/one;to=https://x.example/");
    world_ask(&world, "a.example", "/one");
    EXPECT_REDIRECT(&world, 302, "https://fallback.example/");
    cr_expect_eq(world.asked_count, 65);
}
