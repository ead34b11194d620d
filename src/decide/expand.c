/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/expand.h"

sp_status_t sp_builder_fault(const sp_builder_t *b, const char *sentence)
{
    return sp_fail(b->err, SP_BAD_VALUE, 0, "%s", sentence);
}

/* ---- where the authority is, by the record's own text ---- */

/* Length of what precedes the authority in the first literal, 0 when there is no authority. */
static size_t read_beginning(sp_builder_t *b, sp_str_t first)
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
static void find_authority(sp_builder_t *b, size_t *ret_part, size_t *ret_offset)
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
static void follow_structure(sp_builder_t *b, sp_str_t text, bool of_record)
{
    size_t hash = of_record ? sp_str_find(text, '#') : text.len;

    b->in_query = b->in_query || sp_str_find(sp_str_slice(text, 0, hash), '?') != hash;
    b->in_fragment = b->in_fragment || hash != text.len;
}

static void append_record_text(sp_builder_t *b, sp_str_t text)
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

static void append_value(sp_builder_t *b, sp_str_t value, sp_value_kind_t kind)
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

static sp_status_t open_redirect(const sp_builder_t *b)
{
    return sp_builder_fault(b, "the visitor would choose the target's host: an open redirect");
}

static bool fits_into_a_label(sp_str_t value)
{
    for (size_t i = 0; i != value.len; ++i) {
        if (!sp_is_alnum(value.ptr[i]) && value.ptr[i] != '-') {
            return false;
        }
    }
    return true;
}

/* Nothing of the record's own text, nor of the request's own host, belongs to the authority behind
 * this part. */
static bool ends_authority(const sp_builder_t *b, size_t part)
{
    for (size_t i = part + 1; i != b->template->part_count; ++i) {
        const sp_template_part_t *next = &b->template->parts[i];

        if (next->kind == SP_PH_LITERAL) {
            return find_delimiter(sp_template_part_text(next)) == 0;
        }
        if (next->kind == SP_PH_URI || next->kind == SP_PH_PATH || next->kind == SP_PH_DIR) {
            return true;
        }
        if (next->kind == SP_PH_HOST || next->kind == SP_PH_HOSTONLY || next->kind == SP_PH_PORT ||
            next->kind == SP_PH_LABEL) {
            return false;
        }
    }
    return true;
}

/* May a visitor's value follow `so_far`, the beginning of the host? Only in its first label; IDNA
 * knows other full stops than the ASCII one. */
static sp_status_t check_first_label(const sp_builder_t *b, sp_str_t so_far)
{
    sp_status_t status = SP_OK;

    if (!sp_str_is_ascii(so_far)) {
        status = sp_host_to_ascii(so_far, b->arena, &so_far);
    }
    for (size_t i = 0; status == SP_OK && i != so_far.len; ++i) {
        status = sp_octet_is(so_far.ptr[i], SP_OCTET_LABEL) ? SP_OK : SP_BAD_VALUE;
    }
    return status == SP_BAD_VALUE ? open_redirect(b) : status;
}

static sp_status_t append_to_authority(sp_builder_t *b, size_t part, sp_str_t value,
                                       sp_value_kind_t kind)
{
    sp_str_t so_far = sp_buf_str(&b->authority);
    sp_status_t status = SP_OK;

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
    status = fits_into_a_label(value) ? check_first_label(b, so_far) : open_redirect(b);
    if (status == SP_OK) {
        b->needs_labels = true;
        sp_buf_append(&b->authority, value);
    }
    return status;
}

/* Two labels of the record or of the request's own host must stand behind the one with the value.
 */
sp_status_t sp_check_labels_behind(const sp_builder_t *b, const sp_host_t *host)
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
        return open_redirect(b);
    }
    return SP_OK;
}

/* ---- expansion ---- */

static sp_status_t expand_part(sp_builder_t *b, size_t index)
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

/* TO-4 */
static void drop_bare_question(sp_builder_t *b)
{
    if (b->bare_question != 0 && b->bare_question == b->rest.len && b->empty_behind != 0) {
        b->rest.len -= 1;
    }
}

sp_status_t sp_expand(sp_builder_t *b)
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
    drop_bare_question(b);
    return status;
}

sp_status_t sp_expand_behind_prefix(sp_builder_t *b)
{
    const sp_template_t *t = b->template;
    sp_status_t status = SP_OK;

    sp_buf_reserve(&b->rest, t->text.len + b->request->uri.len);
    sp_buf_append(&b->rest, sp_str_slice(t->text, 0, t->prefix_len));
    append_record_text(b, sp_str_skip(sp_template_part_text(&t->parts[0]), t->prefix_len));
    for (size_t part = 1; status == SP_OK && part != t->part_count; ++part) {
        status = expand_part(b, part);
    }
    drop_bare_question(b);
    return status;
}
