/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/target.h"

/* A target under construction. The authority is kept apart until it is complete: it is checked as a
 * whole. */
typedef struct builder {
    const sp_template_t *template;
    const sp_request_t *request;
    const sp_values_t *values;
    sp_arena_t *arena;
    sp_error_t *err;
    sp_str_t scheme; /* empty for a reference without one */
    bool has_authority;
    bool in_authority;
    bool needs_labels; /* a visitor's value is part of the host's first label */
    sp_buf_t authority;
    sp_buf_t rest; /* path, query, fragment: encoded */
    bool in_query;
    bool in_fragment;
    size_t bare_question; /* length of `rest` right behind a '?' of the record that nothing has
                             followed; 0: none */
    size_t empty_behind;  /* placeholders behind it */
} builder_t;

static sp_status_t faulty(const builder_t *b, const char *message)
{
    return sp_fail(b->err, SP_BAD_VALUE, 0, "%s", message);
}

/* ---- where the authority is, by the record's own text ---- */

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

/* Length of what precedes the authority in the first literal, 0 when there is no authority. */
static size_t read_beginning(builder_t *b, sp_str_t first)
{
    sp_url_t url;

    if (sp_str_starts_with(first, SP_STR("//"))) {
        return 2;
    }
    sp_url_split(first, &url);
    if (url.scheme.len != 0 && url.authority.ptr != NULL) {
        b->scheme = url.scheme;
        return url.scheme.len + 3;
    }
    return 0;
}

/* Sets the scheme and gives the part and the octet in it with which the rest begins. */
static void find_authority(builder_t *b, size_t *ret_part, size_t *ret_offset)
{
    const sp_template_part_t *parts = b->template->parts;
    size_t count = b->template->part_count;

    *ret_part = 0;
    *ret_offset = 0;
    if (count >= 2 && parts[0].kind == SP_PH_SCHEME && parts[1].kind == SP_PH_LITERAL &&
        sp_str_starts_with(sp_template_part_text(&parts[1]), SP_STR("://"))) {
        b->scheme = b->request->scheme;
        *ret_part = 1;
        *ret_offset = 3;
    } else if (count >= 1 && parts[0].kind == SP_PH_LITERAL) {
        *ret_offset = read_beginning(b, sp_template_part_text(&parts[0]));
    }
    b->has_authority = *ret_offset != 0;
    b->in_authority = b->has_authority;
}

/* ---- appending ---- */

static size_t find_delimiter(sp_str_t text)
{
    size_t i = 0;

    while (i != text.len && text.ptr[i] != '/' && text.ptr[i] != '?' && text.ptr[i] != '#') {
        ++i;
    }
    return i;
}

/* Follows the structure that `text` brings along: a '?' begins the query, a '#' of the record the
 * fragment. */
static void follow_structure(builder_t *b, sp_str_t text, bool of_record)
{
    size_t hash = of_record ? sp_str_find(text, '#') : text.len;

    b->in_query = b->in_query || sp_str_find(sp_str_slice(text, 0, hash), '?') != hash;
    b->in_fragment = b->in_fragment || hash != text.len;
}

static void append_record_text(builder_t *b, sp_str_t text)
{
    if (b->in_authority) {
        size_t end = find_delimiter(text);

        sp_buf_append(&b->authority, sp_str_slice(text, 0, end));
        b->in_authority = end == text.len;
        text = sp_str_skip(text, end);
    }
    if (text.len == 0) {
        return;
    }
    if (b->in_fragment) {
        /* Only the first '#' delimits. */
        sp_url_append(&b->rest, text, SP_OCTETS_SENT);
    } else {
        size_t hash = sp_str_find(text, '#');

        sp_url_append(&b->rest, sp_str_slice(text, 0, hash), SP_OCTETS_RECORD);
        if (hash != text.len) {
            sp_buf_append_char(&b->rest, '#');
            sp_url_append(&b->rest, sp_str_skip(text, hash + 1), SP_OCTETS_SENT);
        }
    }
    b->bare_question = 0;
    if (!b->in_fragment && sp_str_ends_with(text, SP_STR("?"))) {
        b->bare_question = b->rest.len;
        b->empty_behind = 0;
    }
    follow_structure(b, text, true);
}

static void append_value(builder_t *b, sp_str_t value, sp_value_kind_t kind)
{
    sp_octets_t octets = SP_OCTETS_SENT;

    if (kind == SP_VALUE_DECODED) {
        octets = b->in_query || b->in_fragment ? SP_OCTETS_DECODED_QUERY : SP_OCTETS_DECODED_PATH;
    }
    if (value.len == 0) {
        ++b->empty_behind;
        return;
    }
    sp_url_append(&b->rest, value, octets);
    if (kind != SP_VALUE_DECODED) {
        follow_structure(b, value, false);
    }
}

/* ---- values in the authority (TO-5) ---- */

static bool fits_into_a_label(sp_str_t value)
{
    for (size_t i = 0; i != value.len; ++i) {
        if (!sp_is_alnum(value.ptr[i]) && value.ptr[i] != '-') {
            return false;
        }
    }
    return true;
}

/* Nothing of the record's own text belongs to the authority behind this part. */
static bool ends_authority(const builder_t *b, size_t part)
{
    for (size_t i = part + 1; i != b->template->part_count; ++i) {
        const sp_template_part_t *next = &b->template->parts[i];

        if (next->kind == SP_PH_LITERAL) {
            return find_delimiter(sp_template_part_text(next)) == 0;
        }
        if (next->kind == SP_PH_URI || next->kind == SP_PH_PATH || next->kind == SP_PH_DIR) {
            return true;
        }
    }
    return true;
}

static sp_status_t append_to_authority(builder_t *b, size_t part, sp_str_t value,
                                       sp_value_kind_t kind)
{
    sp_str_t so_far = sp_buf_str(&b->authority);

    if (kind == SP_VALUE_OWN_HOST) {
        sp_buf_append(&b->authority, value);
        return SP_OK;
    }
    if (kind == SP_VALUE_PATH ||
        (sp_str_starts_with(value, SP_STR("/")) && ends_authority(b, part))) {
        b->in_authority = false;
        append_value(b, value, kind);
        return SP_OK;
    }
    if (value.len == 0) {
        return SP_OK;
    }
    if (!fits_into_a_label(value) || sp_str_find(so_far, '.') != so_far.len ||
        sp_str_find(so_far, ':') != so_far.len || sp_str_find(so_far, '@') != so_far.len ||
        sp_str_find(so_far, '[') != so_far.len) {
        return faulty(b, "the visitor would choose the target's host: an open redirect");
    }
    b->needs_labels = true;
    sp_buf_append(&b->authority, value);
    return SP_OK;
}

/* Two labels of the record or of the request's own host must stand behind the one with the value.
 */
static sp_status_t check_labels_behind(const builder_t *b, const sp_host_t *host)
{
    size_t labels = 1;
    sp_str_t authority = sp_buf_str(&b->authority);

    if (!b->needs_labels) {
        return SP_OK;
    }
    for (size_t i = 0; i != host->name.len; ++i) {
        labels += host->name.ptr[i] == '.';
    }
    if (labels < 3 || sp_str_find(authority, '@') != authority.len) {
        return faulty(b, "the visitor would choose the target's host: an open redirect");
    }
    return SP_OK;
}

/* ---- expansion ---- */

static sp_status_t expand_part(builder_t *b, size_t index)
{
    const sp_template_part_t *part = &b->template->parts[index];
    sp_value_kind_t kind = SP_VALUE_NONE;
    sp_str_t value = sp_template_part_text(part);
    sp_status_t status = SP_OK;

    if (part->kind == SP_PH_LITERAL) {
        append_record_text(b, value);
        return SP_OK;
    }
    status = sp_value_of(part, b->request, b->values, b->arena, &kind, &value);
    if (status != SP_OK) {
        return status;
    }
    if (kind == SP_VALUE_FAULTY) {
        return sp_fail(b->err, SP_BAD_VALUE, 0, "the host has no label for {%.*s}", (int)part->len,
                       part->text);
    }
    if (kind == SP_VALUE_NONE) {
        /* The braces belong to the record's text: one octet on either side. */
        append_record_text(b, (sp_str_t){.ptr = part->text - 1, .len = (size_t)part->len + 2});
        return SP_OK;
    }
    if (b->in_authority) {
        return append_to_authority(b, index, value, kind);
    }
    append_value(b, value, kind);
    return SP_OK;
}

static sp_status_t expand(builder_t *b)
{
    size_t part = 0;
    size_t offset = 0;
    sp_status_t status = SP_OK;

    find_authority(b, &part, &offset);
    if (offset != 0) {
        append_record_text(b,
                           sp_str_skip(sp_template_part_text(&b->template->parts[part]), offset));
        ++part;
    }
    for (; status == SP_OK && part != b->template->part_count; ++part) {
        status = expand_part(b, part);
    }
    /* TO-4 */
    if (b->bare_question != 0 && b->bare_question == b->rest.len && b->empty_behind != 0) {
        b->rest.len -= 1;
    }
    return status;
}

/* ---- the finished target ---- */

/* A text without scheme or host must not have got one from the values in it. */
static sp_status_t check_reference(const builder_t *b, const sp_url_t *url)
{
    sp_str_t segment = sp_str_slice(url->path, 0, sp_str_find(url->path, '/'));

    if (url->authority.ptr != NULL) {
        return faulty(b, "the visitor would choose the target's host: an open redirect");
    }
    if (url->scheme.ptr != NULL) {
        return scheme_is_allowed(url->scheme, SP_TARGET_LOCATION)
                   ? faulty(b, "the target has a scheme, but no host behind '//'")
                   : faulty(b, "the target's scheme must be http or https");
    }
    if (sp_str_find(segment, ':') != segment.len) {
        return faulty(b, "the target has neither a valid scheme nor is it a path (RFC 3986, 4.2)");
    }
    if (sp_str_find(segment, '.') != segment.len && !sp_str_eq(segment, SP_STR(".")) &&
        !sp_str_eq(segment, SP_STR(".."))) {
        return faulty(b, "the target has no https:// in front of its host");
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
static sp_status_t check_loop(const builder_t *b, const sp_url_t *url, const sp_host_t *host)
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
        return faulty(b, "the target is the requested URL itself: a loop");
    }
    return SP_OK;
}

static sp_status_t write_target(builder_t *b, const sp_url_t *url, sp_target_t *ret_target)
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
        return faulty(b, "the finished target is too long");
    }
    *ret_target = (sp_target_t){.text = sp_buf_str(&text), .url = *url};
    return text.status;
}

static sp_status_t finish_absolute(builder_t *b, sp_target_use_t use, sp_target_t *ret_target)
{
    sp_url_t url;
    sp_host_t host;
    sp_status_t status = SP_OK;

    sp_url_split_path(sp_buf_str(&b->rest), &url);
    url.scheme = b->scheme;
    if (b->scheme.len == 0 ? use != SP_TARGET_LOCATION : !scheme_is_allowed(b->scheme, use)) {
        return faulty(b, use == SP_TARGET_REPOSITORY
                             ? "the target must be a URL with a scheme that the go command takes"
                             : "the target's scheme must be http or https");
    }
    status = sp_authority_read(sp_buf_str(&b->authority), b->arena, &url.authority, &host, b->err);
    if (status == SP_OK) {
        status = check_labels_behind(b, &host);
    }
    if (status == SP_OK && use == SP_TARGET_LOCATION) {
        status = check_loop(b, &url, &host);
    }
    return status == SP_OK ? write_target(b, &url, ret_target) : status;
}

static sp_status_t finish_relative(builder_t *b, sp_target_use_t use, sp_target_t *ret_target)
{
    sp_url_t url;
    sp_str_t base_path;
    sp_str_t base_query;
    sp_status_t status = SP_OK;

    sp_url_split(sp_buf_str(&b->rest), &url);
    if (use != SP_TARGET_LOCATION) {
        return faulty(b, "the target must be an absolute URL");
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

sp_status_t sp_target_finish(const sp_template_t *template, const sp_expansion_t *expansion,
                             sp_target_use_t use, sp_target_t *ret_target, sp_error_t *err)
{
    sp_arena_t *arena = expansion->arena;
    builder_t b = {.template = template,
                   .request = expansion->request,
                   .values = expansion->values,
                   .arena = arena,
                   .err = err};
    sp_status_t status = SP_OK;

    sp_buf_init(&b.authority, arena, SP_LOCATION_MAX);
    sp_buf_init(&b.rest, arena, SP_LOCATION_MAX);
    status = expand(&b);
    if (status != SP_OK) {
        return status;
    }
    if (b.authority.status != SP_OK || b.rest.status != SP_OK) {
        return b.authority.status == SP_NO_MEMORY || b.rest.status == SP_NO_MEMORY
                   ? SP_NO_MEMORY
                   : faulty(&b, "the finished target is too long");
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
    template->text = text;
    template->part_count = 1;
    template->parts[0] = (sp_template_part_t){
        .text = text.ptr, .len = (uint16_t)text.len, .kind = (uint8_t)SP_PH_LITERAL};
    if (text.len > UINT16_MAX) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the finished target is too long");
    }
    return sp_target_finish(template,
                            &(sp_expansion_t){.request = request, .values = &none, .arena = arena},
                            SP_TARGET_LOCATION, ret_target, err);
}
