/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_TARGET_H
#define SIGNPOST_DECIDE_TARGET_H

/* From a target of a record and a request to a finished, vetted URL (records.md, section 5).
 * Nothing that a visitor sends can choose where the answer leads: that is judged by the record's
 * own text, before anything is inserted. */

#include <signpost/rule/location.h>

#include "decide/values.h"

typedef enum sp_target_use {
    SP_TARGET_LOCATION,  /* http or https, absolute or relative; never the request itself */
    SP_TARGET_REGISTRY,  /* http or https with a host: the parts matter, not the whole */
    SP_TARGET_REPOSITORY /* any absolute URL that the go command takes */
} sp_target_use_t;

typedef struct sp_target {
    sp_str_t text; /* the finished target */
    sp_url_t url;  /* its parts; not for SP_TARGET_LOCATION */
} sp_target_t;

/* What a target is finished for. The result lives in `arena`. */
typedef struct sp_expansion {
    const sp_request_t *request;
    const sp_values_t *values;
    sp_arena_t *arena;
} sp_expansion_t;

/* SP_OK, SP_NO_MEMORY, or why the target is faulty. */
sp_status_t sp_target_finish(const sp_template_t *template, const sp_expansion_t *expansion,
                             sp_target_use_t use, sp_target_t *ret_target, sp_error_t *err);

/* The same for a text without placeholders: a configured target, or one that was put together from
 * vetted parts. */
sp_status_t sp_target_finish_text(sp_str_t text, const sp_request_t *request, sp_arena_t *arena,
                                  sp_target_t *ret_target, sp_error_t *err);

#endif
