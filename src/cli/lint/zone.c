/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/zone.h"

#include <stdlib.h>

#define CHUNK_SIZE 16384
#define CNAME_HOPS_MAX 8

void sp_lint_zone_init(sp_lint_zone_t *zone, sp_str_t source)
{
    *zone = (sp_lint_zone_t){.source = source};
    sp_arena_init(&zone->arena, NULL, 0, CHUNK_SIZE);
}

void sp_lint_zone_clear(sp_lint_zone_t *zone)
{
    for (size_t i = 0; i != zone->count; ++i) {
        if (zone->records[i].readable) {
            sp_record_clear(&zone->records[i].record);
        }
    }
    free(zone->records);
    free(zone->by_owner);
    free(zone->line_starts);
    sp_arena_clear(&zone->arena);
    *zone = (sp_lint_zone_t){.count = 0};
}

static sp_status_t make_room(sp_lint_zone_t *zone)
{
    size_t capacity = zone->capacity == 0 ? 64 : zone->capacity * 2;
    size_t bytes = 0;
    sp_lint_record_t *records = NULL;

    if (zone->count != zone->capacity) {
        return SP_OK;
    }
    if (!sp_array_size(capacity, sizeof(*records), &bytes) ||
        (records = realloc(zone->records, bytes)) == NULL) {
        return SP_NO_MEMORY;
    }
    zone->records = records;
    zone->capacity = capacity;
    return SP_OK;
}

/* Joins the character-strings in one piece of memory that the copied slices point into. */
static bool copy_strings(sp_arena_t *arena, const sp_zone_record_t *from, sp_lint_record_t *to)
{
    sp_str_t *strings = sp_arena_zalloc(arena, from->string_count + 1, sizeof(*strings));
    size_t length = 0;
    char *text = NULL;

    for (size_t i = 0; i != from->string_count; ++i) {
        length += from->strings[i].len;
    }
    text = sp_arena_alloc(arena, length + 1);
    if (strings == NULL || text == NULL) {
        return false;
    }
    to->text = (sp_str_t){.ptr = text, .len = length};
    for (size_t i = 0; i != from->string_count; ++i) {
        strings[i] = (sp_str_t){.ptr = text, .len = from->strings[i].len};
        for (size_t j = 0; j != from->strings[i].len; ++j) {
            *text++ = from->strings[i].ptr[j];
        }
    }
    to->strings = strings;
    to->string_count = from->string_count;
    return true;
}

sp_status_t sp_lint_zone_add(sp_lint_zone_t *zone, const sp_zone_record_t *record)
{
    sp_lint_record_t *copy = NULL;

    if (make_room(zone) != SP_OK) {
        return SP_NO_MEMORY;
    }
    copy = &zone->records[zone->count];
    *copy = (sp_lint_record_t){.type = record->type, .line = record->line};
    copy->column = record->column;
    copy->owner = sp_arena_copy(&zone->arena, record->owner);
    copy->target = sp_arena_copy(&zone->arena, record->target);
    if (copy->owner.ptr == NULL || copy->target.ptr == NULL ||
        !copy_strings(&zone->arena, record, copy)) {
        return SP_NO_MEMORY;
    }
    if (record->type == SP_RR_SOA && zone->apex.len == 0) {
        zone->apex = copy->owner;
    }
    ++zone->count;
    return SP_OK;
}

static int compare_owner(const void *a, const void *b)
{
    const sp_lint_record_t *x = *(sp_lint_record_t *const *)a;
    const sp_lint_record_t *y = *(sp_lint_record_t *const *)b;
    int order = sp_str_compare(x->owner, y->owner);

    if (order == 0 && x != y) {
        order = x < y ? -1 : 1;
    }
    return order;
}

static sp_status_t compile(sp_lint_zone_t *zone, sp_lint_record_t *record)
{
    sp_status_t status = SP_OK;

    if (!record->ours) {
        return SP_OK;
    }
    status = sp_dialect_txtv0.parse(record->text, &zone->arena, NULL, NULL, &record->record, NULL);
    record->readable = status == SP_OK;
    return status == SP_NO_MEMORY ? status : SP_OK;
}

static sp_status_t index_lines(sp_lint_zone_t *zone)
{
    size_t lines = 1;

    for (size_t i = 0; i != zone->source.len; ++i) {
        lines += zone->source.ptr[i] == '\n' ? 1U : 0U;
    }
    zone->line_starts = calloc(lines, sizeof(*zone->line_starts));
    if (zone->line_starts == NULL) {
        return SP_NO_MEMORY;
    }
    zone->line_count = 1;
    for (size_t i = 0; i != zone->source.len; ++i) {
        if (zone->source.ptr[i] == '\n') {
            zone->line_starts[zone->line_count++] = i + 1;
        }
    }
    return SP_OK;
}

sp_status_t sp_lint_zone_seal(sp_lint_zone_t *zone)
{
    sp_status_t status = index_lines(zone);

    if (status != SP_OK) {
        return status;
    }
    zone->by_owner = calloc(zone->count + 1, sizeof(sp_lint_record_t *));
    if (zone->by_owner == NULL) {
        return SP_NO_MEMORY;
    }
    for (size_t i = 0; i != zone->count; ++i) {
        zone->by_owner[i] = &zone->records[i];
    }
    qsort(zone->by_owner, zone->count, sizeof(sp_lint_record_t *), compare_owner);
    for (size_t i = 0; i != zone->count && status == SP_OK; ++i) {
        sp_lint_record_t *record = &zone->records[i];
        sp_lint_set_t set = sp_lint_zone_at(zone, record->owner);
        size_t texts = 0;

        for (size_t j = 0; j != set.count; ++j) {
            texts += set.list[j]->type == SP_RR_TXT ? 1U : 0U;
        }
        record->ours =
            record->type == SP_RR_TXT && sp_dialect_txtv0.claims(record->text, texts == 1);
        status = compile(zone, record);
    }
    return status;
}

/* Index of the first record whose owner is not before `owner`. */
static size_t lower_bound(const sp_lint_zone_t *zone, sp_str_t owner)
{
    size_t from = 0;
    size_t to = zone->count;

    while (from != to) {
        size_t middle = from + (to - from) / 2;

        if (sp_str_compare(zone->by_owner[middle]->owner, owner) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

sp_lint_set_t sp_lint_zone_at(const sp_lint_zone_t *zone, sp_str_t owner)
{
    size_t from = lower_bound(zone, owner);
    sp_lint_set_t set = {&zone->by_owner[from], 0};

    while (from + set.count != zone->count && sp_str_eq(set.list[set.count]->owner, owner)) {
        ++set.count;
    }
    return set;
}

const sp_lint_record_t *sp_lint_zone_redirect(const sp_lint_zone_t *zone, sp_str_t owner)
{
    for (unsigned hops = 0; hops != CNAME_HOPS_MAX; ++hops) {
        sp_lint_set_t set = sp_lint_zone_at(zone, owner);
        const sp_lint_record_t *found = NULL;
        size_t ours = 0;

        if (set.count == 1 && set.list[0]->type == SP_RR_CNAME) {
            owner = set.list[0]->target;
            continue;
        }
        for (size_t i = 0; i != set.count; ++i) {
            if (set.list[i]->ours) {
                found = set.list[i];
                ++ours;
            }
        }
        return ours == 1 && found->readable ? found : NULL;
    }
    return NULL;
}

bool sp_lint_zone_knows(const sp_lint_zone_t *zone, sp_str_t owner)
{
    if (sp_lint_zone_at(zone, owner).count != 0) {
        return true;
    }
    for (size_t i = 0; i != zone->count; ++i) {
        sp_str_t name = zone->records[i].owner;

        if (sp_lint_is_below(name, owner) || (sp_str_starts_with(name, SP_STR("*.")) &&
                                              sp_lint_is_below(owner, sp_lint_parent(name)))) {
            return true;
        }
    }
    return false;
}

bool sp_lint_zone_covers(const sp_lint_zone_t *zone, sp_str_t name)
{
    return zone->apex.len == 0 || sp_lint_is_below(name, zone->apex);
}

sp_str_t sp_lint_join(sp_lint_name_t *memory, sp_str_t prefix, sp_str_t name)
{
    size_t length = 0;

    for (size_t i = 0; i != prefix.len && length != SP_LINT_NAME_MAX; ++i) {
        memory->text[length++] = prefix.ptr[i];
    }
    for (size_t i = 0; i != name.len && length != SP_LINT_NAME_MAX; ++i) {
        memory->text[length++] = name.ptr[i];
    }
    return (sp_str_t){.ptr = memory->text, .len = length};
}

sp_str_t sp_lint_parent(sp_str_t name)
{
    return sp_str_skip(name, sp_str_find(name, '.') + 1);
}

size_t sp_lint_label_count(sp_str_t name)
{
    size_t count = 0;

    for (; name.len != 0; name = sp_lint_parent(name)) {
        ++count;
    }
    return count;
}

bool sp_lint_is_below(sp_str_t name, sp_str_t above)
{
    return sp_str_ends_with(name, above) &&
           (name.len == above.len || above.len == 0 || name.ptr[name.len - above.len - 1] == '.');
}

sp_str_t sp_lint_redirect_zone(sp_str_t owner)
{
    if (!sp_str_starts_with(owner, SP_STR("_redirect."))) {
        return (sp_str_t){.ptr = NULL, .len = 0};
    }
    return sp_str_skip(owner, sizeof("_redirect.") - 1);
}
