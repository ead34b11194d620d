/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_FIELD_H
#define SIGNPOST_LAB_REPORT_FIELD_H

/* Values out of a result by path, as "load.latency.p99_us". What is missing, or is of another type
 * than is asked for, reads as absent: a result of a run that was cut short still gives a report. */

#include <jansson.h>
#include <stdbool.h>

/* NULL when there is none; borrowed. */
json_t *sp_lab_field(json_t *object, const char *path);

/* Larger ones count as absent: nothing that is measured comes near. */
#define SP_LAB_NUMBER_MAX 1e15

/* `otherwise` for what is no number. */
double sp_lab_value(json_t *value, double otherwise);

/* NAN when there is none. */
double sp_lab_number(json_t *object, const char *path);

/* `otherwise` when there is none; valid as long as the object. */
const char *sp_lab_text(json_t *object, const char *path, const char *otherwise);

/* True only where the value is true. */
bool sp_lab_flag(json_t *object, const char *path);

#endif
