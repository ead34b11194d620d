/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LINT_TARGET_H
#define SIGNPOST_CLI_LINT_TARGET_H

/* The targets of a zone's records, taken apart as far as that is possible before a request is
 * known: placeholders stay as they are written. */

#include "cli/lint/lint.h"

typedef struct sp_lint_target {
    const sp_lint_record_t *record;
    const char *key; /* "to", "root" or "website" */
    const sp_template_t *template;
    size_t offset; /* of the target in the record's text */
    sp_str_t text;
    sp_str_t scheme;    /* without ':'; empty when there is none, or it is {scheme} */
    bool has_authority; /* "//" is there */
    sp_str_t authority;
    sp_str_t path; /* from the authority's end, or of a relative reference, up to '?' or '#' */
} sp_lint_target_t;

/* Goes through the targets of all readable records; start with *at = 0. False at the end. */
bool sp_lint_next_target(const sp_lint_t *lint, size_t *at, sp_lint_target_t *ret_target);

/* The `to` of one record; false when it is not readable or has none. */
bool sp_lint_to(const sp_lint_record_t *record, sp_lint_target_t *ret_target);

/* Of a reference without scheme and authority: up to the first '/', '?' or '#'. */
sp_str_t sp_lint_first_segment(sp_str_t text);

/* The nearest zone above `host` that has a path record, so that a record at `_redirect.HOST` is
 * one of its children; empty when there is none. */
sp_str_t sp_lint_path_zone(const sp_lint_t *lint, sp_str_t host);

/* The path record of such a zone; NULL when there is none. */
const sp_lint_record_t *sp_lint_path_record(const sp_lint_t *lint, sp_str_t zone);

#endif
