/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_VERDICT_H
#define SIGNPOST_LAB_REPORT_VERDICT_H

/* What the judges behind sp_lab_verdicts share. Each appends to `verdicts` and returns false when
 * memory is out. */

#include "lab/report/setups.h"

/* The comparison of two set-ups, or the correlation of two figures over all. */
bool sp_lab_judge_comparison(json_t *experiment, json_t *comparison, json_t *verdicts);

bool sp_lab_judge_assertion(json_t *experiment, json_t *assertion, json_t *verdicts);

/* Set-ups go by their unique name or by the name that they have under every load. Finds, from *at
 * on, the next one that `name` means (under `load`, where that is not ""); NULL at the end. */
json_t *sp_lab_next_meant(json_t *experiment, const char *name, const char *load, size_t *at);

/* The first one. */
json_t *sp_lab_meant(json_t *experiment, const char *name, const char *load);

/* "Open loop, 2,000 requests/s: " where the experiment has several loads, else "". */
sp_lab_label_t sp_lab_load_prefix(json_t *experiment, json_t *setup);

/* May a set-up that a judgement names be absent? Quick runs leave some out. */
bool sp_lab_may_be_absent(json_t *experiment);

/* null for NAN. */
json_t *sp_lab_json_number(double value);

#endif
