/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa.h"

#include <criterion/criterion.h>
#include <string.h>

static const sp_str_t us[] = {{"ca.example.net", 14}, {"other.example.net", 17}};

static const sp_caa_asker_t asker = {
    .identities = us,
    .identity_count = 2,
    .method = {"http-01", 7},
    .account_uri = {"https://ca.example.net/acct/1", 29},
};

static sp_caa_record_t issue(const char *value)
{
    return (sp_caa_record_t){.tag = SP_STR("issue"), .value = sp_str_from(value)};
}

static sp_caa_verdict_t judge(const char *value)
{
    const sp_caa_record_t record = issue(value);

    return sp_caa_evaluate(&record, 1, &asker);
}

Test(caa, allows_where_there_is_nothing)
{
    cr_expect_eq(sp_caa_evaluate(NULL, 0, &asker), SP_CAA_ALLOWED);
}

Test(caa, allows_whom_it_names)
{
    static const char *const values[] = {
        "ca.example.net",
        "CA.Example.Net",
        "  ca.example.net  ",
        "other.example.net",
        "ca.example.net;",
        "ca.example.net ; ",
        "ca.example.net; policy=ev",
        "ca.example.net; accounturi=https://ca.example.net/acct/1",
        "ca.example.net;validationmethods=dns-01,http-01",
        "ca.example.net; a=1;b=2 ; validationmethods=http-01",
    };

    for (size_t i = 0; i != SP_COUNT(values); ++i) {
        cr_expect_eq(judge(values[i]), SP_CAA_ALLOWED, "%s", values[i]);
    }
}

Test(caa, forbids_everybody_else)
{
    static const char *const values[] = {
        "",
        ";",
        " ; ",
        "example.net",
        "xca.example.net",
        "ca.example.net.evil.com",
        "%%%%%",
        "ca.example.net x",
        "ca.example.net; %%%",
        "ca.example.net; =1",
        "ca.example.net; a=b c",
    };

    for (size_t i = 0; i != SP_COUNT(values); ++i) {
        cr_expect_eq(judge(values[i]), SP_CAA_OTHER_ISSUER, "%s", values[i]);
    }
}

Test(caa, holds_the_parameters_against_us)
{
    cr_expect_eq(judge("ca.example.net; accounturi=https://ca.example.net/acct/2"),
                 SP_CAA_OTHER_ACCOUNT);
    cr_expect_eq(judge("ca.example.net; validationmethods=dns-01"), SP_CAA_OTHER_METHOD);
    cr_expect_eq(judge("ca.example.net; validationmethods="), SP_CAA_OTHER_METHOD);
    cr_expect_eq(judge("ca.example.net; validationmethods=http-011"), SP_CAA_OTHER_METHOD);
}

Test(caa, leaves_accounts_to_the_authority_while_ours_is_not_known)
{
    sp_caa_asker_t stranger = asker;
    const sp_caa_record_t record =
        issue("ca.example.net; accounturi=https://ca.example.net/acct/2");

    stranger.account_uri = SP_STR("");
    cr_expect_eq(sp_caa_evaluate(&record, 1, &stranger), SP_CAA_ALLOWED);
}

Test(caa, takes_the_best_of_several)
{
    const sp_caa_record_t records[] = {
        issue("nobody.example"),
        issue("ca.example.net; validationmethods=dns-01"),
        issue("other.example.net; accounturi=x"),
        issue("ca.example.net"),
    };

    cr_expect_eq(sp_caa_evaluate(records, 1, &asker), SP_CAA_OTHER_ISSUER);
    cr_expect_eq(sp_caa_evaluate(records, 2, &asker), SP_CAA_OTHER_METHOD);
    cr_expect_eq(sp_caa_evaluate(records, 3, &asker), SP_CAA_OTHER_METHOD);
    cr_expect_eq(sp_caa_evaluate(records, 4, &asker), SP_CAA_ALLOWED);
}

Test(caa, lets_issuewild_and_iodef_be)
{
    const sp_caa_record_t records[] = {
        {.tag = SP_STR("issuewild"), .value = SP_STR(";")},
        {.flags = SP_CAA_CRITICAL, .tag = SP_STR("iodef"), .value = SP_STR("mailto:a@b.example")},
        {.tag = SP_STR("unknown"), .value = SP_STR("x")},
    };

    cr_expect_eq(sp_caa_evaluate(records, SP_COUNT(records), &asker), SP_CAA_ALLOWED);
}

Test(caa, stops_at_what_is_critical_and_not_understood)
{
    const sp_caa_record_t records[] = {
        issue("ca.example.net"),
        {.flags = SP_CAA_CRITICAL, .tag = SP_STR("future"), .value = SP_STR("")},
    };

    cr_expect_eq(sp_caa_evaluate(records, 2, &asker), SP_CAA_CRITICAL_TAG);
}

Test(caa, names_nobody_without_identities)
{
    const sp_caa_asker_t nobody = {.method = {"http-01", 7}};
    const sp_caa_record_t record = issue("");

    cr_expect_eq(sp_caa_evaluate(&record, 1, &nobody), SP_CAA_OTHER_ISSUER);
}

Test(caa, reads_record_data)
{
    sp_caa_record_t record;

    cr_assert(sp_caa_record_read(SP_STR("\x80\x05issueca.example.net"), &record));
    cr_expect_eq(record.flags, 0x80);
    cr_expect(sp_str_eq(record.tag, SP_STR("issue")));
    cr_expect(sp_str_eq(record.value, SP_STR("ca.example.net")));
    cr_assert(sp_caa_record_read(SP_STR("\0\x05issue"), &record));
    cr_expect_eq(record.value.len, 0);
    cr_expect_not(sp_caa_record_read(SP_STR(""), &record));
    cr_expect_not(sp_caa_record_read(SP_STR("\0"), &record));
    cr_expect_not(sp_caa_record_read(SP_STR("\0\0x"), &record));
    cr_expect_not(sp_caa_record_read(SP_STR("\0\x05issu"), &record));
    cr_expect_not(sp_caa_record_read(SP_STR("\0\x05iss eca.example.net"), &record));
}
