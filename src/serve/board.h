/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_BOARD_H
#define SIGNPOST_SERVE_BOARD_H

/* What the process shows of itself: the server and its workers write here, the admin listener
 * reads, each in its own thread. */

#include "serve/access_log.h"
#include "serve/certificates.h"
#include "serve/counters.h"
#include "serve/snapshot.h"

typedef enum sp_life { SP_LIFE_STARTING, SP_LIFE_SERVING, SP_LIFE_DRAINING } sp_life_t;

typedef struct sp_board sp_board_t;

/* `access` (NULL: none) and `log` must outlive the board; a reference to `snapshot` is kept. */
sp_status_t sp_board_create(size_t worker_count, sp_snapshot_t *snapshot, sp_access_log_t *access,
                            const sp_log_t *log, sp_board_t **ret_board);
void sp_board_destroy(sp_board_t *board); /* accepts NULL */

size_t sp_board_worker_count(const sp_board_t *board);
sp_counters_t *sp_board_counters(sp_board_t *board, size_t worker);

void sp_board_set_life(sp_board_t *board, sp_life_t life);
sp_life_t sp_board_life(const sp_board_t *board);

/* Before anybody reads; must outlive the board. NULL: no TLS. */
void sp_board_set_certificates(sp_board_t *board, const sp_certificates_t *certificates);
const sp_certificates_t *sp_board_certificates(const sp_board_t *board);

/* The same of who gets certificates; NULL: nobody. */
typedef struct sp_issuer sp_issuer_t; /* serve/issuer.h */
void sp_board_set_issuer(sp_board_t *board, sp_issuer_t *issuer);
sp_issuer_t *sp_board_issuer(const sp_board_t *board);

/* A reload has succeeded, with this snapshot, or has failed. */
void sp_board_count_reload(sp_board_t *board, sp_snapshot_t *snapshot);
void sp_board_count_failed_reload(sp_board_t *board);

typedef struct sp_board_reloads {
    uint64_t succeeded;
    uint64_t failed;
} sp_board_reloads_t;

sp_board_reloads_t sp_board_reloads(const sp_board_t *board);

/* The snapshot in force: a reference that the caller releases. */
sp_snapshot_t *sp_board_snapshot(sp_board_t *board);

uint64_t sp_board_dropped_lines(const sp_board_t *board); /* of the access log */
const sp_log_t *sp_board_log(const sp_board_t *board);

#endif
