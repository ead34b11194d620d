/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/impairment.h"

#include <stdio.h>

#define PERCENT_MIN 0.001
#define DELAY_MS_MIN 0.01
#define DELAY_MS_MAX 10000.0
#define MBIT_MIN 0.1
#define MBIT_MAX 10000.0

static const char *protocol_word(sp_protocol_t protocol)
{
    static const char *const words[] = {
        [SP_PROTOCOL_ALL] = "", [SP_PROTOCOL_UDP] = "UDP ", [SP_PROTOCOL_TCP] = "TCP "};

    return words[protocol];
}

static void say_delay(const sp_impairment_t *impairment, const char *between, char *text)
{
    char jitter[40] = "";

    if (impairment->jitter_ms > 0) {
        (void)snprintf(jitter, sizeof(jitter), ", give or take %g ms", impairment->jitter_ms);
    }
    (void)snprintf(text, SP_IMPAIRMENT_TEXT_MAX,
                   "%spackets take %g ms longer in each direction %s%s",
                   protocol_word(impairment->protocol), impairment->delay_ms, between, jitter);
}

const char *sp_impairment_says(const sp_impairment_t *impairment, char *text)
{
    sp_str_t far;
    sp_str_t near = sp_str_cut(sp_str_from(sp_wire_name(impairment->wire)), '-', &far);
    char between[64];

    (void)snprintf(between, sizeof(between), "between %.*s and %.*s", (int)near.len, near.ptr,
                   (int)far.len, far.ptr);
    switch (impairment->kind) {
    case SP_IMPAIRMENT_LOSS:
        (void)snprintf(text, SP_IMPAIRMENT_TEXT_MAX,
                       "%g %% of the %spackets are lost in each direction %s", impairment->percent,
                       protocol_word(impairment->protocol), between);
        break;
    case SP_IMPAIRMENT_DELAY:
        say_delay(impairment, between, text);
        break;
    case SP_IMPAIRMENT_RATE:
        (void)snprintf(text, SP_IMPAIRMENT_TEXT_MAX, "the wire %s carries at most %g Mbit/s",
                       between, impairment->mbit);
        break;
    case SP_IMPAIRMENT_CONNTRACK_RACE:
        (void)snprintf(
            text, SP_IMPAIRMENT_TEXT_MAX,
            "%g %% of the questions that pod sends the ClusterIP from a socket whose first has no "
            "answer yet are lost: what the race in connection tracking did, emulated",
            impairment->percent);
        break;
    case SP_IMPAIRMENT_CONNTRACK_FULL:
        (void)snprintf(text, SP_IMPAIRMENT_TEXT_MAX,
                       "the table of connection tracking holds %u entries, on the whole machine",
                       impairment->entries);
        break;
    }
    return text;
}

/* NaN is in no range. */
static bool is_between(double value, double min, double max)
{
    return value >= min && value <= max;
}

sp_status_t sp_impairment_check(const sp_impairment_t *impairment, sp_error_t *err)
{
    switch (impairment->kind) {
    case SP_IMPAIRMENT_LOSS:
    case SP_IMPAIRMENT_CONNTRACK_RACE:
        if (!is_between(impairment->percent, PERCENT_MIN, 100)) {
            return sp_fail(err, SP_BAD_VALUE, 0, "a loss must be 0.001 to 100 percent");
        }
        break;
    case SP_IMPAIRMENT_DELAY:
        if (!is_between(impairment->delay_ms, DELAY_MS_MIN, DELAY_MS_MAX)) {
            return sp_fail(err, SP_BAD_VALUE, 0, "a delay must be 0.01 to 10000 ms");
        }
        if (!is_between(impairment->jitter_ms, 0, impairment->delay_ms)) {
            return sp_fail(err, SP_BAD_VALUE, 0, "jitter must not be larger than the delay");
        }
        break;
    case SP_IMPAIRMENT_RATE:
        if (!is_between(impairment->mbit, MBIT_MIN, MBIT_MAX)) {
            return sp_fail(err, SP_BAD_VALUE, 0, "a rate must be 0.1 to 10000 Mbit/s");
        }
        break;
    case SP_IMPAIRMENT_CONNTRACK_FULL:
        if (impairment->entries == 0) {
            return sp_fail(err, SP_BAD_VALUE, 0,
                           "connection tracking must be left at least one entry");
        }
        break;
    }
    return SP_OK;
}
