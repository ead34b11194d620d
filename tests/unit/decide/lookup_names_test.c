/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/decide/lookup_names.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 512);
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(lookup_names, .init = start, .fini = finish);

Test(lookup_names, of_a_host_are_three)
{
    sp_str_t host = SP_STR("a.b.example.com");

    EXPECT_STR(sp_lookup_name_of_host(host, 0, &arena), "_redirect.a.b.example.com");
    EXPECT_STR(sp_lookup_name_of_host(host, 1, &arena), "_redirect._.a.b.example.com");
    EXPECT_STR(sp_lookup_name_of_host(host, 2, &arena), "_redirect._.b.example.com");
}

Test(lookup_names, of_a_host_with_one_label_are_two)
{
    sp_str_t third = sp_lookup_name_of_host(SP_STR("com"), 2, &arena);

    EXPECT_STR(sp_lookup_name_of_host(SP_STR("com"), 1, &arena), "_redirect._.com");
    EXPECT_STR(third, "");
    cr_expect_not_null(third.ptr, "there is none: that is not for want of memory");
}

Test(lookup_names, of_a_host_that_has_the_prefix_get_it_once_more)
{
    EXPECT_STR(sp_lookup_name_of_host(SP_STR("_redirect.a"), 0, &arena), "_redirect._redirect.a");
}

Test(lookup_names, of_a_zone_are_two)
{
    EXPECT_STR(sp_lookup_name_of_zone(SP_STR("a.b"), false, &arena), "_redirect.a.b");
    EXPECT_STR(sp_lookup_name_of_zone(SP_STR("a.b"), true, &arena), "_redirect._.a.b");
}

Test(lookup_names, of_a_child_have_its_labels_backwards)
{
    const sp_str_t labels[] = {SP_STR("one"), SP_STR("two"), SP_STR("three")};

    EXPECT_STR(sp_lookup_name_of_child(labels, 3, 0, SP_STR("z"), &arena),
               "_redirect.three.two.one.z");
    EXPECT_STR(sp_lookup_name_of_child(labels, 3, 1, SP_STR("z"), &arena), "_redirect._.two.one.z");
    EXPECT_STR(sp_lookup_name_of_child(labels, 3, 3, SP_STR("z"), &arena), "_redirect._._._.z");
    EXPECT_STR(sp_lookup_name_of_child(labels, 0, 0, SP_STR("z"), &arena), "_redirect.z");
}

Test(lookup_names, of_numbered_records_begin_with_the_number)
{
    EXPECT_STR(sp_lookup_name_of_number(64, SP_STR("z"), &arena), "_redirect.64.z");
}
