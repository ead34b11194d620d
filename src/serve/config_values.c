/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_values.h"

#include "dns/resolver_address.h"
#include "tls/name.h"

#include <string.h>

#define PATH_OCTETS_MAX 4095
#define URL_OCTETS_MAX 2048

static int shown(sp_str_t text)
{
    return text.len > 60 ? 60 : (int)text.len;
}

/* Ends in NUL; NULL when memory is out. */
static const char *copy_text(sp_str_t text, sp_arena_t *arena)
{
    char *copy = sp_arena_zalloc(arena, text.len + 1, 1);

    if (copy != NULL && text.len != 0) {
        memcpy(copy, text.ptr, text.len);
    }
    return copy;
}

sp_status_t sp_config_parse_address(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                    sp_error_t *err)
{
    return sp_address_parse(text, arena, ret_field, err);
}

sp_status_t sp_config_parse_resolver(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                     sp_error_t *err)
{
    (void)arena;
    return sp_resolver_parse(text, ret_field, err);
}

sp_status_t sp_config_parse_network(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                    sp_error_t *err)
{
    (void)arena;
    return sp_network_parse(text, ret_field, err);
}

sp_status_t sp_config_parse_path(sp_str_t text, sp_arena_t *arena, void *ret_field, sp_error_t *err)
{
    const char **field = ret_field;
    const char *copy;

    if (text.len == 0 || text.len > PATH_OCTETS_MAX) {
        return sp_fail(err, SP_BAD_VALUE, 0, "expected a path of 1 to %d octets", PATH_OCTETS_MAX);
    }
    copy = copy_text(text, arena);
    if (copy == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    *field = copy;
    return SP_OK;
}

sp_status_t sp_config_parse_colour(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                   sp_error_t *err)
{
    uint32_t *field = ret_field;
    sp_str_t digits = sp_str_starts_with(text, SP_STR("#")) ? sp_str_skip(text, 1) : text;
    uint32_t value = 0;
    bool good = digits.len == 6 || digits.len == 8;

    (void)arena;
    for (size_t i = 0; good && i != digits.len; ++i) {
        int digit = sp_hex_value(digits.ptr[i]);

        good = digit >= 0;
        value = (value << 4U) | ((uint32_t)digit & 0xfU);
    }
    if (!good) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "'%.*s' is no colour; expected rrggbb or rrggbbaa, hexadecimal", shown(text),
                       text.ptr);
    }
    *field = digits.len == 6 ? (value << 8U) | 0xffU : value; /* opaque */
    return SP_OK;
}

/* Octets that a URI may hold (RFC 3986, 2): reserved, unreserved, and "%" before two digits. */
static size_t find_bad_octet(sp_str_t url)
{
    size_t at = 0;

    while (at != url.len &&
           (sp_is_alnum(url.ptr[at]) || sp_percent_octet(url, at) >= 0 ||
            (url.ptr[at] != '\0' && strchr("-._~:/?#[]@!$&'()*+,;=", url.ptr[at]) != NULL))) {
        ++at;
    }
    return at;
}

/* What stands between "://" and the path, without userinfo. */
static sp_str_t url_authority(sp_str_t url)
{
    sp_str_t authority = sp_str_skip(url, sp_str_search(url, SP_STR("://")) + 3);
    size_t end = 0;

    while (end != authority.len && strchr("/?#", authority.ptr[end]) == NULL) {
        ++end;
    }
    authority = sp_str_slice(authority, 0, end);
    if (sp_str_find(authority, '@') != authority.len) {
        authority = sp_str_skip(authority, sp_str_find_last(authority, '@') + 1);
    }
    return authority;
}

/* A host is there, and what follows it is nothing or a usable port (an empty one is: RFC 3986,
 * 3.2.3). */
static bool is_authority(sp_str_t authority)
{
    uint64_t port;
    size_t host_len = sp_str_starts_with(authority, SP_STR("[")) ? sp_str_find(authority, ']') + 1
                                                                 : sp_str_find(authority, ':');
    sp_str_t rest = sp_str_skip(authority, host_len);

    if (host_len == 0 || host_len > authority.len) {
        return false;
    }
    return rest.len == 0 || (rest.ptr[0] == ':' &&
                             (rest.len == 1 || sp_str_to_uint(sp_str_skip(rest, 1), 65535, &port)));
}

static bool is_web_url(sp_str_t url)
{
    return (sp_str_starts_with_nocase(url, SP_STR("http://")) ||
            sp_str_starts_with_nocase(url, SP_STR("https://"))) &&
           is_authority(url_authority(url));
}

sp_status_t sp_config_parse_url(sp_str_t text, sp_arena_t *arena, void *ret_field, sp_error_t *err)
{
    sp_str_t *field = ret_field;
    size_t bad = find_bad_octet(text);

    if (bad != text.len && (text.ptr[bad] == '{' || text.ptr[bad] == '}')) {
        return sp_fail(err, SP_BAD_VALUE, bad,
                       "placeholders are not expanded here: expected a whole URL, without { and }");
    }
    if (bad != text.len) {
        return sp_fail(err, SP_BAD_VALUE, bad,
                       "a URL can't hold the octet 0x%02x as it is; percent-encode it",
                       (unsigned)(unsigned char)text.ptr[bad]);
    }
    if (text.len > URL_OCTETS_MAX) {
        return sp_fail(err, SP_TOO_LONG, 0, "a URL has at most %d octets here", URL_OCTETS_MAX);
    }
    if (text.len != 0 && !is_web_url(text)) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "'%.*s' is no absolute http or https URL; expected one such as "
                       "https://www.example.com/, or \"\" for none",
                       shown(text), text.ptr);
    }
    *field = (sp_str_t){.ptr = copy_text(text, arena), .len = text.len};
    return field->ptr == NULL ? sp_fail(err, SP_NO_MEMORY, 0, "out of memory") : SP_OK;
}

sp_status_t sp_config_parse_certificate(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                        sp_error_t *err)
{
    const char **field = ret_field;
    char memory[SP_TLS_NAME_MAX];
    size_t skipped = sp_str_starts_with(text, SP_STR("*.")) ? 2 : 0;
    sp_str_t name;

    if (text.len != 0 && !sp_tls_name_read(sp_str_skip(text, skipped), memory, &name)) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "'%.*s' is no host name; expected that of a certificate, such as "
                       "www.example.com or *.example.com, or \"\" for none",
                       shown(text), text.ptr);
    }
    name = sp_arena_copy_lower(arena, text);
    *field = name.ptr == NULL ? NULL : copy_text(name, arena);
    return *field == NULL ? sp_fail(err, SP_NO_MEMORY, 0, "out of memory") : SP_OK;
}
