/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_EXPAND_H
#define SIGNPOST_DECIDE_EXPAND_H

/* A target's template with a request's values in it (records.md TO-1, TO-3 to TO-5): what the
 * record wrote and what a visitor sent are told apart until the last octet is in place. */

#include <signpost/rule/location.h>

#include "decide/values.h"

/* A target under construction. The authority is kept apart until it is complete: it is checked as a
 * whole. */
typedef struct sp_builder {
    const sp_template_t *template;
    const sp_request_t *request;
    const sp_values_t *values;
    sp_arena_t *arena;
    sp_error_t *err;
    sp_str_t scheme; /* empty for a reference without one */
    bool has_authority;
    bool in_authority;
    bool needs_labels; /* a visitor's value is part of the host's first label */
    sp_buf_t authority;
    sp_buf_t rest; /* path, query, fragment: encoded */
    bool in_query;
    bool in_fragment;
    size_t bare_question; /* length of `rest` right behind a '?' of the record that nothing has
                             followed; 0: none */
    size_t empty_behind;  /* placeholders behind it */
} sp_builder_t;

/* Expands the template into `authority` and `rest`. SP_OK, SP_NO_MEMORY or why the target is
 * faulty. */
sp_status_t sp_expand(sp_builder_t *b);

/* The same for a template with a prefix that is known to be right: all of it goes into `rest`. */
sp_status_t sp_expand_behind_prefix(sp_builder_t *b);

/* Two labels of the record or of the request's own host must stand behind the one with a visitor's
 * value. `host` is what the authority was read as. */
sp_status_t sp_check_labels_behind(const sp_builder_t *b, const sp_host_t *host);

/* SP_BAD_VALUE with this sentence. */
sp_status_t sp_builder_fault(const sp_builder_t *b, const char *sentence);

#endif
