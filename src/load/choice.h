/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_CHOICE_H
#define SIGNPOST_LOAD_CHOICE_H

/* Which target is next, and when: two seeded streams of numbers, the same for the same seed on
 * every machine. One of each per thread; what threads draw does not depend on one another. */

#include <signpost/base/error.h>

#include "load/plan.h"

typedef struct sp_load_random {
    uint64_t state[4];
} sp_load_random_t;

/* Streams of one seed with different `stream` are independent. */
void sp_load_random_init(sp_load_random_t *random, uint64_t seed, uint64_t stream);
uint64_t sp_load_random_next(sp_load_random_t *random);
double sp_load_random_unit(sp_load_random_t *random); /* in [0, 1) */

/* For Zipf: made once, shared. */
typedef struct sp_load_weights sp_load_weights_t;

/* NULL and SP_OK for plans that need none. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_load_weights_create(const sp_load_plan_t *plan, sp_load_weights_t **ret_weights);
void sp_load_weights_destroy(sp_load_weights_t *weights); /* accepts NULL */

typedef struct sp_load_choice {
    const sp_load_plan_t *plan;
    const sp_load_weights_t *weights;
    sp_load_random_t random;
    size_t next, step; /* sequential: thread t of n takes t, t + n, … modulo the count */
} sp_load_choice_t;

void sp_load_choice_init(sp_load_choice_t *choice, const sp_load_plan_t *plan,
                         const sp_load_weights_t *weights, unsigned thread);

/* Index of a target. */
size_t sp_load_choice_next(sp_load_choice_t *choice);

/* When requests of one thread are due, in nanoseconds since the run's beginning: each thread has
 * its share of the rate. Constant arrivals of n threads interleave evenly. */
typedef struct sp_load_schedule {
    const sp_load_plan_t *plan;
    sp_load_random_t random;
    double mean_gap_ns;
    double next_ns; /* the time drawn last */
    uint64_t index; /* constant arrivals: which of the run's requests is next */
    uint64_t left;  /* of the requests */
} sp_load_schedule_t;

void sp_load_schedule_init(sp_load_schedule_t *schedule, const sp_load_plan_t *plan,
                           unsigned thread);

/* The next time; UINT64_MAX when there is no more (the duration is over, or all requests are
 * drawn). */
uint64_t sp_load_schedule_next(sp_load_schedule_t *schedule);

#endif
