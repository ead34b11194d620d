/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

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

TestSuite(respond, .init = start, .fini = finish);
TestSuite(fallback, .init = start, .fini = finish);

/* Asks a.example for /, whose record is `text`. */
static void ask_with(const char *text)
{
    world.row_count = 0;
    world_add(&world, "_redirect.a.example", text);
    world_ask(&world, "a.example", "/");
}

Test(respond, sends_each_code)
{
    ask_with("to=https://x.example/;code=301");
    EXPECT_REDIRECT(&world, 301, "https://x.example/");
    cr_expect(world_body_contains(&world, "Moved Permanently"));
    ask_with("to=https://x.example/;code=303");
    EXPECT_REDIRECT(&world, 303, "https://x.example/");
    cr_expect(world_body_contains(&world, "See Other"));
    ask_with("to=https://x.example/;code=307");
    EXPECT_REDIRECT(&world, 307, "https://x.example/");
    cr_expect(world_body_contains(&world, "Temporary Redirect"));
    ask_with("to=https://x.example/;code=308");
    EXPECT_REDIRECT(&world, 308, "https://x.example/");
    cr_expect(world_body_contains(&world, "Permanent Redirect"));
}

Test(respond, lets_permanent_redirects_be_cached_for_a_week)
{
    ask_with("to=https://x.example/;code=301");
    EXPECT_STR(world_header(&world, "Cache-Control"), "max-age=604800");
    ask_with("to=https://x.example/;code=308");
    EXPECT_STR(world_header(&world, "Cache-Control"), "max-age=604800");
    ask_with("to=https://x.example/;code=302");
    cr_expect_null(world_header(&world, "Cache-Control").ptr);
    ask_with("to=https://x.example/;code=301;>Cache-Control=no-store");
    EXPECT_STR(world_header(&world, "Cache-Control"), "no-store");
}

Test(respond, links_to_the_target_with_escapes)
{
    ask_with("to=https://x.example/?a=1&b='2'");
    cr_expect(world_body_contains(&world, "<a href=\"https://x.example/?a=1&amp;b=&#39;2&#39;\">"));
    EXPECT_STR(world_header(&world, "Content-Type"), "text/html; charset=utf-8");
}

Test(respond, names_the_host_in_referer_when_the_record_wants_it)
{
    const sp_header_t referer = {SP_STR("referer"), SP_STR("https://other.example/")};

    ask_with("to=https://x.example/;ref=true");
    EXPECT_STR(world_header(&world, "Referer"), "a.example");
    world.raw.headers = &referer;
    world.raw.header_count = 1;
    ask_with("to=https://x.example/;ref=true");
    cr_expect_null(world_header(&world, "Referer").ptr);
}

Test(respond, sends_the_records_headers)
{
    ask_with("to=https://x.example/;>X-A=1;>X-B=2");
    EXPECT_STR(world_header(&world, "X-A"), "1");
    EXPECT_STR(world_header(&world, "X-B"), "2");
}

Test(respond, lets_inner_headers_win)
{
    world_add(&world, "_redirect.a.example", "use=_redirect.u;>X-A=outer;>X-B=outer");
    world_add(&world, "_redirect.u", "to=https://x.example/;>x-a=inner");
    world_ask(&world, "a.example", "/");
    EXPECT_STR(world_header(&world, "X-A"), "inner");
    EXPECT_STR(world_header(&world, "X-B"), "outer");
}

Test(respond, shows_a_path_records_headers_on_what_its_children_answer)
{
    world_add(&world, "_redirect.a.example", "type=path;>X-A=parent;>X-B=parent");
    world_add(&world, "_redirect.p.a.example", "to=https://x.example/;>X-A=child");
    world_ask(&world, "a.example", "/p");
    EXPECT_STR(world_header(&world, "X-A"), "child");
    EXPECT_STR(world_header(&world, "X-B"), "parent");
}

Test(respond, sends_headers_with_the_fallbacks_answer_too)
{
    ask_with("type=path;>X-A=1");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
    EXPECT_STR(world_header(&world, "X-A"), "1");
}

Test(respond, sends_each_header_once)
{
    size_t locations = 0;

    ask_with("to=https://x.example/;>Location=https://evil.example/;>LOCATION=/");
    for (size_t i = 0; i != world.outcome->header_count; ++i) {
        locations += sp_str_eq_nocase(world.outcome->headers[i].name, SP_STR("Location"));
    }
    cr_expect_eq(locations, 1);
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

/* ---- fallback ---- */

Test(fallback, to_www)
{
    world.policy.fallback_www = true;
    world.policy.fallback_code = 307;
    world_ask(&world, "a.example:8080", "/p?q");
    EXPECT_REDIRECT(&world, 307, "https://www.a.example");
    cr_expect_eq(world.outcome->kind, SP_OUTCOME_FALLBACK);
    EXPECT_STR(world.outcome->record, "");
}

Test(fallback, to_www_names_an_unusual_https_port)
{
    world.policy.fallback_www = true;
    world.raw.https_port = 8443;
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://www.a.example:8443");
    world.raw.https_port = 443;
    world_ask(&world, "a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://www.a.example");
}

Test(fallback, to_www_is_not_for_addresses_and_www_itself)
{
    world.policy.fallback_www = true;
    world_ask(&world, "www.a.example", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
    world_ask(&world, "192.0.2.1", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
    world_ask(&world, "www2.a.example", "/");
    EXPECT_REDIRECT(&world, 302, "https://www.www2.a.example");
}

Test(fallback, to_the_configured_target)
{
    world.policy.fallback_redirect = SP_STR("https://fallback.example/{path}");
    world.policy.fallback_code = 301;
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 301, "https://fallback.example/%7Bpath%7D");
    cr_expect_null(world_header(&world, "Cache-Control").ptr, "only records are cached for long");
    world.policy.fallback_www = true;
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 301, "https://www.a.example");
}

Test(fallback, to_itself_is_a_loop)
{
    world.policy.fallback_redirect = SP_STR("http://a.example/p");
    world_ask(&world, "a.example", "/p");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
    world_ask(&world, "a.example", "/q");
    EXPECT_REDIRECT(&world, 302, "http://a.example/p");
}

Test(fallback, to_a_faulty_target_is_none)
{
    world.policy.fallback_redirect = SP_STR("ftp://a.example/");
    world_ask(&world, "a.example", "/");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_NOT_FOUND);
}

Test(fallback, of_a_path_child_is_its_nearest_parents)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/;code=301");
    world_add(&world, "_redirect.p.a.example", "type=path;website=https://w.example/;code=307");
    world_add(&world, "_redirect.r.a.example", "type=path;root=https://r.example/;code=308");
    world_add(&world, "_redirect.f.a.example", "type=path;to=ftp://y.example/");
    world_ask(&world, "a.example", "/nothing");
    EXPECT_REDIRECT(&world, 301, "https://x.example/");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 307, "https://w.example/");
    world_ask(&world, "a.example", "/r");
    EXPECT_REDIRECT(&world, 308, "https://r.example/");
    world_ask(&world, "a.example", "/f");
    EXPECT_REDIRECT(&world, 301, "https://x.example/");
}
