/* SPDX-License-Identifier: Apache-2.0 */

/* `type=dockerv2`: names for container images (records.md ANS-3; OCI Distribution Specification).
 */

#include <signpost/base/buf.h>

#include "decide/run.h"

static const sp_values_t no_values = {.numbered = NULL};

/* What `to` says: where the registry is, which image and tag it forces. */
typedef struct registry {
    sp_url_t url;
    sp_str_t image; /* empty: the requested one */
    sp_str_t tag;   /* empty: the requested one */
} registry_t;

static sp_str_t trim_slashes(sp_str_t path)
{
    while (path.len != 0 && path.ptr[0] == '/') {
        path = sp_str_skip(path, 1);
    }
    while (path.len != 0 && path.ptr[path.len - 1] == '/') {
        path.len -= 1;
    }
    return path;
}

static sp_status_t read_registry(sp_run_t *run, const sp_met_t *met, const sp_level_t *level,
                                 registry_t *ret_registry, sp_error_t *err)
{
    registry_t registry = {.image = {.ptr = NULL, .len = 0}};
    sp_target_t target = {.text = {.ptr = NULL, .len = 0}};
    sp_status_t status =
        sp_target_finish(met->record->to,
                         &(sp_expansion_t){.request = run->request,
                                           .values = level == NULL ? &no_values : &level->values,
                                           .arena = run->arena},
                         SP_TARGET_REGISTRY, &target, err);
    size_t colon = 0;

    if (status != SP_OK) {
        return status;
    }
    registry.url = target.url;
    registry.image = trim_slashes(target.url.path);
    if (sp_str_find(registry.image, '@') != registry.image.len) {
        return sp_fail(err, SP_BAD_VALUE, 0, "to= must name an image without a digest");
    }
    /* A tag follows the colon of the last segment. */
    colon = sp_str_find_last(registry.image, ':');
    if (colon != registry.image.len &&
        sp_str_find(sp_str_skip(registry.image, colon), '/') == registry.image.len - colon) {
        registry.tag = sp_str_skip(registry.image, colon + 1);
        registry.image = trim_slashes(sp_str_slice(registry.image, 0, colon));
    } else {
        registry.tag = (sp_str_t){.ptr = NULL, .len = 0};
    }
    *ret_registry = registry;
    return SP_OK;
}

/* Reads it, or settles what happens when it can't be read. */
static bool get_registry(sp_run_t *run, const sp_met_t *met, const sp_level_t *level,
                         registry_t *ret_registry)
{
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = read_registry(run, met, level, ret_registry, &err);

    if (status == SP_NO_MEMORY) {
        sp_run_out_of_memory(run);
    } else if (status != SP_OK) {
        sp_run_fault(run, met->name, err.message);
    }
    return status == SP_OK;
}

bool sp_registry_is_usable(sp_run_t *run, const sp_met_t *met, const sp_level_t *level)
{
    registry_t registry;

    return get_registry(run, met, level, &registry);
}

/* A pull: /v2/NAME/(manifests|blobs|tags)/REFERENCE. */
typedef struct pull {
    sp_str_t name;
    sp_str_t word;
    sp_str_t reference;
} pull_t;

static bool is_word(sp_str_t segment)
{
    return sp_str_eq(segment, SP_STR("manifests")) || sp_str_eq(segment, SP_STR("blobs")) ||
           sp_str_eq(segment, SP_STR("tags"));
}

/* NAME reaches to the last of the words that has something behind it. `path` is what follows
 * "/v2/". */
static bool read_pull(sp_str_t path, pull_t *ret_pull)
{
    bool found = false;

    for (sp_str_t rest = path; rest.ptr != NULL;) {
        sp_str_t segment = sp_str_cut(rest, '/', &rest);
        size_t at = (size_t)(segment.ptr - path.ptr);

        if (is_word(segment) && at > 1 && rest.len != 0) {
            *ret_pull =
                (pull_t){.name = sp_str_slice(path, 0, at - 1), .word = segment, .reference = rest};
            found = true;
        }
    }
    return found;
}

static bool is_digest(sp_str_t reference)
{
    return sp_str_find(reference, ':') != reference.len ||
           sp_str_search(reference, SP_STR("%3A")) != reference.len ||
           sp_str_search(reference, SP_STR("%3a")) != reference.len;
}

static void append_pull(sp_buf_t *url, const registry_t *registry, const pull_t *pull)
{
    bool replace_tag = registry->tag.len != 0 && sp_str_eq(pull->word, SP_STR("manifests")) &&
                       !is_digest(pull->reference);

    if (registry->image.len != 0) {
        sp_buf_append(url, registry->image);
    } else {
        sp_url_append(url, pull->name, SP_OCTETS_SENT);
    }
    sp_buf_append_char(url, '/');
    sp_buf_append(url, pull->word);
    sp_buf_append_char(url, '/');
    if (replace_tag) {
        sp_buf_append(url, registry->tag);
    } else {
        sp_url_append(url, pull->reference, SP_OCTETS_SENT);
    }
}

/* `pull` NULL: the catalogue. */
static void redirect_to_registry(sp_run_t *run, const sp_met_t *met, const sp_level_t *level,
                                 const registry_t *registry, const pull_t *pull)
{
    sp_buf_t url;
    sp_target_t target = {.text = {.ptr = NULL, .len = 0}};
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    sp_buf_init(&url, run->arena, SP_LOCATION_MAX);
    sp_buf_append(&url, registry->url.scheme);
    sp_buf_append(&url, SP_STR("://"));
    sp_buf_append(&url, registry->url.authority);
    sp_buf_append(&url, SP_STR("/v2/"));
    if (pull == NULL) {
        sp_buf_append(&url, SP_STR("_catalog"));
    } else {
        append_pull(&url, registry, pull);
    }
    if (run->request->has_query) {
        sp_buf_append_char(&url, '?');
        sp_url_append(&url, run->request->query, SP_OCTETS_SENT);
    }
    status = url.status == SP_OK
                 ? sp_target_finish_text(sp_buf_str(&url), run->request, run->arena, &target, &err)
                 : sp_fail(&err, url.status, 0, "the finished target is too long");
    if (status == SP_OK) {
        sp_redirect_to(run, met, target.text, 301);
    } else if (status == SP_NO_MEMORY) {
        sp_run_out_of_memory(run);
    } else {
        sp_run_fault(run, met->name, err.message);
        sp_fall_back(run, level);
    }
}

static void answer_people(sp_run_t *run, const sp_met_t *met, const sp_level_t *level)
{
    const sp_record_t *record = met->record;
    const sp_template_t *target = sp_path_is_root(run->request->path) && record->root != NULL
                                      ? record->root
                                      : record->website;

    if (target == NULL) {
        sp_run_note(run, met->name, "has no website= for requests that are no image pulls");
    }
    if (target == NULL ||
        !sp_redirect(run, met, target, 308, level == NULL ? &no_values : &level->values)) {
        sp_fall_back(run, level);
    }
}

void sp_answer_dockerv2(sp_run_t *run, const sp_met_t *met, const sp_level_t *level)
{
    static const sp_header_t version = {
        .name = {.ptr = "Docker-Distribution-Api-Version", .len = 31},
        .value = {.ptr = "registry/2.0", .len = 12},
    };
    sp_str_t path = run->request->path;
    registry_t registry = {.image = {.ptr = NULL, .len = 0}};
    pull_t pull = {.name = {.ptr = NULL, .len = 0}};

    if (!get_registry(run, met, level, &registry)) {
        if (!run->settled) {
            sp_fall_back(run, level);
        }
        return;
    }
    if (sp_str_eq(path, SP_STR("/v2")) || sp_str_eq(path, SP_STR("/v2/"))) {
        sp_page(run, met, SP_STR("text/plain; charset=utf-8"), SP_STR("OK"), version);
    } else if (sp_str_eq(path, SP_STR("/v2/_catalog"))) {
        redirect_to_registry(run, met, level, &registry, NULL);
    } else if (sp_str_starts_with(path, SP_STR("/v2/")) && read_pull(sp_str_skip(path, 4), &pull)) {
        redirect_to_registry(run, met, level, &registry, &pull);
    } else {
        answer_people(run, met, level);
    }
}
