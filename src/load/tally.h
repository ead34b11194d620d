/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_TALLY_H
#define SIGNPOST_LOAD_TALLY_H

/* What became of the requests. One per thread, merged in the end; while it runs, others may read
 * the few figures of `live`. Every request that became due ends in exactly one `kind`. */

#include <signpost/base/error.h>
#include <stdatomic.h>

#include "load/histogram.h"
#include "load/targets.h"

typedef enum sp_load_kind {
    SP_LOAD_OK,             /* as expected */
    SP_LOAD_WRONG_STATUS,   /* answered, another status */
    SP_LOAD_WRONG_LOCATION, /* answered, another Location, or one too many or too few */
    SP_LOAD_NO_CONNECTION,  /* could not connect; TLS handshake included */
    SP_LOAD_CLOSED_EARLY,   /* the server closed or reset before the answer was complete */
    SP_LOAD_BAD_ANSWER,     /* not HTTP */
    SP_LOAD_TIMED_OUT,      /* no answer within the time-out */
    SP_LOAD_UNFINISHED,     /* due, but never sent or never answered until the end (interrupted) */
    SP_LOAD_KINDS
} sp_load_kind_t;

#define SP_LOAD_SERIES_MAX 86400 /* seconds; later ones count into the last */
#define SP_LOAD_EXAMPLES_MAX 5   /* of answers that were wrong */
#define SP_LOAD_EXAMPLE_TEXT_MAX 512

#define SP_LOAD_FAULT_MAX 160 /* octets of a reason */
#define SP_LOAD_FIRST_MAX 8   /* octets that show which protocol it is */

#define SP_LOAD_SECOND_BUCKETS 512

/* One second of the run; requests count in the second in which they were due. Latencies in coarse
 * buckets (see sp_load_second_quantile), to keep long runs small. */
typedef struct sp_load_second {
    uint64_t due, ok, errors; /* errors: whatever ended and was not as expected */
    uint64_t answered;        /* as expected, by the second of the answer */
    uint64_t max_ns;          /* of the latencies; exact */
    uint32_t buckets[SP_LOAD_SECOND_BUCKETS];
} sp_load_second_t;

/* One request's end. Times in nanoseconds since the run's beginning; `sent_ns` is UINT64_MAX for a
 * request that was never sent. */
typedef struct sp_load_end {
    sp_load_kind_t kind;
    unsigned status; /* 0: no answer */
    uint64_t due_ns, sent_ns, end_ns;
} sp_load_end_t;

typedef struct sp_load_example {
    size_t target;
    unsigned status;
    char location[SP_LOAD_EXAMPLE_TEXT_MAX]; /* cut; empty when there was none */
} sp_load_example_t;

typedef struct sp_load_live {
    atomic_uint_fast64_t due, ended, errors;
    atomic_uint_least32_t buckets[SP_LOAD_SECOND_BUCKETS]; /* latencies, as in a second */
    uint32_t seen[SP_LOAD_SECOND_BUCKETS];                 /* the reader's: at its last look */
} sp_load_live_t;

typedef struct sp_load_tally {
    uint64_t kinds[SP_LOAD_KINDS];
    uint64_t due;            /* requests that became due (closed loop: that were sent) */
    uint64_t sent;           /* of them, written to a connection */
    uint64_t statuses[1000]; /* answers by status, 100 … 599 */
    uint64_t connections;    /* opened */
    uint64_t resumed;        /* of them, TLS sessions resumed */
    uint64_t octets_in, octets_out;
    sp_load_histogram_t latency; /* from the time that was intended (closed loop: from sending, or
                                    from connecting where each request has its own connection) */
    sp_load_histogram_t service; /* from sending. Both: answered requests, and those that timed out
                                    or were left unfinished with the time that they waited */
    sp_load_second_t *seconds;
    size_t second_count, second_room;
    sp_load_end_t *samples; /* every request, in the order of ending; NULL unless kept */
    bool keep_samples;
    size_t sample_count, sample_room;
    bool out_of_memory; /* samples or seconds were left out for want of memory */
    sp_load_example_t examples[SP_LOAD_EXAMPLES_MAX];
    size_t example_count;
    char fault[SP_LOAD_FAULT_MAX]; /* why a connection failed, the first one; or empty */
    char first[SP_LOAD_FIRST_MAX]; /* what the server said first of all, on the wire */
    size_t first_len;
    sp_load_live_t live;
} sp_load_tally_t;

sp_status_t sp_load_tally_create(bool keep_samples, sp_load_tally_t **ret_tally);
void sp_load_tally_destroy(sp_load_tally_t *tally); /* accepts NULL */

void sp_load_tally_due(sp_load_tally_t *tally, uint64_t due_ns);

/* Counts everything that `end` tells, `sent` included. `due` was told before. */
void sp_load_tally_end(sp_load_tally_t *tally, const sp_load_end_t *end);

/* Keeps the first few. */
void sp_load_tally_example(sp_load_tally_t *tally, size_t target, unsigned status,
                           sp_str_t location);

/* Counts octets from the wire, and keeps the first of them. */
void sp_load_tally_heard(sp_load_tally_t *tally, sp_str_t octets);

/* Keeps the first. */
void sp_load_tally_fault(sp_load_tally_t *tally, const char *why);

/* `live` is left as it is. */
void sp_load_tally_merge(sp_load_tally_t *into, const sp_load_tally_t *from);

/* Adds the latencies that were counted since the last call to those of `recent`. For one other
 * thread, at any time. */
void sp_load_tally_recent(sp_load_tally_t *tally, sp_load_second_t *recent);

/* How a kind is called where people and programs read it: "ok", "wrong_status", … */
const char *sp_load_kind_name(sp_load_kind_t kind);

/* Within 3 %, from 1 µs on, and never above the maximum; 0 when nothing ended. Counts what
 * `latency` counts. */
uint64_t sp_load_second_quantile(const sp_load_second_t *second, double q);

#endif
