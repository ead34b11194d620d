/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
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

TestSuite(pages, .init = start, .fini = finish);

Test(pages, begin_with_their_status)
{
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
    EXPECT_STR(world_header(&world, "Content-Type"), "text/plain; charset=utf-8");
    cr_expect(sp_str_starts_with(world.outcome->body, SP_STR("404 Not Found\n")));
}

Test(pages, name_what_was_asked_and_found)
{
    world_add(&world, "_redirect.a.example", "v=spf1 -all");
    world_add_empty(&world, "_redirect._.example");
    world_ask(&world, "a.example", "/");
    cr_expect(world_body_contains(&world, "_redirect.a.example: TXT, but no redirect record"));
    cr_expect(world_body_contains(&world, "_redirect._.a.example: the name does not exist"));
    cr_expect(world_body_contains(&world, "_redirect._.example: the name has no TXT record"));
}

Test(pages, show_where_a_record_is_faulty)
{
    world_add(&world, "_redirect.a.example", "v=txtv0;to=/;code=999");
    world_ask(&world, "a.example", "/");
    cr_expect(world_body_contains(&world, "at character 19"));
    cr_expect(world_body_contains(&world, "'999'"));
}

Test(pages, say_why_a_target_can_not_be_used)
{
    world_add(&world, "_redirect.a.example", "to=ftp://x.example/");
    world_ask(&world, "a.example", "/");
    cr_expect(world_body_contains(&world, "_redirect.a.example: a record of type host"));
    cr_expect(world_body_contains(&world, "scheme must be http or https"));
    cr_expect(world_body_contains(&world, "can't be used"));
}

Test(pages, are_html_for_a_browser)
{
    const sp_header_t accept = {SP_STR("Accept"), SP_STR("text/html,application/xml;q=0.9")};

    world.raw.headers = &accept;
    world.raw.header_count = 1;
    world_add(&world, "_redirect.a.example", "v=txtv0;code=<script>");
    world_ask(&world, "a.example", "/");
    EXPECT_STR(world_header(&world, "Content-Type"), "text/html; charset=utf-8");
    cr_expect(world_body_contains(&world, "<h1>404 Not Found</h1>"));
    cr_expect(world_body_contains(&world, "&lt;script&gt;"));
    cr_expect_not(world_body_contains(&world, "<script>"));
}

Test(pages, show_foreign_octets_harmlessly)
{
    world_add(&world, "_redirect.a.example", "v=txtv0;code=\x1b[31m\xff\n");
    world_ask(&world, "a.example", "/");
    for (size_t i = 0; i != world.outcome->body.len; ++i) {
        char c = world.outcome->body.ptr[i];

        cr_assert(c == '\n' || (c >= 0x20 && c < 0x7f), "octet %zu", i);
    }
}

Test(pages, tell_of_a_record_that_only_points_elsewhere)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.nowhere.example");
    world_ask(&world, "a.example", "/");
    cr_expect(world_body_contains(&world, "a record of type use"));
    cr_expect(world_body_contains(&world, "_redirect.nowhere.example"));
}

Test(pages, tell_of_names_that_were_needed_again)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.u;use=_redirect.u");
    world_ask(&world, "a.example", "/");
    cr_expect(world_body_contains(&world, "_redirect.u: needed again"));
    cr_expect_eq(world.asked_count, 3);
}

Test(pages, stay_useful_when_there_is_too_much_to_tell)
{
    static char uses[4096];

    /* A hundred records and their hundreds of uses make a story longer than a page may be. */
    strcpy(uses, "use=_redirect.a.example");
    while (strlen(uses) + 20 < sizeof(uses)) {
        strcat(uses, ";use=_redirect.b");
    }
    world_add(&world, "_redirect.a.example", uses);
    world_add(&world, "_redirect.b", uses);
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
    cr_expect(sp_str_starts_with(world.outcome->body, SP_STR("404 Not Found\n")));
}
