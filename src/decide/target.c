/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/target.h"

#include "decide/expand.h"

static bool scheme_is_allowed(sp_str_t scheme, sp_target_use_t use)
{
    static const char *const repository_schemes[] = {"git",     "git+ssh", "ssh",    "svn",
                                                     "svn+ssh", "bzr",     "bzr+ssh"};

    if (sp_str_eq_nocase(scheme, SP_STR("http")) || sp_str_eq_nocase(scheme, SP_STR("https"))) {
        return true;
    }
    for (size_t i = 0; use == SP_TARGET_REPOSITORY && i != SP_COUNT(repository_schemes); ++i) {
        if (sp_str_eq_nocase(scheme, sp_str_from(repository_schemes[i]))) {
            return true;
        }
    }
    return false;
}

/* A text without scheme or host must not have got one from the values in it. */
static sp_status_t check_reference(const sp_builder_t *b, const sp_url_t *url)
{
    sp_str_t segment = sp_str_slice(url->path, 0, sp_str_find(url->path, '/'));

    if (url->authority.ptr != NULL) {
        return sp_builder_fault(b, "the visitor would choose the target's host: an open redirect");
    }
    if (url->scheme.ptr != NULL) {
        return scheme_is_allowed(url->scheme, SP_TARGET_LOCATION)
                   ? sp_builder_fault(b, "the target has a scheme, but no host behind '//'")
                   : sp_builder_fault(b, "the target's scheme must be http or https");
    }
    if (sp_str_find(segment, ':') != segment.len) {
        return sp_builder_fault(
            b, "the target has neither a valid scheme nor is it a path (RFC 3986, 4.2)");
    }
    if (sp_str_find(segment, '.') != segment.len && !sp_str_eq(segment, SP_STR(".")) &&
        !sp_str_eq(segment, SP_STR(".."))) {
        return sp_builder_fault(b, "the target has no https:// in front of its host");
    }
    return SP_OK;
}

static sp_status_t encoded(sp_str_t text, sp_arena_t *arena, sp_str_t *ret_text)
{
    sp_buf_t buf;

    sp_buf_init(&buf, arena, SIZE_MAX / 2);
    sp_url_append(&buf, text, SP_OCTETS_SENT);
    *ret_text = text.len == 0 ? text : sp_buf_str(&buf);
    return buf.status;
}

static sp_str_t port_of(sp_str_t port, sp_str_t scheme)
{
    sp_str_t standard = sp_str_eq_nocase(scheme, SP_STR("https")) ? SP_STR("443") : SP_STR("80");

    while (port.len > 1 && port.ptr[0] == '0') {
        port = sp_str_skip(port, 1);
    }
    return sp_str_eq(port, standard) ? SP_STR("") : port;
}

/* TO-6. `host` is NULL for a relative reference. */
static sp_status_t check_loop(const sp_builder_t *b, const sp_url_t *url, const sp_host_t *host)
{
    const sp_request_t *request = b->request;
    sp_str_t scheme = url->scheme.len == 0 ? request->scheme : url->scheme;
    sp_str_t path = {.ptr = NULL, .len = 0};
    sp_str_t query = {.ptr = NULL, .len = 0};

    if (!sp_str_eq_nocase(scheme, request->scheme) ||
        (host != NULL &&
         (!sp_str_eq(host->name, request->host) ||
          !sp_str_eq(port_of(host->port, scheme), port_of(request->port, scheme))))) {
        return SP_OK;
    }
    if (encoded(request->path, b->arena, &path) != SP_OK ||
        encoded(request->query, b->arena, &query) != SP_OK) {
        return SP_NO_MEMORY;
    }
    if (sp_str_eq(url->path.len == 0 ? SP_STR("/") : url->path, path) &&
        (url->query.ptr != NULL) == request->has_query && sp_str_eq(url->query, query)) {
        return sp_builder_fault(b, "the target is the requested URL itself: a loop");
    }
    return SP_OK;
}

static sp_status_t write_target(sp_builder_t *b, const sp_url_t *url, sp_target_t *ret_target)
{
    sp_buf_t text;

    sp_buf_init(&text, b->arena, SP_LOCATION_MAX);
    if (url->scheme.len != 0) {
        sp_buf_append(&text, url->scheme);
        sp_buf_append_char(&text, ':');
    }
    if (url->authority.ptr != NULL) {
        sp_buf_append(&text, SP_STR("//"));
        sp_buf_append(&text, url->authority);
    }
    sp_buf_append(&text, url->path);
    if (url->query.ptr != NULL) {
        sp_buf_append_char(&text, '?');
        sp_buf_append(&text, url->query);
    }
    if (url->fragment.ptr != NULL) {
        sp_buf_append_char(&text, '#');
        sp_buf_append(&text, url->fragment);
    }
    if (text.status == SP_TOO_LONG) {
        return sp_builder_fault(b, "the finished target is too long");
    }
    *ret_target = (sp_target_t){.text = sp_buf_str(&text), .url = *url};
    return text.status;
}

static sp_status_t finish_absolute(sp_builder_t *b, sp_target_use_t use, sp_target_t *ret_target)
{
    sp_url_t url;
    sp_host_t host;
    sp_status_t status = SP_OK;

    sp_url_split_path(sp_buf_str(&b->rest), &url);
    url.scheme = b->scheme;
    if (b->scheme.len == 0 ? use != SP_TARGET_LOCATION : !scheme_is_allowed(b->scheme, use)) {
        return sp_builder_fault(
            b, use == SP_TARGET_REPOSITORY
                   ? "the target must be a URL with a scheme that the go command takes"
                   : "the target's scheme must be http or https");
    }
    status = sp_authority_read(sp_buf_str(&b->authority), b->arena, &url.authority, &host, b->err);
    if (status == SP_OK) {
        status = sp_check_labels_behind(b, &host);
    }
    if (status == SP_OK && use == SP_TARGET_LOCATION) {
        status = check_loop(b, &url, &host);
    }
    return status == SP_OK ? write_target(b, &url, ret_target) : status;
}

static sp_status_t finish_relative(sp_builder_t *b, sp_target_use_t use, sp_target_t *ret_target)
{
    sp_url_t url;
    sp_str_t base_path;
    sp_str_t base_query;
    sp_status_t status = SP_OK;

    sp_url_split(sp_buf_str(&b->rest), &url);
    if (use != SP_TARGET_LOCATION) {
        return sp_builder_fault(b, "the target must be an absolute URL");
    }
    status = check_reference(b, &url);
    if (status != SP_OK) {
        return status;
    }
    if (encoded(b->request->path, b->arena, &base_path) != SP_OK ||
        encoded(b->request->query, b->arena, &base_query) != SP_OK) {
        return SP_NO_MEMORY;
    }
    if (!b->request->has_query) {
        base_query = (sp_str_t){.ptr = NULL, .len = 0};
    }
    status = sp_reference_resolve(&url, base_path, base_query, b->arena, &url, b->err);
    if (status == SP_OK) {
        status = check_loop(b, &url, NULL);
    }
    return status == SP_OK ? write_target(b, &url, ret_target) : status;
}

/* The record names the host in full, and it is not the request's own: nothing is left to judge, and
 * the rest can be appended to what the template knows to be right. */
static bool leads_elsewhere(const sp_builder_t *b, sp_target_use_t use)
{
    const sp_template_t *t = b->template;

    return use == SP_TARGET_LOCATION && t->prefix_len != 0 &&
           !sp_str_eq_nocase(sp_str_slice(t->text, t->host_at, (size_t)t->host_at + t->host_len),
                             b->request->host);
}

static sp_status_t status_of_buffers(const sp_builder_t *b)
{
    if (b->authority.status == SP_OK && b->rest.status == SP_OK) {
        return SP_OK;
    }
    return b->authority.status == SP_NO_MEMORY || b->rest.status == SP_NO_MEMORY
               ? SP_NO_MEMORY
               : sp_builder_fault(b, "the finished target is too long");
}

sp_status_t sp_target_finish(const sp_template_t *template, const sp_expansion_t *expansion,
                             sp_target_use_t use, sp_target_t *ret_target, sp_error_t *err)
{
    sp_arena_t *arena = expansion->arena;
    sp_builder_t b = {.template = template,
                      .request = expansion->request,
                      .values = expansion->values,
                      .arena = arena,
                      .err = err};
    sp_status_t status = SP_OK;

    sp_buf_init(&b.authority, arena, SP_LOCATION_MAX);
    sp_buf_init(&b.rest, arena, SP_LOCATION_MAX);
    if (leads_elsewhere(&b, use)) {
        status = sp_expand_behind_prefix(&b);
        if (status == SP_OK) {
            status = status_of_buffers(&b);
        }
        if (status == SP_OK) {
            *ret_target = (sp_target_t){.text = sp_buf_str(&b.rest)};
        }
        return status;
    }
    status = sp_expand(&b);
    if (status == SP_OK) {
        status = status_of_buffers(&b);
    }
    if (status != SP_OK) {
        return status;
    }
    return b.has_authority ? finish_absolute(&b, use, ret_target)
                           : finish_relative(&b, use, ret_target);
}

sp_status_t sp_target_finish_text(sp_str_t text, const sp_request_t *request, sp_arena_t *arena,
                                  sp_target_t *ret_target, sp_error_t *err)
{
    static const sp_values_t none = {.numbered = NULL};
    sp_template_t *template = sp_arena_alloc(arena, sizeof(*template) + sizeof(template->parts[0]));

    if (template == NULL) {
        return SP_NO_MEMORY;
    }
    *template = (sp_template_t){.text = text, .part_count = 1};
    template->parts[0] = (sp_template_part_t){
        .text = text.ptr, .len = (uint16_t)text.len, .kind = (uint8_t)SP_PH_LITERAL};
    if (text.len > UINT16_MAX) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the finished target is too long");
    }
    return sp_target_finish(template,
                            &(sp_expansion_t){.request = request, .values = &none, .arena = arena},
                            SP_TARGET_LOCATION, ret_target, err);
}
