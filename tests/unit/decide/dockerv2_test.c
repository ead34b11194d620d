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

TestSuite(dockerv2, .init = start, .fini = finish);

static void ask_with(const char *text, const char *target)
{
    world.row_count = 0;
    world_add(&world, "_redirect.a.example", text);
    world_ask(&world, "a.example", target);
}

Test(dockerv2, greets_with_its_version)
{
    ask_with("type=dockerv2;to=https://r.example", "/v2");
    EXPECT_STATUS(&world, 200, SP_OUTCOME_PAGE);
    EXPECT_STR(world.outcome->body, "OK");
    EXPECT_STR(world_header(&world, "Docker-Distribution-Api-Version"), "registry/2.0");
    ask_with("type=dockerv2;to=https://r.example", "/v2/");
    EXPECT_STATUS(&world, 200, SP_OUTCOME_PAGE);
}

Test(dockerv2, sends_pulls_to_the_registry)
{
    static const struct {
        const char *target;
        const char *location;
    } pulls[] = {
        {"/v2/img/manifests/latest", "https://r.example:5000/v2/img/manifests/latest"},
        {"/v2/a/b/blobs/sha256:12", "https://r.example:5000/v2/a/b/blobs/sha256:12"},
        {"/v2/img/tags/list?n=1&last=x", "https://r.example:5000/v2/img/tags/list?n=1&last=x"},
        {"/v2/_catalog?n=1", "https://r.example:5000/v2/_catalog?n=1"},
        {"/v2/a/tags/b/manifests/c", "https://r.example:5000/v2/a/tags/b/manifests/c"},
        {"/v2/img/manifests/a/b", "https://r.example:5000/v2/img/manifests/a/b"}};

    for (size_t i = 0; i != SP_COUNT(pulls); ++i) {
        ask_with("type=dockerv2;to=https://r.example:5000;code=307", pulls[i].target);
        EXPECT_REDIRECT(&world, 301, pulls[i].location);
    }
}

Test(dockerv2, replaces_the_image)
{
    ask_with("type=dockerv2;to=https://r.example/org/app/", "/v2/x/y/manifests/1.0");
    EXPECT_REDIRECT(&world, 301, "https://r.example/v2/org/app/manifests/1.0");
}

Test(dockerv2, replaces_a_manifests_tag_but_no_digest)
{
    ask_with("type=dockerv2;to=https://r.example/org/app:v2", "/v2/x/manifests/latest");
    EXPECT_REDIRECT(&world, 301, "https://r.example/v2/org/app/manifests/v2");
    ask_with("type=dockerv2;to=https://r.example/org/app:v2", "/v2/x/manifests/sha256:ab");
    EXPECT_REDIRECT(&world, 301, "https://r.example/v2/org/app/manifests/sha256:ab");
    ask_with("type=dockerv2;to=https://r.example/org/app:v2", "/v2/x/manifests/sha256%3Aab");
    EXPECT_REDIRECT(&world, 301, "https://r.example/v2/org/app/manifests/sha256%3Aab");
    ask_with("type=dockerv2;to=https://r.example/org/app:v2", "/v2/x/blobs/latest");
    EXPECT_REDIRECT(&world, 301, "https://r.example/v2/org/app/blobs/latest");
    ask_with("type=dockerv2;to=https://r.example/o:x/app", "/v2/x/manifests/latest");
    EXPECT_REDIRECT(&world, 301, "https://r.example/v2/o:x/app/manifests/latest");
}

Test(dockerv2, needs_a_registry_whatever_is_asked)
{
    static const char *const bad[] = {"type=dockerv2;to=/r;website=https://w.example/",
                                      "type=dockerv2;to=//r.example;website=https://w.example/",
                                      "type=dockerv2;to=ftp://r.example;website=https://w.example/",
                                      "type=dockerv2;to=r.example/img;website=https://w.example/",
                                      "type=dockerv2;to=https://r.example/i@sha256:a;root=/"};

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        ask_with(bad[i], "/v2/");
        EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
        ask_with(bad[i], "/");
        EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
    }
}

Test(dockerv2, shows_people_root_or_website)
{
    static const char text[] =
        "type=dockerv2;to=https://r.example;root=https://root.example/;website=https://w.example/";

    ask_with(text, "/");
    EXPECT_REDIRECT(&world, 308, "https://root.example/");
    ask_with(text, "/docs");
    EXPECT_REDIRECT(&world, 308, "https://w.example/");
    ask_with(text, "/v2/img");
    EXPECT_REDIRECT(&world, 308, "https://w.example/");
    ask_with(text, "/v2/img/manifests/");
    EXPECT_REDIRECT(&world, 308, "https://w.example/");
    ask_with(text, "/v2/manifests/latest");
    EXPECT_REDIRECT(&world, 308, "https://w.example/");
    ask_with("type=dockerv2;to=https://r.example;website=https://w.example/", "/");
    EXPECT_REDIRECT(&world, 308, "https://w.example/");
    ask_with("type=dockerv2;to=https://r.example", "/docs");
    cr_expect_eq(world.outcome->status, 404);
}

Test(dockerv2, never_leaves_the_registry)
{
    ask_with("type=dockerv2;to=https://r.example", "/v2/../../@evil.example/manifests/x");
    EXPECT_REDIRECT(&world, 301, "https://r.example/v2/../../@evil.example/manifests/x");
}

Test(dockerv2, as_a_child_falls_back_to_its_parent)
{
    world_add(&world, "_redirect.a.example", "type=path;to=https://x.example/");
    world_add(&world, "_redirect.p.a.example", "type=dockerv2;to=https://r.example");
    world_ask(&world, "a.example", "/p");
    EXPECT_REDIRECT(&world, 302, "https://x.example/");
}

Test(dockerv2, that_points_at_itself_is_a_loop)
{
    ask_with("type=dockerv2;to=http://a.example", "/v2/img/manifests/x");
    EXPECT_STATUS(&world, 404, SP_OUTCOME_RECORD_ERROR);
}
