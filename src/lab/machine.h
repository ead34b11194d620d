/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_MACHINE_H
#define SIGNPOST_LAB_MACHINE_H

/* What a reader must know of the machine on which something was measured. */

#include <jansson.h>
#include <signpost/base/str.h>

/* {"cpu", "cores", "memory_bytes", "kernel", "os", "congestion_control", "offload",
 * "virtualisation", "cgroups", "pinning"}; NULL when memory is out. `cgroups` is what
 * sp_cgroup_says; `generator_cpu` the processor of the load generator, -1: any. */
json_t *sp_lab_machine_json(const char *cgroups, int generator_cpu);

/* The pure part: the value behind "KEY<blanks>: " or "KEY=" in the first line that has it, without
 * quotes; empty when there is none. */
sp_str_t sp_lab_machine_value(sp_str_t text, const char *key);

#endif
