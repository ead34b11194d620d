/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_UNIT_DECIDE_WORLD_H
#define SIGNPOST_TESTS_UNIT_DECIDE_WORLD_H

/* A small world for one decision: what DNS holds, how signpost is configured, a request; and what
 * came of it. */

#include <criterion/criterion.h>
#include <signpost/decide/decision.h>

#include "unit/rule/expect_str.h"

#define WORLD_ROWS_MAX 300
#define WORLD_ASKED_MAX 200

typedef struct world_row {
    const char *name;
    const char *text; /* NULL: none is there, or asking fails */
    sp_failure_t failure;
} world_row_t;

typedef struct world {
    sp_arena_t arena;
    world_row_t rows[WORLD_ROWS_MAX];
    size_t row_count;
    sp_policy_t policy;
    sp_raw_request_t raw; /* method, scheme and headers of the next request */
    sp_request_t request;
    sp_decision_t *decision;
    const sp_outcome_t *outcome;
    const char *asked[WORLD_ASKED_MAX]; /* names, in order */
    size_t asked_count;
} world_t;

/* An empty zone, the default policy, GET over http. */
void world_init(world_t *world);
void world_clear(world_t *world);

/* Texts are borrowed. Two records of one name are two TXT records. */
void world_add(world_t *world, const char *name, const char *text);
void world_add_empty(world_t *world, const char *name); /* the name exists without TXT */
void world_break(world_t *world, const char *name, sp_failure_t failure);

/* Plays a request; world->outcome and the names asked are what came of it. */
void world_ask(world_t *world, const char *host, const char *target);

/* The value of a header of the outcome; ptr NULL when there is none. */
sp_str_t world_header(const world_t *world, const char *name);

bool world_body_contains(const world_t *world, const char *text);

/* Does a sentence of the trace contain `text`? */
bool world_trace_contains(const world_t *world, const char *text);

/* `asked` as one text: "a b c". */
const char *world_asked(world_t *world);

#define EXPECT_REDIRECT(world, code, target)                                                       \
    do {                                                                                           \
        cr_expect_eq((world)->outcome->status, (code), "status %u",                                \
                     (unsigned)(world)->outcome->status);                                          \
        EXPECT_STR((world)->outcome->location, (target));                                          \
        EXPECT_STR(world_header((world), "Location"), (target));                                   \
    } while (0)

#define EXPECT_STATUS(world, code, wanted_kind)                                                    \
    do {                                                                                           \
        cr_expect_eq((world)->outcome->status, (code), "status %u, Location %.*s",                 \
                     (unsigned)(world)->outcome->status, (int)(world)->outcome->location.len,      \
                     (world)->outcome->location.ptr == NULL ? ""                                   \
                                                            : (world)->outcome->location.ptr);     \
        cr_expect_eq((world)->outcome->kind, (wanted_kind), "kind %s",                             \
                     sp_outcome_kind_name((world)->outcome->kind));                                \
        cr_expect_eq((world)->outcome->location.len, 0);                                           \
    } while (0)

#endif
