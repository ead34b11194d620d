/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_origin.h"

#include "config_recorder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file_path[] = "/tmp/signpost-origin-XXXXXX";

static void remove_file(void)
{
    (void)unlink(file_path); /* some tests have none */
}

TestSuite(config_origin, .fini = remove_file);

/* With the faults, whatever they are. */
static sp_config_t *examine(const char *text, sp_status_t status)
{
    int fd = mkstemp(file_path);
    sp_config_t *config = NULL;

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    cr_assert_eq(close(fd), 0);
    cr_assert_eq(sp_config_examine_file(file_path, NULL, NULL, &config), status);
    cr_assert_not_null(config);
    return config;
}

/* The place is told as "LINE:COLUMN". */
static void expect_place(const sp_config_t *config, const char *pointer, const char *place)
{
    sp_config_recorder_t recorder = {.count = 0};
    char expected[100];

    cr_assert_gt(snprintf(expected, sizeof(expected), "%s:%s: no\n", file_path, place), 0);
    sp_config_tell(config, pointer, "no", sp_config_recorder_add_fault, &recorder);
    cr_expect_str_eq(recorder.text, expected);
}

Test(config_origin, gives_what_was_right_beside_what_was_not)
{
    sp_config_t *config = examine("{\"threads\": -1, \"tls\": {\"certificates\": \"/c\"},\n"
                                  " \"dns\": {\"zones\": [\"a\", \"\", \"b\"], \"resolvers\": 1}}",
                                  SP_BAD_VALUE);

    cr_expect_str_eq(config->tls_certificates, "/c");
    cr_assert_eq(config->dns.zone_count, 3);
    cr_expect_str_eq(config->dns.zones[0], "a");
    cr_expect_null(config->dns.zones[1]);
    cr_expect_str_eq(config->dns.zones[2], "b");
    cr_expect(sp_config_knows(config, "/tls/certificates"));
    cr_expect(sp_config_knows(config, "/tls/default"));
    cr_expect(sp_config_knows(config, "/dns/zones/0"));
    cr_expect_not(sp_config_knows(config, "/dns/zones/1"));
    cr_expect_not(sp_config_knows(config, "/dns/resolvers"));
    cr_expect_not(sp_config_knows(config, "/threads"));
    sp_config_destroy(config);
}

Test(config_origin, tells_where_a_value_is_or_would_be)
{
    sp_config_t *config = examine(
        "{\"tls\": {\"certificates\": \"/c\"},\n \"dns\": {\"zones\": [\"a\", \"b\"]}}", SP_OK);

    expect_place(config, "/tls/certificates", "1:26");
    expect_place(config, "/dns/zones/1", "2:25");
    expect_place(config, "/tls/acme/storage", "1:9");
    expect_place(config, "/log/level", "1:1");
    sp_config_destroy(config);
}

Test(config_origin, knows_nothing_of_a_section_that_is_none)
{
    sp_config_t *config = examine("{\"tls\": 5}", SP_BAD_VALUE);

    cr_expect_not(sp_config_knows(config, "/tls/certificates"));
    cr_expect(sp_config_knows(config, "/dns/zones"));
    sp_config_destroy(config);
}

Test(config_origin, knows_nothing_of_what_is_no_json)
{
    sp_config_t *config = examine("{\"threads\": 1", SP_BAD_VALUE);
    sp_config_recorder_t recorder = {.count = 0};

    cr_expect_not(sp_config_knows(config, "/threads"));
    cr_expect_eq(config->threads, 0);
    sp_config_tell(config, "/threads", "no", sp_config_recorder_add_fault, &recorder);
    cr_expect_eq(recorder.count, 1);
    sp_config_destroy(config);
}

Test(config_origin, knows_all_where_there_is_no_file)
{
    sp_config_t *config = NULL;

    cr_assert_eq(sp_config_create_default(&config), SP_OK);
    cr_expect(sp_config_knows(config, "/threads"));
    sp_config_destroy(config);
}
