/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_BACKOFF_H
#define SIGNPOST_ACME_BACKOFF_H

/* How long a name waits after its orders have failed: one minute, then four times as long each
 * time, a day at most. Four failures fall into the first half hour, so that an authority which
 * allows five in an hour does not get to refuse. As text, one line:
 *
 *     FAILURES NOT-BEFORE(SECONDS-SINCE-1970) REASON
 */

#include <signpost/base/buf.h>
#include <stdint.h>

#define SP_BACKOFF_FIRST_S ((uint64_t)60)
#define SP_BACKOFF_FACTOR 4
#define SP_BACKOFF_MAX_S ((uint64_t)86400)
#define SP_BACKOFF_REASON_MAX 300 /* octets, NUL included; longer ones are cut */

typedef struct sp_backoff {
    unsigned failures; /* in a row; 0: nothing to wait for */
    uint64_t until_s;
    char reason[SP_BACKOFF_REASON_MAX]; /* printable */
} sp_backoff_t;

/* Is it to wait at `now_s`? */
bool sp_backoff_holds(const sp_backoff_t *backoff, uint64_t now_s);

/* One more failure; the wait is `least_s` at least. */
void sp_backoff_fail(sp_backoff_t *backoff, uint64_t now_s, uint64_t least_s, sp_str_t reason);

/* False, and all zero, for a text that reads otherwise. A wait that reaches further than any can,
 * since a clock was wrong, is cut to the longest. */
bool sp_backoff_parse(sp_str_t text, uint64_t now_s, sp_backoff_t *ret_backoff);
void sp_backoff_print(const sp_backoff_t *backoff, sp_buf_t *buf);

#endif
