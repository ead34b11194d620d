/* SPDX-License-Identifier: Apache-2.0 */

/* The record language txtv0 (records.md, section 3): `key=value` fields separated by `;`. */

#include <signpost/rule/record.h>

#include <string.h>

#include "rule/record_header.h"
#include "rule/txtv0_keys.h"
#include "rule/txtv0_remarks.h"

const char *const sp_txtv0_keys[SP_KEY_COUNT] = {
    [SP_KEY_V] = "v",       [SP_KEY_TYPE] = "type",       [SP_KEY_TO] = "to",
    [SP_KEY_CODE] = "code", [SP_KEY_FROM] = "from",       [SP_KEY_RE] = "re",
    [SP_KEY_ROOT] = "root", [SP_KEY_WEBSITE] = "website", [SP_KEY_VCS] = "vcs",
    [SP_KEY_REF] = "ref",   [SP_KEY_USE] = "use",
};

/* One record being read. values[k].ptr is NULL while key k has not been seen; of `use` all count.
 */
typedef struct reader {
    sp_arena_t *arena;
    sp_str_t original;
    sp_str_t text;
    sp_str_t values[SP_KEY_COUNT];
    bool has_use;
    sp_use_t *uses;
    sp_use_t **last_use;
    sp_record_header_t *headers;
    sp_remarks_t remarks;
    sp_error_t *err;
} reader_t;

/* TXT-3: DNS panels store the quotes of a zone file as part of the data. */
static sp_str_t without_quotes(sp_str_t text)
{
    bool quoted = text.len >= 2 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"';

    return quoted ? sp_str_slice(text, 1, text.len - 1) : text;
}

/* Likewise the backslash of `\;`. Copies only when there is one; ptr NULL when memory is out. */
static sp_str_t without_backslashes(sp_str_t text, sp_arena_t *arena)
{
    sp_str_t copy = {.ptr = NULL, .len = 0};
    char *out = NULL;

    if (sp_str_search(text, SP_STR("\\;")) == text.len) {
        return text;
    }
    out = sp_arena_alloc(arena, text.len);
    if (out == NULL) {
        return copy;
    }
    copy.ptr = out;
    for (size_t i = 0; i != text.len; ++i) {
        if (text.ptr[i] != '\\' || i + 1 == text.len || text.ptr[i + 1] != ';') {
            out[copy.len++] = text.ptr[i];
        }
    }
    return copy;
}

/* Where an octet of reader->text stands in the text as given. */
static size_t offset_of(const reader_t *reader, const char *at)
{
    size_t left = (size_t)(at - reader->text.ptr);
    sp_str_t inner = without_quotes(reader->original);
    size_t i = 0;

    for (; i < inner.len; ++i) {
        if (inner.ptr[i] == '\\' && i + 1 < inner.len && inner.ptr[i + 1] == ';') {
            continue;
        }
        if (left-- == 0) {
            break;
        }
    }
    return (size_t)(inner.ptr - reader->original.ptr) + i;
}

static size_t offset_of_value(const void *reader, sp_str_t value)
{
    return offset_of(reader, value.ptr);
}

/* ---- fields ---- */

static sp_status_t add_use(reader_t *reader, sp_str_t value)
{
    sp_use_t *use = sp_arena_zalloc(reader->arena, 1, sizeof(*use));

    if (use == NULL) {
        return SP_NO_MEMORY;
    }
    reader->has_use = true;
    if (sp_str_starts_with_nocase(value, SP_STR("_redirect."))) {
        use->zone = sp_str_skip(value, sizeof("_redirect.") - 1);
        if (sp_str_ends_with(use->zone, SP_STR("."))) {
            use->zone.len -= 1;
        }
    }
    if (use->zone.len == 0) {
        sp_remark_use(&reader->remarks, value);
    }
    *reader->last_use = use;
    reader->last_use = &use->next;
    return SP_OK;
}

/* Of one header name the last field counts, also when that one is ignored. */
static sp_status_t add_header(reader_t *reader, sp_str_t name, sp_str_t value)
{
    sp_record_header_t *header = NULL;
    const char *why = NULL;
    sp_status_t status = SP_OK;

    for (sp_record_header_t **link = &reader->headers; *link != NULL;) {
        if (sp_str_eq_nocase((*link)->field.name, name)) {
            sp_remark_repeated(&reader->remarks, name);
            *link = (*link)->next;
        } else {
            link = &(*link)->next;
        }
    }
    header = sp_arena_zalloc(reader->arena, 1, sizeof(*header));
    if (header == NULL) {
        return SP_NO_MEMORY;
    }
    status = sp_record_header_read(name, value, reader->arena, &header->field, &why);
    if (status != SP_OK) {
        return status;
    }
    if (why != NULL) {
        sp_remark_header(&reader->remarks, name, why);
        return SP_OK;
    }
    header->next = reader->headers;
    reader->headers = header;
    return SP_OK;
}

static sp_txtv0_key_t find_key(sp_str_t name)
{
    sp_txtv0_key_t key = SP_KEY_V;

    while (key != SP_KEY_COUNT && !sp_str_eq(name, sp_str_from(sp_txtv0_keys[key]))) {
        ++key;
    }
    return key;
}

static sp_status_t add_field(reader_t *reader, const sp_field_t *field)
{
    sp_txtv0_key_t key = find_key(field->key);

    if (!field->has_equals) {
        sp_remark_no_equals(&reader->remarks, field->value);
        return SP_OK;
    }
    if (sp_str_starts_with(field->key, SP_STR(">"))) {
        return add_header(reader, sp_str_skip(field->key, 1), field->value);
    }
    if (key == SP_KEY_USE) {
        return add_use(reader, field->value);
    }
    if (key == SP_KEY_COUNT) {
        sp_remark_unknown_key(&reader->remarks, field->key);
        return SP_OK;
    }
    if (reader->values[key].ptr != NULL) {
        sp_remark_repeated(&reader->remarks, field->key);
    }
    reader->values[key] = field->value;
    return SP_OK;
}

static sp_status_t split_fields(reader_t *reader)
{
    sp_str_t rest = reader->text;
    sp_field_t field;
    sp_status_t status = SP_OK;

    while (status == SP_OK && sp_field_next(&rest, &field)) {
        status = add_field(reader, &field);
    }
    return status;
}

/* ---- values ---- */

static sp_status_t read_version(const reader_t *reader, sp_record_t *record)
{
    sp_str_t value = reader->values[SP_KEY_V];

    (void)record;
    if (value.ptr != NULL && !sp_str_eq(value, SP_STR("txtv0"))) {
        return sp_fail(reader->err, SP_UNSUPPORTED, offset_of(reader, value.ptr),
                       "the version must be txtv0, not '%.*s'", (int)value.len, value.ptr);
    }
    return SP_OK;
}

static sp_status_t read_type(const reader_t *reader, sp_record_t *record)
{
    sp_str_t value = reader->values[SP_KEY_TYPE];

    record->has_type = value.len != 0;
    record->type = value.len == 0 ? SP_TYPE_HOST : sp_record_type_from(value);
    if (record->type == SP_TYPE_COUNT) {
        return sp_fail(reader->err, SP_BAD_VALUE, offset_of(reader, value.ptr),
                       "type must be host, path, gometa or dockerv2, not '%.*s'", (int)value.len,
                       value.ptr);
    }
    return SP_OK;
}

static sp_status_t read_code(const reader_t *reader, sp_record_t *record)
{
    sp_str_t value = reader->values[SP_KEY_CODE];
    uint64_t code = 0;

    record->code = 302;
    /* The other types choose their status codes themselves. */
    if (value.ptr == NULL || (record->type != SP_TYPE_HOST && record->type != SP_TYPE_PATH)) {
        return SP_OK;
    }
    if (sp_str_to_uint(value, UINT16_MAX, &code)) {
        switch (code) {
        case 0:
            return SP_OK;
        case 301:
        case 302:
        case 303:
        case 307:
        case 308:
            record->code = (uint16_t)code;
            return SP_OK;
        default:
            break;
        }
    }
    return sp_fail(reader->err, SP_BAD_VALUE, offset_of(reader, value.ptr),
                   "code must be 301, 302, 303, 307 or 308, not '%.*s'", (int)value.len, value.ptr);
}

static sp_status_t read_ref(const reader_t *reader, sp_record_t *record)
{
    static const char *const words[2][6] = {{"0", "f", "F", "false", "False", "FALSE"},
                                            {"1", "t", "T", "true", "True", "TRUE"}};
    sp_str_t value = reader->values[SP_KEY_REF];

    if (value.ptr == NULL) {
        return SP_OK;
    }
    for (size_t i = 0; i != SP_COUNT(words[0]); ++i) {
        if (sp_str_eq(value, sp_str_from(words[0][i])) ||
            sp_str_eq(value, sp_str_from(words[1][i]))) {
            record->ref = sp_str_eq(value, sp_str_from(words[1][i]));
            return SP_OK;
        }
    }
    return sp_fail(reader->err, SP_BAD_VALUE, offset_of(reader, value.ptr),
                   "ref must be true or false, not '%.*s'", (int)value.len, value.ptr);
}

static sp_status_t read_vcs(const reader_t *reader, sp_record_t *record)
{
    static const char *const known[] = {"git", "hg", "svn", "bzr", "fossil", "mod"};
    sp_str_t value = reader->values[SP_KEY_VCS];

    record->vcs = SP_STR("git");
    if (value.ptr == NULL || record->type != SP_TYPE_GOMETA || reader->has_use) {
        return SP_OK;
    }
    for (size_t i = 0; i != SP_COUNT(known); ++i) {
        if (sp_str_eq(value, sp_str_from(known[i]))) {
            record->vcs = value;
            return SP_OK;
        }
    }
    return sp_fail(reader->err, SP_BAD_VALUE, offset_of(reader, value.ptr),
                   "vcs must be git, hg, svn, bzr, fossil or mod, not '%.*s'", (int)value.len,
                   value.ptr);
}

static sp_status_t read_target(const reader_t *reader, sp_txtv0_key_t key,
                               const sp_template_t **ret_target)
{
    sp_str_t value = reader->values[key];

    if (value.len == 0) {
        return SP_OK;
    }
    *ret_target = sp_template_parse(value, reader->arena);
    sp_remark_target(&reader->remarks, sp_txtv0_keys[key], *ret_target);
    return *ret_target == NULL ? SP_NO_MEMORY : SP_OK;
}

static sp_status_t read_targets(const reader_t *reader, sp_record_t *record)
{
    sp_status_t status = read_target(reader, SP_KEY_TO, &record->to);

    if (status == SP_OK) {
        status = read_target(reader, SP_KEY_ROOT, &record->root);
    }
    if (status == SP_OK) {
        status = read_target(reader, SP_KEY_WEBSITE, &record->website);
    }
    if (status != SP_OK || reader->has_use || record->to != NULL) {
        return status;
    }
    if (record->type == SP_TYPE_HOST || record->type == SP_TYPE_DOCKERV2) {
        return sp_fail(reader->err, SP_BAD_VALUE, reader->original.len,
                       "a record of type %s needs a target: to=https://HOST/",
                       sp_record_type_name(record->type));
    }
    return SP_OK;
}

/* An expression that does not compile is no fault of the record: its path falls back to `to`
 * (PATH-5). */
static sp_status_t read_patterns(const reader_t *reader, sp_record_t *record)
{
    sp_str_t from = reader->values[SP_KEY_FROM];
    sp_str_t re = reader->values[SP_KEY_RE];
    sp_error_t why = {.status = SP_OK};
    sp_status_t status = SP_OK;

    record->has_from = from.ptr != NULL;
    record->from = from;
    record->has_re = re.ptr != NULL;
    record->numbered = record->has_re && sp_str_eq(re, SP_STR("record"));
    if (!record->has_re) {
        return SP_OK;
    }
    status = sp_regex_compile(re, &record->re, &why);
    if (status != SP_OK && status != SP_NO_MEMORY) {
        sp_remark_regex(&reader->remarks, re, why.message);
        return SP_OK;
    }
    return status;
}

static sp_status_t read_values(reader_t *reader, sp_record_t *record)
{
    static sp_status_t (*const readers[])(const reader_t *, sp_record_t *) = {
        read_version, read_type, read_code, read_ref, read_vcs, read_targets, read_patterns};
    sp_status_t status = SP_OK;

    record->use = reader->uses;
    record->headers = reader->headers;
    for (size_t i = 0; status == SP_OK && i != SP_COUNT(readers); ++i) {
        status = readers[i](reader, record);
    }
    return status;
}

/* ---- the dialect ---- */

static sp_status_t parse(sp_str_t text, sp_arena_t *arena, sp_remark_fn *remark, void *arg,
                         sp_record_t *ret_record, sp_error_t *err)
{
    sp_record_t record = {.text = without_backslashes(without_quotes(text), arena)};
    reader_t reader = {.arena = arena, .original = text, .text = record.text, .err = err};
    sp_status_t status = SP_OK;

    if (text.len > SP_RECORD_MAX) {
        return sp_fail(err, SP_TOO_LONG, SP_RECORD_MAX, "a record has at most %d octets, not %zu",
                       SP_RECORD_MAX, text.len);
    }
    if (record.text.ptr == NULL && text.len != 0) {
        return SP_NO_MEMORY;
    }
    reader.last_use = &reader.uses;
    reader.remarks = (sp_remarks_t){
        .report = remark, .arg = arg, .reader = &reader, .offset_of = offset_of_value};
    sp_remark_text(&reader.remarks, text);
    status = split_fields(&reader);
    if (status == SP_OK) {
        status = read_values(&reader, &record);
    }
    if (status != SP_OK) {
        sp_record_clear(&record);
        return status;
    }
    sp_remark_record(&reader.remarks, &record, reader.values[SP_KEY_V].ptr != NULL);
    *ret_record = record;
    return SP_OK;
}

static bool claims(sp_str_t text, bool alone)
{
    sp_str_t rest = without_quotes(text);
    sp_field_t field;

    while (sp_field_next(&rest, &field)) {
        if (sp_str_eq(field.key, SP_STR("v")) && sp_str_starts_with(field.value, SP_STR("txtv"))) {
            return true;
        }
        if (alone &&
            (sp_str_eq(field.key, SP_STR("to")) || sp_str_eq(field.key, SP_STR("type")) ||
             sp_str_eq(field.key, SP_STR("use")) || sp_str_eq(field.key, SP_STR("root")))) {
            return true;
        }
    }
    return false;
}

const sp_dialect_t sp_dialect_txtv0 = {.name = "txtv0", .claims = claims, .parse = parse};
