/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ACCESS_LOG_H
#define SIGNPOST_SERVE_ACCESS_LOG_H

/* The access log: each worker fills a buffer of its own, one thread writes them out. A reader that
 * is slow never holds up a worker: when a buffer is full, lines are dropped and counted. */

#include "serve/access_line.h"

#define SP_ACCESS_BUFFER_SIZE ((size_t)2048 * 1024) /* octets for each worker; twice, in turns */

typedef struct sp_access_log sp_access_log_t;
typedef struct sp_access_buffer sp_access_buffer_t;

/* Lines are kept until sp_access_log_start; `fd` stays the caller's. */
sp_status_t sp_access_log_create(int fd, size_t worker_count, sp_access_log_t **ret_log);

/* Starts the thread that writes. */
sp_status_t sp_access_log_start(sp_access_log_t *log, sp_error_t *err);

/* Writes out what is there, for a second at most, and ends the thread. Accepts NULL. */
void sp_access_log_destroy(sp_access_log_t *log);

sp_access_buffer_t *sp_access_log_buffer(sp_access_log_t *log, size_t worker);

/* By the buffer's worker only. Never blocks. */
void sp_access_buffer_add(sp_access_buffer_t *buffer, sp_access_format_t format,
                          const sp_report_t *report);

/* Lines that were lost since the start. */
uint64_t sp_access_log_dropped(sp_access_log_t *log);

#endif
