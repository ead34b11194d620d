/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/metrics.h"

#include <stdio.h>
#include <time.h>

#include "serve/admin/endpoints.h"
#include "serve/admin/metrics_acme.h"
#include "serve/admin/metrics_text.h"
#include "serve/admin/process.h"
#include "serve/admin/reply.h"
#include "serve/issuer.h"

#define LABELS_MAX 96

/* What the workers have counted, added up. */
typedef struct total {
    uint64_t requests[SP_COUNTERS_KINDS][SP_COUNTERS_STATUSES];
    uint64_t gone;
    uint64_t connections;
    uint64_t turned_away;
    uint64_t evicted;
    uint64_t floods;
    uint64_t handshakes[SP_HANDSHAKES];
    uint64_t proxy_refusals[SP_PROXY_REFUSALS];
    sp_histogram_sum_t durations;
    uint64_t lookups[SP_SOURCE_MISS + 1];
    uint64_t overloads;
    uint64_t queries[2][SP_DNS_RESULTS];
    sp_histogram_sum_t query_durations;
    uint64_t hedges;
    uint64_t inflight;
} total_t;

static uint64_t get(const atomic_uint_fast64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

static void add_queries(total_t *total, const sp_dns_stats_t *stats)
{
    for (size_t i = 0; i != SP_DNS_RESULTS; ++i) {
        total->queries[0][i] += get(&stats->queries[0][i]);
        total->queries[1][i] += get(&stats->queries[1][i]);
    }
    sp_histogram_collect(&stats->durations, &total->query_durations);
    total->hedges += get(&stats->hedges);
    total->inflight += get(&stats->inflight);
}

static void add_worker(total_t *total, const sp_counters_t *counters)
{
    for (size_t kind = 0; kind != SP_COUNTERS_KINDS; ++kind) {
        for (size_t i = 0; i != SP_COUNTERS_STATUSES; ++i) {
            total->requests[kind][i] += get(&counters->requests[kind][i]);
        }
    }
    for (size_t i = 0; i <= SP_SOURCE_MISS; ++i) {
        total->lookups[i] += get(&counters->dns.lookups[i]);
    }
    total->gone += get(&counters->gone);
    total->connections += get(&counters->connections);
    total->turned_away += get(&counters->turned_away);
    total->evicted += get(&counters->evicted);
    total->floods += get(&counters->floods);
    for (size_t i = 0; i != SP_HANDSHAKES; ++i) {
        total->handshakes[i] += get(&counters->handshakes[i]);
    }
    for (size_t i = 0; i != SP_PROXY_REFUSALS; ++i) {
        total->proxy_refusals[i] += get(&counters->proxy_refusals[i]);
    }
    total->overloads += get(&counters->dns.overloads);
    sp_histogram_collect(&counters->durations, &total->durations);
    add_queries(total, &counters->dns);
}

static void print_labels(char labels[LABELS_MAX], sp_outcome_kind_t kind, unsigned status)
{
    if (status == 0) {
        (void)snprintf(labels, LABELS_MAX, "outcome=\"%s\",code=\"other\"",
                       sp_outcome_kind_name(kind));
    } else {
        (void)snprintf(labels, LABELS_MAX, "outcome=\"%s\",code=\"%u\"", sp_outcome_kind_name(kind),
                       status);
    }
}

static void put_requests(sp_buf_t *buf, const total_t *total)
{
    char labels[LABELS_MAX];

    sp_metric_begin(buf, "signpost_requests_total", SP_METRIC_COUNTER,
                    "Requests that were answered, by outcome and status code.");
    for (size_t kind = 0; kind != SP_COUNTERS_KINDS; ++kind) {
        for (size_t i = 0; i != SP_COUNTERS_STATUSES; ++i) {
            if (total->requests[kind][i] == 0) {
                continue; /* most combinations can't be */
            }
            print_labels(labels, (sp_outcome_kind_t)kind, sp_counters_status(i));
            sp_metric_value(buf, "signpost_requests_total", labels, total->requests[kind][i]);
        }
    }
    sp_metric_single(buf, "signpost_requests_abandoned_total", SP_METRIC_COUNTER,
                     "Requests whose client left before there was an answer.", total->gone);
    sp_metric_histogram(buf, "signpost_request_duration_seconds",
                        "From the whole of a request to the end of its answer.", &total->durations);
    sp_metric_single(buf, "signpost_connections", SP_METRIC_GAUGE, "Connections of clients, now.",
                     total->connections);
    sp_metric_begin(buf, "signpost_connections_refused_total", SP_METRIC_COUNTER,
                    "Connections that were not taken, or ended for what their client did.");
    sp_metric_value(buf, "signpost_connections_refused_total", "reason=\"share\"",
                    total->turned_away);
    sp_metric_value(buf, "signpost_connections_refused_total", "reason=\"idle\"", total->evicted);
    sp_metric_value(buf, "signpost_connections_refused_total", "reason=\"flood\"", total->floods);
}

static void put_proxies(sp_buf_t *buf, const total_t *total)
{
    char labels[LABELS_MAX];

    sp_metric_begin(buf, "signpost_proxy_refused_total", SP_METRIC_COUNTER,
                    "Connections that did not begin with a PROXY header of a trusted proxy.");
    for (size_t i = 0; i != SP_PROXY_REFUSALS; ++i) {
        (void)snprintf(labels, sizeof(labels), "reason=\"%s\"",
                       sp_proxy_refusal_name((sp_proxy_refusal_t)i));
        sp_metric_value(buf, "signpost_proxy_refused_total", labels, total->proxy_refusals[i]);
    }
}

static void put_handshakes(sp_buf_t *buf, const total_t *total)
{
    char labels[LABELS_MAX];

    sp_metric_begin(buf, "signpost_tls_handshakes_total", SP_METRIC_COUNTER,
                    "TLS handshakes, by how they ended.");
    for (size_t i = 0; i != SP_HANDSHAKES; ++i) {
        (void)snprintf(labels, sizeof(labels), "result=\"%s\"",
                       sp_handshake_name((sp_handshake_t)i));
        sp_metric_value(buf, "signpost_tls_handshakes_total", labels, total->handshakes[i]);
    }
}

static void put_certificates(sp_buf_t *buf, const sp_certificates_t *certificates)
{
    static const sp_tls_state_t states[] = {SP_TLS_STATE_VALID, SP_TLS_STATE_EXPIRED,
                                            SP_TLS_STATE_FAULTY};
    sp_tls_figures_t figures = {.bytes = 0};
    time_t now = time(NULL);
    char labels[LABELS_MAX];

    if (certificates != NULL) {
        sp_tls_store_count(sp_certificates_store(certificates), now, &figures);
    }
    sp_metric_begin(buf, "signpost_certificates", SP_METRIC_GAUGE,
                    "Certificates in memory, by state.");
    for (size_t i = 0; i != SP_COUNT(states); ++i) {
        (void)snprintf(labels, sizeof(labels), "state=\"%s\"", sp_tls_state_name(states[i]));
        sp_metric_value(buf, "signpost_certificates", labels, figures.certificates[states[i]]);
    }
    sp_metric_single(buf, "signpost_certificates_bytes", SP_METRIC_GAUGE,
                     "Memory of the certificates, about.", figures.bytes);
    if (figures.has_expiry) {
        sp_metric_single(buf, "signpost_certificates_next_expiry_timestamp_seconds",
                         SP_METRIC_GAUGE,
                         "When the first certificate in memory expires or did, in Unix time.",
                         (uint64_t)figures.next_expiry);
    }
}

static void put_lookups(sp_buf_t *buf, const total_t *total)
{
    static const struct {
        sp_source_t source;
        const char *labels;
    } results[] = {{SP_SOURCE_HIT, "result=\"hit\""},
                   {SP_SOURCE_STALE, "result=\"stale\""},
                   {SP_SOURCE_COALESCED, "result=\"coalesced\""},
                   {SP_SOURCE_MISS, "result=\"miss\""}};

    sp_metric_begin(buf, "signpost_lookups_total", SP_METRIC_COUNTER,
                    "Names that requests needed, zone files apart, by where the answer was.");
    for (size_t i = 0; i != SP_COUNT(results); ++i) {
        sp_metric_value(buf, "signpost_lookups_total", results[i].labels,
                        total->lookups[results[i].source]);
    }
    sp_metric_single(buf, "signpost_lookups_refused_total", SP_METRIC_COUNTER,
                     "Lookups that were not begun: too many in flight, or no memory.",
                     total->overloads);
}

static void put_queries(sp_buf_t *buf, const total_t *total)
{
    static const char *const transports[2] = {"udp", "tcp"};
    char labels[LABELS_MAX];

    sp_metric_begin(buf, "signpost_dns_queries_total", SP_METRIC_COUNTER,
                    "Queries to resolvers that have ended, each once, by transport and how; "
                    "cancelled: under way when the configuration was read again.");
    for (size_t i = 0; i != (size_t)2 * SP_DNS_RESULTS; ++i) {
        sp_dns_result_t result = (sp_dns_result_t)(i % SP_DNS_RESULTS);

        (void)snprintf(labels, sizeof(labels), "transport=\"%s\",rcode=\"%s\"",
                       transports[i / SP_DNS_RESULTS], sp_dns_result_name(result));
        sp_metric_value(buf, "signpost_dns_queries_total", labels,
                        total->queries[i / SP_DNS_RESULTS][result]);
    }
    sp_metric_histogram(buf, "signpost_dns_query_duration_seconds",
                        "From sending a query to its reply.", &total->query_durations);
    sp_metric_single(buf, "signpost_dns_hedges_total", SP_METRIC_COUNTER,
                     "Queries that were repeated over TCP for want of a quick answer.",
                     total->hedges);
    sp_metric_single(buf, "signpost_dns_inflight", SP_METRIC_GAUGE,
                     "Names that are being asked for, now.", total->inflight);
}

static void put_cache(sp_buf_t *buf, sp_board_t *board)
{
    sp_snapshot_t *snapshot = sp_board_snapshot(board);
    sp_cache_counters_t counters = {0};

    if (sp_snapshot_cache(snapshot) != NULL) {
        sp_cache_count(sp_snapshot_cache(snapshot), &counters);
    }
    sp_snapshot_release(snapshot);
    sp_metric_single(buf, "signpost_cache_entries", SP_METRIC_GAUGE, "Names in the cache, now.",
                     counters.entries);
    sp_metric_single(buf, "signpost_cache_bytes", SP_METRIC_GAUGE, "Memory of the cache, now.",
                     counters.bytes);
    sp_metric_single(buf, "signpost_cache_evictions_total", SP_METRIC_COUNTER,
                     "Names that left the cache for want of room.", counters.evictions);
}

static void put_process(sp_buf_t *buf, const sp_board_t *board)
{
    sp_board_reloads_t reloads = sp_board_reloads(board);

    sp_metric_begin(buf, "signpost_config_reloads_total", SP_METRIC_COUNTER,
                    "Times that the configuration was read again.");
    sp_metric_value(buf, "signpost_config_reloads_total", "result=\"ok\"", reloads.succeeded);
    sp_metric_value(buf, "signpost_config_reloads_total", "result=\"failed\"", reloads.failed);
    sp_metric_single(buf, "signpost_log_dropped_total", SP_METRIC_COUNTER,
                     "Lines of the access log that nobody read in time.",
                     sp_board_dropped_lines(board));
    sp_process_metrics(buf);
}

void sp_metrics_write(sp_board_t *board, const sp_dns_stats_t *more, sp_buf_t *buf)
{
    total_t total = {.gone = 0};

    for (size_t i = 0; i != sp_board_worker_count(board); ++i) {
        add_worker(&total, sp_board_counters(board, i));
    }
    if (more != NULL) {
        add_queries(&total, more);
    }
    if (sp_board_issuer(board) != NULL) {
        add_queries(&total, sp_issuer_dns(sp_board_issuer(board)));
    }
    sp_metric_begin(buf, "signpost_build_info", SP_METRIC_GAUGE, "1, with the version as label.");
    sp_metric_value(buf, "signpost_build_info", "version=\"" SIGNPOST_VERSION "\"", 1);
    put_requests(buf, &total);
    put_proxies(buf, &total);
    put_handshakes(buf, &total);
    put_certificates(buf, sp_board_certificates(board));
    sp_metrics_acme(buf, sp_board_issuer(board));
    put_lookups(buf, &total);
    put_queries(buf, &total);
    put_cache(buf, board);
    put_process(buf, board);
}

void sp_admin_metrics(sp_admin_t *admin, sp_call_t *call)
{
    sp_buf_t buf;

    sp_reply_begin(call, &buf);
    sp_metrics_write(admin->board, sp_upstream_stats(admin->upstream), &buf);
    sp_reply_body(call, 200, SP_STR("text/plain; version=0.0.4; charset=utf-8"), &buf);
}
