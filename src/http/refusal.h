/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_REFUSAL_H
#define SIGNPOST_HTTP_REFUSAL_H

/* Outcomes for requests that never reach a decision. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <signpost/rule/outcome.h>

/* A plain page: the status line's words, then `sentence`. Lives in `arena`. NULL when memory is
 * out. */
const sp_outcome_t *sp_refusal_create(unsigned status, sp_outcome_kind_t kind, sp_str_t sentence,
                                      sp_arena_t *arena);

/* 200 with `text` as it is, octet for octet. Lives in `arena`. NULL when memory is out. */
const sp_outcome_t *sp_plain_answer_create(sp_str_t text, sp_arena_t *arena);

/* 503 without any memory of its own. */
const sp_outcome_t *sp_refusal_no_memory(void);

#endif
