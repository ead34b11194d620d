/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/explain/print_text.h"

#define EXCERPT 60     /* columns of a long text that are shown before its fault */
#define LINE_MAX_AT 90 /* a fault further right gets an excerpt of its own */

typedef struct printer {
    FILE *out;
    const char *bold;
    const char *dim;
    const char *good;
    const char *bad;
    const char *plain;
} printer_t;

static printer_t make_printer(FILE *out, bool colour)
{
    if (!colour) {
        return (printer_t){out, "", "", "", "", ""};
    }
    return (printer_t){out, "\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[0m"};
}

/* One octet as a zone file would write it (RFC 1035, 5.1); returns how many columns it takes. */
static size_t put_octet(FILE *out, char octet)
{
    unsigned char c = (unsigned char)octet;

    if (c < 0x20 || c > 0x7e) {
        if (out != NULL) {
            (void)fprintf(out, "\\%03u", c);
        }
        return 4;
    }
    if (out != NULL && (c == '"' || c == '\\')) {
        (void)fputc('\\', out);
    }
    if (out != NULL) {
        (void)fputc(c, out);
    }
    return c == '"' || c == '\\' ? 2 : 1;
}

static void put_text(const printer_t *printer, sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        (void)put_octet(printer->out, text.ptr[i]);
    }
}

/* Text of our own, or vetted, that holds values from outside: octets that a terminal would act on
 * are shown as in a zone file, quotes stay. */
static void put_plain(const printer_t *printer, sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c < 0x20 || c > 0x7e) {
            (void)fprintf(printer->out, "\\%03u", c);
        } else {
            (void)fputc(c, printer->out);
        }
    }
}

static void put_line(const printer_t *printer, const char *before, sp_str_t text)
{
    (void)fputs(before, printer->out);
    put_plain(printer, text);
    (void)fputc('\n', printer->out);
}

static size_t columns(sp_str_t text)
{
    size_t count = 0;

    for (size_t i = 0; i != text.len; ++i) {
        count += put_octet(NULL, text.ptr[i]);
    }
    return count;
}

/* A caret below the faulty octet; where that is far to the right, below an excerpt. */
static void print_fault(const printer_t *printer, sp_str_t text, const sp_error_t *fault,
                        size_t indent)
{
    size_t at = indent + columns(sp_str_slice(text, 0, fault->offset));

    if (at > LINE_MAX_AT) {
        size_t from = fault->offset > EXCERPT ? fault->offset - EXCERPT : 0;

        (void)fputs("   ...", printer->out);
        put_text(printer, sp_str_slice(text, from, fault->offset + EXCERPT / 3));
        (void)fputs(fault->offset + EXCERPT / 3 < text.len ? "...\n" : "\n", printer->out);
        at = 6 + columns(sp_str_slice(text, from, fault->offset));
    }
    (void)fprintf(printer->out, "%*s%s^%s\n", (int)at, "", printer->bad, printer->plain);
    (void)fprintf(printer->out, "   %sfaulty%s at octet %zu: ", printer->bad, printer->plain,
                  fault->offset);
    put_line(printer, "", sp_str_from(fault->message));
}

static void print_fields(const printer_t *printer, const sp_record_t *record)
{
    sp_str_t rest = record->text;
    sp_field_t field;

    while (sp_field_next(&rest, &field)) {
        (void)fprintf(printer->out, "      %s", printer->dim);
        put_plain(printer, field.key.len == 0 ? SP_STR("(ignored)") : field.key);
        (void)fprintf(printer->out, "%s%*s ", printer->plain,
                      field.key.len < 8 && field.key.len != 0 ? 8 - (int)field.key.len : 0, "");
        put_line(printer, "", field.value);
    }
}

static void print_texts(const printer_t *printer, const sp_answer_t *answer)
{
    for (size_t i = 0; i != answer->text_count; ++i) {
        bool ours = answer->finding != SP_FINDING_NOTHING && i == answer->ours;

        (void)fputs("   TXT \"", printer->out);
        put_text(printer, answer->texts[i]);
        (void)fprintf(printer->out, "\"%s\n", ours ? "" : "  (not a redirect record)");
        if (ours && answer->record != NULL) {
            print_fields(printer, answer->record);
        } else if (ours && answer->fault != NULL) {
            print_fault(printer, answer->texts[i], answer->fault, sizeof("   TXT \"") - 1);
        }
    }
}

/* "NXDOMAIN, TTL 60, from the zone file" */
static void print_origin(const printer_t *printer, const sp_answer_t *answer,
                         const sp_explained_lookup_t *how)
{
    bool failed = answer->kind == SP_ANSWER_FAILURE;

    (void)fprintf(printer->out, "   %s",
                  failed ? sp_failure_name(answer->failure) : sp_answer_kind_name(answer->kind));
    if (!failed) {
        (void)fprintf(printer->out, ", TTL %" PRIu32, how == NULL ? answer->ttl_s : how->ttl_s);
    }
    if (how != NULL && how->source == SP_SOURCE_ZONE) {
        (void)fputs(", from a zone file", printer->out);
    } else if (how != NULL) {
        (void)fprintf(printer->out, ", from a resolver in %" PRIu64 ".%" PRIu64 " ms",
                      how->waited_us / 1000, how->waited_us % 1000 / 100);
    }
    (void)fputc('\n', printer->out);
    if (answer->canonical.len != 0) {
        put_line(printer, "   CNAME to ", answer->canonical);
    }
}

static void print_entry(const printer_t *printer, const sp_explanation_t *explanation,
                        const sp_trace_entry_t *entry, unsigned *number)
{
    switch (entry->kind) {
    case SP_TRACE_LOOKUP:
        (void)fprintf(printer->out, "\n%u. %s", ++*number, printer->bold);
        put_plain(printer, entry->name);
        (void)fprintf(printer->out, "%s\n", printer->plain);
        print_origin(printer, entry->answer, sp_explanation_lookup(explanation, entry->name));
        print_texts(printer, entry->answer);
        break;
    case SP_TRACE_REPEATED:
        put_line(printer, "\n   known already: ", entry->name);
        break;
    case SP_TRACE_SKIPPED:
        put_line(printer, "\n   not asked: ", entry->name);
        break;
    case SP_TRACE_NOTE:
        break;
    }
    if (entry->text.len != 0) {
        put_line(printer, "   => ", entry->text);
    }
}

static void print_request(const printer_t *printer, const sp_explanation_t *explanation)
{
    const sp_raw_request_t *raw = explanation->raw;
    const sp_request_t *request = &explanation->request;
    bool readable = explanation->readable;

    (void)fputs(printer->bold, printer->out);
    put_plain(printer, raw->method);
    (void)fputc(' ', printer->out);
    put_plain(printer, readable ? request->scheme : raw->scheme);
    (void)fputs("://", printer->out);
    put_plain(printer,
              readable ? request->host : (raw->host_count == 0 ? SP_STR("") : raw->hosts[0]));
    if (readable && request->port.len != 0) {
        (void)fputc(':', printer->out);
        put_plain(printer, request->port);
    }
    put_plain(printer, readable ? request->uri : raw->target);
    (void)fprintf(printer->out, "%s\n", printer->plain);
}

static bool is_text(const sp_outcome_t *outcome)
{
    for (size_t i = 0; i != outcome->header_count; ++i) {
        if (sp_str_eq_nocase(outcome->headers[i].name, SP_STR("Content-Type"))) {
            return sp_str_starts_with(outcome->headers[i].value, SP_STR("text/"));
        }
    }
    return false;
}

/* The page of a Go import path or of a registry, whose content is the answer. */
static void print_page(const printer_t *printer, const sp_outcome_t *outcome)
{
    sp_str_t rest = outcome->body;

    if (outcome->kind != SP_OUTCOME_PAGE || !is_text(outcome)) {
        return;
    }
    while (rest.ptr != NULL) {
        sp_str_t line = sp_str_trim(sp_str_cut(rest, '\n', &rest));

        if (line.len != 0) {
            put_line(printer, "      ", line);
        }
    }
}

static void print_decision(const printer_t *printer, const sp_outcome_t *outcome)
{
    (void)fprintf(printer->out, "\n%s%u%s", outcome->status < 400 ? printer->good : printer->bad,
                  outcome->status, printer->plain);
    put_line(printer, outcome->location.len != 0 ? " -> " : "", outcome->location);
    (void)fprintf(printer->out, "   %s", sp_outcome_kind_name(outcome->kind));
    if (outcome->record.len != 0) {
        (void)fputs(", decided by ", printer->out);
        put_plain(printer, outcome->record);
    }
    put_line(printer, outcome->reason.len != 0 ? ": " : "", outcome->reason);
    for (size_t i = 0; i != outcome->header_count; ++i) {
        if (sp_str_eq_nocase(outcome->headers[i].name, SP_STR("Location"))) {
            continue; /* stands in the first line */
        }
        (void)fprintf(printer->out, "   %s", printer->dim);
        put_plain(printer, outcome->headers[i].name);
        (void)fprintf(printer->out, ":%s ", printer->plain);
        put_line(printer, "", outcome->headers[i].value);
    }
    print_page(printer, outcome);
}

sp_status_t sp_explain_print_text(const sp_explanation_t *explanation, bool colour, FILE *out)
{
    printer_t printer = make_printer(out, colour);
    const sp_trace_t *trace = explanation->trace;
    unsigned number = 0;

    print_request(&printer, explanation);
    for (size_t i = 0; trace != NULL && i != trace->count; ++i) {
        print_entry(&printer, explanation, &trace->entries[i], &number);
    }
    print_decision(&printer, explanation->outcome);
    return ferror(out) ? SP_IO : SP_OK;
}
