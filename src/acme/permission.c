/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/permission.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "acme/account.h"
#include "acme/caa_identity.h"
#include "acme/ledger.h"
#include "acme/registered_domain.h"
#include "tls/name.h"

#define TIME_MAX 32

const char *sp_permit_name(sp_permit_t permit)
{
    switch (permit) {
    case SP_PERMIT_GRANTED:
        return "granted";
    case SP_PERMIT_BAD_NAME:
        return "bad-name";
    case SP_PERMIT_BACK_OFF:
        return "back-off";
    case SP_PERMIT_NO_RECORD:
        return "no-record";
    case SP_PERMIT_FAULTY_RECORD:
        return "faulty-record";
    case SP_PERMIT_DNS_FAILURE:
        return "dns-failure";
    case SP_PERMIT_DOMAIN_BUDGET:
        return "domain-budget";
    case SP_PERMIT_HOUR_BUDGET:
        return "hour-budget";
    case SP_PERMIT_CLIENT_BUDGET:
        return "client-budget";
    case SP_PERMIT_CLIENT_NAMES:
        return "client-names";
    case SP_PERMIT_CAA:
        return "caa";
    case SP_PERMIT_CAA_FAILURE:
        return "caa-failure";
    case SP_PERMIT_NO_MEMORY:
        return "no-memory";
    }
    return "no-memory";
}

static void conclude(sp_permission_t *permission, sp_permit_t permit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void conclude(sp_permission_t *permission, sp_permit_t permit, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(permission->reason, sizeof(permission->reason), format, arguments);
    va_end(arguments);
    sp_make_printable(permission->reason);
    permission->permit = permit;
    permission->is_done = true;
}

static const char *print_time(uint64_t time_s, char out[TIME_MAX])
{
    time_t time = (time_t)time_s;
    struct tm parts;

    if (gmtime_r(&time, &parts) == NULL ||
        strftime(out, TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        out[0] = '\0';
    }
    return out;
}

/* --- The name, and what is known of it here --- */

static void check_name(sp_permission_t *permission, sp_str_t name)
{
    char *memory = sp_arena_alloc(permission->arena, SP_TLS_NAME_MAX);
    sp_str_t read = {0};

    if (memory == NULL) {
        conclude(permission, SP_PERMIT_NO_MEMORY, "out of memory");
    } else if (!sp_tls_name_read(name, memory, &read)) {
        conclude(permission, SP_PERMIT_BAD_NAME,
                 "'%.*s' is no host name: certificates are got for names, not for addresses or "
                 "wildcards",
                 (int)(name.len > 100 ? 100 : name.len), name.ptr);
    } else if (sp_str_find(read, '.') == read.len || sp_str_find(read, '_') != read.len) {
        conclude(permission, SP_PERMIT_BAD_NAME,
                 "'%.*s' is no name that an authority certifies: it needs a dot, and no '_'",
                 (int)read.len, read.ptr);
    }
    permission->name = read;
}

static void check_backoff(sp_permission_t *permission)
{
    uint64_t now_s = (uint64_t)time(NULL);
    sp_backoff_t backoff;
    char until[TIME_MAX];

    if (permission->with.storage == NULL) {
        return;
    }
    sp_ledger_backoff(permission->with.storage, permission->name, now_s, &backoff);
    if (sp_backoff_holds(&backoff, now_s)) {
        conclude(permission, SP_PERMIT_BACK_OFF,
                 "%u order%s in a row failed; the next is tried from %s on. The last said: %s",
                 backoff.failures, backoff.failures == 1 ? "" : "s",
                 print_time(backoff.until_s, until), backoff.reason);
    }
}

static void check_budget(sp_permission_t *permission)
{
    const sp_acme_settings_t *settings = permission->with.settings;
    const sp_budget_t budget = {settings->per_domain_per_week, settings->per_hour};
    sp_str_t domain = sp_registered_domain(permission->name);
    uint64_t free_s = 0;
    char until[TIME_MAX];

    if (permission->with.storage == NULL || permission->with.is_renewal) {
        return;
    }
    switch (sp_ledger_check(permission->with.storage, &budget, permission->name,
                            (uint64_t)time(NULL), &free_s)) {
    case SP_BUDGET_LEFT:
        break;
    case SP_BUDGET_DOMAIN_SPENT:
        conclude(permission, SP_PERMIT_DOMAIN_BUDGET,
                 "%.*s has had its %u certificates of a week (tls.acme.per_domain_per_week); the "
                 "next is possible from %s on",
                 (int)domain.len, domain.ptr, settings->per_domain_per_week,
                 print_time(free_s, until));
        break;
    case SP_BUDGET_HOUR_SPENT:
        conclude(permission, SP_PERMIT_HOUR_BUDGET,
                 "%u certificates were ordered within an hour (tls.acme.per_hour); the next is "
                 "possible from %s on",
                 settings->per_hour, print_time(free_s, until));
        break;
    }
}

static void check_share(sp_permission_t *permission)
{
    const sp_permission_with_t *with = &permission->with;

    if (!with->is_renewal && with->take_share != NULL &&
        !with->take_share(with->share_arg, with->asker)) {
        conclude(
            permission, SP_PERMIT_CLIENT_BUDGET,
            "the client that asked for it has caused as many orders in this hour as one client "
            "may, half of tls.acme.per_hour");
    }
}

/* --- CAA --- */

static void judge_caa(sp_permission_t *permission, const sp_caa_found_t *found)
{
    const sp_acme_settings_t *settings = permission->with.settings;
    sp_str_t known[SP_CAA_IDENTITIES_KNOWN_MAX];
    sp_caa_asker_t asker = {
        .identities = settings->caa_identities,
        .identity_count = settings->caa_identity_count,
        .method = sp_str_from(sp_acme_challenge_name(settings->challenge)),
        .account_uri = sp_acme_account_uri(permission->with.storage, settings, permission->arena)};
    sp_caa_verdict_t verdict = SP_CAA_ALLOWED;

    if (asker.identity_count == 0) {
        asker.identities = known;
        asker.identity_count = sp_caa_identities(settings->directory, known);
    }
    verdict = sp_caa_evaluate(found->records, found->count, &asker);
    switch (verdict) {
    case SP_CAA_ALLOWED:
        conclude(permission, SP_PERMIT_GRANTED, "its record resolves, and CAA allows it");
        break;
    case SP_CAA_OTHER_ISSUER:
        conclude(permission, SP_PERMIT_CAA,
                 "the CAA records at %.*s do not allow the authority%s%.*s; add one that names it",
                 (int)found->owner.len, found->owner.ptr,
                 asker.identity_count == 0 ? ", whose name there tls.acme.caa_identities has to say"
                                           : " ",
                 asker.identity_count == 0 ? 0 : (int)asker.identities[0].len,
                 asker.identity_count == 0 ? "" : asker.identities[0].ptr);
        break;
    case SP_CAA_OTHER_ACCOUNT:
        conclude(
            permission, SP_PERMIT_CAA,
            "the CAA records at %.*s allow the authority for other accounts only (accounturi); "
            "this one is %.*s",
            (int)found->owner.len, found->owner.ptr, (int)asker.account_uri.len,
            asker.account_uri.ptr);
        break;
    case SP_CAA_OTHER_METHOD:
        conclude(permission, SP_PERMIT_CAA,
                 "the CAA records at %.*s allow other challenges only (validationmethods), not %s",
                 (int)found->owner.len, found->owner.ptr,
                 sp_acme_challenge_name(settings->challenge));
        break;
    case SP_CAA_CRITICAL_TAG:
        conclude(permission, SP_PERMIT_CAA,
                 "a CAA record at %.*s is critical and says something that is not understood here",
                 (int)found->owner.len, found->owner.ptr);
        break;
    }
}

static void on_caa(void *arg, const sp_caa_found_t *found)
{
    sp_permission_t *permission = arg;

    permission->caa = NULL;
    if (found->failure != NULL) {
        bool is_own = sp_str_eq(found->owner, permission->name);

        conclude(permission, SP_PERMIT_CAA_FAILURE,
                 "the CAA records of %.*s%s can't be looked up (%s), and without knowing them "
                 "nobody may issue",
                 (int)found->owner.len, found->owner.ptr,
                 is_own ? "" : ", which count below it as well,", found->failure);
    } else {
        judge_caa(permission, found);
    }
    permission->done(permission->arg);
}

static void ask_caa(sp_permission_t *permission)
{
    if (sp_caa_lookup_start(permission->with.caa, permission->name,
                            sp_now_ms() + permission->with.timeout_ms, on_caa, permission,
                            &permission->caa) != SP_OK) {
        conclude(permission, SP_PERMIT_NO_MEMORY, "out of memory");
    }
}

/* --- The record --- */

/* The answer that decides for the host: the first with something in it. NULL: there is none. */
static const sp_trace_entry_t *first_finding(const sp_trace_t *trace)
{
    for (size_t i = 0; i != trace->count; ++i) {
        const sp_trace_entry_t *entry = &trace->entries[i];

        if (entry->kind == SP_TRACE_LOOKUP && entry->answer->finding != SP_FINDING_NOTHING) {
            return entry;
        }
    }
    return NULL;
}

static void refuse_record(sp_permission_t *permission, sp_str_t at, sp_str_t why)
{
    conclude(permission, SP_PERMIT_FAULTY_RECORD, "the record at %.*s can't be used: %.*s",
             (int)at.len, at.ptr, (int)why.len, why.ptr);
}

/* What the story says of the record that can't be used: more than the outcome does. */
static sp_str_t find_fault(const sp_trace_t *trace, const sp_outcome_t *outcome)
{
    sp_str_t why = outcome->reason;

    for (size_t i = 0; trace != NULL && i != trace->count; ++i) {
        const sp_trace_entry_t *entry = &trace->entries[i];

        if (!sp_str_eq(entry->name, outcome->record)) {
            continue;
        }
        if (entry->kind == SP_TRACE_LOOKUP && entry->answer->finding == SP_FINDING_FAULT) {
            why = sp_str_from(entry->answer->fault->message);
        } else if (entry->kind == SP_TRACE_NOTE) {
            why = entry->text;
        }
    }
    return why;
}

/* A record that is known from before alone, since nobody answers for it, may be gone. */
static bool is_stale(const sp_explanation_t *explanation)
{
    bool found = false;

    for (const sp_explained_lookup_t *lookup = explanation->lookups; lookup != NULL;
         lookup = lookup->next) {
        found = found || lookup->source == SP_SOURCE_STALE;
    }
    return found;
}

/* What `https://NAME/` gets. A record that sends only certain paths somewhere is as good as one
 * that sends all; what `fallback` does is no record's doing. */
static void judge_outcome(sp_permission_t *permission)
{
    const sp_outcome_t *outcome = permission->explanation.outcome;
    const sp_trace_entry_t *entry =
        permission->explanation.trace == NULL ? NULL : first_finding(permission->explanation.trace);
    bool has_record = entry != NULL && entry->answer->finding == SP_FINDING_RECORD;

    switch (outcome->kind) {
    case SP_OUTCOME_REDIRECT:
    case SP_OUTCOME_PAGE:
        return;
    case SP_OUTCOME_FALLBACK:
    case SP_OUTCOME_NOT_FOUND:
        if (has_record && entry->answer->record->type == SP_TYPE_HOST &&
            entry->answer->record->use == NULL) {
            refuse_record(permission, entry->name, SP_STR("it leads nowhere"));
        } else if (entry != NULL && !has_record) {
            refuse_record(permission, entry->name, sp_str_from(entry->answer->fault->message));
        } else if (!has_record) {
            conclude(permission, SP_PERMIT_NO_RECORD,
                     "there is no redirect record for %.*s: put one at _redirect.%.*s",
                     (int)permission->name.len, permission->name.ptr, (int)permission->name.len,
                     permission->name.ptr);
        }
        return;
    case SP_OUTCOME_RECORD_ERROR:
        if (has_record && entry->answer->record->type == SP_TYPE_PATH &&
            sp_str_eq(outcome->record, entry->name)) {
            return; /* it has no target for `/` alone */
        }
        refuse_record(permission, outcome->record,
                      find_fault(permission->explanation.trace, outcome));
        return;
    case SP_OUTCOME_BAD_REQUEST:
        refuse_record(permission, outcome->record, outcome->reason);
        return;
    case SP_OUTCOME_DNS_FAILURE:
    case SP_OUTCOME_LIMITED:
        conclude(permission, SP_PERMIT_DNS_FAILURE, "its record can't be looked up: %.*s",
                 (int)outcome->reason.len, outcome->reason.ptr);
        return;
    }
}

static void go_on(sp_permission_t *permission)
{
    if (is_stale(&permission->explanation)) {
        conclude(permission, SP_PERMIT_DNS_FAILURE,
                 "its record is known from before only: the resolvers do not answer for it now");
    } else {
        judge_outcome(permission);
    }
    sp_explanation_clear(&permission->explanation);
    if (!permission->is_done) {
        check_budget(permission);
    }
    if (!permission->is_done) {
        check_share(permission);
    }
    if (!permission->is_done) {
        ask_caa(permission);
    }
}

static void on_decided(void *arg)
{
    sp_permission_t *permission = arg;

    go_on(permission);
    if (permission->is_done) {
        permission->done(permission->arg);
    }
}

static void ask_record(sp_permission_t *permission)
{
    const sp_explain_with_t with = {.policy = permission->with.policy,
                                    .lookups = permission->with.lookups,
                                    .timeout_ms = permission->with.timeout_ms};

    permission->raw = (sp_raw_request_t){.method = SP_STR("GET"),
                                         .target = SP_STR("/"),
                                         .scheme = SP_STR("https"),
                                         .hosts = &permission->name,
                                         .host_count = 1};
    if (sp_explain_start(&permission->raw, &with, permission->arena, on_decided, permission,
                         &permission->explanation) != SP_OK) {
        conclude(permission, SP_PERMIT_NO_MEMORY, "out of memory");
    } else if (permission->explanation.outcome != NULL) {
        go_on(permission);
    }
}

void sp_permission_start(sp_str_t name, const sp_permission_with_t *with, sp_arena_t *arena,
                         sp_permission_fn *done, void *arg, sp_permission_t *permission)
{
    *permission = (sp_permission_t){.with = *with, .arena = arena, .done = done, .arg = arg};
    check_name(permission, name);
    if (!permission->is_done && !with->is_renewal) {
        check_backoff(permission);
    }
    if (!permission->is_done) {
        ask_record(permission);
    }
}

void sp_permission_clear(sp_permission_t *permission)
{
    sp_explanation_clear(&permission->explanation);
    if (permission->caa != NULL) {
        sp_caa_lookup_cancel(permission->caa);
        permission->caa = NULL;
    }
}
