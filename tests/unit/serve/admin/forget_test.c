/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/forget.h"

#include <criterion/criterion.h>

typedef struct world {
    sp_cache_t *cache;
    sp_policy_t policy;
    sp_arena_t arena;
    sp_forget_t forget;
} world_t;

static void begin(world_t *world)
{
    sp_cache_options_t options = {.enabled = true,
                                  .max_bytes = 1048576,
                                  .max_ttl_s = 3600,
                                  .negative_ttl_s = 3600,
                                  .failure_ttl_s = 5};

    cr_assert_eq(sp_cache_create(&options, &world->cache), SP_OK);
    sp_policy_init(&world->policy);
    sp_arena_init(&world->arena, NULL, 0, 4096);
    world->forget = (sp_forget_t){world->cache, &world->policy, &world->arena};
}

static void end(world_t *world)
{
    sp_arena_clear(&world->arena);
    sp_cache_destroy(world->cache);
}

/* NULL: the name is known to be absent. */
static void keep(world_t *world, const char *name, const char *record)
{
    sp_str_t text = sp_str_from(record);
    sp_answer_parts_t parts = {.kind = record == NULL ? SP_ANSWER_NXDOMAIN : SP_ANSWER_TXT,
                               .ttl_s = 300,
                               .texts = &text,
                               .text_count = record == NULL ? 0 : 1};
    const sp_answer_t *answer = NULL;

    cr_assert_eq(sp_answer_create(&parts, &answer), SP_OK);
    sp_cache_store(world->cache, sp_str_from(name), answer, sp_now_ms());
    sp_answer_release(answer);
}

static bool holds(world_t *world, const char *name)
{
    uint32_t ttl_s = 0;
    const sp_answer_t *answer = sp_cache_find(world->cache, sp_str_from(name), sp_now_ms(), &ttl_s);

    sp_answer_release(answer);
    return answer != NULL;
}

static size_t forget(world_t *world, const char *host, const char *path)
{
    size_t count = SIZE_MAX;

    cr_assert_eq(sp_forget_host(&world->forget, sp_str_from(host), sp_str_from(path), &count, NULL),
                 SP_OK);
    return count;
}

Test(forget, takes_a_name_as_people_write_it)
{
    world_t world;

    begin(&world);
    keep(&world, "_redirect.a.example.com", "v=txtv0;to=https://x.example.net/");
    cr_expect(sp_forget_name(&world.forget, SP_STR("_Redirect.A.example.com.")));
    cr_expect_not(holds(&world, "_redirect.a.example.com"));
    cr_expect_not(sp_forget_name(&world.forget, SP_STR("_redirect.a.example.com")));
    cr_expect_not(sp_forget_name(&world.forget, SP_STR(".")));
    end(&world);
}

Test(forget, takes_every_candidate_of_a_host)
{
    world_t world;

    begin(&world);
    keep(&world, "_redirect.a.example.com", "v=txtv0;to=https://x.example.net/");
    keep(&world, "_redirect._.a.example.com", NULL);
    keep(&world, "_redirect._.example.com", NULL);
    keep(&world, "_redirect.b.example.com", NULL);
    cr_expect_eq(forget(&world, "A.example.com:8080", "/"), 3);
    cr_expect_not(holds(&world, "_redirect._.example.com"));
    cr_expect(holds(&world, "_redirect.b.example.com"), "another host's");
    cr_expect_eq(forget(&world, "a.example.com", "/"), 0);
    end(&world);
}

Test(forget, follows_use)
{
    world_t world;

    begin(&world);
    keep(&world, "_redirect.a.example.com", "v=txtv0;use=_redirect.shared.example.net");
    keep(&world, "_redirect.shared.example.net", "v=txtv0;to=https://x.example.net/");
    cr_expect_eq(forget(&world, "a.example.com", "/"), 2);
    cr_expect_not(holds(&world, "_redirect.shared.example.net"));
    end(&world);
}

Test(forget, follows_a_path)
{
    world_t world;

    begin(&world);
    keep(&world, "_redirect.go.example.com", "v=txtv0;type=path");
    keep(&world, "_redirect.talk.go.example.com", "v=txtv0;to=https://x.example.net/");
    keep(&world, "_redirect.docs.go.example.com", "v=txtv0;to=https://y.example.net/");
    cr_expect_eq(forget(&world, "go.example.com", "/talk"), 2);
    cr_expect_not(holds(&world, "_redirect.talk.go.example.com"));
    cr_expect(holds(&world, "_redirect.docs.go.example.com"), "another path's");
    end(&world);
}

Test(forget, refuses_what_is_no_host_or_path)
{
    world_t world;
    size_t count = 0;
    sp_error_t err;

    begin(&world);
    cr_expect_neq(sp_forget_host(&world.forget, SP_STR("a b"), SP_STR("/"), &count, &err), SP_OK);
    cr_expect_neq(
        sp_forget_host(&world.forget, SP_STR("a.example.com"), SP_STR("/a b\n"), &count, &err),
        SP_OK);
    end(&world);
}
