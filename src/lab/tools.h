/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_TOOLS_H
#define SIGNPOST_LAB_TOOLS_H

/* What measures: our own load generator and resolver client, and the tools that roles describe.
 * They run on the last processor, where there are several. */

#include "lab/instance.h"

/* How a run of ours ends: the JSON that it has written. */
sp_status_t sp_lab_run_load(const sp_lab_stage_t *stage, const sp_lab_load_t *load,
                            const char *connect, const char *targets, sp_process_t *ret_process,
                            sp_error_t *err);

/* Has the application answer every name once, for at most three times `warm_s`. What it answers is
 * not looked at. */
sp_status_t sp_lab_run_warm(const sp_lab_stage_t *stage, const sp_lab_load_t *load,
                            const char *connect, const char *targets, unsigned names,
                            sp_error_t *err);

sp_status_t sp_lab_run_lookups(const sp_lab_stage_t *stage, const sp_lab_lookups_t *lookups,
                               const char *resolver, unsigned names, sp_process_t *ret_process,
                               sp_error_t *err);

/* After either has ended. */
sp_status_t sp_lab_take_figures(const sp_lab_stage_t *stage, const sp_process_t *process,
                                json_t **ret_json, sp_error_t *err);

/* One run of a tool; `rate` 0: as fast as it goes. `address` where the use has none. The caller
 * owns *ret_json. */
sp_status_t sp_lab_run_tool(const sp_lab_stage_t *stage, const sp_lab_use_t *tool,
                            const char *address, double rate, json_t **ret_json, sp_error_t *err);

/* Each rate in turn: an array of {"rate", "offered_qps", "answered_qps", "lost", "avg_ms"}. */
sp_status_t sp_lab_run_steps(const sp_lab_stage_t *stage, const sp_lab_use_t *steps,
                             const char *address, json_t **ret_json, sp_error_t *err);

/* The last processor; -1 on a machine with one. */
int sp_lab_generator_cpu(void);

/* The same for sp_spawn: bit n is processor n, 0 means any. */
uint64_t sp_lab_generator_cpus(void);

#endif
