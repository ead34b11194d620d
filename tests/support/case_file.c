/* SPDX-License-Identifier: Apache-2.0 */
#include "case_file.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#define TEXTS_MAX 16
#define HEADERS_MAX 64

static sp_str_t str_of(const json_t *value)
{
    return (sp_str_t){.ptr = json_string_value(value), .len = json_string_length(value)};
}

/* ---- the zone ---- */

static const json_t *row_at(const json_t *test_case, size_t index, sp_str_t *ret_name,
                            sp_str_t *ret_type)
{
    const json_t *row = json_array_get(json_object_get(test_case, "zone"), index);

    *ret_name = str_of(json_array_get(row, 0));
    *ret_type = str_of(json_array_get(row, 1));
    return json_array_get(row, 2);
}

static size_t row_count(const json_t *test_case)
{
    return json_array_size(json_object_get(test_case, "zone"));
}

static bool is_below(sp_str_t name, sp_str_t parent)
{
    return name.len > parent.len && sp_str_ends_with(name, parent) &&
           name.ptr[name.len - parent.len - 1] == '.';
}

/* A name exists when it owns a record or has a name below it. */
static bool exists(const json_t *test_case, sp_str_t name)
{
    for (size_t i = 0; i != row_count(test_case); ++i) {
        sp_str_t owner;
        sp_str_t type;

        (void)row_at(test_case, i, &owner, &type);
        if (sp_str_eq_nocase(owner, name) || is_below(owner, name)) {
            return true;
        }
    }
    return false;
}

/* The owner whose records answer for `name`: itself, or the wildcard at its closest encloser. */
static bool find_owner(const json_t *test_case, sp_str_t name, char *buffer, size_t size,
                       sp_str_t *ret_owner)
{
    sp_str_t encloser = name;
    int len = 0;

    if (exists(test_case, name)) {
        *ret_owner = name;
        return true;
    }
    while (encloser.len != 0 && !exists(test_case, encloser)) {
        encloser = sp_str_skip(encloser, sp_str_find(encloser, '.') + 1);
    }
    len = snprintf(buffer, size, "*.%.*s", (int)encloser.len, encloser.ptr);
    *ret_owner = (sp_str_t){.ptr = buffer, .len = len < 0 ? 0 : (size_t)len};
    return exists(test_case, *ret_owner);
}

static sp_failure_t fault_at(const json_t *test_case, sp_str_t name)
{
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach(json_object_get(test_case, "fault"), key, value)
    {
        if (sp_str_eq_nocase(sp_str_from(key), name)) {
            sp_str_t kind = str_of(value);

            return sp_str_eq(kind, SP_STR("drop"))      ? SP_FAILURE_TIMEOUT
                   : sp_str_eq(kind, SP_STR("refused")) ? SP_FAILURE_REFUSED
                                                        : SP_FAILURE_SERVFAIL;
        }
    }
    return SP_FAILURE_NONE;
}

static sp_str_t join_strings(const json_t *value, char *buffer, size_t *used)
{
    sp_str_t joined = {.ptr = buffer + *used, .len = 0};

    for (size_t i = 0; i != json_array_size(value); ++i) {
        sp_str_t part = str_of(json_array_get(value, i));

        memcpy(buffer + *used, part.ptr, part.len);
        *used += part.len;
        joined.len += part.len;
    }
    return json_is_string(value) ? str_of(value) : joined;
}

static const sp_answer_t *make_answer(const sp_answer_parts_t *parts)
{
    const sp_answer_t *answer = NULL;

    return sp_answer_create(parts, &answer) == SP_OK ? answer : NULL;
}

static const sp_answer_t *answer_from(const json_t *test_case, sp_str_t owner)
{
    char buffer[70000];
    size_t used = 0;
    sp_str_t texts[TEXTS_MAX];
    sp_answer_parts_t parts = {.kind = SP_ANSWER_NODATA, .ttl_s = 60, .texts = texts};

    for (size_t i = 0; i != row_count(test_case); ++i) {
        sp_str_t name;
        sp_str_t type;
        const json_t *value = row_at(test_case, i, &name, &type);

        if (sp_str_eq_nocase(name, owner) && sp_str_eq(type, SP_STR("TXT")) &&
            parts.text_count != TEXTS_MAX) {
            texts[parts.text_count++] = join_strings(value, buffer, &used);
            parts.kind = SP_ANSWER_TXT;
        }
    }
    return make_answer(&parts);
}

/* The target when `owner` has a CNAME. */
static bool find_cname(const json_t *test_case, sp_str_t owner, sp_str_t *ret_target)
{
    for (size_t i = 0; i != row_count(test_case); ++i) {
        sp_str_t name;
        sp_str_t type;
        const json_t *value = row_at(test_case, i, &name, &type);

        if (sp_str_eq_nocase(name, owner) && sp_str_eq(type, SP_STR("CNAME"))) {
            *ret_target = str_of(value);
            return true;
        }
    }
    return false;
}

const sp_answer_t *case_answer(const json_t *test_case, sp_str_t name)
{
    for (int hops = 0; hops != 12; ++hops) {
        char buffer[300];
        sp_str_t owner;
        sp_failure_t failure = fault_at(test_case, name);

        if (failure != SP_FAILURE_NONE) {
            return make_answer(&(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = failure});
        }
        if (!find_owner(test_case, name, buffer, sizeof(buffer), &owner)) {
            return make_answer(&(sp_answer_parts_t){.kind = SP_ANSWER_NXDOMAIN, .ttl_s = 60});
        }
        if (!find_cname(test_case, owner, &name)) {
            return answer_from(test_case, owner);
        }
    }
    return make_answer(
        &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_SERVFAIL});
}

/* ---- playing ---- */

static void set_policy(const json_t *config, sp_policy_t *policy)
{
    const json_t *types = json_object_get(config, "types");
    const json_t *fallback = json_object_get(config, "fallback");
    const json_t *limits =
        json_object_get(json_object_get(config, "limits"), "lookups_per_request");

    sp_policy_init(policy);
    if (types != NULL) {
        policy->types = 0;
        for (size_t i = 0; i != json_array_size(types); ++i) {
            policy->types |= 1U << sp_record_type_from(str_of(json_array_get(types, i)));
        }
    }
    policy->fallback_www = json_is_true(json_object_get(fallback, "www"));
    policy->fallback_redirect = str_of(json_object_get(fallback, "redirect"));
    if (json_object_get(fallback, "code") != NULL) {
        policy->fallback_code = (uint16_t)json_integer_value(json_object_get(fallback, "code"));
    }
    if (limits != NULL) {
        policy->max_lookups = (unsigned)json_integer_value(limits);
    }
    policy->qr.enabled = json_is_true(json_object_get(json_object_get(config, "qr"), "enabled"));
}

static size_t collect_headers(const json_t *request, sp_header_t *headers)
{
    size_t count = 0;
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach(json_object_get(request, "headers"), key, value)
    {
        if (count != HEADERS_MAX) {
            headers[count++] = (sp_header_t){.name = sp_str_from(key), .value = str_of(value)};
        }
    }
    return count;
}

typedef struct at_hand {
    const json_t *test_case;
    unsigned asked;
} at_hand_t;

/* Every second answer is: both ways of getting on are gone. */
static const sp_answer_t *find_at_hand(void *arg, sp_str_t name)
{
    at_hand_t *at_hand = arg;

    return at_hand->asked++ % 2 == 0 ? case_answer(at_hand->test_case, name) : NULL;
}

static void decide(const json_t *test_case, case_result_t *result)
{
    at_hand_t at_hand = {.test_case = test_case};

    result->decision = sp_decision_create(&result->request, &result->policy, &result->arena);
    if (result->decision == NULL) {
        return;
    }
    sp_decision_use(result->decision, find_at_hand, &at_hand);
    while (sp_decision_step(result->decision) == SP_STEP_LOOKUP) {
        const sp_answer_t *answer = case_answer(test_case, sp_decision_name(result->decision));

        sp_decision_answer(result->decision, answer);
        sp_answer_release(answer);
    }
    result->outcome = sp_decision_outcome(result->decision);
}

void case_play(const json_t *test_case, case_result_t *ret_result)
{
    const json_t *request = json_object_get(test_case, "request");
    const json_t *config = json_object_get(test_case, "config");
    const json_t *host = json_object_get(request, "host");
    sp_str_t hosts[1] = {str_of(host)};
    sp_raw_request_t raw = {
        .method = str_of(json_object_get(request, "method")),
        .target = str_of(json_object_get(request, "path")),
        .scheme = SP_STR("http"),
        .hosts = hosts,
        .host_count = json_is_string(host),
        .trusted_peer = json_array_size(json_object_get(config, "trusted_proxies")) != 0,
    };
    sp_error_t err = {.status = SP_OK};
    sp_header_t *headers = NULL;
    sp_status_t status = SP_NO_MEMORY;

    *ret_result = (case_result_t){.outcome = NULL};
    sp_arena_init(&ret_result->arena, NULL, 0, 1024);
    set_policy(config, &ret_result->policy);
    headers = sp_arena_zalloc(&ret_result->arena, HEADERS_MAX, sizeof(*headers));
    if (headers == NULL) {
        return;
    }
    raw.headers = headers;
    raw.header_count = collect_headers(request, headers);
    status = sp_request_read(&raw, &ret_result->arena, &ret_result->request, &err);
    if (status == SP_OK) {
        decide(test_case, ret_result);
    } else if (status != SP_NO_MEMORY) {
        ret_result->outcome = sp_outcome_bad_request(&err, &ret_result->arena);
    }
}

void case_clear(case_result_t *result)
{
    sp_decision_destroy(result->decision);
    sp_arena_clear(&result->arena);
}

/* ---- comparing ---- */

/* Is `text` the expected value: one of a list, null for absent, `~` in front of a regular
 * expression? */
static bool value_agrees(const json_t *expected, sp_str_t text, bool present)
{
    regex_t regex;
    char copy[8192];
    bool matches = false;

    if (json_is_null(expected)) {
        return !present;
    }
    if (json_is_array(expected)) {
        for (size_t i = 0; i != json_array_size(expected); ++i) {
            if (value_agrees(json_array_get(expected, i), text, present)) {
                return true;
            }
        }
        return false;
    }
    if (!present || json_string_value(expected)[0] != '~') {
        return present && sp_str_eq(str_of(expected), text);
    }
    (void)snprintf(copy, sizeof(copy), "%.*s", (int)text.len, text.ptr);
    if (regcomp(&regex, json_string_value(expected) + 1, REG_EXTENDED | REG_NOSUB) != 0) {
        return false;
    }
    matches = regexec(&regex, copy, 0, NULL, 0) == 0;
    regfree(&regex);
    return matches;
}

static bool status_agrees(const json_t *expected, uint16_t status)
{
    for (size_t i = 0; i != json_array_size(expected); ++i) {
        if (json_integer_value(json_array_get(expected, i)) == status) {
            return true;
        }
    }
    return json_integer_value(expected) == status;
}

static bool find_header(const sp_outcome_t *outcome, sp_str_t name, sp_str_t *ret_value)
{
    for (size_t i = 0; i != outcome->header_count; ++i) {
        if (sp_str_eq_nocase(outcome->headers[i].name, name)) {
            *ret_value = outcome->headers[i].value;
            return true;
        }
    }
    *ret_value = SP_STR("");
    return false;
}

static bool headers_agree(const json_t *expect, const sp_outcome_t *outcome, char *ret_why,
                          size_t why_size)
{
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach(json_object_get(expect, "headers"), key, value)
    {
        sp_str_t got;
        bool present = find_header(outcome, sp_str_from(key), &got);

        if (!value_agrees(value, got, present)) {
            (void)snprintf(ret_why, why_size, "header %s is '%.*s'%s", key, (int)got.len, got.ptr,
                           present ? "" : " (absent)");
            return false;
        }
    }
    return true;
}

static bool body_agrees(const json_t *expect, const sp_outcome_t *outcome, char *ret_why,
                        size_t why_size)
{
    const json_t *wanted = json_object_get(expect, "body_contains");

    for (size_t i = 0; i != json_array_size(wanted); ++i) {
        sp_str_t text = str_of(json_array_get(wanted, i));

        if (sp_str_search(outcome->body, text) == outcome->body.len) {
            (void)snprintf(ret_why, why_size, "the body lacks '%s': %.*s",
                           json_string_value(json_array_get(wanted, i)), (int)outcome->body.len,
                           outcome->body.ptr);
            return false;
        }
    }
    return true;
}

bool case_agrees(const json_t *test_case, const sp_outcome_t *outcome, char *ret_why,
                 size_t why_size)
{
    const json_t *expect = json_object_get(test_case, "expect");
    const json_t *location = json_object_get(expect, "location");
    sp_str_t got;
    bool present = find_header(outcome, SP_STR("Location"), &got);

    if (!status_agrees(json_object_get(expect, "status"), outcome->status)) {
        (void)snprintf(ret_why, why_size, "status %d, Location '%.*s', %.*s", outcome->status,
                       (int)got.len, got.ptr, (int)outcome->body.len, outcome->body.ptr);
        return false;
    }
    if (location != NULL && !value_agrees(location, got, present)) {
        (void)snprintf(ret_why, why_size, "Location '%.*s'", (int)got.len, got.ptr);
        return false;
    }
    return headers_agree(expect, outcome, ret_why, why_size) &&
           body_agrees(expect, outcome, ret_why, why_size);
}
