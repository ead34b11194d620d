/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/backoff.h"

#include <string.h>

bool sp_backoff_holds(const sp_backoff_t *backoff, uint64_t now_s)
{
    return backoff->failures != 0 && now_s < backoff->until_s;
}

static uint64_t delay_s(unsigned failures)
{
    uint64_t delay = SP_BACKOFF_FIRST_S;

    for (unsigned i = 1; i < failures && delay < SP_BACKOFF_MAX_S; ++i) {
        delay *= SP_BACKOFF_FACTOR;
    }
    return delay < SP_BACKOFF_MAX_S ? delay : SP_BACKOFF_MAX_S;
}

static void set_reason(sp_backoff_t *backoff, sp_str_t reason)
{
    size_t len = reason.len < SP_BACKOFF_REASON_MAX ? reason.len : SP_BACKOFF_REASON_MAX - 1;

    memcpy(backoff->reason, reason.ptr, len);
    backoff->reason[len] = '\0';
    sp_make_printable(backoff->reason);
}

void sp_backoff_fail(sp_backoff_t *backoff, uint64_t now_s, uint64_t least_s, sp_str_t reason)
{
    uint64_t delay = 0;

    backoff->failures += backoff->failures == UINT16_MAX ? 0 : 1;
    delay = delay_s(backoff->failures);
    backoff->until_s = now_s + (delay > least_s ? delay : least_s);
    set_reason(backoff, reason);
}

bool sp_backoff_parse(sp_str_t text, uint64_t now_s, sp_backoff_t *ret_backoff)
{
    sp_str_t rest = sp_str_trim(text);
    sp_str_t failures = sp_str_cut(rest, ' ', &rest);
    sp_str_t until = sp_str_cut(rest, ' ', &rest);
    uint64_t count = 0;

    *ret_backoff = (sp_backoff_t){.failures = 0};
    if (!sp_str_to_uint(failures, UINT16_MAX, &count) ||
        !sp_str_to_uint(until, INT64_MAX, &ret_backoff->until_s)) {
        ret_backoff->until_s = 0;
        return false;
    }
    ret_backoff->failures = (unsigned)count;
    if (ret_backoff->until_s > now_s + SP_BACKOFF_MAX_S) {
        ret_backoff->until_s = now_s + SP_BACKOFF_MAX_S;
    }
    set_reason(ret_backoff, rest.ptr == NULL ? SP_STR("") : rest);
    return true;
}

void sp_backoff_print(const sp_backoff_t *backoff, sp_buf_t *buf)
{
    sp_buf_append_uint(buf, backoff->failures);
    sp_buf_append_char(buf, ' ');
    sp_buf_append_uint(buf, backoff->until_s);
    sp_buf_append_char(buf, ' ');
    sp_buf_append(buf, sp_str_from(backoff->reason));
    sp_buf_append_char(buf, '\n');
}
