/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/decide/answer.h>

#include "unit/rule/expect_str.h"

/* An answer with these texts, up to the first NULL. */
static const sp_answer_t *answer_with(const char *a, const char *b, const char *c)
{
    const char *given[] = {a, b, c};
    sp_str_t texts[3];
    sp_answer_parts_t parts = {.kind = SP_ANSWER_TXT, .ttl_s = 60, .texts = texts};
    const sp_answer_t *answer = NULL;

    for (size_t i = 0; i != SP_COUNT(given) && given[i] != NULL; ++i) {
        texts[parts.text_count++] = sp_str_from(given[i]);
    }
    cr_assert_eq(sp_answer_create(&parts, &answer), SP_OK);
    return answer;
}

Test(answer, holds_the_only_record_at_a_name)
{
    const sp_answer_t *answer = answer_with("to=/a", NULL, NULL);

    cr_assert_eq(answer->finding, SP_FINDING_RECORD);
    EXPECT_STR(answer->record->to->text, "/a");
    cr_expect_eq(answer->ours, 0);
    cr_expect_null(answer->fault);
    sp_answer_release(answer);
}

Test(answer, passes_foreign_texts_over)
{
    const sp_answer_t *answer = answer_with("v=spf1 -all", "", "v=txtv0;to=/a");

    cr_assert_eq(answer->finding, SP_FINDING_RECORD);
    cr_expect_eq(answer->ours, 2);
    cr_expect_eq(answer->text_count, 3);
    sp_answer_release(answer);
    answer = answer_with("v=spf1 -all", "hello", NULL);
    cr_expect_eq(answer->finding, SP_FINDING_NOTHING);
    sp_answer_release(answer);
    answer = answer_with("", NULL, NULL);
    cr_expect_eq(answer->finding, SP_FINDING_NOTHING);
    sp_answer_release(answer);
}

Test(answer, takes_a_record_without_version_only_when_it_is_alone)
{
    const sp_answer_t *answer = answer_with("to=/a", "", NULL);

    cr_expect_eq(answer->finding, SP_FINDING_NOTHING, "empty texts count as well");
    sp_answer_release(answer);
}

Test(answer, has_a_fault_where_two_records_are_ours)
{
    const sp_answer_t *answer = answer_with("v=spf1 -all", "v=txtv0;to=/a", "v=txtv0;to=/b");

    cr_assert_eq(answer->finding, SP_FINDING_FAULT);
    cr_expect_eq(answer->ours, 1, "the first of them");
    cr_expect_not_null(answer->fault);
    cr_expect_null(answer->record);
    sp_answer_release(answer);
}

Test(answer, says_where_a_record_is_faulty)
{
    const sp_answer_t *answer = answer_with("v=txtv0;to=/;code=999", NULL, NULL);

    cr_assert_eq(answer->finding, SP_FINDING_FAULT);
    cr_expect_eq(answer->fault->offset, 18);
    cr_expect_eq(answer->fault->status, SP_BAD_VALUE);
    sp_answer_release(answer);
}

Test(answer, copies_its_parts)
{
    char text[] = "to=/a";
    char name[] = "canonical.example";
    sp_str_t texts[] = {sp_str_from(text)};
    sp_answer_parts_t parts = {.kind = SP_ANSWER_TXT,
                               .ttl_s = 7,
                               .texts = texts,
                               .text_count = 1,
                               .canonical = sp_str_from(name)};
    const sp_answer_t *answer = NULL;

    cr_assert_eq(sp_answer_create(&parts, &answer), SP_OK);
    text[4] = name[0] = 'X';
    texts[0].len = 0;
    EXPECT_STR(answer->texts[0], "to=/a");
    EXPECT_STR(answer->record->to->text, "/a");
    EXPECT_STR(answer->canonical, "canonical.example");
    cr_expect_eq(answer->ttl_s, 7);
    sp_answer_release(answer);
}

Test(answer, may_be_an_absence_or_a_failure)
{
    static const sp_answer_parts_t absent = {.kind = SP_ANSWER_NXDOMAIN, .ttl_s = 5};
    static const sp_answer_parts_t failed = {.kind = SP_ANSWER_FAILURE,
                                             .failure = SP_FAILURE_TIMEOUT};
    const sp_answer_t *answer = NULL;

    cr_assert_eq(sp_answer_create(&absent, &answer), SP_OK);
    cr_expect_eq(answer->kind, SP_ANSWER_NXDOMAIN);
    cr_expect_eq(answer->finding, SP_FINDING_NOTHING);
    cr_expect_eq(answer->ttl_s, 5);
    sp_answer_release(answer);
    cr_assert_eq(sp_answer_create(&failed, &answer), SP_OK);
    cr_expect_eq(answer->kind, SP_ANSWER_FAILURE);
    cr_expect_eq(answer->failure, SP_FAILURE_TIMEOUT);
    sp_answer_release(answer);
}

Test(answer, lives_until_its_last_reference_is_released)
{
    const sp_answer_t *answer = answer_with("type=path;re=(a+)", NULL, NULL);

    cr_expect_eq(sp_answer_retain(answer), answer);
    sp_answer_release(answer);
    cr_expect_eq(sp_regex_group_count(answer->record->re), 1);
    sp_answer_release(answer);
    sp_answer_release(NULL);
}

Test(answer, knows_how_much_memory_it_holds)
{
    const sp_answer_t *small = answer_with("to=/", NULL, NULL);
    const sp_answer_t *large = answer_with("type=path;re=(a|b|c)+;>X-A=1;>X-B=2;use=_redirect.a;"
                                           "to=https://{host}/{1}{2}{3}{4}{5}",
                                           NULL, NULL);

    cr_expect_geq(sp_answer_bytes(small), sizeof(*small));
    cr_expect_lt(sp_answer_bytes(small), 512, "a common record is small");
    cr_expect_gt(sp_answer_bytes(large), sp_answer_bytes(small) + 1000);
    sp_answer_release(small);
    sp_answer_release(large);
}

Test(answer, failures_and_kinds_have_names)
{
    static const struct {
        sp_failure_t failure;
        const char *name;
    } failures[] = {{SP_FAILURE_NONE, "no failure"},
                    {SP_FAILURE_SERVFAIL, "SERVFAIL"},
                    {SP_FAILURE_REFUSED, "REFUSED"},
                    {SP_FAILURE_TIMEOUT, "time-out"},
                    {SP_FAILURE_CONNECTION, "no resolver reachable"},
                    {SP_FAILURE_MALFORMED, "malformed reply"},
                    {SP_FAILURE_OVERLOAD, "too many lookups in flight"},
                    {SP_FAILURE_NO_RESOLVER, "no resolver configured"}};

    for (size_t i = 0; i != SP_COUNT(failures); ++i) {
        cr_expect_str_eq(sp_failure_name(failures[i].failure), failures[i].name);
    }
    cr_expect_str_eq(sp_answer_kind_name(SP_ANSWER_TXT), "TXT");
    cr_expect_str_eq(sp_answer_kind_name(SP_ANSWER_NODATA), "NODATA");
    cr_expect_str_eq(sp_answer_kind_name(SP_ANSWER_NXDOMAIN), "NXDOMAIN");
    cr_expect_str_eq(sp_answer_kind_name(SP_ANSWER_FAILURE), "failure");
}
