/* SPDX-License-Identifier: Apache-2.0 */
#include "load/tally.h"

#include <criterion/criterion.h>

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

static sp_load_tally_t *create(bool keep_samples)
{
    sp_load_tally_t *tally = NULL;

    cr_assert_eq(sp_load_tally_create(keep_samples, &tally), SP_OK);
    return tally;
}

static void add(sp_load_tally_t *tally, sp_load_kind_t kind, uint64_t due_ns, uint64_t took_ns)
{
    const sp_load_end_t end = {.kind = kind,
                               .status = kind == SP_LOAD_OK ? 302 : 0,
                               .due_ns = due_ns,
                               .sent_ns = due_ns + took_ns / 2,
                               .end_ns = due_ns + took_ns};

    sp_load_tally_due(tally, due_ns);
    sp_load_tally_end(tally, &end);
}

Test(load_tally, counts_every_request_in_one_kind)
{
    sp_load_tally_t *tally = create(false);
    uint64_t sum = 0;

    for (sp_load_kind_t kind = SP_LOAD_OK; kind != SP_LOAD_KINDS; ++kind) {
        for (sp_load_kind_t i = SP_LOAD_OK; i <= kind; ++i) {
            add(tally, kind, 0, MS);
        }
    }
    for (sp_load_kind_t kind = SP_LOAD_OK; kind != SP_LOAD_KINDS; ++kind) {
        cr_expect_eq(tally->kinds[kind], (uint64_t)kind + 1);
        sum += tally->kinds[kind];
    }
    cr_expect_eq(tally->due, sum);
    cr_expect_eq(tally->sent, sum);
    cr_expect_eq(tally->statuses[302], 1);
    cr_expect_eq(atomic_load(&tally->live.due), sum);
    cr_expect_eq(atomic_load(&tally->live.ended), sum);
    cr_expect_eq(atomic_load(&tally->live.errors), sum - 1);
    sp_load_tally_destroy(tally);
}

Test(load_tally, times_what_was_answered_or_waited_for_and_nothing_else)
{
    static const struct {
        sp_load_kind_t kind;
        uint64_t times;
    } cases[] = {{SP_LOAD_OK, 1},           {SP_LOAD_WRONG_STATUS, 1}, {SP_LOAD_WRONG_LOCATION, 1},
                 {SP_LOAD_TIMED_OUT, 1},    {SP_LOAD_UNFINISHED, 1},   {SP_LOAD_NO_CONNECTION, 0},
                 {SP_LOAD_CLOSED_EARLY, 0}, {SP_LOAD_BAD_ANSWER, 0}};

    for (size_t i = 0; i != SP_COUNT(cases); ++i) {
        sp_load_tally_t *tally = create(false);

        add(tally, cases[i].kind, 5 * MS, 4 * MS);
        cr_expect_eq(tally->latency.count, cases[i].times, "%zu", i);
        cr_expect_eq(tally->service.count, cases[i].times, "%zu", i);
        cr_expect_eq(tally->latency.max_ns, cases[i].times * 4 * MS, "%zu", i);
        cr_expect_eq(tally->service.max_ns, cases[i].times * 2 * MS, "%zu", i);
        sp_load_tally_destroy(tally);
    }
}

Test(load_tally, counts_no_service_time_for_what_was_never_sent)
{
    sp_load_tally_t *tally = create(false);
    const sp_load_end_t end = {
        .kind = SP_LOAD_UNFINISHED, .due_ns = MS, .sent_ns = UINT64_MAX, .end_ns = 9 * MS};

    sp_load_tally_due(tally, MS);
    sp_load_tally_end(tally, &end);
    cr_expect_eq(tally->due, 1);
    cr_expect_eq(tally->sent, 0);
    cr_expect_eq(tally->latency.max_ns, 8 * MS);
    cr_expect_eq(tally->service.count, 0);
    sp_load_tally_destroy(tally);
}

Test(load_tally, keeps_seconds_by_the_time_a_request_was_due)
{
    sp_load_tally_t *tally = create(false);

    add(tally, SP_LOAD_OK, SECOND - 1, 2 * SECOND);
    add(tally, SP_LOAD_TIMED_OUT, SECOND, 5 * SECOND);
    add(tally, SP_LOAD_OK, 3 * SECOND, MS);
    cr_assert_eq(tally->second_count, 4);
    cr_expect_eq(tally->seconds[0].due, 1);
    cr_expect_eq(tally->seconds[0].ok, 1);
    cr_expect_eq(tally->seconds[0].answered, 0);
    cr_expect_eq(tally->seconds[0].max_ns, 2 * SECOND);
    cr_expect_eq(tally->seconds[1].errors, 1);
    cr_expect_eq(tally->seconds[1].max_ns, 5 * SECOND);
    cr_expect_eq(tally->seconds[2].due, 0);
    cr_expect_eq(tally->seconds[2].answered, 1);
    cr_expect_eq(tally->seconds[3].answered, 1);
    sp_load_tally_destroy(tally);
}

Test(load_tally, counts_what_is_beyond_the_series_in_its_last_second)
{
    sp_load_tally_t *tally = create(false);

    add(tally, SP_LOAD_OK, (uint64_t)(SP_LOAD_SERIES_MAX - 1) * SECOND, MS);
    cr_expect_eq(tally->second_count, SP_LOAD_SERIES_MAX);
    add(tally, SP_LOAD_OK, (uint64_t)SP_LOAD_SERIES_MAX * SECOND, MS);
    add(tally, SP_LOAD_OK, UINT64_MAX / 2, MS);
    cr_expect_eq(tally->second_count, SP_LOAD_SERIES_MAX);
    cr_expect_eq(tally->seconds[SP_LOAD_SERIES_MAX - 1].due, 3);
    sp_load_tally_destroy(tally);
}

Test(load_tally, reads_the_quantiles_of_a_second_within_3_percent)
{
    for (uint64_t took = 1100; took < 4000 * SECOND; took += took / 7) {
        sp_load_tally_t *tally = create(false);
        double read = 0.0;

        for (size_t i = 0; i != 10; ++i) {
            add(tally, SP_LOAD_OK, 0, took);
        }
        add(tally, SP_LOAD_OK, 0, 4200 * SECOND);
        read = (double)sp_load_second_quantile(&tally->seconds[0], 0.5);
        cr_expect_float_eq(read / (double)took, 1.0, 0.0301, "%llu", (unsigned long long)took);
        cr_expect_leq(sp_load_second_quantile(&tally->seconds[0], 1.0), 4200 * SECOND);
        sp_load_tally_destroy(tally);
    }
}

Test(load_tally, has_quantiles_of_0_for_a_second_without_answers)
{
    sp_load_tally_t *tally = create(false);

    sp_load_tally_due(tally, 0);
    cr_expect_eq(sp_load_second_quantile(&tally->seconds[0], 0.99), 0);
    sp_load_tally_destroy(tally);
}

Test(load_tally, tells_a_watcher_what_is_new)
{
    sp_load_tally_t *tally = create(false);
    sp_load_second_t recent = {.due = 0};
    sp_load_second_t later = {.due = 0};

    add(tally, SP_LOAD_OK, 0, 10 * MS);
    sp_load_tally_recent(tally, &recent);
    cr_expect_float_eq((double)sp_load_second_quantile(&recent, 0.5), 10.0 * MS, 0.04 * 10 * MS);
    sp_load_tally_recent(tally, &later);
    cr_expect_eq(sp_load_second_quantile(&later, 0.5), 0);
    add(tally, SP_LOAD_OK, 0, 70 * MS);
    sp_load_tally_recent(tally, &later);
    cr_expect_float_eq((double)sp_load_second_quantile(&later, 0.0), 70.0 * MS, 0.04 * 70 * MS);
    sp_load_tally_destroy(tally);
}

Test(load_tally, keeps_samples_when_told_to)
{
    sp_load_tally_t *without = create(false);
    sp_load_tally_t *tally = create(true);

    add(without, SP_LOAD_OK, 0, MS);
    cr_expect_null(without->samples);
    for (uint64_t i = 0; i != 1000; ++i) {
        add(tally, i % 2 == 0 ? SP_LOAD_OK : SP_LOAD_CLOSED_EARLY, i * MS, i);
    }
    cr_assert_eq(tally->sample_count, 1000);
    for (uint64_t i = 0; i != 1000; ++i) {
        cr_assert_eq(tally->samples[i].due_ns, i * MS);
        cr_assert_eq(tally->samples[i].end_ns, i * MS + i);
    }
    cr_expect_eq(tally->samples[1].kind, SP_LOAD_CLOSED_EARLY);
    cr_expect_not(tally->out_of_memory);
    sp_load_tally_destroy(without);
    sp_load_tally_destroy(tally);
}

Test(load_tally, keeps_the_first_examples_and_cuts_their_texts)
{
    sp_load_tally_t *tally = create(false);
    char text[SP_LOAD_EXAMPLE_TEXT_MAX];

    memset(text, 'x', sizeof(text));
    sp_load_tally_example(tally, 7, 404, (sp_str_t){.ptr = NULL, .len = 0});
    sp_load_tally_example(tally, 8, 301, (sp_str_t){text, sizeof(text) - 1});
    sp_load_tally_example(tally, 9, 301, (sp_str_t){text, sizeof(text)});
    for (size_t i = 3; i != SP_LOAD_EXAMPLES_MAX + 1; ++i) {
        sp_load_tally_example(tally, i, 200, SP_STR("/"));
    }
    cr_assert_eq(tally->example_count, SP_LOAD_EXAMPLES_MAX);
    cr_expect_eq(tally->examples[0].target, 7);
    cr_expect_str_eq(tally->examples[0].location, "");
    cr_expect_eq(strlen(tally->examples[1].location), sizeof(text) - 1);
    cr_expect_eq(strlen(tally->examples[2].location), sizeof(text) - 1);
    sp_load_tally_destroy(tally);
}

Test(load_tally, merges_into_what_one_alone_would_hold)
{
    sp_load_tally_t *whole = create(true);
    sp_load_tally_t *sum = create(true);
    sp_load_tally_t *parts[2] = {create(true), create(true)};

    for (uint64_t i = 0; i != 500; ++i) {
        sp_load_kind_t kind = (sp_load_kind_t)(i % SP_LOAD_KINDS);

        add(whole, kind, i * 20 * MS, i * i * 1000);
        add(parts[i / 250], kind, i * 20 * MS, i * i * 1000);
    }
    parts[0]->connections = 3;
    parts[1]->connections = 4;
    parts[1]->resumed = 1;
    parts[0]->octets_in = 10;
    parts[1]->octets_out = 20;
    sp_load_tally_example(parts[1], 5, 404, SP_STR(""));
    sp_load_tally_merge(sum, parts[0]);
    sp_load_tally_merge(sum, parts[1]);
    cr_expect_eq(sum->due, whole->due);
    cr_expect_eq(sum->sent, whole->sent);
    cr_expect_arr_eq(sum->kinds, whole->kinds, sizeof(whole->kinds));
    cr_expect_arr_eq(sum->statuses, whole->statuses, sizeof(whole->statuses));
    cr_expect_arr_eq(sum->latency.buckets, whole->latency.buckets, sizeof(whole->latency.buckets));
    cr_expect_arr_eq(sum->service.buckets, whole->service.buckets, sizeof(whole->service.buckets));
    cr_assert_eq(sum->second_count, whole->second_count);
    cr_expect_arr_eq(sum->seconds, whole->seconds, whole->second_count * sizeof(*whole->seconds));
    cr_assert_eq(sum->sample_count, whole->sample_count);
    cr_expect_eq(sum->samples[499].due_ns, whole->samples[499].due_ns);
    cr_expect_eq(sum->connections, 7);
    cr_expect_eq(sum->resumed, 1);
    cr_expect_eq(sum->octets_in, 10);
    cr_expect_eq(sum->octets_out, 20);
    cr_expect_eq(sum->examples[0].target, 5);
    sp_load_tally_destroy(whole);
    sp_load_tally_destroy(sum);
    sp_load_tally_destroy(parts[0]);
    sp_load_tally_destroy(parts[1]);
}
