/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "unit/decide/world.h"

static world_t world;

static void start(void)
{
    world_init(&world);
    world.policy.qr.enabled = true;
    world_add(&world, "_redirect.a.example", "to=https://x.example/");
}

static void finish(void)
{
    world_clear(&world);
}

TestSuite(decide_qr, .init = start, .fini = finish);

Test(decide_qr, answers_with_an_image_and_no_lookup)
{
    world_ask(&world, "a.example", "/p?a=1&qr&b=2");
    EXPECT_STATUS(&world, 200, SP_OUTCOME_PAGE);
    EXPECT_STR(world_header(&world, "Content-Type"), "image/png");
    cr_expect(sp_str_starts_with(world.outcome->body, SP_STR("\x89PNG\r\n\x1a\n")));
    cr_expect_eq(world.asked_count, 0);
}

Test(decide_qr, draws_the_url_without_the_parameter)
{
    sp_str_t plain;
    sp_str_t bare;

    cr_assert_eq(
        sp_qr_draw(SP_STR("http://a.example:81/p?a=1&b=2"), &world.policy.qr, &world.arena, &plain),
        SP_OK);
    cr_assert_eq(sp_qr_draw(SP_STR("http://a.example/"), &world.policy.qr, &world.arena, &bare),
                 SP_OK);
    world_ask(&world, "a.example:81", "/p?qr=1&a=1&q%72=2&b=2");
    cr_expect(sp_str_eq(world.outcome->body, plain));
    world_ask(&world, "a.example", "/?qr");
    cr_expect(sp_str_eq(world.outcome->body, bare));
}

Test(decide_qr, needs_the_exact_parameter)
{
    world_ask(&world, "a.example", "/?QR&qr2&xqr=qr");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(decide_qr, is_off_unless_enabled)
{
    world.policy.qr.enabled = false;
    world_ask(&world, "a.example", "/?qr");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(decide_qr, refuses_a_url_that_does_not_fit)
{
    static char target[4000];

    memset(target, 'a', sizeof(target) - 1);
    memcpy(target, "/?qr&", 5);
    world_ask(&world, "a.example", target);
    EXPECT_STATUS(&world, 400, SP_OUTCOME_BAD_REQUEST);
}

Test(decide_qr, works_for_addresses_but_not_for_favicons)
{
    world_ask(&world, "192.0.2.1", "/?qr");
    cr_expect_eq(world.outcome->status, 200);
    world_ask(&world, "a.example", "/favicon.ico?qr");
    cr_expect_eq(world.outcome->status, 404);
}
