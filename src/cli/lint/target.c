/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/target.h"

#define KEYS 3 /* to, root, website */

/* Position of the first octet of `text` that is one of `octets`; text.len when none is. */
static size_t find_any(sp_str_t text, sp_str_t octets)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (sp_str_find(octets, text.ptr[i]) != octets.len) {
            return i;
        }
    }
    return text.len;
}

/* Placeholders are passed over as a whole, since {?key} has a '?' that ends nothing; those that
 * begin with '/' end the authority (TO-5). */
static size_t authority_end(sp_str_t rest)
{
    size_t at = 0;

    while (at < rest.len && sp_str_find(SP_STR("/?#"), rest.ptr[at]) == 3) {
        sp_str_t here = sp_str_skip(rest, at);
        size_t close = sp_str_find(here, '}');

        if (sp_str_starts_with(here, SP_STR("{uri}")) ||
            sp_str_starts_with(here, SP_STR("{path}")) ||
            sp_str_starts_with(here, SP_STR("{dir}"))) {
            break;
        }
        at += here.ptr[0] == '{' && close != here.len ? close + 1 : 1;
    }
    return at;
}

static void take_apart(sp_lint_target_t *target)
{
    sp_str_t rest = target->text;
    size_t stop = find_any(rest, SP_STR(":/?#{"));

    target->scheme = SP_STR("");
    if (sp_str_starts_with(rest, SP_STR("{scheme}:"))) {
        rest = sp_str_skip(rest, sizeof("{scheme}:") - 1);
    } else if (stop != rest.len && stop != 0 && rest.ptr[stop] == ':') {
        target->scheme = sp_str_slice(rest, 0, stop);
        rest = sp_str_skip(rest, stop + 1);
    }
    target->has_authority = sp_str_starts_with(rest, SP_STR("//"));
    target->authority = SP_STR("");
    if (target->has_authority) {
        rest = sp_str_skip(rest, 2);
        target->authority = sp_str_slice(rest, 0, authority_end(rest));
        rest = sp_str_skip(rest, target->authority.len);
    }
    target->path = sp_str_slice(rest, 0, find_any(rest, SP_STR("?#")));
}

static bool read_target(const sp_lint_record_t *record, const char *key,
                        const sp_template_t *template, sp_lint_target_t *ret_target)
{
    if (!record->readable || template == NULL) {
        return false;
    }
    *ret_target = (sp_lint_target_t){.record = record, .key = key, .template = template};
    ret_target->text = template->text;
    ret_target->offset = sp_lint_offset(record, template->text.ptr);
    take_apart(ret_target);
    return true;
}

bool sp_lint_to(const sp_lint_record_t *record, sp_lint_target_t *ret_target)
{
    return read_target(record, "to", record->record.to, ret_target);
}

bool sp_lint_next_target(const sp_lint_t *lint, size_t *at, sp_lint_target_t *ret_target)
{
    static const char *const keys[KEYS] = {"to", "root", "website"};

    while (*at != lint->zone.count * KEYS) {
        const sp_lint_record_t *record = &lint->zone.records[*at / KEYS];
        const sp_template_t *const templates[KEYS] = {record->record.to, record->record.root,
                                                      record->record.website};
        size_t which = (*at)++ % KEYS;

        if (read_target(record, keys[which], templates[which], ret_target)) {
            return true;
        }
    }
    return false;
}

sp_str_t sp_lint_first_segment(sp_str_t text)
{
    return sp_str_slice(text, 0, find_any(text, SP_STR("/?#")));
}

const sp_lint_record_t *sp_lint_path_record(const sp_lint_t *lint, sp_str_t zone)
{
    static const sp_str_t prefixes[] = {{"_redirect.", 10}, {"_redirect._.", 12}};
    sp_str_t names[] = {zone, zone, sp_lint_parent(zone)};

    for (size_t i = 0; i != SP_COUNT(names); ++i) {
        sp_lint_name_t memory;
        sp_str_t owner = sp_lint_join(&memory, prefixes[i == 0 ? 0 : 1], names[i]);
        const sp_lint_record_t *record =
            names[i].len == 0 ? NULL : sp_lint_zone_redirect(&lint->zone, owner);

        if (record != NULL) {
            return record->record.type == SP_TYPE_PATH || record->record.use != NULL ? record
                                                                                     : NULL;
        }
    }
    return NULL;
}

sp_str_t sp_lint_path_zone(const sp_lint_t *lint, sp_str_t host)
{
    for (sp_str_t zone = sp_lint_parent(host); zone.len != 0; zone = sp_lint_parent(zone)) {
        const sp_lint_record_t *record = sp_lint_path_record(lint, zone);

        if (record != NULL && record->record.use == NULL) {
            return zone;
        }
    }
    return SP_STR("");
}
