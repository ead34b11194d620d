/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_MATCH_H
#define SIGNPOST_RULE_MATCH_H

/* Regular expressions in RE2 syntax, with the matches that Go's regexp package gives. Time is
 * linear in the subject, memory bounded, whatever the expression (records.md PATH-10). */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

/* A longer subject matches nothing. */
#define SP_REGEX_SUBJECT_MAX 8192

/* More matches than labels fit into a DNS name are not looked for. */
#define SP_REGEX_MATCHES_MAX 128

/* Groups that a match reports at most, the whole match included. */
#define SP_REGEX_GROUPS_MAX 100

typedef struct sp_regex sp_regex_t;

/* Heap object; destroy with sp_regex_destroy. SP_BAD_SYNTAX with the reason in *err. */
sp_status_t sp_regex_compile(sp_str_t pattern, sp_regex_t **ret_regex, sp_error_t *err);
void sp_regex_destroy(sp_regex_t *regex);

/* Capturing groups, the whole match not counted; at most SP_REGEX_GROUPS_MAX - 1. */
size_t sp_regex_group_count(const sp_regex_t *regex);

/* Name of group 1 … count; empty when it has none. Valid as long as the regex. */
sp_str_t sp_regex_group_name(const sp_regex_t *regex, size_t group);
bool sp_regex_has_names(const sp_regex_t *regex);

/* The expression contains the six octets "?query" (PATH-5): its subject is path and query. */
bool sp_regex_wants_query(const sp_regex_t *regex);

/* First match at or after `from`. groups[0] is the whole match, groups[1 …] the groups (ptr NULL
 * when one took no part); `slots` of them are filled. */
bool sp_regex_search(const sp_regex_t *regex, sp_str_t subject, size_t from, sp_str_t *groups,
                     size_t slots);

/* Goes through all matches as Go's FindAll does: leftmost first, and no empty match right behind
 * another. Start with {0}. */
typedef struct sp_regex_cursor {
    size_t at;
    size_t last_end;
    bool matched;
    bool over;
} sp_regex_cursor_t;

bool sp_regex_next(const sp_regex_t *regex, sp_str_t subject, sp_regex_cursor_t *cursor,
                   sp_str_t *groups, size_t slots);

/* Upper bound of the steps that one search of `subject_len` octets takes. */
uint64_t sp_regex_cost(const sp_regex_t *regex, size_t subject_len);

/* Estimate of the heap that it holds. */
size_t sp_regex_bytes(const sp_regex_t *regex);

#endif
