/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/upstream.h"

#include <stdlib.h>

#define TICK_MS 250
#define SILENCE_FACTOR 5 /* times dns.timeout_ms */
/* RFC 6761, 6.4: caching resolvers answer it by themselves. */
#define PROBE_NAME SP_STR("_redirect.signpost.invalid")

struct sp_upstream {
    h2o_loop_t *loop;
    sp_board_t *board;
    h2o_timeout_t tick_timeout;
    h2o_timeout_entry_t tick;
    sp_upstream_use_t *current;
    sp_upstream_use_t *retired;
    sp_dns_stats_t stats;
    uint64_t began_ms;
    sp_lookup_t *probe; /* NULL: none under way */
    sp_upstream_use_t *probed;
};

static void use_destroy(sp_upstream_use_t *use)
{
    if (use != NULL) {
        sp_lookups_destroy(use->lookups);
        sp_lookups_destroy(use->probing);
        sp_caa_client_destroy(use->caa);
        sp_snapshot_release(use->snapshot);
        free(use);
    }
}

/* Takes the snapshot over. */
static sp_status_t use_create_own(sp_upstream_t *upstream, sp_snapshot_t *snapshot,
                                  sp_upstream_use_t **ret_use, sp_error_t *err)
{
    sp_upstream_use_t *use = calloc(1, sizeof(*use));
    sp_dns_options_t dns = *sp_snapshot_dns(snapshot);
    sp_status_t status = SP_OK;

    if (use == NULL) {
        sp_snapshot_release(snapshot);
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    use->snapshot = snapshot;
    dns.stats = &upstream->stats;
    status = sp_lookups_create(upstream->loop, &dns, sp_snapshot_zones(snapshot),
                               sp_snapshot_cache(snapshot), &use->lookups, err);
    if (status == SP_OK) {
        status = sp_lookups_create(upstream->loop, &dns, NULL, NULL, &use->probing, err);
    }
    if (status == SP_OK) {
        status =
            sp_caa_client_create(upstream->loop, &dns, sp_snapshot_zones(snapshot), &use->caa, err);
    }
    if (status != SP_OK) {
        use_destroy(use);
        return status;
    }
    *ret_use = use;
    return SP_OK;
}

/* Takes the board's snapshot when that is a new one. Keeps the old one where the new does not
 * work. */
static void refresh(sp_upstream_t *upstream)
{
    sp_snapshot_t *snapshot = sp_board_snapshot(upstream->board);
    sp_upstream_use_t *use = NULL;

    if (upstream->current->snapshot == snapshot) {
        sp_snapshot_release(snapshot);
    } else if (use_create_own(upstream, snapshot, &use, NULL) == SP_OK && use != NULL) {
        upstream->current->next = upstream->retired;
        upstream->retired = upstream->current;
        upstream->current = use;
    }
}

static uint64_t answered_ms(const sp_upstream_t *upstream)
{
    uint64_t latest = atomic_load_explicit(&upstream->stats.answered_ms, memory_order_relaxed);

    for (size_t i = 0; i != sp_board_worker_count(upstream->board); ++i) {
        uint64_t ms = atomic_load_explicit(&sp_board_counters(upstream->board, i)->dns.answered_ms,
                                           memory_order_relaxed);

        latest = ms > latest ? ms : latest;
    }
    return latest > upstream->began_ms ? latest : upstream->began_ms;
}

static void on_probed(void *arg, const sp_lookup_result_t *result)
{
    sp_upstream_t *upstream = arg;

    (void)result; /* the counts tell whether a resolver has answered */
    upstream->probe = NULL;
    sp_upstream_leave(upstream->probed);
}

static void probe(sp_upstream_t *upstream)
{
    sp_upstream_use_t *use = sp_upstream_enter(upstream);
    uint64_t timeout_ms = sp_snapshot_config(use->snapshot)->dns.timeout_ms;
    sp_lookup_result_t result = {0};

    upstream->probed = use;
    if (sp_lookup_start(use->probing, PROBE_NAME, sp_now_ms() + timeout_ms, on_probed, upstream,
                        &result, &upstream->probe)) {
        sp_answer_release(result.answer);
        sp_upstream_leave(use);
    }
}

static void on_tick(h2o_timeout_entry_t *entry)
{
    sp_upstream_t *upstream = H2O_STRUCT_FROM_MEMBER(sp_upstream_t, tick, entry);
    const sp_snapshot_t *snapshot = NULL;

    h2o_timeout_link(upstream->loop, &upstream->tick_timeout, &upstream->tick);
    refresh(upstream);
    snapshot = upstream->current->snapshot;
    if (upstream->probe == NULL && sp_snapshot_dns(snapshot)->resolver_count != 0 &&
        sp_now_ms() - answered_ms(upstream) >= sp_snapshot_config(snapshot)->dns.timeout_ms) {
        probe(upstream);
    }
}

sp_status_t sp_upstream_create(h2o_loop_t *loop, sp_board_t *board, sp_upstream_t **ret_upstream,
                               sp_error_t *err)
{
    sp_upstream_t *upstream = calloc(1, sizeof(*upstream));
    sp_status_t status = SP_OK;

    if (upstream == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    upstream->loop = loop;
    upstream->board = board;
    upstream->began_ms = sp_now_ms();
    upstream->tick.cb = on_tick;
    status = use_create_own(upstream, sp_board_snapshot(board), &upstream->current, err);
    if (status != SP_OK) {
        free(upstream);
        return status;
    }
    h2o_timeout_init(loop, &upstream->tick_timeout, TICK_MS);
    h2o_timeout_link(loop, &upstream->tick_timeout, &upstream->tick);
    *ret_upstream = upstream;
    return SP_OK;
}

void sp_upstream_destroy(sp_upstream_t *upstream)
{
    if (upstream == NULL) {
        return;
    }
    h2o_timeout_unlink(&upstream->tick);
    h2o_timeout_dispose(upstream->loop, &upstream->tick_timeout);
    if (upstream->probe != NULL) {
        sp_lookup_cancel(upstream->probe);
        sp_upstream_leave(upstream->probed);
    }
    sp_upstream_sweep(upstream);
    use_destroy(upstream->current);
    free(upstream);
}

sp_upstream_use_t *sp_upstream_enter(sp_upstream_t *upstream)
{
    refresh(upstream);
    ++upstream->current->users;
    return upstream->current;
}

void sp_upstream_leave(sp_upstream_use_t *use)
{
    --use->users;
}

void sp_upstream_sweep(sp_upstream_t *upstream)
{
    sp_upstream_use_t **link = &upstream->retired;

    while (*link != NULL) {
        sp_upstream_use_t *use = *link;

        if (use->users == 0) {
            *link = use->next;
            use_destroy(use);
        } else {
            link = &use->next;
        }
    }
}

sp_upstream_silence_t sp_upstream_silence(sp_upstream_t *upstream)
{
    const sp_upstream_use_t *use = sp_upstream_enter(upstream);
    uint64_t limit_ms =
        (uint64_t)sp_snapshot_config(use->snapshot)->dns.timeout_ms * SILENCE_FACTOR;
    sp_upstream_silence_t silence = {.has_resolvers =
                                         sp_snapshot_dns(use->snapshot)->resolver_count != 0,
                                     .ms = sp_now_ms() - answered_ms(upstream)};

    silence.is_too_long = silence.has_resolvers && silence.ms >= limit_ms;
    sp_upstream_leave(upstream->current);
    return silence;
}

const sp_dns_stats_t *sp_upstream_stats(const sp_upstream_t *upstream)
{
    return &upstream->stats;
}
