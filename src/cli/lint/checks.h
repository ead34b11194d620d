/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LINT_CHECKS_H
#define SIGNPOST_CLI_LINT_CHECKS_H

/* The checks. Each goes over the sealed zone by itself and reports what it finds. */

#include "cli/lint/lint.h"

typedef void sp_lint_check_fn(sp_lint_t *lint);

/* check_fields.c: one record by itself, as its reader sees it */
void sp_lint_check_fields(sp_lint_t *lint);
void sp_lint_check_types(sp_lint_t *lint);   /* keys that the record's type does not read */
void sp_lint_check_strings(sp_lint_t *lint); /* character-strings joined without ';' between */

/* check_targets.c: to, root and website */
void sp_lint_check_targets(sp_lint_t *lint); /* scheme and host */
void sp_lint_check_self(sp_lint_t *lint);    /* a target that is its own source */
void sp_lint_check_rings(sp_lint_t *lint);   /* hosts that redirect to each other */
void sp_lint_check_docker(sp_lint_t *lint);  /* no registry in a dockerv2 `to` */

/* check_templates.c */
void sp_lint_check_templates(sp_lint_t *lint); /* braces, labels, placeholders in the authority */

/* check_names.c: owner names */
void sp_lint_check_uniqueness(sp_lint_t *lint); /* two of ours at one name */
void sp_lint_check_owners(sp_lint_t *lint);     /* ours at a name without _redirect. */
void sp_lint_check_doubled(sp_lint_t *lint);    /* the zone name twice */
void sp_lint_check_origin(sp_lint_t *lint);     /* names below the root */
void sp_lint_check_stars(sp_lint_t *lint);      /* "*" where only a literal can stand */
void sp_lint_check_wildcards(sp_lint_t *lint);

/* check_links.c: from one record to another */
void sp_lint_check_cname(sp_lint_t *lint);
void sp_lint_check_use(sp_lint_t *lint);

/* check_paths.c */
void sp_lint_check_numbers(sp_lint_t *lint); /* `re=record` and its numbered records */
void sp_lint_check_from(sp_lint_t *lint);    /* an order of segments that never fits */
void sp_lint_check_orphans(sp_lint_t *lint); /* children that no path record leads to */

#endif
