/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/print_json.h"

#include "explain/json.h"

static json_t *str_or_null(sp_str_t text)
{
    return text.len == 0 ? json_null() : sp_json_str(text);
}

static json_t *request_json(const sp_explanation_t *explanation)
{
    const sp_request_t *request = &explanation->request;
    const sp_raw_request_t *raw = explanation->raw;

    if (!explanation->readable) {
        return json_pack("{so,so,so,so}", "method", sp_json_str(raw->method), "scheme",
                         sp_json_str(raw->scheme), "host",
                         raw->host_count == 0 ? json_null() : sp_json_str(raw->hosts[0]), "target",
                         sp_json_str(raw->target));
    }
    return json_pack("{so,so,so,so,so,so}", "method", sp_json_str(request->method), "scheme",
                     sp_json_str(request->scheme), "host", sp_json_str(request->host), "port",
                     str_or_null(request->port), "path", sp_json_str(request->path), "query",
                     request->has_query ? sp_json_str(request->query) : json_null());
}

const char *sp_explain_result_name(const sp_answer_t *answer)
{
    if (answer->kind == SP_ANSWER_FAILURE) {
        return "failure";
    }
    switch (answer->finding) {
    case SP_FINDING_NOTHING:
        return "absent";
    case SP_FINDING_RECORD:
        return "record";
    case SP_FINDING_FAULT:
        return "fault";
    }
    return "absent";
}

/* Adds a field to an object whose keys come from outside, so that they may be no UTF-8. */
static void set_field(json_t *object, sp_str_t name, json_t *value)
{
    json_t *key = sp_json_str(name);

    if (key == NULL) {
        json_decref(value);
    } else {
        (void)json_object_set_new(object, json_string_value(key), value);
    }
    json_decref(key);
}

static json_t *fields_json(sp_str_t text)
{
    json_t *fields = json_object();
    json_t *uses = json_array();
    sp_field_t field;

    while (sp_field_next(&text, &field)) {
        if (sp_str_eq(field.key, SP_STR("use"))) {
            (void)json_array_append_new(uses, sp_json_str(field.value));
        } else if (field.key.len != 0) {
            set_field(fields, field.key, sp_json_str(field.value));
        }
    }
    if (json_array_size(uses) != 0) {
        (void)json_object_set(fields, "use", uses);
    }
    json_decref(uses);
    return fields;
}

static json_t *record_json(const sp_answer_t *answer)
{
    const sp_record_t *record = answer->record;

    if (record == NULL) {
        return json_null();
    }
    return json_pack("{ss,si,so}", "type", sp_record_type_name(record->type), "code",
                     (int)record->code, "fields", fields_json(record->text));
}

static json_t *fault_json(const sp_answer_t *answer)
{
    if (answer->fault == NULL) {
        return json_null();
    }
    return json_pack("{sI,so}", "offset", (json_int_t)answer->fault->offset, "message",
                     sp_json_str(sp_str_from(answer->fault->message)));
}

static json_t *texts_json(const sp_answer_t *answer)
{
    json_t *texts = json_array();

    for (size_t i = 0; i != answer->text_count; ++i) {
        (void)json_array_append_new(texts, sp_json_str(answer->texts[i]));
    }
    return texts;
}

static json_t *lookup_json(const sp_explanation_t *explanation, const sp_trace_entry_t *entry)
{
    const sp_explained_lookup_t *how = sp_explanation_lookup(explanation, entry->name);
    const sp_answer_t *answer = entry->answer;
    bool failed = answer->kind == SP_ANSWER_FAILURE;

    return json_pack("{so,ss,ss,sI,so,so,so,so,ss,sI}", "name", sp_json_str(entry->name), "result",
                     sp_explain_result_name(answer), "kind",
                     failed ? sp_failure_name(answer->failure) : sp_answer_kind_name(answer->kind),
                     "ttl", (json_int_t)(how == NULL ? answer->ttl_s : how->ttl_s), "cname",
                     str_or_null(answer->canonical), "texts", texts_json(answer), "record",
                     record_json(answer), "fault", fault_json(answer), "source",
                     sp_source_name(how == NULL ? SP_SOURCE_MISS : how->source), "us",
                     (json_int_t)(how == NULL ? 0 : how->waited_us));
}

static json_t *decision_json(const sp_outcome_t *outcome)
{
    json_t *headers = json_object();

    for (size_t i = 0; i != outcome->header_count; ++i) {
        set_field(headers, outcome->headers[i].name, sp_json_str(outcome->headers[i].value));
    }
    return json_pack("{si,so,ss,so,so,so}", "status", (int)outcome->status, "location",
                     str_or_null(outcome->location), "outcome", sp_outcome_kind_name(outcome->kind),
                     "record", str_or_null(outcome->record), "reason", sp_json_str(outcome->reason),
                     "headers", headers);
}

json_t *sp_explanation_json(const sp_explanation_t *explanation)
{
    json_t *lookups = json_array();
    json_t *notes = json_array();
    const sp_trace_t *trace = explanation->trace;
    unsigned asked = trace == NULL ? 0 : trace->lookups;

    for (size_t i = 0; trace != NULL && i != trace->count; ++i) {
        const sp_trace_entry_t *entry = &trace->entries[i];

        if (entry->kind == SP_TRACE_LOOKUP) {
            (void)json_array_append_new(lookups, lookup_json(explanation, entry));
        } else if (entry->kind == SP_TRACE_NOTE) {
            (void)json_array_append_new(notes, sp_json_str(entry->text));
        }
    }
    return json_pack("{so,so,so,so,si}", "request", request_json(explanation), "lookups", lookups,
                     "notes", notes, "decision", decision_json(explanation->outcome),
                     "lookup_count", (int)asked);
}
