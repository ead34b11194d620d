/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_FINDINGS_H
#define SIGNPOST_LAB_REPORT_FINDINGS_H

/* What came out of an experiment, judged from its runs alone, in sentences for readers who know
 * neither the experiment nor the publication that it repeats.
 *
 * A finding compares two set-ups by the median of their repetitions. A difference is called one
 * only where the ranges of the repetitions do not overlap; then it agrees or disagrees with what
 * was published. An assertion holds a measurement against theory or against a bound. */

#include <jansson.h>

/* How far a share may lie from what theory gives, in standard deviations of the binomial
 * distribution. */
#define SP_LAB_SIGMAS 3.0

/* "The same" in a claim means no difference that matters: within the spread, or by less than this
 * share. */
#define SP_LAB_SAME 0.1

/* How many verdicts are `unmeasured`, and of how many: a format of printf, both size_t. */
#define SP_LAB_UNMEASURED "%zu of %zu findings can't be judged: what they compare was not measured"

/* The verdicts on one experiment of a result, its comparisons first; a new array, NULL when memory
 * is out. Each is an object:
 *   kind "finding":     text, claim, agrees (true, false; null: within the spread, or measured too
 *                       little), unmeasured, metric, of, to, values (of, to: median, min, max,
 *                       runs; ratio; apart: by which factor the nearest repetitions differ, null
 *                       where they overlap)
 *   kind "correlation": text, claim, agrees, metric, with, r, setups
 *   kind "assertion":   text, claim, expected, measured, sigma, distance, unmeasured, holds (null:
 *                       not measured)
 * Where `unmeasured` is true there is nothing to go by and no reason known, as after an
 * interruption: readers are told how many there are. */
json_t *sp_lab_verdicts(json_t *experiment);

#endif
