/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_values.h"

#include <signpost/rule/hostname.h>

#define EMAIL_MAX 254 /* RFC 5321, 4.5.3.1.3, without the brackets */
#define TOKEN_MAX 1024

static sp_status_t keep(sp_str_t text, sp_arena_t *arena, void *ret_field, sp_error_t *err)
{
    sp_str_t *field = ret_field;
    sp_str_t copy = text.len == 0 ? SP_STR("") : sp_arena_copy(arena, text);

    if (copy.ptr == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    *field = copy;
    return SP_OK;
}

/* Visible ASCII without what would have to be escaped in JSON. */
static bool is_plain(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~' || text.ptr[i] == '"' || text.ptr[i] == '\\') {
            return false;
        }
    }
    return true;
}

sp_status_t sp_config_parse_https_url(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                      sp_error_t *err)
{
    if (!sp_str_starts_with_nocase(text, SP_STR("https://")) || text.len > SP_ACME_DIRECTORY_MAX) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "expected an https URL of at most %d octets, such as "
                       "https://acme.example.net/directory",
                       SP_ACME_DIRECTORY_MAX);
    }
    return sp_config_parse_url(text, arena, ret_field, err);
}

sp_status_t sp_config_parse_email(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                  sp_error_t *err)
{
    size_t at = sp_str_find_last(text, '@');

    if (text.len != 0 && (text.len > EMAIL_MAX || at == 0 || at + 1 >= text.len ||
                          !is_plain(text) || sp_str_find(text, ',') != text.len)) {
        return sp_fail(err, SP_BAD_VALUE, 0, "expected one address, such as admin@example.com");
    }
    return keep(text, arena, ret_field, err);
}

sp_status_t sp_config_parse_token(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                  sp_error_t *err)
{
    if (text.len == 0 || text.len > TOKEN_MAX || !is_plain(text)) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "expected what the authority has given: 1 to %d visible ASCII characters "
                       "without '\"' and '\\'",
                       TOKEN_MAX);
    }
    return keep(text, arena, ret_field, err);
}

/* A secret: its text is never repeated in a message. */
sp_status_t sp_config_parse_base64url(sp_str_t text, sp_arena_t *arena, void *ret_field,
                                      sp_error_t *err)
{
    bool good = text.len != 0 && text.len <= TOKEN_MAX;

    for (size_t i = 0; good && i != text.len; ++i) {
        char c = text.ptr[i];

        good = sp_is_alnum(c) || c == '-' || c == '_' || (c == '=' && i + 3 > text.len);
    }
    if (!good) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "expected what the authority has given: 1 to %d characters of base64url "
                       "(A-Z, a-z, 0-9, '-' and '_')",
                       TOKEN_MAX);
    }
    return keep(text, arena, ret_field, err);
}

sp_status_t sp_config_parse_host(sp_str_t text, sp_arena_t *arena, void *ret_field, sp_error_t *err)
{
    sp_host_t host = {.is_address = true};

    if (sp_host_read(text, arena, &host, NULL) != SP_OK || host.is_address || host.port.len != 0) {
        return sp_fail(err, SP_BAD_VALUE, 0, "expected a host name, such as letsencrypt.org");
    }
    return keep(host.name, arena, ret_field, err);
}
