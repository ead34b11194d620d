/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/rule/location.h>

/* ---- percent-encoding ---- */

static bool is_data(char c, sp_octets_t octets)
{
    switch (octets) {
    case SP_OCTETS_RECORD:
        return false;
    case SP_OCTETS_SENT:
        return c == '#';
    case SP_OCTETS_DECODED_PATH:
        return c == '?' || c == '#';
    case SP_OCTETS_DECODED_QUERY:
        return c == '&' || c == '+' || c == '#';
    }
    return true;
}

static bool keeps_escapes(sp_octets_t octets)
{
    return octets == SP_OCTETS_RECORD || octets == SP_OCTETS_SENT;
}

void sp_url_append_escape(sp_buf_t *buf, unsigned char octet)
{
    static const char digits[] = "0123456789ABCDEF";
    const char escape[] = {'%', digits[octet >> 4], digits[octet & 15]};

    sp_buf_append(buf, (sp_str_t){.ptr = escape, .len = sizeof(escape)});
}

void sp_url_append(sp_buf_t *buf, sp_str_t text, sp_octets_t octets)
{
    size_t begin = 0;

    /* Runs of octets that stay as they are are copied at once. */
    for (size_t i = 0; i != text.len; ++i) {
        char c = text.ptr[i];

        if ((sp_octet_is(c, SP_OCTET_URL) && !is_data(c, octets)) ||
            (c == '%' && keeps_escapes(octets) && sp_percent_octet(text, i) >= 0)) {
            continue;
        }
        sp_buf_append(buf, sp_str_slice(text, begin, i));
        sp_url_append_escape(buf, (unsigned char)c);
        begin = i + 1;
    }
    sp_buf_append(buf, sp_str_skip(text, begin));
}

/* ---- parts ---- */

static size_t find_any(sp_str_t text, sp_str_t octets)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (sp_str_find(octets, text.ptr[i]) != octets.len) {
            return i;
        }
    }
    return text.len;
}

static bool is_scheme(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        char c = text.ptr[i];

        if (!sp_is_alpha(c) && (i == 0 || (!sp_is_digit(c) && c != '+' && c != '-' && c != '.'))) {
            return false;
        }
    }
    return text.len != 0;
}

/* Cuts the part behind `mark` off *text, which keeps what is in front; ptr NULL when there is no
 * mark. */
static sp_str_t cut_behind(sp_str_t *text, char mark)
{
    size_t at = sp_str_find(*text, mark);
    sp_str_t behind = {.ptr = NULL, .len = 0};

    if (at != text->len) {
        behind = sp_str_skip(*text, at + 1);
        *text = sp_str_slice(*text, 0, at);
    }
    return behind;
}

void sp_url_split_path(sp_str_t text, sp_url_t *ret_url)
{
    sp_url_t url = {.path = text};

    url.fragment = cut_behind(&url.path, '#');
    url.query = cut_behind(&url.path, '?');
    *ret_url = url;
}

void sp_url_split(sp_str_t text, sp_url_t *ret_url)
{
    sp_url_t url;
    sp_str_t scheme = {.ptr = NULL, .len = 0};
    size_t colon = find_any(text, SP_STR(":/?#"));

    if (colon != text.len && text.ptr[colon] == ':' && is_scheme(sp_str_slice(text, 0, colon))) {
        scheme = sp_str_slice(text, 0, colon);
        text = sp_str_skip(text, colon + 1);
    }
    sp_url_split_path(text, &url);
    url.scheme = scheme;
    if (sp_str_starts_with(url.path, SP_STR("//"))) {
        sp_str_t rest = sp_str_skip(url.path, 2);
        size_t slash = sp_str_find(rest, '/');

        url.authority = sp_str_slice(rest, 0, slash);
        url.path = sp_str_skip(rest, slash);
    }
    *ret_url = url;
}

/* ---- authority ---- */

static sp_status_t check_host(sp_str_t host, sp_error_t *err)
{
    sp_str_t name =
        sp_str_ends_with(host, SP_STR(".")) ? sp_str_slice(host, 0, host.len - 1) : host;

    if (host.len != 0 && host.ptr[0] == '[') {
        return sp_ipv6_is_valid(sp_str_slice(host, 1, host.len - 1))
                   ? SP_OK
                   : sp_fail(err, SP_BAD_VALUE, 0,
                             "there is no IPv6 address between the brackets of the target's host");
    }
    if (name.len == 0) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the target has no host");
    }
    for (sp_str_t rest = name; rest.ptr != NULL;) {
        sp_str_t label = sp_str_cut(rest, '.', &rest);

        if (label.len == 0) {
            return sp_fail(err, SP_BAD_VALUE, 0, "the target's host has an empty label");
        }
        for (size_t i = 0; i != label.len; ++i) {
            if (!sp_octet_is(label.ptr[i], SP_OCTET_LABEL)) {
                return sp_fail(err, SP_BAD_VALUE, 0,
                               "the target's host has a character that no host has");
            }
        }
    }
    return SP_OK;
}

/* Splits off the colon and the port; the host keeps its brackets. */
static sp_status_t cut_port(sp_str_t *host, sp_str_t *ret_colon_port, sp_error_t *err)
{
    bool bracketed = host->len != 0 && host->ptr[0] == '[';
    size_t from = bracketed ? sp_str_find(*host, ']') : 0;
    size_t colon = from + sp_str_find(sp_str_skip(*host, from), ':');

    *ret_colon_port = sp_str_skip(*host, colon);
    *host = sp_str_slice(*host, 0, colon);
    if (bracketed && !sp_str_ends_with(*host, SP_STR("]"))) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the target's host is not an address in brackets");
    }
    if (ret_colon_port->len > 1 && !sp_port_is_valid(sp_str_skip(*ret_colon_port, 1))) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the target's port is not a number up to 65535");
    }
    return SP_OK;
}

/* Host and port as they are written, checked. */
static sp_status_t read_host(sp_str_t *host, sp_str_t *colon_port, sp_arena_t *arena,
                             sp_error_t *err)
{
    sp_status_t status = cut_port(host, colon_port, err);

    if (status == SP_OK && !sp_str_is_ascii(*host)) {
        status = sp_host_to_ascii(*host, arena, host);
        if (status == SP_BAD_VALUE) {
            return sp_fail(err, status, 0, "the target's host can't be converted to A-labels");
        }
    }
    return status == SP_OK ? check_host(*host, err) : status;
}

sp_status_t sp_authority_read(sp_str_t authority, sp_arena_t *arena, sp_str_t *ret_authority,
                              sp_host_t *ret_host, sp_error_t *err)
{
    size_t at = sp_str_find_last(authority, '@');
    bool has_userinfo = at != authority.len;
    sp_str_t userinfo = has_userinfo ? sp_str_slice(authority, 0, at) : SP_STR("");
    sp_str_t host = has_userinfo ? sp_str_skip(authority, at + 1) : authority;
    sp_str_t colon_port = {.ptr = NULL, .len = 0};
    sp_str_t compared = {.ptr = NULL, .len = 0};
    sp_buf_t written;
    sp_status_t status = read_host(&host, &colon_port, arena, err);

    if (status != SP_OK) {
        return status;
    }
    if (find_any(userinfo, SP_STR("@[]")) != userinfo.len) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the target has more than one '@' before its host");
    }
    sp_buf_init(&written, arena, SP_LOCATION_MAX);
    sp_url_append(&written, userinfo, SP_OCTETS_RECORD);
    sp_buf_append(&written, has_userinfo ? SP_STR("@") : SP_STR(""));
    sp_buf_append(&written, host);
    sp_buf_append(&written, colon_port);
    compared = sp_arena_copy_lower(arena, host);
    if (written.status != SP_OK || compared.ptr == NULL) {
        return written.status == SP_TOO_LONG
                   ? sp_fail(err, SP_BAD_VALUE, 0, "the target's host is too long")
                   : SP_NO_MEMORY;
    }
    compared.len -= sp_str_ends_with(compared, SP_STR("."));
    *ret_authority = sp_buf_str(&written);
    *ret_host = (sp_host_t){.name = compared, .port = sp_str_skip(colon_port, 1)};
    return SP_OK;
}

/* ---- references ---- */

/* RFC 3986, 5.2.4. `path` begins with '/'. */
static void remove_dot_segments(sp_str_t path, sp_buf_t *out)
{
    while (path.len != 0) {
        size_t end = 1 + sp_str_find(sp_str_skip(path, 1), '/');
        sp_str_t segment = sp_str_slice(path, 0, end);
        bool last = end == path.len;

        if (sp_str_eq(segment, SP_STR("/.."))) {
            size_t slash = sp_str_find_last(sp_buf_str(out), '/');

            out->len = out->len == 0 ? 0 : slash;
        }
        if (!sp_str_eq(segment, SP_STR("/.")) && !sp_str_eq(segment, SP_STR("/.."))) {
            sp_buf_append(out, segment);
        } else if (last) {
            sp_buf_append_char(out, '/');
        }
        path = sp_str_skip(path, end);
    }
}

static sp_status_t merge(sp_str_t reference, sp_str_t base_path, sp_arena_t *arena,
                         sp_str_t *ret_path)
{
    sp_buf_t merged;
    sp_buf_t clean;

    sp_buf_init(&merged, arena, SP_LOCATION_MAX);
    sp_buf_init(&clean, arena, SP_LOCATION_MAX);
    if (!sp_str_starts_with(reference, SP_STR("/"))) {
        sp_buf_append(&merged, sp_str_slice(base_path, 0, sp_str_find_last(base_path, '/') + 1));
    }
    sp_buf_append(&merged, reference);
    if (merged.status == SP_OK) {
        remove_dot_segments(sp_buf_str(&merged), &clean);
        merged.status = clean.status;
    }
    *ret_path = sp_buf_str(&clean);
    return merged.status;
}

sp_status_t sp_reference_resolve(const sp_url_t *reference, sp_str_t base_path, sp_str_t base_query,
                                 sp_arena_t *arena, sp_url_t *ret_url, sp_error_t *err)
{
    sp_url_t url = *reference;
    sp_status_t status = SP_OK;

    if (reference->path.len != 0) {
        status = merge(reference->path, base_path, arena, &url.path);
    } else {
        url.path = base_path;
        url.query = reference->query.ptr == NULL ? base_query : reference->query;
    }
    if (status != SP_OK) {
        return sp_fail(err, status, 0, "the target is longer than %d octets", SP_LOCATION_MAX);
    }
    if (sp_str_starts_with(url.path, SP_STR("//"))) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "the target would begin with '//' and leave this host");
    }
    *ret_url = url;
    return SP_OK;
}
