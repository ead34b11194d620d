/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_USAGE_H
#define SIGNPOST_LAB_USAGE_H

/* Who used the processors, and how much memory: by process group, as each role is one, and for the
 * whole machine. Read before and after; the difference is told. */

#include <signpost/base/error.h>
#include <sys/types.h>

typedef struct sp_lab_group_usage {
    pid_t group;
    double cpu_s;          /* user and system, of children that have ended too */
    uint64_t memory_bytes; /* resident, now; shared pages count once for each process */
} sp_lab_group_usage_t;

/* Fills in the figures of each group in the list from /proc, in one go. */
sp_status_t sp_lab_usage_read(sp_lab_group_usage_t *groups, size_t count, sp_error_t *err);

/* Of the whole machine, in seconds since it started. */
typedef struct sp_lab_machine_usage {
    double user_s;    /* user, nice and system */
    double softirq_s; /* and interrupts */
    double steal_s;
} sp_lab_machine_usage_t;

sp_status_t sp_lab_machine_usage_read(sp_lab_machine_usage_t *ret_usage, sp_error_t *err);

/* The pure parts. `ticks` are clock ticks a second. */
sp_status_t sp_lab_usage_parse_stat(sp_str_t text, double ticks, sp_lab_machine_usage_t *ret_usage);

typedef struct sp_lab_process_usage {
    pid_t group;
    double cpu_s;
    uint64_t pages;
} sp_lab_process_usage_t;

/* /proc/PID/stat. */
sp_status_t sp_lab_usage_parse_process(sp_str_t text, double ticks,
                                       sp_lab_process_usage_t *ret_usage);

#endif
