/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_LOG_FOLD_H
#define SIGNPOST_SERVE_LOG_FOLD_H

/* Events that come again and again are written a few times, then counted, and told of once their
 * time is over. The time is passed in. Safe from any thread. */

#include "serve/config.h"

#define SP_LOG_FOLD_MS 10000
#define SP_LOG_FOLD_BURST 5      /* equal events within that time that are written */
#define SP_LOG_FOLD_TEXT_MAX 256 /* octets by which events are compared */

typedef struct sp_log_fold sp_log_fold_t;

sp_status_t sp_log_fold_create(sp_log_fold_t **ret_fold);
void sp_log_fold_destroy(sp_log_fold_t *fold); /* accepts NULL */

/* True: write it. False: it has been counted. */
bool sp_log_fold_add(sp_log_fold_t *fold, sp_log_level_t level, const char *text, uint64_t now_ms);

typedef void sp_log_fold_fn(void *arg, sp_log_level_t level, const char *text, uint64_t count);

/* Calls `tell` for each event that was counted and whose time is over (UINT64_MAX: for all);
 * `count` is how often it was not written. */
void sp_log_fold_tell(sp_log_fold_t *fold, uint64_t now_ms, sp_log_fold_fn *tell, void *arg);

#endif
