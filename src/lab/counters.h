/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_COUNTERS_H
#define SIGNPOST_LAB_COUNTERS_H

/* What the kernel counts in one place: TCP, and connection tracking. */

#include "lab/topology.h"

typedef struct sp_net_counters {
    uint64_t tcp_retransmitted;  /* segments */
    uint64_t udp_in, udp_out;    /* datagrams */
    uint64_t udp_receive_errors; /* InErrors: full socket buffers and bad checksums */
    uint64_t conntrack_entries;  /* now */
    uint64_t conntrack_drop, conntrack_insert_failed, conntrack_clash_resolve;
} sp_net_counters_t;

sp_status_t sp_net_counters_read(const sp_topology_t *topology, sp_place_t place,
                                 sp_net_counters_t *ret_counters, sp_error_t *err);

/* The pure parts: /proc/net/snmp, and /proc/net/stat/nf_conntrack (hexadecimal, one line for each
 * processor). They set their own members only. */
sp_status_t sp_net_counters_parse_snmp(sp_str_t text, sp_net_counters_t *counters, sp_error_t *err);
sp_status_t sp_net_counters_parse_conntrack(sp_str_t text, sp_net_counters_t *counters,
                                            sp_error_t *err);

#endif
