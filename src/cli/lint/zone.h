/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LINT_ZONE_H
#define SIGNPOST_CLI_LINT_ZONE_H

/* A zone as the checks see it: every record with its place in the file, found by owner name, and
 * the redirect records among them compiled. */

#include <signpost/base/arena.h>
#include <signpost/rule/record.h>

#include "dns/zone_file.h"

#define SP_LINT_NAME_MAX                                                                           \
    1100 /* octets of a name's text form: 255 octets, each as \DDD at worst                        \
          */

enum { SP_RR_A = 1, SP_RR_NS = 2, SP_RR_CNAME = 5, SP_RR_SOA = 6, SP_RR_TXT = 16, SP_RR_AAAA = 28 };

typedef struct sp_lint_record {
    sp_str_t owner;
    uint16_t type;
    sp_str_t text; /* TXT: the character-strings joined */
    const sp_str_t *strings;
    size_t string_count;
    sp_str_t target; /* CNAME */
    size_t line;
    size_t column;
    bool ours;     /* TXT: a redirect record, faulty or not (TXT-2) */
    bool readable; /* ours, and `record` is what it compiled to */
    sp_record_t record;
} sp_lint_record_t;

typedef struct sp_lint_zone {
    sp_arena_t arena;
    sp_lint_record_t *records; /* in the order of the file */
    size_t count;
    size_t capacity;
    sp_lint_record_t **by_owner; /* the same, sorted by owner; after sp_lint_zone_seal */
    sp_str_t apex;               /* owner of the SOA record; empty when there is none */
    sp_str_t source;             /* the file's text, borrowed; ptr NULL when it is not at hand */
    size_t *line_starts;         /* offsets in `source`; after sp_lint_zone_seal */
    size_t line_count;
} sp_lint_zone_t;

/* Records that share an owner name. */
typedef struct sp_lint_set {
    sp_lint_record_t *const *list;
    size_t count;
} sp_lint_set_t;

void sp_lint_zone_init(sp_lint_zone_t *zone, sp_str_t source);
void sp_lint_zone_clear(sp_lint_zone_t *zone);

/* Copies. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_lint_zone_add(sp_lint_zone_t *zone, const sp_zone_record_t *record);

/* After the last record: sorts, finds out which TXT records are ours, compiles them. */
sp_status_t sp_lint_zone_seal(sp_lint_zone_t *zone);

sp_lint_set_t sp_lint_zone_at(const sp_lint_zone_t *zone, sp_str_t owner);

/* The readable redirect record at `owner`, CNAMEs inside the zone followed; NULL when there is
 * none or more than one. */
const sp_lint_record_t *sp_lint_zone_redirect(const sp_lint_zone_t *zone, sp_str_t owner);

/* Is the name, or a wildcard that covers it, or anything below it in the zone? */
bool sp_lint_zone_knows(const sp_lint_zone_t *zone, sp_str_t owner);

/* Does the zone speak for this name? True when it has no SOA to tell. */
bool sp_lint_zone_covers(const sp_lint_zone_t *zone, sp_str_t name);

/* Room for a name made of two parts. */
typedef struct sp_lint_name {
    char text[SP_LINT_NAME_MAX];
} sp_lint_name_t;

/* `prefix` and `name` in one; what is over SP_LINT_NAME_MAX is cut off, for no such name exists. */
sp_str_t sp_lint_join(sp_lint_name_t *memory, sp_str_t prefix, sp_str_t name);

/* A name without its first label; empty at the end. */
sp_str_t sp_lint_parent(sp_str_t name);
size_t sp_lint_label_count(sp_str_t name);

/* Is `name` below `above`, or the same? */
bool sp_lint_is_below(sp_str_t name, sp_str_t above);

/* What follows `_redirect.` in an owner name; ptr NULL when it does not begin so. */
sp_str_t sp_lint_redirect_zone(sp_str_t owner);

#endif
