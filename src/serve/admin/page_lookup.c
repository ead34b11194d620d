/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "explain/print_json.h"
#include "serve/admin/page.h"

static void put_fields(sp_buf_t *page, const sp_record_t *record)
{
    sp_str_t rest = record->text;
    sp_field_t field;

    sp_buf_append(page, SP_STR("<table class=fields><tbody>\n"));
    while (sp_field_next(&rest, &field)) {
        sp_buf_append(page, SP_STR("<tr><th scope=row>"));
        if (field.key.len == 0) {
            sp_buf_append(page, SP_STR("<em>ignored</em>"));
        } else {
            sp_page_put(page, field.key);
        }
        sp_buf_append(page, SP_STR("</th><td>"));
        sp_page_put(page, field.value);
        sp_buf_append(page, SP_STR("</td></tr>\n"));
    }
    sp_buf_append(page, SP_STR("</tbody></table>\n"));
}

static void put_fault(sp_buf_t *page, sp_str_t text, const sp_error_t *fault)
{
    sp_buf_append(page, SP_STR("<pre class=txt>"));
    sp_page_put_marked(page, text, fault->offset);
    sp_buf_printf(page,
                  "</pre>\n<p class=fault><strong>Faulty</strong> at octet %zu: ", fault->offset);
    sp_page_put(page, sp_str_from(fault->message));
    sp_buf_append(page, SP_STR("</p>\n"));
}

static void put_texts(sp_buf_t *page, const sp_answer_t *answer)
{
    for (size_t i = 0; i != answer->text_count; ++i) {
        bool is_ours = answer->finding != SP_FINDING_NOTHING && i == answer->ours;

        if (is_ours && answer->fault != NULL) {
            put_fault(page, answer->texts[i], answer->fault);
            continue;
        }
        sp_buf_append(page,
                      is_ours ? SP_STR("<pre class=txt>") : SP_STR("<pre class=\"txt dim\">"));
        sp_page_put(page, answer->texts[i]);
        sp_buf_append(page, SP_STR("</pre>\n"));
        if (is_ours && answer->record != NULL) {
            put_fields(page, answer->record);
        } else if (!is_ours) {
            sp_buf_append(page, SP_STR("<p class=dim>not a redirect record</p>\n"));
        }
    }
}

static const char *source_text(sp_source_t source)
{
    switch (source) {
    case SP_SOURCE_ZONE:
        return "from a zone file";
    case SP_SOURCE_HIT:
        return "from the cache";
    case SP_SOURCE_STALE:
        return "from the cache, past its TTL";
    case SP_SOURCE_COALESCED:
    case SP_SOURCE_MISS:
        break;
    }
    return "from a resolver";
}

/* "TXT · TTL 300 s · from a resolver in 0.4 ms" */
static void put_origin(sp_buf_t *page, const sp_answer_t *answer, const sp_explained_lookup_t *how)
{
    bool is_failure = answer->kind == SP_ANSWER_FAILURE;

    sp_buf_append(page, SP_STR("<p class=origin><span class=kind>"));
    sp_page_put(page, sp_str_from(is_failure ? sp_failure_name(answer->failure)
                                             : sp_answer_kind_name(answer->kind)));
    sp_buf_append(page, SP_STR("</span>"));
    if (!is_failure) {
        sp_buf_printf(page, " &middot; TTL %" PRIu32 " s",
                      how == NULL ? answer->ttl_s : how->ttl_s);
    }
    if (how != NULL) {
        sp_buf_printf(page, " &middot; %s", source_text(how->source));
    }
    if (how != NULL && (how->source == SP_SOURCE_MISS || how->source == SP_SOURCE_COALESCED)) {
        sp_buf_printf(page, " in %" PRIu64 ".%" PRIu64 " ms", how->waited_us / 1000,
                      how->waited_us % 1000 / 100);
    }
    if (answer->canonical.len != 0) {
        sp_buf_append(page, SP_STR(" &middot; CNAME to "));
        sp_page_put(page, answer->canonical);
    }
    sp_buf_append(page, SP_STR("</p>\n"));
}

static void put_lookup(sp_buf_t *page, const sp_explanation_t *explanation,
                       const sp_trace_entry_t *entry)
{
    sp_buf_printf(page, "<li class=\"lookup %s\"><h3><code>",
                  sp_explain_result_name(entry->answer));
    sp_page_put(page, entry->name);
    sp_buf_append(page, SP_STR("</code></h3>\n"));
    put_origin(page, entry->answer, sp_explanation_lookup(explanation, entry->name));
    put_texts(page, entry->answer);
}

static void put_aside(sp_buf_t *page, const char *what, sp_str_t name)
{
    sp_buf_printf(page, "<li class=\"lookup known\"><h3>%s: <code>", what);
    sp_page_put(page, name);
    sp_buf_append(page, SP_STR("</code></h3>\n"));
}

void sp_page_entry(sp_buf_t *page, const sp_explanation_t *explanation,
                   const sp_trace_entry_t *entry)
{
    switch (entry->kind) {
    case SP_TRACE_LOOKUP:
        put_lookup(page, explanation, entry);
        break;
    case SP_TRACE_REPEATED:
        put_aside(page, "known already", entry->name);
        break;
    case SP_TRACE_SKIPPED:
        put_aside(page, "not asked", entry->name);
        break;
    case SP_TRACE_NOTE:
        sp_buf_append(page, SP_STR("<li class=note>"));
        break;
    }
    if (entry->text.len != 0) {
        sp_buf_append(page, SP_STR("<p class=meaning>"));
        sp_page_put(page, entry->text);
        sp_buf_append(page, SP_STR("</p>"));
    }
    sp_buf_append(page, SP_STR("</li>\n"));
}
