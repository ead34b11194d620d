/* SPDX-License-Identifier: Apache-2.0 */

/* Memory that runs out anywhere is told, and nothing leaks. */

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "load/choice.h"
#include "load/tally.h"
#include "support/failing_alloc.h"

/* Runs `work` until each of its allocations has failed once. */
static void sweep(sp_status_t (*work)(void), size_t at_least)
{
    bool failed = true;
    size_t n = 0;

    while (failed) {
        sp_status_t status = SP_OK;

        sp_alloc_fail_at(++n);
        status = work();
        failed = sp_alloc_stop();
        cr_assert_eq(status, failed ? SP_NO_MEMORY : SP_OK, "allocation %zu: %s", n,
                     sp_status_name(status));
    }
    cr_expect_gt(n, at_least, "only %zu allocations", n);
}

static sp_status_t parse_targets(void)
{
    char text[4096];
    size_t len = 0;
    sp_load_targets_t targets = {.count = 0};
    sp_status_t status = SP_OK;

    while (len + 4 <= sizeof(text)) {
        memcpy(text + len, "a\t/\n", 4);
        len += 4;
    }
    status = sp_load_targets_parse((sp_str_t){text, len}, &targets, NULL);
    sp_load_targets_clear(&targets);
    return status;
}

Test(load_memory, may_run_out_in_a_list_of_requests)
{
    sweep(parse_targets, 2);
}

static sp_status_t make_weights(void)
{
    sp_load_targets_t targets = {.count = 100};
    sp_load_plan_t plan = {.names = SP_LOAD_ZIPF, .zipf_s = 1.0, .targets = &targets};
    sp_load_weights_t *weights = NULL;
    sp_status_t status = sp_load_weights_create(&plan, &weights);

    sp_load_weights_destroy(weights);
    return status;
}

Test(load_memory, may_run_out_in_the_weights)
{
    sweep(make_weights, 2);
}

/* A tally goes on when memory is out, and says so. */
static sp_status_t fill_tally(void)
{
    sp_load_tally_t *tally = NULL;
    sp_load_tally_t *sum = NULL;
    sp_status_t status = sp_load_tally_create(true, &tally);

    if (status == SP_OK) {
        status = sp_load_tally_create(true, &sum);
    }
    for (uint64_t i = 0; i != 200 && status == SP_OK; ++i) {
        const sp_load_end_t end = {.due_ns = i * 1000000000, .end_ns = i * 1000000000 + 1};

        sp_load_tally_due(tally, end.due_ns);
        sp_load_tally_end(tally, &end);
    }
    if (status == SP_OK) {
        cr_assert_eq(tally->due, 200);
        cr_assert_eq(tally->kinds[SP_LOAD_OK], 200);
        sp_load_tally_merge(sum, tally);
        cr_assert_eq(sum->due, 200);
        status = sum->out_of_memory ? SP_NO_MEMORY : SP_OK;
    }
    sp_load_tally_destroy(tally);
    sp_load_tally_destroy(sum);
    return status;
}

Test(load_memory, may_run_out_in_a_tally)
{
    sweep(fill_tally, 6);
}

static sp_status_t read_zone(void)
{
    static const char zone[] = "$ORIGIN example.com.\n@ 60 SOA ns admin 1 2 3 4 60\n"
                               "_redirect 60 TXT \"v=txtv0;type=path;to=https://example.net/\"\n"
                               "_redirect.b.a 60 TXT \"v=txtv0;to=https://example.net/{1}\"\n"
                               "_redirect.x 60 TXT \"no record\"\n";
    char path[] = "/tmp/signpost-zone-XXXXXX";
    int fd = mkstemp(path);
    sp_load_targets_t targets = {.count = 0};
    sp_status_t status = SP_OK;

    cr_assert_eq(write(fd, zone, sizeof(zone) - 1), (ssize_t)sizeof(zone) - 1);
    (void)close(fd);
    status = sp_load_targets_from_zone(path, false, &targets, NULL);
    (void)unlink(path);
    if (status == SP_OK) {
        cr_assert_eq(targets.count, 2);
        cr_assert_eq(targets.skipped, 1);
    }
    sp_load_targets_clear(&targets);
    return status;
}

Test(load_memory, may_run_out_while_a_zone_is_read)
{
    sweep(read_zone, 20);
}
