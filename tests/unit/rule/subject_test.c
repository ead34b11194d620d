/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/rule/subject.h>

#include "unit/rule/expect_str.h"

static sp_arena_t arena;

static void start(void)
{
    sp_arena_init(&arena, NULL, 0, 512);
}

static void finish(void)
{
    sp_arena_clear(&arena);
}

TestSuite(subject, .init = start, .fini = finish);

static sp_subject_t subject_of(sp_str_t original)
{
    sp_subject_t subject;

    cr_assert_eq(sp_subject_init(original, &arena, &subject), SP_OK);
    return subject;
}

/* What the octets [from, to) of the subject's text are in the original. */
static sp_str_t part(const sp_subject_t *subject, size_t from, size_t to)
{
    return sp_subject_part(subject, sp_str_slice(subject->text, from, to));
}

Test(subject, of_utf8_is_the_text_itself)
{
    sp_str_t original = SP_STR("/a\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
    sp_subject_t subject = subject_of(original);

    cr_expect_eq(subject.text.ptr, original.ptr);
    cr_expect_eq(subject.text.len, original.len);
    EXPECT_STR(part(&subject, 1, 4), "a\xc3\xbc");
    EXPECT_STR(subject_of(SP_STR("")).text, "");
}

Test(subject, has_u_fffd_for_each_octet_that_is_no_utf8)
{
    EXPECT_STR(subject_of(SP_STR("a\xff"
                                 "b"))
                   .text,
               "a\xef\xbf\xbd"
               "b");
    EXPECT_STR(subject_of(SP_STR("\xe2\x82")).text, "\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_STR(subject_of(SP_STR("\xc0\xaf")).text, "\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_STR(subject_of(SP_STR("\xed\xa0\x80")).text, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

Test(subject, parts_are_translated_back)
{
    sp_str_t original = SP_STR("a\xff\xc3\xbc\xfe");
    sp_subject_t subject = subject_of(original);

    cr_assert_eq(subject.text.len, 9);
    EXPECT_STR(part(&subject, 0, 9), "a\xff\xc3\xbc\xfe");
    EXPECT_STR(part(&subject, 1, 4), "\xff");
    EXPECT_STR(part(&subject, 4, 6), "\xc3\xbc");
    EXPECT_STR(part(&subject, 6, 9), "\xfe");
    cr_expect_eq(part(&subject, 1, 4).ptr, original.ptr + 1, "they lie in the original");
}

Test(subject, empty_parts_keep_their_place)
{
    sp_str_t original = SP_STR("\xff"
                               "a");
    sp_subject_t subject = subject_of(original);

    cr_expect_eq(part(&subject, 3, 3).ptr, original.ptr + 1);
    cr_expect_eq(part(&subject, 3, 3).len, 0);
    cr_expect_eq(part(&subject, 4, 4).ptr, original.ptr + 2);
    cr_expect_null(sp_subject_part(&subject, (sp_str_t){.ptr = NULL, .len = 0}).ptr);
}
