/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>

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

TestSuite(gometa, .init = start, .fini = finish);

static void ask_with(const char *text, const char *target)
{
    world.row_count = 0;
    world_add(&world, "_redirect.a.example", text);
    world_ask(&world, "a.example:8080", target);
}

Test(gometa, answers_go_with_an_import_page)
{
    ask_with("type=gometa;to=https://git.example/r;vcs=hg", "/pkg/sub?go-get=1");
    EXPECT_STATUS(&world, 200, SP_OUTCOME_PAGE);
    EXPECT_STR(world_header(&world, "Content-Type"), "text/html; charset=utf-8");
    cr_expect(world_body_contains(&world, "<meta name=\"go-import\" content=\"a.example/pkg/sub hg "
                                          "https://git.example/r\">"));
    cr_expect_not(world_body_contains(&world, "go-source"));
}

Test(gometa, prefix_has_no_lone_slash)
{
    ask_with("type=gometa;to=https://git.example/r", "/?a=b&go-get=1");
    cr_expect(world_body_contains(&world, "content=\"a.example git https://git.example/r\">"));
}

Test(gometa, shows_sources_on_github)
{
    ask_with("type=gometa;to=https://GitHub.com/o/r", "/p?go-get=1");
    cr_expect(world_body_contains(&world,
                                  "<meta name=\"go-source\" content=\"a.example/p _ "
                                  "https://GitHub.com/o/r/tree/master{/dir} "
                                  "https://GitHub.com/o/r/blob/master{/dir}/{file}#L{line}\">"));
}

Test(gometa, escapes_what_a_visitor_sends)
{
    ask_with("type=gometa;to=https://git.example/r", "/\"><script>?go-get=1");
    cr_expect_not(world_body_contains(&world, "<script>"));
    cr_expect(world_body_contains(&world, "&#34;&gt;&lt;script&gt;"));
}

Test(gometa, takes_the_schemes_of_the_go_command)
{
    static const char *const good[] = {"git", "git+ssh", "ssh",  "svn",  "svn+ssh",
                                       "bzr", "bzr+ssh", "http", "https"};
    char text[80];

    for (size_t i = 0; i != SP_COUNT(good); ++i) {
        (void)snprintf(text, sizeof(text), "type=gometa;to=%s://g.example/r", good[i]);
        ask_with(text, "/?go-get=1");
        cr_expect_eq(world.outcome->status, 200, "%s", good[i]);
    }
    ask_with("type=gometa;to=ftp://g.example/r", "/?go-get=1");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
    ask_with("type=gometa;to=//g.example/r", "/?go-get=1");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
    ask_with("type=gometa;to=/r", "/?go-get=1");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
}

Test(gometa, without_a_to_falls_back)
{
    ask_with("type=gometa;website=https://w.example/", "/?go-get=1");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
}

Test(gometa, shows_people_the_website)
{
    ask_with("type=gometa;to=https://git.example/r;website=https://w.example/;code=301", "/p");
    EXPECT_REDIRECT(&world, 302, "https://w.example/");
    ask_with("type=gometa;to=https://git.example/r", "/p?go-get=2");
    EXPECT_REDIRECT(&world, 302, "https://git.example/r");
    ask_with("type=gometa", "/p");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
    ask_with("type=gometa;to=git://git.example/r", "/p");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
}

Test(gometa, as_a_child_shows_people_its_parents_website)
{
    world_add(&world, "_redirect.a.example",
              "type=path;website=https://w.example/;to=https://x.example/;code=301");
    world_add(&world, "_redirect.p.a.example", "type=gometa");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://w.example/");
}

Test(gometa, as_a_child_shows_people_its_parents_to)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/{1}");
    world_add(&world, "_redirect.p.a.example", "type=gometa");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://x.example/p");
}

Test(gometa, may_use_the_values_of_the_path)
{
    world_add(&world, "_redirect.a.example", "type=path");
    world_add(&world, "_redirect._.a.example", "type=gometa;to=https://git.example/{1}");
    world_ask(&world, "a.example", "/lib?go-get=1");
    cr_expect(world_body_contains(&world, "a.example/lib git https://git.example/lib"));
}
