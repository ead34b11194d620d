/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_TRACE_H
#define SIGNPOST_DECIDE_TRACE_H

/* Every step of a decision as data: `explain` prints it, the 404 page tells it. */

#include <signpost/decide/answer.h>

typedef enum sp_trace_kind {
    SP_TRACE_LOOKUP,   /* `name` was asked; `answer` is what came back */
    SP_TRACE_REPEATED, /* `name` was needed again and not asked again */
    SP_TRACE_SKIPPED,  /* `name` was not asked; `text` says why */
    SP_TRACE_NOTE      /* `text` says what the rules made of it: matched, passed over, fell back */
} sp_trace_kind_t;

typedef struct sp_trace_entry {
    sp_trace_kind_t kind;
    sp_str_t name;
    const sp_answer_t *answer; /* with SP_TRACE_LOOKUP and SP_TRACE_REPEATED */
    sp_str_t text;             /* a sentence, with SP_TRACE_SKIPPED and SP_TRACE_NOTE */
} sp_trace_entry_t;

typedef struct sp_trace {
    const sp_trace_entry_t *entries;
    size_t count;
    unsigned lookups; /* as counted against `limits.lookups_per_request` */
} sp_trace_t;

#endif
