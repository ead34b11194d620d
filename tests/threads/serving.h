/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_SERVING_H
#define SIGNPOST_TESTS_SERVING_H

/* Real workers on loopback, and clients that keep them busy, for programs that do something to the
 * workers meanwhile. Every failure ends the program. */

#include <netinet/in.h>

#include "serve/worker.h"

#define SERVING_WORKERS 3
#define SERVING_CLIENTS 4

typedef struct serving {
    sp_log_t log;
    sp_clients_t *clients;
    sp_access_log_t *access;
    sp_counters_t counters[SERVING_WORKERS];
    sp_snapshot_t *snapshots[2]; /* from the same zone, with different fallbacks */
    sp_worker_t *workers[SERVING_WORKERS];
    struct sockaddr_in where;
    int done_fd;
    char folder[32];
} serving_t;

/* What became of the requests of all clients. */
typedef struct serving_counts {
    unsigned answered;
    unsigned refused; /* connections */
    unsigned lost;
} serving_counts_t;

void serving_start(serving_t *serving);

/* Ends the workers at once if they run still, and frees everything. */
void serving_end(serving_t *serving);

/* Runs clients in threads of their own. Each makes `requests` requests, or as many as it can until
 * it is refused (requests 0), on connections that it keeps. */
void serving_begin_clients(const serving_t *serving, unsigned requests);
bool serving_has_clients(void); /* that have not done yet */
serving_counts_t serving_join_clients(void);

#endif
