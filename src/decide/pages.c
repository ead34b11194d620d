/* SPDX-License-Identifier: Apache-2.0 */

/* The 404 that explains itself (records.md, section 7): what was asked, what was found, what is
 * wrong with it. */

#include <signpost/base/buf.h>

#include "decide/run.h"

#define PAGE_MAX 65536

/* What a lookup came to, in a few words, into `out`. */
static void append_finding(sp_buf_t *out, const sp_answer_t *answer)
{
    switch (answer->finding) {
    case SP_FINDING_RECORD:
        sp_buf_printf(out, "a record of type %s",
                      answer->record->use != NULL ? "use"
                                                  : sp_record_type_name(answer->record->type));
        return;
    case SP_FINDING_FAULT:
        sp_buf_printf(out, "a faulty record, at character %zu: %s", answer->fault->offset + 1,
                      answer->fault->message);
        return;
    case SP_FINDING_NOTHING:
        break;
    }
    switch (answer->kind) {
    case SP_ANSWER_NXDOMAIN:
        sp_buf_append(out, SP_STR("the name does not exist (NXDOMAIN)"));
        return;
    case SP_ANSWER_NODATA:
        sp_buf_append(out, SP_STR("the name has no TXT record (NODATA)"));
        return;
    case SP_ANSWER_FAILURE:
        sp_buf_append(out, sp_str_from(sp_failure_name(answer->failure)));
        return;
    case SP_ANSWER_TXT:
        sp_buf_append(out, SP_STR("TXT, but no redirect record"));
        return;
    }
}

/* One line of the story. Names and sentences may hold a visitor's or a zone's octets. */
static sp_str_t line_of(const sp_trace_entry_t *entry, sp_arena_t *arena)
{
    sp_buf_t line;

    sp_buf_init(&line, arena, PAGE_MAX);
    sp_buf_append_escaped(&line, entry->name);
    switch (entry->kind) {
    case SP_TRACE_LOOKUP:
        sp_buf_append(&line, SP_STR(": "));
        append_finding(&line, entry->answer);
        break;
    case SP_TRACE_REPEATED:
        sp_buf_append(&line, SP_STR(": needed again"));
        break;
    case SP_TRACE_SKIPPED:
        sp_buf_append(&line, SP_STR(": not asked, "));
        sp_buf_append_escaped(&line, entry->text);
        break;
    case SP_TRACE_NOTE:
        sp_buf_append_char(&line, ' ');
        sp_buf_append_escaped(&line, entry->text);
        break;
    }
    return sp_buf_str(&line);
}

static bool is_shown(const sp_trace_entry_t *entry)
{
    return entry->name.len <= SP_NAME_MAX || entry->kind != SP_TRACE_SKIPPED;
}

sp_str_t sp_not_found_text(const sp_run_t *run, const char *sentence)
{
    sp_buf_t body;

    sp_buf_init(&body, run->arena, PAGE_MAX);
    sp_buf_append(&body, SP_STR("404 Not Found\n\n"));
    sp_buf_append(&body, sp_str_from(sentence));
    sp_buf_append(&body, SP_STR("\n\n"));
    for (size_t i = 0; i != run->trace_count; ++i) {
        if (is_shown(&run->trace[i])) {
            sp_buf_append(&body, SP_STR("  "));
            sp_buf_append(&body, line_of(&run->trace[i], run->arena));
            sp_buf_append_char(&body, '\n');
        }
    }
    return body.status == SP_OK ? sp_buf_str(&body) : SP_STR("404 Not Found\n");
}

sp_str_t sp_not_found_html(const sp_run_t *run, const char *sentence)
{
    sp_buf_t body;

    sp_buf_init(&body, run->arena, (size_t)4 * PAGE_MAX);
    sp_buf_append(&body,
                  SP_STR("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width\">\n"
                         "<title>404 Not Found</title>\n<style>body{font:1em/1.5 sans-serif;"
                         "margin:2em auto;max-width:50em;padding:0 1em}"
                         "li{overflow-wrap:anywhere}</style></head><body>\n"
                         "<h1>404 Not Found</h1>\n<p>"));
    sp_buf_append_html(&body, sp_str_from(sentence));
    sp_buf_append(&body, SP_STR("</p>\n<ul>\n"));
    for (size_t i = 0; i != run->trace_count; ++i) {
        if (is_shown(&run->trace[i])) {
            sp_buf_append(&body, SP_STR("<li>"));
            sp_buf_append_html(&body, line_of(&run->trace[i], run->arena));
            sp_buf_append(&body, SP_STR("</li>\n"));
        }
    }
    sp_buf_append(&body, SP_STR("</ul></body></html>\n"));
    return body.status == SP_OK ? sp_buf_str(&body) : SP_STR("404 Not Found\n");
}
