/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/metrics.h"

#include <criterion/criterion.h>
#include <string.h>

#include "serve/admin/metrics_text.h"

#define TEXT_MAX ((size_t)262144)

typedef struct writer {
    sp_arena_t arena;
    sp_buf_t buf;
} writer_t;

static void begin(writer_t *writer)
{
    sp_arena_init(&writer->arena, NULL, 0, 4096);
    sp_buf_init(&writer->buf, &writer->arena, TEXT_MAX);
}

/* What was written, ending in NUL. */
static const char *text_of(writer_t *writer)
{
    sp_buf_append_char(&writer->buf, '\0');
    cr_assert_eq(writer->buf.status, SP_OK);
    return sp_buf_str(&writer->buf).ptr;
}

Test(metrics, writes_a_value_with_help_and_type)
{
    writer_t writer;

    begin(&writer);
    sp_metric_single(&writer.buf, "a_total", SP_METRIC_COUNTER, "So many.", 7);
    sp_metric_begin(&writer.buf, "b", SP_METRIC_GAUGE, "Now.");
    sp_metric_value(&writer.buf, "b", "x=\"y\"", UINT64_MAX);
    cr_expect_str_eq(text_of(&writer),
                     "# HELP a_total So many.\n# TYPE a_total counter\na_total 7\n"
                     "# HELP b Now.\n# TYPE b gauge\n"
                     "b{x=\"y\"} 18446744073709551615\n");
    sp_arena_clear(&writer.arena);
}

Test(metrics, writes_seconds_exactly)
{
    writer_t writer;

    begin(&writer);
    sp_metric_seconds(&writer.buf, "t", 0);
    sp_metric_seconds(&writer.buf, "t", 1);
    sp_metric_seconds(&writer.buf, "t", 250);
    sp_metric_seconds(&writer.buf, "t", 1000000);
    sp_metric_seconds(&writer.buf, "t", 12345678);
    cr_expect_str_eq(text_of(&writer), "t 0.0\nt 0.000001\nt 0.00025\nt 1.0\nt 12.345678\n");
    sp_arena_clear(&writer.arena);
}

Test(metrics, adds_up_the_buckets_of_a_histogram)
{
    sp_histogram_sum_t sum = {.sum_us = 1500};
    writer_t writer;
    const char *text = NULL;

    begin(&writer);
    sum.counts[0] = 2;
    sum.counts[3] = 1;
    sum.counts[SP_HISTOGRAM_BUCKETS - 1] = 4;
    sp_metric_histogram(&writer.buf, "t_seconds", "Long.", &sum);
    text = text_of(&writer);
    cr_expect_not_null(strstr(text, "# TYPE t_seconds histogram\n"));
    cr_expect_not_null(strstr(text, "t_seconds_bucket{le=\"0.0001\"} 2\n"));
    cr_expect_not_null(strstr(text, "t_seconds_bucket{le=\"0.0005\"} 2\n"));
    cr_expect_not_null(strstr(text, "t_seconds_bucket{le=\"0.001\"} 3\n"));
    cr_expect_not_null(strstr(text, "t_seconds_bucket{le=\"10.0\"} 3\n"));
    cr_expect_not_null(strstr(text, "t_seconds_bucket{le=\"+Inf\"} 7\n"));
    cr_expect_not_null(strstr(text, "t_seconds_sum 0.0015\nt_seconds_count 7\n"));
    sp_arena_clear(&writer.arena);
}

/* A board with two workers, as a configuration with a zone-less resolver gives it. */
static sp_board_t *make_board(const sp_log_t *log)
{
    static const char *const resolvers[] = {"127.0.0.1:1"};
    static const sp_config_flags_t flags = {.resolvers = resolvers, .resolver_count = 1};
    sp_snapshot_t *snapshot = NULL;
    sp_board_t *board = NULL;

    cr_assert_eq(sp_snapshot_load(&flags, log, NULL, &snapshot), SP_OK);
    cr_assert_eq(sp_board_create(2, snapshot, NULL, log, &board), SP_OK);
    sp_snapshot_release(snapshot);
    return board;
}

static void count_something(sp_board_t *board)
{
    sp_report_t report = {.was_answered = true,
                          .kind = SP_OUTCOME_REDIRECT,
                          .status = 301,
                          .started_us = 1000,
                          .ended_us = 1200};

    sp_counters_add(sp_board_counters(board, 0), &report);
    sp_counters_add(sp_board_counters(board, 1), &report);
    report.status = 299;
    sp_counters_add(sp_board_counters(board, 1), &report);
    sp_dns_stats_query(&sp_board_counters(board, 0)->dns, true, SP_DNS_SERVFAIL, 300);
    sp_dns_stats_lookup(&sp_board_counters(board, 0)->dns, SP_SOURCE_HIT);
    sp_dns_stats_lookup(&sp_board_counters(board, 1)->dns, SP_SOURCE_HIT);
    sp_dns_stats_hedge(&sp_board_counters(board, 1)->dns);
    sp_board_count_failed_reload(board);
}

Test(metrics, adds_up_the_workers)
{
    static const char *const lines[] = {
        "signpost_build_info{version=",
        "signpost_requests_total{outcome=\"redirect\",code=\"301\"} 2\n",
        "signpost_requests_total{outcome=\"redirect\",code=\"other\"} 1\n",
        "signpost_request_duration_seconds_count 3\n",
        "signpost_request_duration_seconds_sum 0.0006\n",
        "signpost_lookups_total{result=\"hit\"} 2\n",
        "signpost_lookups_total{result=\"stale\"} 0\n",
        "signpost_dns_queries_total{transport=\"tcp\",rcode=\"servfail\"} 1\n",
        "signpost_dns_queries_total{transport=\"udp\",rcode=\"timeout\"} 0\n",
        "signpost_dns_query_duration_seconds_count 1\n",
        "signpost_dns_hedges_total 1\n",
        "signpost_dns_inflight 0\n",
        "signpost_cache_entries 0\n",
        "signpost_cache_evictions_total 0\n",
        "signpost_connections 0\n",
        "signpost_tls_handshakes_total{result=\"ok\"} 0\n",
        "signpost_config_reloads_total{result=\"ok\"} 0\n",
        "signpost_config_reloads_total{result=\"failed\"} 1\n",
        "signpost_log_dropped_total 0\n",
        "# TYPE process_resident_memory_bytes gauge\n",
    };
    const sp_log_t log = {.level = SP_LOG_ERROR};
    sp_board_t *board = make_board(&log);
    writer_t writer;
    const char *text = NULL;

    begin(&writer);
    count_something(board);
    sp_metrics_write(board, NULL, &writer.buf);
    text = text_of(&writer);
    for (size_t i = 0; i != SP_COUNT(lines); ++i) {
        cr_expect_not_null(strstr(text, lines[i]), "%s", lines[i]);
    }
    sp_arena_clear(&writer.arena);
    sp_board_destroy(board);
}
