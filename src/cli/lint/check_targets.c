/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/checks.h"
#include "cli/lint/target.h"

#define RING_MAX 20 /* hosts; browsers give up there as well */
#define ARGS(text) (int)(text).len, (text).ptr

static const sp_lint_rule_t missing_scheme = {SP_SEVERITY_ERROR, "missing-scheme",
                                              "write https:// in front of the host"};
static const sp_lint_rule_t own_source = {
    SP_SEVERITY_ERROR, "self-target",
    "point it at another host or path; a redirect to itself is answered with 404"};
static const sp_lint_rule_t own_source_https = {
    SP_SEVERITY_WARNING, "self-target-https",
    "good only where something else serves this host over https; signpost answers such a request "
    "with 404, since the redirect leads to itself"};
static const sp_lint_rule_t target_ring = {
    SP_SEVERITY_ERROR, "target-ring",
    "let one of these hosts have a target outside the ring, or the visitor never arrives"};
static const sp_lint_rule_t docker_target = {
    SP_SEVERITY_ERROR, "docker-target",
    "write to=https://REGISTRY, to=https://REGISTRY/IMAGE or to=https://REGISTRY/IMAGE:TAG"};

/* A host in front without https:// in two forms that the record's reader can't tell from a path:
 * {host}/… and https//HOST. */
void sp_lint_check_targets(sp_lint_t *lint)
{
    sp_lint_target_t target;
    size_t at = 0;

    while (sp_lint_next_target(lint, &at, &target)) {
        sp_str_t first = sp_lint_first_segment(target.text);
        sp_str_t behind = sp_str_skip(target.text, first.len);
        bool no_colon = sp_str_starts_with_nocase(first, SP_STR("http")) &&
                        sp_str_starts_with(behind, SP_STR("//"));

        if (target.scheme.len == 0 && !target.has_authority &&
            (no_colon || sp_str_starts_with(target.text, SP_STR("{host")))) {
            sp_lint_report(lint, &missing_scheme, target.record, target.offset,
                           "%s= begins with %.*s, without a scheme", target.key, ARGS(first));
        }
    }
}

void sp_lint_check_docker(sp_lint_t *lint)
{
    sp_lint_target_t target;
    size_t at = 0;

    while (sp_lint_next_target(lint, &at, &target)) {
        if (target.record->record.type != SP_TYPE_DOCKERV2 || target.key[0] != 't') {
            continue;
        }
        if (!target.has_authority || target.authority.len == 0 ||
            sp_str_starts_with(target.text, SP_STR("//"))) {
            sp_lint_report(lint, &docker_target, target.record, target.offset,
                           "to= of a dockerv2 record must be an absolute URL");
        } else if (sp_str_find(target.path, '@') != target.path.len) {
            sp_lint_report(lint, &docker_target, target.record, target.offset,
                           "to= of a dockerv2 record can't name a digest");
        }
    }
}

/* What a record answers for, as far as its owner name tells: every path of a host, or one path. */
typedef struct source {
    sp_str_t host;
    sp_str_t labels; /* of a child, in front of the zone; empty for a host or a path record */
    bool whole_host;
} source_t;

static bool find_source(const sp_lint_t *lint, const sp_lint_target_t *target, source_t *ret_source)
{
    sp_str_t host = sp_lint_redirect_zone(target->record->owner);
    sp_str_t zone = sp_lint_path_zone(lint, host);
    sp_record_type_t type = target->record->record.type;

    if (host.len == 0 || host.ptr[0] == '_' || host.ptr[0] == '*' ||
        target->record->record.use != NULL) {
        return false;
    }
    *ret_source =
        (source_t){.host = host, .labels = SP_STR(""), .whole_host = type == SP_TYPE_HOST};
    if (zone.len != 0) {
        ret_source->host = zone;
        ret_source->labels = sp_str_slice(host, 0, host.len - zone.len - 1);
        ret_source->whole_host = false;
    }
    if (zone.len == 0 && type == SP_TYPE_PATH) {
        return sp_str_eq(sp_str_from(target->key), SP_STR("root")) ||
               (target->key[0] == 't' && target->record->record.root == NULL);
    }
    return target->key[0] == 't' && type == SP_TYPE_HOST;
}

/* Are these the labels that the path's segments become (PATH-3)? */
static bool path_gives_labels(sp_str_t path, sp_str_t labels)
{
    while (path.len != 0) {
        sp_str_t segment;
        sp_str_t label;
        size_t cut = 0;

        path = sp_str_skip(path, 1);
        segment = sp_str_cut(path, '/', &path);
        path = path.ptr == NULL ? SP_STR("") : (sp_str_t){path.ptr - 1, path.len + 1};
        if (segment.len == 0) {
            continue;
        }
        cut = sp_str_find_last(labels, '.');
        label = cut == labels.len ? labels : sp_str_skip(labels, cut + 1);
        labels = sp_str_slice(labels, 0, cut == labels.len ? 0 : cut);
        if (!sp_str_eq_nocase(segment, label)) {
            return false;
        }
    }
    return labels.len == 0;
}

static bool is_own_host(const sp_lint_target_t *target, sp_str_t host)
{
    sp_str_t name = target->authority;
    bool https = sp_str_eq_nocase(target->scheme, SP_STR("https"));

    if (!target->has_authority) {
        sp_str_t first = sp_lint_first_segment(target->text);

        return target->scheme.len == 0 && target->text.len != 0 && target->text.ptr[0] != '{' &&
               sp_str_find(first, '.') == first.len;
    }
    if (https && sp_str_ends_with(name, SP_STR(":443"))) {
        name.len -= sizeof(":443") - 1;
    } else if (!https && sp_str_ends_with(name, SP_STR(":80"))) {
        name.len -= sizeof(":80") - 1;
    }
    if (name.len != 0 && name.ptr[name.len - 1] == '.') {
        --name.len;
    }
    return sp_str_eq(name, SP_STR("{host}")) || sp_str_eq(name, SP_STR("{hostonly}")) ||
           sp_str_eq_nocase(name, host);
}

static bool is_own_path(const sp_lint_target_t *target, const source_t *source)
{
    sp_str_t path = target->path;

    if (source->whole_host || sp_str_eq(path, SP_STR("{uri}")) ||
        sp_str_eq(path, SP_STR("{path}"))) {
        return true;
    }
    return sp_str_find(path, '{') == path.len &&
           sp_str_find(target->text, '?') == target->text.len &&
           path_gives_labels(path, source->labels);
}

void sp_lint_check_self(sp_lint_t *lint)
{
    sp_lint_target_t target;
    source_t source;
    size_t at = 0;

    while (sp_lint_next_target(lint, &at, &target)) {
        if (find_source(lint, &target, &source) && is_own_host(&target, source.host) &&
            is_own_path(&target, &source)) {
            bool https = sp_str_eq_nocase(target.scheme, SP_STR("https"));

            sp_lint_report(lint, https ? &own_source_https : &own_source, target.record,
                           target.offset, "%s= leads back to %.*s, where this record answers",
                           target.key, ARGS(source.host));
        }
    }
}

/* The record of the host that a host record leads to, where both are in the zone. */
static const sp_lint_record_t *next_host(const sp_lint_t *lint, const sp_lint_record_t *record)
{
    sp_lint_target_t target;
    sp_lint_name_t memory;
    const sp_lint_record_t *next = NULL;

    if (record->record.type != SP_TYPE_HOST || record->record.use != NULL ||
        !sp_lint_to(record, &target) || target.authority.len == 0 ||
        sp_str_find(target.authority, '{') != target.authority.len) {
        return NULL;
    }
    next = sp_lint_zone_redirect(&lint->zone,
                                 sp_lint_join(&memory, SP_STR("_redirect."), target.authority));
    return next != NULL && next->record.type == SP_TYPE_HOST ? next : NULL;
}

/* Hosts that send a visitor round and round. Told once, at the member that comes first in the
 * file. */
void sp_lint_check_rings(sp_lint_t *lint)
{
    for (size_t i = 0; i != lint->zone.count; ++i) {
        const sp_lint_record_t *start = &lint->zone.records[i];
        const sp_lint_record_t *next = start->readable ? next_host(lint, start) : NULL;
        size_t hosts = 1;

        while (next != NULL && next > start && hosts <= RING_MAX) {
            next = next_host(lint, next);
            ++hosts;
        }
        if (next == start && hosts > 1) {
            sp_lint_report(lint, &target_ring, start,
                           sp_lint_offset(start, start->record.to->text.ptr),
                           "to= begins a ring of %zu hosts that leads back to %.*s", hosts,
                           ARGS(start->owner));
        }
    }
}
