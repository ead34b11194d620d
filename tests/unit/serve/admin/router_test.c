/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/router.h"

#include <criterion/criterion.h>

static bool knows(const char *path, const char *method)
{
    const sp_admin_route_t *route = sp_admin_route(sp_str_from(path));

    cr_assert_not_null(route, "%s", path);
    return sp_admin_route_method(route, sp_str_from(method)) != NULL;
}

Test(router, knows_every_endpoint)
{
    static const char *const paths[] = {"/",        "/healthz", "/readyz", "/metrics",
                                        "/explain", "/cache",   "/config", "/style.css"};

    for (size_t i = 0; i != SP_COUNT(paths); ++i) {
        cr_expect(knows(paths[i], "GET"), "%s", paths[i]);
        cr_expect(knows(paths[i], "HEAD"), "%s", paths[i]);
        cr_expect_not(knows(paths[i], "POST"), "%s", paths[i]);
        cr_expect_not(knows(paths[i], "get"), "methods have a case");
    }
}

Test(router, knows_no_other_path)
{
    static const char *const paths[] = {"", "/health", "/healthz/", "//metrics", "/METRICS", "*"};

    for (size_t i = 0; i != SP_COUNT(paths); ++i) {
        cr_expect_null(sp_admin_route(sp_str_from(paths[i])), "%s", paths[i]);
    }
}

Test(router, deletes_from_the_cache_alone)
{
    cr_expect(knows("/cache", "DELETE"));
    cr_expect_not(knows("/config", "DELETE"));
    cr_expect_not(knows("/", "DELETE"));
}

Test(router, says_which_methods_are_allowed)
{
    sp_str_t allow = sp_admin_route_allow(sp_admin_route(SP_STR("/cache")));

    cr_expect(sp_str_eq(allow, SP_STR("GET, HEAD, DELETE")));
    allow = sp_admin_route_allow(sp_admin_route(SP_STR("/metrics")));
    cr_expect(sp_str_eq(allow, SP_STR("GET, HEAD")));
}
