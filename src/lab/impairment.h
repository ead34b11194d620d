/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_IMPAIRMENT_H
#define SIGNPOST_LAB_IMPAIRMENT_H

/* What is wrong with a wire: loss, delay, a rate; and two faults of connection tracking.
 *
 * Loss: iptables `statistic` in raw PREROUTING at both receiving ends (in OUTPUT the sender would
 * be told). Delay: netem where the kernel has it, else NFQUEUE to `signpost lab-delay`. Rate: TBF.
 * Segmentation offload is off on both ends of an impaired wire: one drop would remove a whole
 * super-segment. */

#include "lab/topology.h"

typedef enum sp_impairment_kind {
    SP_IMPAIRMENT_LOSS,           /* wire, protocol, percent: in each direction */
    SP_IMPAIRMENT_DELAY,          /* wire, protocol, delay_ms ± jitter_ms: in each direction */
    SP_IMPAIRMENT_RATE,           /* wire, mbit: in each direction */
    SP_IMPAIRMENT_CONNTRACK_RACE, /* percent: of second packets of a flow from pod to the ClusterIP
                                   * whose first has no answer yet (emulated) */
    SP_IMPAIRMENT_CONNTRACK_FULL  /* entries: nf_conntrack_max of the whole machine */
} sp_impairment_kind_t;

typedef enum sp_protocol { SP_PROTOCOL_ALL, SP_PROTOCOL_UDP, SP_PROTOCOL_TCP } sp_protocol_t;

typedef struct sp_impairment {
    sp_impairment_kind_t kind;
    sp_wire_t wire;
    sp_protocol_t protocol; /* netem knows none: a delay of one protocol is always by NFQUEUE */
    double percent;         /* 0.001 … 100 */
    double delay_ms;        /* 0.01 … 10,000 */
    double jitter_ms;       /* evenly distributed; 0 … delay_ms. Packets keep their order */
    double mbit;            /* 0.1 … 10,000 */
    unsigned entries;       /* 1 … */
    uint64_t seed;          /* of the jitter */
} sp_impairment_t;

#define SP_IMPAIRMENTS_MAX 16
#define SP_IMPAIRMENT_TEXT_MAX 200

/* "2 % of the UDP packets are lost in each direction between node and cluster", into `text`
 * (SP_IMPAIRMENT_TEXT_MAX), which it returns. */
const char *sp_impairment_says(const sp_impairment_t *impairment, char *text);

/* Is it in the ranges above? */
sp_status_t sp_impairment_check(const sp_impairment_t *impairment, sp_error_t *err);

typedef struct sp_impairments sp_impairments_t;

/* Applies all of them (copied) to a topology that has none. `signpost` is this program, for the
 * delay. SP_UNSUPPORTED: not possible here; nothing is applied then. */
sp_status_t sp_impairments_apply(const sp_topology_t *topology, const char *signpost,
                                 const sp_impairment_t *list, size_t count,
                                 sp_impairments_t **ret_impairments, sp_error_t *err);

/* Takes them away; before sp_topology_down. Accepts NULL. */
void sp_impairments_clear(sp_impairments_t *impairments);

/* By which means the n-th is done: "iptables statistic", "netem", "NFQUEUE", "TBF" … Static text.
 */
const char *sp_impairments_means(const sp_impairments_t *impairments, size_t n);

/* What the rules have done since they were applied. */
typedef struct sp_impairment_count {
    size_t impairment;   /* in the list */
    sp_place_t place;    /* the receiving end */
    uint64_t packets;    /* loss, race: dropped; delay by NFQUEUE: delayed */
    uint64_t overflowed; /* delay by NFQUEUE: lost because the queue was full */
} sp_impairment_count_t;
#define SP_IMPAIRMENT_COUNTS_MAX (2 * SP_IMPAIRMENTS_MAX)
sp_status_t sp_impairments_count(const sp_impairments_t *impairments,
                                 sp_impairment_count_t ret_counts[SP_IMPAIRMENT_COUNTS_MAX],
                                 size_t *ret_count, sp_error_t *err);

#endif
