/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config.h"

#include "support/failing_alloc.h"

#include <criterion/criterion.h>

static const char good_text[] =
    "{\"listen\": [{\"address\": \"[::]:80\"}], \"dns\": {\"zones\": [\"a\", \"b\"]},"
    "\"trusted_proxies\": [\"10.0.0.0/8\"], \"fallback\": {\"redirect\": \"http://a/\"},"
    "\"tls\": {\"certificates\": \"x\"}}";

static const char *const listen_flags[] = {"127.0.0.1:80"};
static const char *const zone_flags[] = {"c"};

static char *environment(const char *name)
{
    static char resolver[] = "127.0.0.1, 127.0.0.2";

    return sp_str_eq(sp_str_from(name), SP_STR("SIGNPOST_RESOLVER")) ? resolver : NULL;
}

static sp_status_t read_and_drop(void)
{
    sp_config_t *config = NULL;
    sp_status_t status =
        sp_config_read_text(sp_str_from(good_text), "test.json", NULL, NULL, &config);

    cr_expect_eq(status == SP_OK, config != NULL);
    sp_config_destroy(config);
    return status;
}

static sp_status_t load_and_drop(void)
{
    sp_config_flags_t flags = {.listen = listen_flags,
                               .listen_count = 1,
                               .zones = zone_flags,
                               .zone_count = 1,
                               .environment = environment};
    sp_config_t *config = NULL;
    sp_status_t status = sp_config_load(&flags, NULL, NULL, &config);

    cr_expect_eq(status == SP_OK, config != NULL);
    sp_config_destroy(config);
    return status;
}

/* The n-th allocation fails, for every n, until none is left to fail. */
static void sweep(sp_status_t (*work)(void))
{
    bool failed = true;
    size_t n = 0;

    while (failed) {
        sp_status_t status;

        ++n;
        sp_alloc_fail_at(n);
        status = work();
        failed = sp_alloc_stop();
        cr_expect_eq(status, failed ? SP_NO_MEMORY : SP_OK, "allocation %zu", n);
    }
    cr_expect_gt(n, 2);
}

Test(config_memory, survives_each_failed_allocation_of_reading)
{
    sweep(read_and_drop);
}

Test(config_memory, survives_each_failed_allocation_of_loading)
{
    sweep(load_and_drop);
}
