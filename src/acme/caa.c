/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa.h"

/* RFC 8659, 4.1: the flags, the length of the tag (15 at most, of letters and digits), the tag; the
 * rest is the value. */
bool sp_caa_record_read(sp_str_t data, sp_caa_record_t *ret_record)
{
    size_t tag_len = data.len < 2 ? 0 : (unsigned char)data.ptr[1];

    if (tag_len == 0 || data.len < 2 + tag_len) {
        return false;
    }
    *ret_record = (sp_caa_record_t){.flags = (uint8_t)data.ptr[0],
                                    .tag = sp_str_slice(data, 2, 2 + tag_len),
                                    .value = sp_str_skip(data, 2 + tag_len)};
    for (size_t i = 0; i != tag_len; ++i) {
        if (!sp_is_alnum(ret_record->tag.ptr[i])) {
            return false;
        }
    }
    return true;
}

/* Properties that say nothing of certificates for host names, or that are read here. */
static bool is_known(sp_str_t tag)
{
    static const char *const tags[] = {"issue",        "issuewild", "iodef",   "contactemail",
                                       "contactphone", "issuemail", "issuevmc"};
    bool known = false;

    for (size_t i = 0; i != SP_COUNT(tags); ++i) {
        known = known || sp_str_eq_nocase(tag, sp_str_from(tags[i]));
    }
    return known;
}

static bool is_asker(const sp_caa_asker_t *asker, sp_str_t name)
{
    bool found = false;

    for (size_t i = 0; i != asker->identity_count; ++i) {
        found = found || sp_str_eq_nocase(name, asker->identities[i]);
    }
    return found && name.len != 0;
}

/* RFC 8657, 4: a list between commas. */
static bool lists(sp_str_t methods, sp_str_t method)
{
    while (methods.ptr != NULL) {
        if (sp_str_eq(sp_str_trim(sp_str_cut(methods, ',', &methods)), method)) {
            return true;
        }
    }
    return false;
}

/* Octets of a parameter's value (RFC 8659, 4.2): visible ASCII but ';'. */
static bool is_value(sp_str_t value)
{
    for (size_t i = 0; i != value.len; ++i) {
        if (value.ptr[i] <= ' ' || value.ptr[i] > '~') {
            return false;
        }
    }
    return true;
}

static sp_caa_verdict_t judge_parameter(sp_str_t tag, sp_str_t value, const sp_caa_asker_t *asker)
{
    if (sp_str_eq_nocase(tag, SP_STR("accounturi")) && asker->account_uri.len != 0 &&
        !sp_str_eq(value, asker->account_uri)) {
        return SP_CAA_OTHER_ACCOUNT;
    }
    if (sp_str_eq_nocase(tag, SP_STR("validationmethods")) && !lists(value, asker->method)) {
        return SP_CAA_OTHER_METHOD;
    }
    return SP_CAA_ALLOWED; /* other parameters are between the domain and its authority */
}

/* A value that breaks the grammar names nobody (RFC 8659, 4.2). */
static sp_caa_verdict_t judge_issue(sp_str_t value, const sp_caa_asker_t *asker)
{
    sp_str_t rest = {0};
    sp_str_t issuer = sp_str_trim(sp_str_cut(value, ';', &rest));
    sp_caa_verdict_t verdict = is_asker(asker, issuer) ? SP_CAA_ALLOWED : SP_CAA_OTHER_ISSUER;

    rest = rest.ptr == NULL ? rest : sp_str_trim(rest);
    while (verdict != SP_CAA_OTHER_ISSUER && rest.ptr != NULL && rest.len != 0) {
        sp_str_t parameter = sp_str_trim(sp_str_cut(rest, ';', &rest));
        size_t equals = sp_str_find(parameter, '=');
        sp_str_t tag = sp_str_trim(sp_str_slice(parameter, 0, equals));
        sp_str_t text = sp_str_trim(sp_str_skip(parameter, equals + 1));
        sp_caa_verdict_t one = SP_CAA_ALLOWED;

        if (equals == parameter.len || tag.len == 0 || !is_value(text)) {
            return SP_CAA_OTHER_ISSUER;
        }
        one = judge_parameter(tag, text, asker);
        verdict = verdict == SP_CAA_ALLOWED ? one : verdict;
    }
    return verdict;
}

/* The more a verdict comes to allowing, the higher. */
static int closeness(sp_caa_verdict_t verdict)
{
    switch (verdict) {
    case SP_CAA_ALLOWED:
        return 3;
    case SP_CAA_OTHER_METHOD:
        return 2;
    case SP_CAA_OTHER_ACCOUNT:
        return 1;
    case SP_CAA_OTHER_ISSUER:
    case SP_CAA_CRITICAL_TAG:
        return 0;
    }
    return 0;
}

sp_caa_verdict_t sp_caa_evaluate(const sp_caa_record_t *records, size_t count,
                                 const sp_caa_asker_t *asker)
{
    sp_caa_verdict_t verdict = SP_CAA_OTHER_ISSUER;
    bool restricts = false;

    for (size_t i = 0; i != count; ++i) {
        if ((records[i].flags & SP_CAA_CRITICAL) != 0 && !is_known(records[i].tag)) {
            return SP_CAA_CRITICAL_TAG;
        }
        if (sp_str_eq_nocase(records[i].tag, SP_STR("issue"))) {
            sp_caa_verdict_t one = judge_issue(records[i].value, asker);

            restricts = true;
            verdict = closeness(one) > closeness(verdict) ? one : verdict;
        }
    }
    return restricts ? verdict : SP_CAA_ALLOWED;
}
