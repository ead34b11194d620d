/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_SUPPORT_LAB_RESULT_H
#define SIGNPOST_TESTS_SUPPORT_LAB_RESULT_H

/* Results of the laboratory, made up: what `signpost lab run` could have written, with known
 * figures. Nothing of it is random; the same arguments give the same result. */

#include <jansson.h>
#include <stddef.h>

/* How long the requests of a run took: half of them up to `median_us`, the rest spread around it
 * (lognormal); a share of them 5 s longer, and its square 10 s longer. */
typedef struct sp_sample_latency {
    double median_us;
    double sigma; /* of the logarithm */
    double stalled;
    size_t requests; /* at most 100,000 */
} sp_sample_latency_t;

/* As "load.latency" of a run. The percentiles come from sorted samples, not from the histogram;
 * each is the lower edge of its bucket. */
json_t *sp_sample_latency(sp_sample_latency_t about);

/* A run of `setup` under an open loop (rate > 0) or a closed one. */
json_t *sp_sample_run(const char *setup, int repetition, double throughput_rps, double rate,
                      sp_sample_latency_t latency);

/* A set-up without servers or impairments. */
json_t *sp_sample_setup(const char *name, const char *title);

/* An experiment with these parts, which it takes; the arrays may be NULL. */
json_t *sp_sample_experiment(const char *id, json_t *setups, json_t *runs, json_t *comparisons,
                             json_t *assertions);

/* A whole result: E1 (two loads, loss, a server that stands in, one that is missing, a disturbed
 * run), E2 (a sweep over loss), E5 (steps), E7 (two figures that go together). Throughput is
 * multiplied by `speed`. */
json_t *sp_sample_result(double speed);

#endif
