/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_RAW_OUTPUT_H
#define SIGNPOST_LAB_RAW_OUTPUT_H

/* What other tools print, as figures. */

#include <jansson.h>
#include <signpost/base/error.h>

typedef struct sp_lab_dnsperf {
    double sent, completed, lost;
    double seconds, qps;
    double avg_ms, min_ms, max_ms, sd_ms;
} sp_lab_dnsperf_t;

/* SP_BAD_SYNTAX when one of the lines that it always prints is not there. */
sp_status_t sp_lab_dnsperf_parse(sp_str_t text, sp_lab_dnsperf_t *ret_figures, sp_error_t *err);

typedef struct sp_lab_iperf3 {
    double mbit_s; /* received */
    double retransmits;
} sp_lab_iperf3_t;

/* The output of `iperf3 --json`. */
sp_status_t sp_lab_iperf3_parse(sp_str_t text, sp_lab_iperf3_t *ret_figures, sp_error_t *err);

/* By the role's name: {"qps": …} or {"mbit_s": …}; SP_UNSUPPORTED for other tools. The caller owns
 * *ret_json. */
sp_status_t sp_lab_raw_json(const char *role, sp_str_t text, json_t **ret_json, sp_error_t *err);

#endif
