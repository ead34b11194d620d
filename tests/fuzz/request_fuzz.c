/* SPDX-License-Identifier: Apache-2.0 */

/* A request and a small zone, through a whole decision. The input's lines are: switches, method,
 * target, host, then header fields (":Name:value") and TXT records in any order. The n-th name that
 * is asked for gets the n-th record; "!" in front stands for a failure, an empty line for an
 * absence. Whatever they hold: the answer is well-formed, and leads where the record says. */

#include <signpost/decide/decision.h>
#include <signpost/rule/location.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEADERS_MAX 16
#define RECORDS_MAX 80

typedef struct input {
    sp_raw_request_t raw;
    sp_str_t host;
    sp_header_t headers[HEADERS_MAX];
    sp_str_t records[RECORDS_MAX];
    size_t record_count;
    uint8_t switches;
} input_t;

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* ---- reading the input ---- */

static void read_line(input_t *input, sp_str_t line)
{
    if (line.len != 0 && line.ptr[0] == ':') {
        if (input->raw.header_count != HEADERS_MAX) {
            sp_header_t *header = &input->headers[input->raw.header_count++];

            header->name = sp_str_cut(sp_str_skip(line, 1), ':', &header->value);
        }
    } else if (input->record_count != RECORDS_MAX) {
        input->records[input->record_count++] = line;
    }
}

static void read_input(sp_str_t text, input_t *input)
{
    sp_str_t rest = text;
    sp_str_t switches = sp_str_cut(rest, '\n', &rest);

    *input = (input_t){.switches = switches.len == 0 ? 0 : (uint8_t)switches.ptr[0]};
    input->raw.method = sp_str_cut(rest, '\n', &rest);
    input->raw.target = sp_str_cut(rest, '\n', &rest);
    input->host = sp_str_cut(rest, '\n', &rest);
    input->raw.scheme = (input->switches & 1) != 0 ? SP_STR("https") : SP_STR("http");
    input->raw.trusted_peer = (input->switches & 2) != 0;
    input->raw.hosts = &input->host;
    input->raw.host_count = 1;
    input->raw.headers = input->headers;
    while (rest.ptr != NULL) {
        read_line(input, sp_str_cut(rest, '\n', &rest));
    }
}

static void set_policy(const input_t *input, sp_policy_t *policy)
{
    sp_policy_init(policy);
    policy->fallback_www = (input->switches & 4) != 0;
    policy->qr.enabled = (input->switches & 8) != 0;
    policy->qr.size = 64;
    if ((input->switches & 16) != 0) {
        policy->fallback_redirect = SP_STR("https://fallback.example/f");
    }
    if ((input->switches & 32) != 0) {
        policy->max_lookups = 3;
    }
}

static const sp_answer_t *make_answer(const input_t *input, size_t number)
{
    sp_str_t text = number < input->record_count ? input->records[number] : SP_STR("");
    sp_answer_parts_t parts = {.kind = SP_ANSWER_TXT, .texts = &text, .text_count = 1};
    const sp_answer_t *answer = NULL;

    if (text.len == 0) {
        parts = (sp_answer_parts_t){.kind = SP_ANSWER_NXDOMAIN};
    } else if (text.ptr[0] == '!') {
        parts = (sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_TIMEOUT};
    }
    require(sp_answer_create(&parts, &answer) == SP_OK);
    return answer;
}

/* ---- where may the answer lead? ---- */

/* The authority of a target's own text, as far as it is spelled out there; false when there is
 * none. *ret_complete: no placeholder can add to it. */
static bool spelled_authority(sp_str_t text, sp_str_t *ret_authority, bool *ret_complete)
{
    sp_str_t rest = {.ptr = NULL, .len = 0};
    size_t end = 0;

    if (sp_str_starts_with(text, SP_STR("//"))) {
        rest = sp_str_skip(text, 2);
    } else if (sp_str_starts_with_nocase(text, SP_STR("http://"))) {
        rest = sp_str_skip(text, 7);
    } else if (sp_str_starts_with_nocase(text, SP_STR("https://"))) {
        rest = sp_str_skip(text, 8);
    } else if (sp_str_starts_with(text, SP_STR("{scheme}://"))) {
        rest = sp_str_skip(text, 11);
    } else {
        return false;
    }
    while (end != rest.len && sp_str_find(SP_STR("/?#{"), rest.ptr[end]) == 4) {
        ++end;
    }
    *ret_authority = sp_str_slice(rest, 0, end);
    *ret_complete = end == rest.len || rest.ptr[end] != '{';
    return true;
}

/* Does `location` lead where the target `template` of a record says? Where placeholders take part
 * in the authority, only its beginning is compared. */
static bool leads_there(sp_str_t location, const sp_template_t *template, sp_arena_t *arena)
{
    sp_str_t spelled;
    sp_str_t written;
    sp_host_t host;
    sp_url_t url;
    bool complete = false;

    if (template == NULL) {
        return false;
    }
    sp_url_split(location, &url);
    if (!spelled_authority(template->text, &spelled, &complete)) {
        return url.authority.ptr == NULL;
    }
    if (!complete) {
        return url.authority.ptr != NULL;
    }
    return sp_authority_read(spelled, arena, &written, &host, NULL) == SP_OK &&
           sp_str_eq(url.authority, written) &&
           (url.scheme.len == 0) == sp_str_starts_with(template->text, SP_STR("//"));
}

/* The record that stands at `name`. */
static const sp_record_t *record_at(const sp_trace_t *trace, sp_str_t name)
{
    for (size_t i = 0; i != trace->count; ++i) {
        if (trace->entries[i].answer != NULL && sp_str_eq(trace->entries[i].name, name)) {
            return trace->entries[i].answer->record;
        }
    }
    return NULL;
}

static void check_location(const sp_outcome_t *outcome, const sp_trace_t *trace,
                           const sp_request_t *request, sp_arena_t *arena)
{
    sp_str_t location = outcome->location;

    for (size_t i = 0; i != location.len; ++i) {
        require(location.ptr[i] > 0x20 && location.ptr[i] < 0x7f);
    }
    require(location.len <= SP_LOCATION_MAX);
    if (outcome->kind == SP_OUTCOME_FALLBACK) {
        sp_str_t www = SP_STR("https://www.");

        require(sp_str_eq(location, SP_STR("https://fallback.example/f")) ||
                (sp_str_starts_with(location, www) &&
                 sp_str_eq(sp_str_skip(location, www.len), request->host)));
    } else {
        const sp_record_t *record = record_at(trace, outcome->record);

        require(outcome->kind == SP_OUTCOME_REDIRECT && record != NULL);
        require(leads_there(location, record->to, arena) ||
                leads_there(location, record->root, arena) ||
                leads_there(location, record->website, arena));
    }
}

/* ---- the answer ---- */

static void check_headers(const sp_outcome_t *outcome)
{
    size_t locations = 0;

    for (size_t i = 0; i != outcome->header_count; ++i) {
        const sp_header_t *header = &outcome->headers[i];

        require(header->name.len != 0);
        for (size_t j = 0; j != header->value.len; ++j) {
            unsigned char c = (unsigned char)header->value.ptr[j];

            require(c == '\t' || (c >= 0x20 && c != 0x7f));
        }
        if (sp_str_eq_nocase(header->name, SP_STR("Location"))) {
            ++locations;
            require(sp_str_eq(header->value, outcome->location));
        }
    }
    require(locations == (outcome->location.len != 0 ? 1U : 0U));
}

static void check_outcome(const sp_outcome_t *outcome)
{
    switch (outcome->status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        require(outcome->location.len != 0);
        break;
    case 200:
    case 400:
    case 404:
    case 503:
    case 508:
        require(outcome->location.len == 0 && outcome->body.len != 0);
        break;
    default:
        abort();
    }
    require(outcome->reason.len != 0);
    check_headers(outcome);
}

static void decide(const input_t *input, const sp_request_t *request, sp_arena_t *arena)
{
    sp_policy_t policy;
    sp_decision_t *decision = NULL;
    size_t asked = 0;

    set_policy(input, &policy);
    decision = sp_decision_create(request, &policy, arena);
    require(decision != NULL);
    while (sp_decision_step(decision) == SP_STEP_LOOKUP) {
        const sp_answer_t *answer = make_answer(input, asked++);
        sp_str_t name = sp_decision_name(decision);

        require(name.len <= SP_NAME_MAX && sp_str_starts_with(name, SP_STR("_redirect.")));
        for (sp_str_t rest = name; rest.ptr != NULL;) {
            require(sp_label_is_valid(sp_str_cut(rest, '.', &rest)));
        }
        sp_decision_answer(decision, answer);
        sp_answer_release(answer);
    }
    require(sp_decision_trace(decision)->lookups <= policy.max_lookups);
    check_outcome(sp_decision_outcome(decision));
    if (sp_decision_outcome(decision)->location.len != 0) {
        check_location(sp_decision_outcome(decision), sp_decision_trace(decision), request, arena);
    }
    sp_decision_destroy(decision);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_t input;
    sp_request_t request;
    sp_arena_t arena;
    sp_error_t err = {.message = ""};

    read_input((sp_str_t){.ptr = (const char *)data, .len = size}, &input);
    sp_arena_init(&arena, NULL, 0, 4096);
    if (sp_request_read(&input.raw, &arena, &request, &err) == SP_OK) {
        decide(&input, &request, &arena);
    } else {
        check_outcome(sp_outcome_bad_request(&err, &arena));
    }
    sp_arena_clear(&arena);
    return 0;
}
