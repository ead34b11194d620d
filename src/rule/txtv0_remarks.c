/* SPDX-License-Identifier: Apache-2.0 */
#include "rule/txtv0_remarks.h"

#include <stdarg.h>
#include <stdio.h>

#include "rule/txtv0_keys.h"

static void report(const sp_remarks_t *remarks, sp_severity_t severity, size_t offset,
                   const char *code, const char *advice, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

static void report(const sp_remarks_t *remarks, sp_severity_t severity, size_t offset,
                   const char *code, const char *advice, const char *format, ...)
{
    char message[SP_ERROR_MESSAGE_MAX];
    va_list args;

    va_start(args, format);
    if (vsnprintf(message, sizeof(message), format, args) < 0) {
        message[0] = '\0';
    }
    va_end(args);
    sp_make_printable(message);
    remarks->report(remarks->arg, &(sp_remark_t){.severity = severity,
                                                 .offset = offset,
                                                 .code = code,
                                                 .message = message,
                                                 .advice = advice});
}

void sp_remark_text(const sp_remarks_t *remarks, sp_str_t text)
{
    if (remarks->report == NULL) {
        return;
    }
    if (text.len >= 2 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"') {
        report(remarks, SP_SEVERITY_WARNING, 0, "quotes-in-data",
               "enter the text without quotes: the zone file's own are added by the DNS panel",
               "the data itself begins and ends with a double quote");
    }
    if (sp_str_search(text, SP_STR("\\;")) != text.len) {
        report(remarks, SP_SEVERITY_WARNING, sp_str_search(text, SP_STR("\\;")),
               "backslash-in-data", "enter ';' alone: only zone files need the backslash",
               "the data itself contains '\\;'");
    }
}

void sp_remark_no_equals(const sp_remarks_t *remarks, sp_str_t field)
{
    if (remarks->report != NULL) {
        report(remarks, SP_SEVERITY_WARNING, remarks->offset_of(remarks->reader, field),
               "no-equals-sign", "write key=value, or remove it; a ';' in a URL is written %3B",
               "the field '%.*s' has no '=' and is ignored", (int)field.len, field.ptr);
    }
}

/* Equal but for case, or by one letter more, less or other. */
static bool is_near(sp_str_t a, sp_str_t b)
{
    size_t front = 0;
    size_t back = 0;
    size_t longer = a.len > b.len ? a.len : b.len;
    size_t shorter = a.len + b.len - longer;

    while (front != shorter && sp_to_lower(a.ptr[front]) == sp_to_lower(b.ptr[front])) {
        ++front;
    }
    while (back != shorter - front &&
           sp_to_lower(a.ptr[a.len - 1 - back]) == sp_to_lower(b.ptr[b.len - 1 - back])) {
        ++back;
    }
    return front + back == longer || (longer > 2 && front + back + 1 >= longer);
}

void sp_remark_unknown_key(const sp_remarks_t *remarks, sp_str_t key)
{
    char advice[64] = "remove it, or check its spelling";

    if (remarks->report == NULL) {
        return;
    }
    for (size_t i = 0; i != SP_KEY_COUNT; ++i) {
        if (is_near(key, sp_str_from(sp_txtv0_keys[i])) &&
            snprintf(advice, sizeof(advice), "did you mean '%s='?", sp_txtv0_keys[i]) < 0) {
            advice[0] = '\0';
        }
    }
    report(remarks, SP_SEVERITY_WARNING, remarks->offset_of(remarks->reader, key), "unknown-key",
           advice, "the key '%.*s' is unknown and ignored", (int)key.len, key.ptr);
}

void sp_remark_repeated(const sp_remarks_t *remarks, sp_str_t key)
{
    if (remarks->report != NULL) {
        report(remarks, SP_SEVERITY_WARNING, remarks->offset_of(remarks->reader, key),
               "repeated-key", "keep one of them",
               "'%.*s' is there more than once; only the last one counts", (int)key.len, key.ptr);
    }
}

void sp_remark_use(const sp_remarks_t *remarks, sp_str_t value)
{
    if (remarks->report != NULL) {
        report(remarks, SP_SEVERITY_ERROR, remarks->offset_of(remarks->reader, value), "bad-use",
               "write use=_redirect.NAME", "use= must name a record _redirect.NAME, not '%.*s'",
               (int)value.len, value.ptr);
    }
}

void sp_remark_header(const sp_remarks_t *remarks, sp_str_t name, const char *why)
{
    if (remarks->report != NULL) {
        report(remarks, SP_SEVERITY_WARNING, remarks->offset_of(remarks->reader, name),
               "header-ignored", "write >Name=value with a percent-encoded value",
               "the header '%.*s' is ignored: %s", (int)name.len, name.ptr, why);
    }
}

void sp_remark_regex(const sp_remarks_t *remarks, sp_str_t pattern, const char *why)
{
    if (remarks->report != NULL) {
        report(remarks, SP_SEVERITY_ERROR, remarks->offset_of(remarks->reader, pattern),
               "bad-regex", "use RE2 syntax: no look-around, no back references", "%s", why);
    }
}

/* ---- targets ---- */

/* `scheme:` in front (RFC 3986, 3.1); empty when there is none. */
static sp_str_t scheme_of(sp_str_t text)
{
    size_t i = 0;

    while (i != text.len &&
           (sp_is_alnum(text.ptr[i]) || (i != 0 && sp_str_find(SP_STR("+-."), text.ptr[i]) != 3))) {
        ++i;
    }
    return i != 0 && i != text.len && text.ptr[i] == ':' && sp_is_alpha(text.ptr[0])
               ? sp_str_slice(text, 0, i)
               : (sp_str_t){.ptr = NULL, .len = 0};
}

static void remark_beginning(const sp_remarks_t *remarks, const char *key, sp_str_t text)
{
    sp_str_t scheme = scheme_of(text);
    sp_str_t segment = sp_str_slice(text, 0, sp_str_find(text, '/'));
    size_t offset = remarks->offset_of(remarks->reader, text);

    if (sp_str_eq_nocase(scheme, SP_STR("http")) || sp_str_eq_nocase(scheme, SP_STR("https"))) {
        sp_str_t rest = sp_str_skip(text, scheme.len + 1);

        if (!sp_str_starts_with(rest, SP_STR("//")) || rest.len == 2 || rest.ptr[2] == '/') {
            report(remarks, SP_SEVERITY_ERROR, offset, "no-host", "write https://HOST/PATH",
                   "%s= has a scheme but no host behind '//'", key);
        }
    } else if (scheme.len != 0 && sp_str_find(scheme, '.') == scheme.len) {
        report(remarks, SP_SEVERITY_ERROR, offset, "bad-scheme", "use https:// or http://",
               "%s= has the scheme '%.*s', which is never redirected to", key, (int)scheme.len,
               scheme.ptr);
    } else if (sp_str_find(segment, '.') != segment.len && segment.ptr[0] != '.' &&
               segment.ptr[0] != '{') {
        report(remarks, SP_SEVERITY_ERROR, offset, "missing-scheme",
               "write https:// in front; a path begins with '/' or './'",
               "%s= looks like a host name without https://", key);
    }
}

/* A brace that opens no placeholder is sent percent-encoded, which is hardly ever meant. */
static void remark_braces(const sp_remarks_t *remarks, const char *key,
                          const sp_template_part_t *part)
{
    sp_str_t text = sp_template_part_text(part);
    size_t open = sp_str_find(text, '{');

    if (part->kind == SP_PH_LITERAL && open != text.len) {
        sp_str_t braces = sp_str_skip(text, open);
        size_t end = sp_str_find(braces, '}');

        braces = sp_str_slice(braces, 0, end == braces.len ? 1 : end + 1);
        report(remarks, SP_SEVERITY_WARNING, remarks->offset_of(remarks->reader, braces),
               "unknown-placeholder", "see the list of placeholders",
               "'%.*s' in %s= is no placeholder and is sent as text", (int)braces.len, braces.ptr,
               key);
    }
    if (part->kind == SP_PH_LABEL && part->number == 0) {
        report(remarks, SP_SEVERITY_ERROR, remarks->offset_of(remarks->reader, text), "bad-label",
               "write {label1}, {label2}, …", "'{%.*s}' in %s= has no label number", (int)text.len,
               text.ptr, key);
    }
}

/* {name} stands for a group of the record above as well: only lint of the whole zone could know
 * better. */
static void remark_group(const sp_remarks_t *remarks, const char *key,
                         const sp_template_part_t *part)
{
    sp_str_t name = sp_template_part_text(part);

    if (part->kind == SP_PH_GROUP) {
        report(remarks, SP_SEVERITY_NOTE, remarks->offset_of(remarks->reader, name),
               "group-placeholder", "right if a deciding re= has a group of this name",
               "'{%.*s}' in %s= is only a placeholder where re= has a group of that name",
               (int)name.len, name.ptr, key);
    }
}

void sp_remark_target(const sp_remarks_t *remarks, const char *key, const sp_template_t *target)
{
    if (remarks->report == NULL || target == NULL) {
        return;
    }
    remark_beginning(remarks, key, target->text);
    for (size_t i = 0; i != target->part_count; ++i) {
        remark_braces(remarks, key, &target->parts[i]);
        remark_group(remarks, key, &target->parts[i]);
    }
}

/* ---- the record as a whole ---- */

static void ignored_key(const sp_remarks_t *remarks, bool ignored, const char *key,
                        const sp_record_t *record, sp_str_t value)
{
    if (ignored) {
        report(remarks, SP_SEVERITY_WARNING, remarks->offset_of(remarks->reader, value),
               "ignored-key", "remove it, or choose the type that reads it",
               "%s= has no meaning in a record of type %s", key, sp_record_type_name(record->type));
    }
}

static sp_str_t text_of(const sp_template_t *target)
{
    return target == NULL ? (sp_str_t){.ptr = NULL, .len = 0} : target->text;
}

void sp_remark_record(const sp_remarks_t *remarks, const sp_record_t *record, bool has_version)
{
    bool host = record->type == SP_TYPE_HOST;
    bool gometa = record->type == SP_TYPE_GOMETA;

    if (remarks->report == NULL) {
        return;
    }
    if (!has_version) {
        report(
            remarks, SP_SEVERITY_NOTE, 0, "no-version", "begin with v=txtv0;",
            "without v=txtv0 the record only counts while it is the only TXT record at its name");
    }
    if (record->use != NULL && record->to != NULL) {
        report(remarks, SP_SEVERITY_WARNING, remarks->offset_of(remarks->reader, record->to->text),
               "to-beside-use", "remove one of the two",
               "to= is never used beside use=: that record replaces this one");
    }
    if (record->has_re && record->has_from && record->type == SP_TYPE_PATH) {
        report(remarks, SP_SEVERITY_ERROR, remarks->offset_of(remarks->reader, record->from),
               "re-and-from", "keep one of the two",
               "re= and from= exclude each other: only to= is used");
    }
    ignored_key(remarks, record->root != NULL && (host || gometa), "root", record,
                text_of(record->root));
    ignored_key(remarks, record->website != NULL && host, "website", record,
                text_of(record->website));
    ignored_key(remarks, record->has_from && record->type != SP_TYPE_PATH, "from", record,
                record->from);
}
