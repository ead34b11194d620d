/* SPDX-License-Identifier: Apache-2.0 */

/* New configurations are handed to workers, again and again and faster than they can take them,
 * while clients keep them busy. Every request is answered. */

#include <stdio.h>
#include <stdlib.h>

#include "serving.h"

#define REQUESTS 400
#define RELOADS_LEAST 100

int main(void)
{
    serving_t serving;
    serving_counts_t counts;
    unsigned reloads = 0;

    serving_start(&serving);
    serving_begin_clients(&serving, REQUESTS);
    for (unsigned i = 0; i < RELOADS_LEAST || serving_has_clients(); ++i) {
        reloads = i;
        for (size_t worker = 0; worker != SERVING_WORKERS; ++worker) {
            sp_worker_reload(serving.workers[worker], serving.snapshots[i % 2]);
            sp_worker_ask(serving.workers[worker], i);
        }
        (void)sp_clients_count(serving.clients);
    }
    counts = serving_join_clients();
    serving_end(&serving);
    (void)printf("%u reloads: %u answered, %u lost, %u refused\n", reloads, counts.answered,
                 counts.lost, counts.refused);
    return counts.lost == 0 && counts.refused == 0 && counts.answered >= SERVING_CLIENTS * REQUESTS
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
