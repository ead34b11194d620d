/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/board.h"

#include <pthread.h>
#include <stdlib.h>

struct sp_board {
    _Atomic(sp_life_t) life;
    atomic_uint_fast64_t reloads_succeeded;
    atomic_uint_fast64_t reloads_failed;
    sp_access_log_t *access;
    const sp_log_t *log;
    const sp_certificates_t *certificates;
    sp_issuer_t *issuer;
    pthread_mutex_t lock; /* held while the reference is taken or exchanged */
    sp_snapshot_t *snapshot;
    size_t worker_count;
    sp_counters_t workers[];
};

sp_status_t sp_board_create(size_t worker_count, sp_snapshot_t *snapshot, sp_access_log_t *access,
                            const sp_log_t *log, sp_board_t **ret_board)
{
    sp_board_t *board = calloc(1, sizeof(*board) + worker_count * sizeof(board->workers[0]));

    if (board == NULL) {
        return SP_NO_MEMORY;
    }
    if (pthread_mutex_init(&board->lock, NULL) != 0) {
        free(board);
        return SP_NO_MEMORY;
    }
    board->worker_count = worker_count;
    board->access = access;
    board->log = log;
    board->snapshot = sp_snapshot_retain(snapshot);
    *ret_board = board;
    return SP_OK;
}

void sp_board_destroy(sp_board_t *board)
{
    if (board != NULL) {
        sp_snapshot_release(board->snapshot);
        (void)pthread_mutex_destroy(&board->lock);
        free(board);
    }
}

size_t sp_board_worker_count(const sp_board_t *board)
{
    return board->worker_count;
}

sp_counters_t *sp_board_counters(sp_board_t *board, size_t worker)
{
    return &board->workers[worker];
}

void sp_board_set_life(sp_board_t *board, sp_life_t life)
{
    atomic_store(&board->life, life);
}

sp_life_t sp_board_life(const sp_board_t *board)
{
    return atomic_load(&board->life);
}

void sp_board_set_certificates(sp_board_t *board, const sp_certificates_t *certificates)
{
    board->certificates = certificates;
}

const sp_certificates_t *sp_board_certificates(const sp_board_t *board)
{
    return board->certificates;
}

void sp_board_set_issuer(sp_board_t *board, sp_issuer_t *issuer)
{
    board->issuer = issuer;
}

sp_issuer_t *sp_board_issuer(const sp_board_t *board)
{
    return board->issuer;
}

void sp_board_count_reload(sp_board_t *board, sp_snapshot_t *snapshot)
{
    sp_snapshot_t *old = NULL;

    (void)atomic_fetch_add(&board->reloads_succeeded, 1);
    (void)pthread_mutex_lock(&board->lock);
    old = board->snapshot;
    board->snapshot = sp_snapshot_retain(snapshot);
    (void)pthread_mutex_unlock(&board->lock);
    sp_snapshot_release(old);
}

void sp_board_count_failed_reload(sp_board_t *board)
{
    (void)atomic_fetch_add(&board->reloads_failed, 1);
}

sp_board_reloads_t sp_board_reloads(const sp_board_t *board)
{
    return (sp_board_reloads_t){.succeeded = atomic_load(&board->reloads_succeeded),
                                .failed = atomic_load(&board->reloads_failed)};
}

sp_snapshot_t *sp_board_snapshot(sp_board_t *board)
{
    sp_snapshot_t *snapshot = NULL;

    (void)pthread_mutex_lock(&board->lock);
    snapshot = sp_snapshot_retain(board->snapshot);
    (void)pthread_mutex_unlock(&board->lock);
    return snapshot;
}

uint64_t sp_board_dropped_lines(const sp_board_t *board)
{
    return board->access == NULL ? 0 : sp_access_log_dropped(board->access);
}

const sp_log_t *sp_board_log(const sp_board_t *board)
{
    return board->log;
}
