/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ISSUER_H
#define SIGNPOST_SERVE_ISSUER_H

/* Certificates on demand: a thread of its own with its own loop, so that an authority which is
 * slow, broken or gone holds up nobody but the handshakes that wait for it. It gets what the
 * certificate store wants, renews what is due, and logs what comes of it. */

#include "acme/orders.h"
#include "acme/renewals.h"
#include "http/clients.h"
#include "serve/board.h"
#include "tls/store.h"

typedef struct sp_issuer sp_issuer_t;

/* Can certificates be got with this configuration? Logs what is wrong. SP_OK or SP_BAD_VALUE. */
sp_status_t sp_issuer_check(const sp_config_t *config, const sp_log_t *log);

/* Opens the storage of the snapshot on the board, which must have one, and starts the thread.
 * `board` must outlive it; so must `store` (NULL: nobody wants anything), whose issuer it becomes,
 * and `clients`, in whose numbers the store's askers are (NULL: they are not limited).
 * SP_OK, SP_NO_MEMORY or SP_IO. */
sp_status_t sp_issuer_create(sp_board_t *board, sp_tls_store_t *store, sp_clients_t *clients,
                             sp_issuer_t **ret_issuer, sp_error_t *err);

/* Clients that run are ended: their orders begin anew next time. Accepts NULL. */
void sp_issuer_destroy(sp_issuer_t *issuer);

typedef struct sp_issuer_figures {
    uint64_t orders[SP_ORDER_RESULTS]; /* at a client's wish */
    uint64_t renewals[SP_ORDER_RESULTS];
    uint64_t refusals[SP_PERMITS]; /* of both, by reason */
    uint64_t deleted;              /* certificates that nobody may have any more */
    uint64_t under_way;            /* now */
    sp_renewals_figures_t stored;
} sp_issuer_figures_t;

/* These are safe from any thread. */
void sp_issuer_count(sp_issuer_t *issuer, sp_issuer_figures_t *ret_figures);
const sp_dns_stats_t *sp_issuer_dns(const sp_issuer_t *issuer);
const sp_storage_t *sp_issuer_storage(const sp_issuer_t *issuer);

#endif
