/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/rule/match.h>

#include <signpost/base/buf.h>

#include <stdlib.h>

#include "rule/regex_re2.h"

struct sp_regex {
    sp_re2_t *re2;
    size_t bytes;
    bool has_names;
    bool wants_query;
};

/* One item of a bracketed class: an octet, an escape, or a named class such as [:digit:]. */
static size_t class_item_length(sp_str_t rest)
{
    size_t end = sp_str_search(rest, SP_STR(":]"));

    if (sp_str_starts_with(rest, SP_STR("[:")) && end != rest.len) {
        return end + 2;
    }
    return rest.ptr[0] == '\\' ? 2 : 1;
}

/* The step from one construct of an expression to the next, as far as needed to tell a group's
 * opening from the same octets in a class, behind a backslash or between \Q and \E. */
static size_t construct_length(sp_str_t pattern, size_t at)
{
    sp_str_t rest = sp_str_skip(pattern, at);

    if (sp_str_starts_with(rest, SP_STR("\\Q"))) {
        size_t end = sp_str_search(rest, SP_STR("\\E"));
        return end == rest.len ? rest.len : end + 2;
    }
    if (rest.ptr[0] == '\\') {
        return rest.len < 2 ? 1 : 2;
    }
    if (rest.ptr[0] == '[') {
        size_t i = 1;
        i += i < rest.len && rest.ptr[i] == '^';
        i += i < rest.len && rest.ptr[i] == ']';
        while (i < rest.len && rest.ptr[i] != ']') {
            i += class_item_length(sp_str_skip(rest, i));
        }
        return i < rest.len ? i + 1 : rest.len;
    }
    return 1;
}

/* RE2 before 2023 knows the older spelling (?P<name>…) only; (?<name>…) is the same. */
static void spell_names_the_old_way(sp_str_t pattern, sp_buf_t *out)
{
    for (size_t at = 0; at < pattern.len;) {
        size_t step = construct_length(pattern, at);

        if (sp_str_starts_with(sp_str_skip(pattern, at), SP_STR("(?<"))) {
            sp_buf_append(out, SP_STR("(?P<"));
            step = 3;
        } else {
            sp_buf_append(out, sp_str_slice(pattern, at, at + step));
        }
        at += step;
    }
}

static sp_status_t create_re2(sp_str_t pattern, sp_re2_t **ret_re2, sp_error_t *err)
{
    sp_arena_t arena;
    sp_buf_t spelled;
    sp_status_t status = SP_NO_MEMORY;
    char reason[120];

    sp_arena_init(&arena, NULL, 0, 512);
    sp_buf_init(&spelled, &arena, 2 * pattern.len + 8);
    spell_names_the_old_way(pattern, &spelled);
    if (spelled.status == SP_OK) {
        *ret_re2 =
            sp_re2_create(spelled.len == 0 ? "" : spelled.ptr, spelled.len, reason, sizeof(reason));
        if (*ret_re2 != NULL) {
            status = SP_OK;
        } else if (reason[0] != '\0') {
            status = sp_fail(err, SP_BAD_SYNTAX, 0, "not a valid regular expression: %s", reason);
        }
    }
    sp_arena_clear(&arena);
    return status;
}

static bool any_group_has_a_name(const sp_regex_t *regex)
{
    for (size_t i = 1; i <= sp_regex_group_count(regex); ++i) {
        if (sp_regex_group_name(regex, i).len != 0) {
            return true;
        }
    }
    return false;
}

sp_status_t sp_regex_compile(sp_str_t pattern, sp_regex_t **ret_regex, sp_error_t *err)
{
    sp_status_t status = SP_NO_MEMORY;
    sp_regex_t *regex = calloc(1, sizeof(*regex));

    if (regex == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    status = create_re2(pattern, &regex->re2, err);
    if (status != SP_OK) {
        free(regex);
        return status;
    }
    if (sp_re2_group_count(regex->re2) >= SP_REGEX_GROUPS_MAX) {
        sp_regex_destroy(regex);
        return sp_fail(err, SP_TOO_LONG, 0, "more than %d groups", SP_REGEX_GROUPS_MAX - 1);
    }
    regex->wants_query = sp_str_search(pattern, SP_STR("?query")) != pattern.len;
    regex->has_names = any_group_has_a_name(regex);
    /* Two programs (forwards and backwards) of 16 octets an instruction, and the states that paths
     * usually lead to: a quarter of what the cache of states may grow to. */
    regex->bytes =
        sizeof(*regex) + (size_t)10 * 1024 + pattern.len * 4 + sp_re2_program_size(regex->re2) * 80;
    *ret_regex = regex;
    return SP_OK;
}

void sp_regex_destroy(sp_regex_t *regex)
{
    if (regex != NULL) {
        sp_re2_destroy(regex->re2);
        free(regex);
    }
}

size_t sp_regex_group_count(const sp_regex_t *regex)
{
    return sp_re2_group_count(regex->re2);
}

sp_str_t sp_regex_group_name(const sp_regex_t *regex, size_t group)
{
    sp_str_t name = {.ptr = NULL, .len = 0};

    name.ptr = sp_re2_group_name(regex->re2, group, &name.len);
    return name;
}

bool sp_regex_has_names(const sp_regex_t *regex)
{
    return regex->has_names;
}

bool sp_regex_wants_query(const sp_regex_t *regex)
{
    return regex->wants_query;
}

bool sp_regex_search(const sp_regex_t *regex, sp_str_t subject, size_t from, sp_str_t *groups,
                     size_t slots)
{
    sp_re2_part_t parts[SP_REGEX_GROUPS_MAX];
    size_t wanted = slots < SP_REGEX_GROUPS_MAX ? slots : SP_REGEX_GROUPS_MAX;

    if (subject.len > SP_REGEX_SUBJECT_MAX || from > subject.len ||
        sp_re2_search(regex->re2, (sp_re2_part_t){subject.ptr, subject.len}, from, parts, wanted) ==
            0) {
        return false;
    }
    for (size_t i = 0; i != slots; ++i) {
        groups[i] = i < wanted ? (sp_str_t){.ptr = parts[i].begin, .len = parts[i].len}
                               : (sp_str_t){.ptr = NULL, .len = 0};
    }
    return true;
}

/* Octets of the UTF-8 character at `at`, 1 where there is none: how far a search moves on behind an
 * empty match. */
static size_t character_length(sp_str_t text, size_t at)
{
    unsigned char lead = at < text.len ? (unsigned char)text.ptr[at] : 0;
    size_t len = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;

    for (size_t i = 1; i < len; ++i) {
        if (at + i >= text.len || ((unsigned char)text.ptr[at + i] & 0xc0) != 0x80) {
            return 1;
        }
    }
    return len;
}

/* Inside a UTF-8 character nothing begins; RE2 thinks otherwise of \B. */
static bool is_inside_a_character(sp_str_t text, size_t at)
{
    for (size_t back = 1; back != 4 && back <= at; ++back) {
        if (character_length(text, at - back) > back) {
            return true;
        }
    }
    return false;
}

bool sp_regex_next(const sp_regex_t *regex, sp_str_t subject, sp_regex_cursor_t *cursor,
                   sp_str_t *groups, size_t slots)
{
    while (!cursor->over && sp_regex_search(regex, subject, cursor->at, groups, slots)) {
        size_t begin = (size_t)(groups[0].ptr - subject.ptr);
        size_t end = begin + groups[0].len;
        bool empty = groups[0].len == 0;
        bool behind_another = empty && cursor->matched && begin == cursor->last_end;

        cursor->at = end == cursor->at && empty ? end + character_length(subject, end) : end;
        cursor->over = cursor->at > subject.len;
        cursor->last_end = end;
        cursor->matched = true;
        if (!behind_another && !(empty && is_inside_a_character(subject, begin))) {
            return true;
        }
    }
    cursor->over = true;
    return false;
}

uint64_t sp_regex_cost(const sp_regex_t *regex, size_t subject_len)
{
    return (uint64_t)sp_re2_program_size(regex->re2) * (subject_len + 1);
}

size_t sp_regex_bytes(const sp_regex_t *regex)
{
    return regex->bytes;
}
