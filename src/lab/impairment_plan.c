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

static void plan_drop(const sp_impairment_rule_t *rule, const char *match, sp_buf_t *buf)
{
    sp_buf_printf(buf,
                  "-A " CHAIN " -i %s%s -m statistic --mode random --probability %.8f -m comment "
                  "--comment lab:%zu -j DROP\n",
                  rule->input, match, rule->impairment->percent / 100, rule->index);
}

static void plan_loss(const sp_impairment_rule_t *rule, sp_buf_t *buf)
{
    if (rule->impairment->kind == SP_IMPAIRMENT_LOSS) {
        plan_drop(rule, protocol_match(rule->impairment->protocol), buf);
    }
}

static bool is_race(const sp_impairment_rule_t *rule)
{
    return rule->impairment->kind == SP_IMPAIRMENT_CONNTRACK_RACE;
}

/* What the race lost: not any packet, but the second one that a socket sends before the first has
 * its answer. Two sockets, or one question after the other, escape, as they did. (connbytes turns
 * the counting of packets on in this namespace.) */
static void plan_race(const sp_impairment_rule_t *rule, sp_buf_t *buf)
{
    if (is_race(rule)) {
        plan_drop(rule,
                  " -d " SP_ADDRESS_CLUSTER_IP "/32 -p udp --dport 53 -m conntrack --ctstate NEW "
                  "-m connbytes --connbytes 2 --connbytes-dir original --connbytes-mode packets",
                  buf);
    }
}

bool sp_impairment_has_race(const sp_impairment_rule_t *rules, size_t count)
{
    size_t i = 0;

    while (i != count && !is_race(&rules[i])) {
        ++i;
    }
    return i != count;
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
        plan_loss(&rules[i], buf);
    }
    for (size_t i = 0; i != count; ++i) {
        plan_queue(&rules[i], buf);
    }
    sp_buf_append(buf, SP_STR("COMMIT\n"));
    if (sp_impairment_has_race(rules, count)) {
        sp_buf_append(buf, SP_STR("*mangle\n:" CHAIN " - [0:0]\n-A PREROUTING -j " CHAIN "\n"));
        for (size_t i = 0; i != count; ++i) {
            plan_race(&rules[i], buf);
        }
        sp_buf_append(buf, SP_STR("COMMIT\n"));
    }
}

void sp_impairment_plan_removal(bool has_race, sp_buf_t *buf)
{
    static const char *const tables[] = {"raw", "mangle"};

    for (size_t i = 0; i != (has_race ? SP_COUNT(tables) : 1); ++i) {
        sp_buf_printf(buf, "*%s\n-D PREROUTING -j " CHAIN "\n-F " CHAIN "\n-X " CHAIN "\nCOMMIT\n",
                      tables[i]);
    }
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
