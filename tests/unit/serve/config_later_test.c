/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config.h"

#include "config_recorder.h"

#include <criterion/criterion.h>

static void expect_keys(const char *text, const char *lines)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = sp_config_recorder_read(&recorder, text);

    cr_assert_not_null(config, "%s", recorder.text);
    cr_expect_eq(sp_config_not_in_force(config, sp_config_recorder_add_key, &recorder),
                 recorder.count);
    cr_expect_str_eq(recorder.text, lines);
    sp_config_destroy(config);
}

Test(config_later, names_nothing_as_long_as_all_is_default)
{
    expect_keys("{}", "");
    expect_keys("{\"listen\": [{\"address\": \"[::]:80\", \"tls\": false, \"proxy_protocol\": "
                "false}], \"dns\": {\"hedge_ms\": 0}, \"cache\": {\"stale_s\": 86400,"
                "\"prefetch\": true}, \"limits\": {\"connections\": 0},"
                "\"tls\": {\"certificates\": \"/etc/signpost/tls\"}}",
                "");
}

Test(config_later, names_every_key_that_has_no_effect_yet)
{
    expect_keys("{\"tls\": {\"certificates\": \"/x\"},"
                "\"listen\": [{\"address\": \"[::]:80\"}, {\"address\": \"[::]:81\", \"tls\": true,"
                "\"proxy_protocol\": true}]}",
                "listen[1].tls\n"
                "listen[1].proxy_protocol\n"
                "tls.certificates\n");
}

Test(config_later, names_no_key_that_works)
{
    expect_keys(
        "{\"threads\": 2, \"dns\": {\"transport\": \"tcp\", \"timeout_ms\": 1, \"tries\": "
        "1, \"try_ms\": 1, \"hedge_ms\": -1, \"max_inflight\": 1}, \"cache\": {\"enabled\": false,"
        "\"stale_s\": 0, \"prefetch\": false, \"max_bytes\": 4096}, \"types\": [], \"fallback\": "
        "{\"www\": true, \"code\": 301},"
        "\"trusted_proxies\": [\"10.0.0.0/8\"], \"limits\": {\"lookups_per_request\": 1,"
        "\"connections\": 1, \"misses_per_client_per_s\": 1}, \"drain\": {\"delay_s\": 1},"
        "\"log\": {\"level\": \"debug\", \"access\": \"off\", \"format\": \"json\"},"
        "\"admin\": {\"address\": \"[::1]:82\"}, \"qr\": {\"enabled\": true}}",
        "");
}

Test(config_later, finds_the_listener_that_wants_tls)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = sp_config_recorder_read(
        &recorder, "{\"listen\": [{\"address\": \"[::]:80\"}, {\"address\": \"[::]:443\","
                   "\"tls\": true}]}");

    cr_assert_not_null(config);
    cr_expect_eq(sp_config_tls_listener(config), &config->listen[1]);
    sp_config_destroy(config);
    cr_assert_eq(sp_config_create_default(&config), SP_OK);
    cr_expect_null(sp_config_tls_listener(config));
    sp_config_destroy(config);
}
