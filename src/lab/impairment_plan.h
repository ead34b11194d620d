/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_IMPAIRMENT_PLAN_H
#define SIGNPOST_LAB_IMPAIRMENT_PLAN_H

/* Impairments as text for iptables-restore, and what iptables-save and the kernel tell of them. */

#include <signpost/base/buf.h>

#include "lab/impairment.h"

/* A rule's place in the list. In each place those that drop come first: what has been queued has
 * gone through this chain. */
typedef struct sp_impairment_rule {
    const sp_impairment_t *impairment;
    size_t index;      /* in the list; the comment of its rule, and its queue's number */
    const char *input; /* interface */
} sp_impairment_rule_t;

/* For iptables-restore --noflush: a chain of its own, at the end of raw PREROUTING; for the race,
 * one at the end of mangle PREROUTING as well, where connection tracking has seen the packet. */
void sp_impairment_plan_rules(const sp_impairment_rule_t *rules, size_t count, sp_buf_t *buf);
void sp_impairment_plan_removal(bool has_race, sp_buf_t *buf);
bool sp_impairment_has_race(const sp_impairment_rule_t *rules, size_t count);

/* Packets that have met the rule of `index`, by `iptables-save -c`; false when there is no
 * such rule. */
bool sp_impairment_find_packets(sp_str_t text, size_t index, uint64_t *ret_packets);

/* Packets that queue `queue` has lost, by /proc/net/netfilter/nfnetlink_queue; false when there is
 * no such queue. */
bool sp_impairment_find_overflow(sp_str_t text, size_t queue, uint64_t *ret_packets);

#endif
