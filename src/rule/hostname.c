/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/rule/hostname.h>

#include <idn2.h>
#include <string.h>

bool sp_label_is_valid(sp_str_t label)
{
    for (size_t i = 0; i != label.len; ++i) {
        if (!sp_octet_is(label.ptr[i], SP_OCTET_LABEL)) {
            return false;
        }
    }
    return label.len != 0 && label.len <= SP_LABEL_MAX;
}

bool sp_port_is_valid(sp_str_t port)
{
    uint64_t number = 0;

    return sp_str_to_uint(port, 65535, &number);
}

/* ---- literals ---- */

static bool is_ipv4(sp_str_t text)
{
    size_t parts = 0;

    for (sp_str_t rest = text; rest.ptr != NULL; ++parts) {
        sp_str_t part = sp_str_cut(rest, '.', &rest);
        uint64_t number = 0;

        if (!sp_str_to_uint(part, 255, &number) || (part.len > 1 && part.ptr[0] == '0')) {
            return false;
        }
    }
    return parts == 4;
}

static bool is_hex_group(sp_str_t group)
{
    for (size_t i = 0; i != group.len; ++i) {
        if (sp_hex_value(group.ptr[i]) < 0) {
            return false;
        }
    }
    return group.len >= 1 && group.len <= 4;
}

/* Groups of 16 bits in a part that has no "::", or -1. Only the end of an address may be an IPv4
 * address. */
static int count_groups(sp_str_t part, bool is_end)
{
    int groups = 0;

    if (part.len == 0) {
        return 0;
    }
    for (sp_str_t rest = part; rest.ptr != NULL;) {
        sp_str_t group = sp_str_cut(rest, ':', &rest);

        if (rest.ptr == NULL && is_end && is_ipv4(group)) {
            groups += 2;
        } else if (is_hex_group(group)) {
            groups += 1;
        } else {
            return -1;
        }
    }
    return groups;
}

bool sp_ipv6_is_valid(sp_str_t address)
{
    size_t gap = sp_str_search(address, SP_STR("::"));
    bool has_gap = gap != address.len;
    int before = count_groups(sp_str_slice(address, 0, gap), !has_gap);
    int after = has_gap ? count_groups(sp_str_skip(address, gap + 2), true) : 0;

    if (before < 0 || after < 0) {
        return false;
    }
    return has_gap ? before + after <= 7 : before == 8;
}

/* ---- names ---- */

sp_status_t sp_host_to_ascii(sp_str_t host, sp_arena_t *arena, sp_str_t *ret_ascii)
{
    uint8_t *ascii = NULL;
    char *copy = NULL;
    sp_str_t converted;
    int result = 0;

    if (sp_str_find(host, '\0') != host.len) {
        return SP_BAD_VALUE;
    }
    copy = sp_arena_alloc(arena, host.len + 1);
    if (copy == NULL) {
        return SP_NO_MEMORY;
    }
    if (host.len != 0) {
        memcpy(copy, host.ptr, host.len);
    }
    copy[host.len] = '\0';
    result = idn2_lookup_u8((const uint8_t *)copy, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (result != IDN2_OK) {
        return result == IDN2_MALLOC ? SP_NO_MEMORY : SP_BAD_VALUE;
    }
    converted = sp_arena_copy(arena, sp_str_from((const char *)ascii));
    idn2_free(ascii);
    if (converted.ptr == NULL) {
        return SP_NO_MEMORY;
    }
    *ret_ascii = converted;
    return SP_OK;
}

/* In one pass: most names are right, and have no capitals. */
static bool labels_are_valid(sp_str_t name, bool *ret_has_capitals)
{
    size_t begin = 0; /* of the label */
    bool has_capitals = false;

    for (size_t i = 0; i != name.len; ++i) {
        char c = name.ptr[i];

        if (sp_octet_is(c, SP_OCTET_LABEL)) {
            has_capitals |= c >= 'A' && c <= 'Z';
            continue;
        }
        if (c != '.' || i == begin || i - begin > SP_LABEL_MAX) {
            return false;
        }
        begin = i + 1;
    }
    *ret_has_capitals = has_capitals;
    return name.len != begin && name.len - begin <= SP_LABEL_MAX && name.len <= SP_NAME_MAX;
}

/* What is wrong with a name that is not valid. */
static sp_status_t blame_labels(sp_str_t name, sp_error_t *err)
{
    if (name.len > SP_NAME_MAX) {
        return sp_fail(err, SP_TOO_LONG, SP_NAME_MAX, "a host name has at most %d octets",
                       SP_NAME_MAX);
    }
    for (sp_str_t rest = name; rest.ptr != NULL;) {
        sp_str_t label = sp_str_cut(rest, '.', &rest);
        size_t offset = (size_t)(label.ptr - name.ptr);

        if (label.len == 0) {
            return sp_fail(err, SP_BAD_VALUE, offset, "the host name has an empty label");
        }
        if (label.len > SP_LABEL_MAX) {
            return sp_fail(err, SP_TOO_LONG, offset, "a label of a host name has at most %d octets",
                           SP_LABEL_MAX);
        }
        if (!sp_label_is_valid(label)) {
            return sp_fail(err, SP_BAD_VALUE, offset,
                           "a host name is made of letters, digits, '-', '_' and '.' only");
        }
    }
    return SP_OK;
}

static sp_str_t without_final_dot(sp_str_t name)
{
    return name.len > 1 && name.ptr[name.len - 1] == '.' ? sp_str_slice(name, 0, name.len - 1)
                                                         : name;
}

static sp_status_t lower(sp_str_t name, sp_arena_t *arena, sp_str_t *ret_name)
{
    sp_str_t lowered = sp_arena_copy_lower(arena, name);

    if (lowered.ptr == NULL) {
        return SP_NO_MEMORY;
    }
    *ret_name = lowered;
    return SP_OK;
}

static bool last_label_is_a_number(sp_str_t name)
{
    size_t dot = sp_str_find_last(name, '.');
    sp_str_t last = dot == name.len ? name : sp_str_skip(name, dot + 1);

    for (size_t i = 0; i != last.len; ++i) {
        if (!sp_is_digit(last.ptr[i])) {
            return false;
        }
    }
    return last.len != 0;
}

/* A name in need of conversion, or one that is not valid. */
static sp_status_t read_odd_name(sp_str_t text, sp_arena_t *arena, sp_host_t *host, sp_error_t *err)
{
    bool converted = !sp_str_is_ascii(text);
    bool has_capitals = false;
    sp_status_t status = SP_OK;

    if (converted) {
        status = sp_host_to_ascii(text, arena, &text);
    }
    if (status == SP_OK) {
        status = lower(without_final_dot(text), arena, &host->name);
    }
    if (status != SP_OK) {
        return sp_fail(err, status, 0, "the host name can't be converted to A-labels (IDNA 2008)");
    }
    status = labels_are_valid(host->name, &has_capitals) ? SP_OK : blame_labels(host->name, err);
    if (status != SP_OK && converted && err != NULL) {
        err->offset = 0; /* it was counted in another text than the caller's */
    }
    return status;
}

static sp_status_t read_name(sp_str_t text, sp_arena_t *arena, sp_host_t *host, sp_error_t *err)
{
    bool has_capitals = false;
    sp_status_t status = SP_OK;

    host->name = without_final_dot(text);
    if (!labels_are_valid(host->name, &has_capitals)) {
        status = read_odd_name(text, arena, host, err);
    } else if (has_capitals) {
        status = lower(host->name, arena, &host->name);
    }
    host->is_address = status == SP_OK && last_label_is_a_number(host->name);
    return status;
}

/* "[…]" up to and with its bracket. */
static sp_status_t read_bracketed(sp_str_t literal, sp_arena_t *arena, sp_host_t *host,
                                  sp_error_t *err)
{
    if (!sp_ipv6_is_valid(sp_str_slice(literal, 1, literal.len - 1))) {
        return sp_fail(err, SP_BAD_VALUE, 1, "there is no IPv6 address between the brackets");
    }
    host->is_address = true;
    return lower(literal, arena, &host->name);
}

sp_status_t sp_host_read(sp_str_t text, sp_arena_t *arena, sp_host_t *ret_host, sp_error_t *err)
{
    sp_host_t host = {.is_address = false};
    bool bracketed = text.len != 0 && text.ptr[0] == '[';
    size_t end = bracketed ? sp_str_find(text, ']') + 1 : sp_str_find(text, ':');
    sp_str_t rest = sp_str_skip(text, end);
    sp_status_t status = SP_OK;

    if (end == 0 || text.len == 0) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the request names no host");
    }
    if (end > text.len) {
        return sp_fail(err, SP_BAD_VALUE, 0, "the bracket around the IPv6 address is not closed");
    }
    if (rest.len != 0) {
        host.port = sp_str_skip(rest, 1);
        if (rest.ptr[0] != ':' || !sp_port_is_valid(host.port)) {
            return sp_fail(err, SP_BAD_VALUE, end,
                           "behind the host only ':' and a port up to 65535 may follow");
        }
    }
    status = bracketed ? read_bracketed(sp_str_slice(text, 0, end), arena, &host, err)
                       : read_name(sp_str_slice(text, 0, end), arena, &host, err);
    if (status == SP_OK) {
        *ret_host = host;
    }
    return status;
}
