/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_METRICS_H
#define SIGNPOST_SERVE_ADMIN_METRICS_H

/* The metrics of the process: the counters of all workers added up at the time of asking. */

#include <signpost/base/buf.h>

#include "serve/board.h"

/* `more` (NULL: none) holds DNS queries beside those of the workers. */
void sp_metrics_write(sp_board_t *board, const sp_dns_stats_t *more, sp_buf_t *buf);

#endif
