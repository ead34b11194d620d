/* SPDX-License-Identifier: Apache-2.0 */

/* A target: its parts make up its text again; expanding it never crashes, and what comes out is a
 * URL that leads where the text says. */

#include <signpost/base/buf.h>
#include <stdlib.h>
#include <string.h>

#include "decide/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* What stands between a placeholder's brace and its text. */
static sp_str_t mark_of(sp_placeholder_t kind)
{
    return kind == SP_PH_PARAMETER ? SP_STR("?")
           : kind == SP_PH_HEADER  ? SP_STR(">")
           : kind == SP_PH_COOKIE  ? SP_STR("~")
                                   : SP_STR("");
}

static void check_parts(const sp_template_t *template, sp_arena_t *arena)
{
    sp_buf_t joined;

    sp_buf_init(&joined, arena, SIZE_MAX / 2);
    for (size_t i = 0; i != template->part_count; ++i) {
        const sp_template_part_t *part = &template->parts[i];
        bool literal = part->kind == SP_PH_LITERAL;

        require(!literal || part->len != 0);
        require(!literal || i == 0 || template->parts[i - 1].kind != SP_PH_LITERAL);
        sp_buf_append(&joined, literal ? SP_STR("") : SP_STR("{"));
        sp_buf_append(&joined, mark_of((sp_placeholder_t)part->kind));
        sp_buf_append(&joined, sp_template_part_text(part));
        sp_buf_append(&joined, literal ? SP_STR("") : SP_STR("}"));
    }
    require(joined.status == SP_OK && sp_str_eq(sp_buf_str(&joined), template->text));
}

#define TEXT(literal)                                                                              \
    {                                                                                              \
        .ptr = (literal), .len = sizeof(literal) - 1                                               \
    }

static const sp_header_t headers[] = {
    {TEXT("X-A"), TEXT("//evil.example/a b")},
    {TEXT("Cookie"), TEXT("c=@evil.example; d=d")},
    {TEXT("Authorization"), TEXT("Basic L2V2aWwuZXhhbXBsZTp4")},
};

static const sp_request_t request = {
    .method = TEXT("GET"),
    .scheme = TEXT("http"),
    .host = TEXT("www.own.example"),
    .port = TEXT("8080"),
    .uri = TEXT("//evil.example/%2f\\x#y?q=//evil.example&a=abc&e=&s=/x"),
    .path = TEXT("//evil.example/%2f\\x#y"),
    .query = TEXT("q=//evil.example&a=abc&e=&s=/x"),
    .has_query = true,
    .headers = headers,
    .header_count = SP_COUNT(headers),
};

static const sp_str_t values[] = {TEXT("one"), TEXT("/two.x"), TEXT(""), TEXT("@evil.example:1")};

/* Whether a text could write a "v" itself: as a letter, an escape, or by what IDNA maps to it. */
static bool can_write_v(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (text.ptr[i] == 'v' || text.ptr[i] == 'V' || text.ptr[i] == '%' ||
            (unsigned char)text.ptr[i] > 0x7f) {
            return true;
        }
    }
    return false;
}

static void check_target(sp_str_t text, const sp_target_t *target, sp_target_use_t use)
{
    sp_url_t url;

    for (size_t i = 0; i != target->text.len; ++i) {
        require(target->text.ptr[i] > 0x20 && target->text.ptr[i] < 0x7f);
    }
    require(target->text.len <= SP_LOCATION_MAX);
    sp_url_split(target->text, &url);
    require(url.authority.ptr != NULL ||
            (use == SP_TARGET_LOCATION && sp_str_starts_with(target->text, SP_STR("/"))));
    require(!sp_str_starts_with(target->text, SP_STR("//")) ||
            sp_str_starts_with(text, SP_STR("//")));
    require(url.authority.ptr == NULL || sp_str_search(text, SP_STR("//")) != text.len);
    /* Where "evil" comes from the visitor alone, it may not lead anywhere. */
    if (!can_write_v(text)) {
        require(sp_str_search(url.authority, SP_STR("evil")) == url.authority.len);
    }
}

static void check_expansion(const sp_template_t *template, sp_target_use_t use, sp_arena_t *arena)
{
    const sp_values_t match = {.numbered = values,
                               .numbered_count = SP_COUNT(values),
                               .segments = values,
                               .segment_count = SP_COUNT(values)};
    const sp_expansion_t expansion = {.request = &request, .values = &match, .arena = arena};
    sp_target_t target;
    sp_error_t err = {.message = ""};
    sp_status_t status = sp_target_finish(template, &expansion, use, &target, &err);

    if (status == SP_OK) {
        check_target(template->text, &target, use);
    } else {
        require(err.message[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    const sp_template_t *template = NULL;
    sp_arena_t arena;

    sp_arena_init(&arena, NULL, 0, 4096);
    template = sp_template_parse(text, &arena);
    require((template != NULL) == (size <= UINT16_MAX));
    if (template != NULL) {
        check_parts(template, &arena);
        check_expansion(template, SP_TARGET_LOCATION, &arena);
        check_expansion(template, SP_TARGET_REGISTRY, &arena);
        check_expansion(template, SP_TARGET_REPOSITORY, &arena);
    }
    sp_arena_clear(&arena);
    return 0;
}
