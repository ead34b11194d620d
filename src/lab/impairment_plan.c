/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/impairment_plan.h"

#define CHAIN "SIGNPOST-LAB"
#define QUEUE_FIELDS 9

static const char *protocol_match(sp_protocol_t protocol)
{
    static const char *const matches[] = {
        [SP_PROTOCOL_ALL] = "", [SP_PROTOCOL_UDP] = " -p udp", [SP_PROTOCOL_TCP] = " -p tcp"};

    return matches[protocol];
}

static void plan_drop(const sp_impairment_rule_t *rule, sp_buf_t *buf)
{
    const sp_impairment_t *impairment = rule->impairment;
    bool is_race = impairment->kind == SP_IMPAIRMENT_CONNTRACK_RACE;

    if (is_race || impairment->kind == SP_IMPAIRMENT_LOSS) {
        sp_buf_printf(buf,
                      "-A " CHAIN " -i %s%s -m statistic --mode random --probability %.8f -m "
                      "comment --comment lab:%zu -j DROP\n",
                      rule->input,
                      is_race ? " -d " SP_ADDRESS_CLUSTER_IP "/32 -p udp --dport 53"
                              : protocol_match(impairment->protocol),
                      impairment->percent / 100, rule->index);
    }
}

static void plan_queue(const sp_impairment_rule_t *rule, sp_buf_t *buf)
{
    if (rule->impairment->kind == SP_IMPAIRMENT_DELAY) {
        sp_buf_printf(
            buf,
            "-A " CHAIN " -i %s%s -m comment --comment lab:%zu -j NFQUEUE --queue-num %zu "
            "--queue-bypass\n",
            rule->input, protocol_match(rule->impairment->protocol), rule->index, rule->index);
    }
}

void sp_impairment_plan_rules(const sp_impairment_rule_t *rules, size_t count, sp_buf_t *buf)
{
    sp_buf_append(buf, SP_STR("*raw\n:" CHAIN " - [0:0]\n-A PREROUTING -j " CHAIN "\n"));
    for (size_t i = 0; i != count; ++i) {
        plan_drop(&rules[i], buf);
    }
    for (size_t i = 0; i != count; ++i) {
        plan_queue(&rules[i], buf);
    }
    sp_buf_append(buf, SP_STR("COMMIT\n"));
}

void sp_impairment_plan_removal(sp_buf_t *buf)
{
    sp_buf_append(buf,
                  SP_STR("*raw\n-D PREROUTING -j " CHAIN "\n-F " CHAIN "\n-X " CHAIN "\nCOMMIT\n"));
}

/* "lab:3", with or without quotation marks around it. */
static bool has_comment(sp_str_t line, size_t index)
{
    sp_str_t comment = sp_str_skip(line, sp_str_search(line, SP_STR("--comment ")) + 10);
    uint64_t number = 0;

    if (sp_str_starts_with(comment, SP_STR("\""))) {
        comment = sp_str_skip(comment, 1);
    }
    if (!sp_str_starts_with(comment, SP_STR("lab:"))) {
        return false;
    }
    comment = sp_str_skip(comment, 4);
    comment = sp_str_slice(comment, 0, sp_str_find(comment, ' '));
    if (sp_str_ends_with(comment, SP_STR("\""))) {
        comment = sp_str_slice(comment, 0, comment.len - 1);
    }
    return sp_str_to_uint(comment, SIZE_MAX, &number) && number == index;
}

bool sp_impairment_find_packets(sp_str_t text, size_t index, uint64_t *ret_packets)
{
    while (text.ptr != NULL) {
        sp_str_t line = sp_str_cut(text, '\n', &text);

        if (sp_str_starts_with(line, SP_STR("[")) && has_comment(line, index)) {
            sp_str_t count = sp_str_slice(line, 1, sp_str_find(line, ':'));

            return sp_str_to_uint(count, UINT64_MAX, ret_packets);
        }
    }
    return false;
}

/* The numbers of a line, with any blanks between them; false when there are fewer. */
static bool read_fields(sp_str_t line, uint64_t fields[QUEUE_FIELDS])
{
    size_t count = 0;

    while (line.ptr != NULL && count != QUEUE_FIELDS) {
        sp_str_t word = sp_str_cut(line, ' ', &line);

        if (word.len != 0 && !sp_str_to_uint(word, UINT64_MAX, &fields[count++])) {
            return false;
        }
    }
    return count == QUEUE_FIELDS;
}

/* Number, port of its reader, length, mode, range, lost because it was full, lost because its
 * reader's socket was, last packet, 1. */
bool sp_impairment_find_overflow(sp_str_t text, size_t queue, uint64_t *ret_packets)
{
    while (text.ptr != NULL) {
        uint64_t fields[QUEUE_FIELDS];

        if (read_fields(sp_str_trim(sp_str_cut(text, '\n', &text)), fields) && fields[0] == queue) {
            *ret_packets = fields[5] + fields[6];
            return true;
        }
    }
    return false;
}
