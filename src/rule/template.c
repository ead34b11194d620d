/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/rule/template.h>

#include <signpost/rule/location.h>

/* The placeholders whose name is all there is to them. To add one: a row here, a kind in
 * template.h, its value in decide/values.c. */
static const struct {
    const char *name;
    sp_placeholder_t kind;
} plain_names[] = {
    {"uri", SP_PH_URI},
    {"path", SP_PH_PATH},
    {"query", SP_PH_QUERY},
    {"uri_escaped", SP_PH_URI_ESCAPED},
    {"path_escaped", SP_PH_PATH_ESCAPED},
    {"query_escaped", SP_PH_QUERY_ESCAPED},
    {"dir", SP_PH_DIR},
    {"file", SP_PH_FILE},
    {"host", SP_PH_HOST},
    {"hostonly", SP_PH_HOSTONLY},
    {"port", SP_PH_PORT},
    {"scheme", SP_PH_SCHEME},
    {"method", SP_PH_METHOD},
    {"user", SP_PH_USER},
    {"fragment", SP_PH_FRAGMENT},
};

static bool all_word_characters(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (!sp_is_alnum(text.ptr[i]) && text.ptr[i] != '_') {
            return false;
        }
    }
    return text.len != 0;
}

/* A number up to 65535; greater ones stand for a value that is never there. */
static uint16_t read_number(sp_str_t digits, uint16_t when_too_large)
{
    uint64_t number = 0;

    return sp_str_to_uint(digits, UINT16_MAX, &number) ? (uint16_t)number : when_too_large;
}

static bool all_digits(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (!sp_is_digit(text.ptr[i])) {
            return false;
        }
    }
    return text.len != 0;
}

static void set_part(sp_template_part_t *part, sp_placeholder_t kind, sp_str_t text,
                     uint16_t number)
{
    *part = (sp_template_part_t){
        .text = text.ptr, .len = (uint16_t)text.len, .number = number, .kind = (uint8_t)kind};
}

/* {?key}, {>Name}, {~name}: anything between the mark and the closing brace. */
static bool read_marked(sp_str_t inner, sp_template_part_t *ret_part)
{
    static const struct {
        char mark;
        sp_placeholder_t kind;
    } marks[] = {{'?', SP_PH_PARAMETER}, {'>', SP_PH_HEADER}, {'~', SP_PH_COOKIE}};

    for (size_t i = 0; i != SP_COUNT(marks); ++i) {
        if (inner.ptr[0] == marks[i].mark && inner.len > 1) {
            set_part(ret_part, marks[i].kind, sp_str_skip(inner, 1), 0);
            return true;
        }
    }
    return false;
}

/* What stands between two braces; false when that is no placeholder. */
static bool read_placeholder(sp_str_t inner, sp_template_part_t *ret_part)
{
    sp_str_t name = inner.len != 0 && inner.ptr[0] == '$' ? sp_str_skip(inner, 1) : inner;

    if (inner.len == 0) {
        return false;
    }
    if (read_marked(inner, ret_part)) {
        return true;
    }
    for (size_t i = 0; i != SP_COUNT(plain_names); ++i) {
        if (sp_str_eq(inner, sp_str_from(plain_names[i].name))) {
            set_part(ret_part, plain_names[i].kind, inner, 0);
            return true;
        }
    }
    if (!all_word_characters(name)) {
        return false;
    }
    if (sp_str_starts_with(inner, SP_STR("label"))) {
        set_part(ret_part, SP_PH_LABEL, inner, read_number(sp_str_skip(inner, 5), 0));
    } else if (all_digits(name)) {
        set_part(ret_part, name.len == inner.len ? SP_PH_VALUE : SP_PH_SEGMENT, inner,
                 read_number(name, UINT16_MAX));
    } else {
        set_part(ret_part, SP_PH_GROUP, inner, 0);
    }
    return true;
}

/* The next placeholder at or behind `from`: where its braces begin and end. */
static bool find_placeholder(sp_str_t text, size_t from, size_t *ret_begin, size_t *ret_end,
                             sp_template_part_t *ret_part)
{
    for (size_t at = from; at < text.len; ++at) {
        sp_str_t rest = sp_str_skip(text, at + 1);
        size_t close = 0;

        if (text.ptr[at] != '{') {
            continue;
        }
        close = sp_str_find(rest, '}');
        if (close == rest.len) {
            return false;
        }
        if (sp_str_find(sp_str_slice(rest, 0, close), '{') == close &&
            read_placeholder(sp_str_slice(rest, 0, close), ret_part)) {
            *ret_begin = at;
            *ret_end = at + 1 + close + 1;
            return true;
        }
    }
    return false;
}

/* Parts of `text`, written to `parts` unless that is NULL. */
static size_t split(sp_str_t text, sp_template_part_t *parts)
{
    size_t count = 0;
    size_t at = 0;

    while (at < text.len) {
        sp_template_part_t part;
        size_t begin = text.len;
        size_t end = text.len;
        bool found = find_placeholder(text, at, &begin, &end, &part);

        if (begin != at) {
            if (parts != NULL) {
                set_part(&parts[count], SP_PH_LITERAL, sp_str_slice(text, at, begin), 0);
            }
            ++count;
        }
        if (found) {
            if (parts != NULL) {
                parts[count] = part;
            }
            ++count;
        }
        at = end;
    }
    return count;
}

/* Does the authority end where this literal ends? */
static bool ends_with_literal(const sp_template_t *parsed)
{
    if (parsed->part_count == 1) {
        return true;
    }
    switch ((int)parsed->parts[1].kind) {
    case SP_PH_URI:
    case SP_PH_PATH:
    case SP_PH_DIR:
        return true; /* these begin with '/' */
    default:
        return false;
    }
}

/* Most targets lead to a host that the record names in full: what can be said of it is said here,
 * not at each request. SP_OK also where there is nothing to say. */
static sp_status_t check_prefix(sp_template_t *parsed)
{
    sp_str_t first = sp_template_part_text(&parsed->parts[0]);
    sp_url_t url;
    sp_str_t authority;
    sp_host_t host;
    sp_arena_t arena;
    char memory[512];
    sp_status_t status = SP_OK;

    sp_url_split(first, &url);
    if (parsed->parts[0].kind != SP_PH_LITERAL || url.authority.len == 0 ||
        (!sp_str_eq_nocase(url.scheme, SP_STR("http")) &&
         !sp_str_eq_nocase(url.scheme, SP_STR("https"))) ||
        sp_str_find(url.authority, '@') != url.authority.len) {
        return SP_OK;
    }
    if (url.authority.ptr + url.authority.len == first.ptr + first.len &&
        !ends_with_literal(parsed)) {
        return SP_OK;
    }
    sp_arena_init(&arena, memory, sizeof(memory), sizeof(memory));
    status = sp_authority_read(url.authority, &arena, &authority, &host, NULL);
    if (status == SP_OK && sp_str_eq(authority, url.authority)) {
        parsed->prefix_len = (uint16_t)(url.scheme.len + 3 + authority.len);
        parsed->host_at = (uint16_t)(url.scheme.len + 3);
        parsed->host_len = (uint16_t)host.name.len;
    }
    sp_arena_clear(&arena);
    return status == SP_NO_MEMORY ? status : SP_OK;
}

const sp_template_t *sp_template_parse(sp_str_t text, sp_arena_t *arena)
{
    sp_template_t *parsed = NULL;
    size_t count = split(text, NULL);
    size_t bytes = 0;

    if (text.len > UINT16_MAX || !sp_array_size(count, sizeof(parsed->parts[0]), &bytes) ||
        (parsed = sp_arena_alloc(arena, sizeof(*parsed) + bytes)) == NULL) {
        return NULL;
    }
    *parsed = (sp_template_t){.text = text, .part_count = (uint16_t)count};
    (void)split(text, parsed->parts);
    return count == 0 || check_prefix(parsed) == SP_OK ? parsed : NULL;
}
