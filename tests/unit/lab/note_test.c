/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/note.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static sp_status_t parse(const char *text, sp_note_content_t *content)
{
    return sp_note_parse(sp_str_from(text), content);
}

Test(lab_note, says_what_is_to_be_put_back)
{
    sp_note_content_t content;

    cr_assert_eq(parse("process 123\ngroup signpost-lab.123\ncpu-switched\nconntrack 262144 1000\n",
                       &content),
                 SP_OK);
    cr_expect_eq(content.process, 123);
    cr_expect_str_eq(content.group, "signpost-lab.123");
    cr_expect(content.cpu_switched);
    cr_expect_eq(content.conntrack_old, 262144);
    cr_expect_eq(content.conntrack_new, 1000);
}

Test(lab_note, may_say_nothing)
{
    sp_note_content_t content;

    cr_assert_eq(parse("", &content), SP_OK);
    cr_expect_eq(content.process, 0);
    cr_expect_str_empty(content.group);
    cr_expect_not(content.cpu_switched);
    cr_expect_eq(content.conntrack_new, 0);
}

Test(lab_note, a_line_without_its_end_has_not_happened)
{
    sp_note_content_t content;

    cr_assert_eq(parse("process 123\nconntrack 262144 1", &content), SP_OK);
    cr_expect_eq(content.process, 123);
    cr_expect_eq(content.conntrack_new, 0);
}

Test(lab_note, later_lines_win)
{
    sp_note_content_t content;

    cr_assert_eq(parse("conntrack 262144 1000\nconntrack 262144 2000\n", &content), SP_OK);
    cr_expect_eq(content.conntrack_new, 2000);
}

Test(lab_note, leads_to_no_group_of_others)
{
    static const char *const texts[] = {
        "group ..\n",
        "group signpost-lab.\n",
        "group signpost-lab./..\n",
        "group signpost-lab.1/../system.slice\n",
        "group user.slice\n",
        "group signpost-lab.4294967296\n",
        "group\n",
        "conntrack 262144\n",
        "conntrack 0 1000\n",
        "conntrack 262144 0\n",
        "conntrack 262144 1000 1\n",
        "conntrack -1 5\n",
        "process x\n",
        "cpu-switched yes\n",
        "what\n",
        "\n",
    };

    for (size_t i = 0; i != SP_COUNT(texts); ++i) {
        sp_note_content_t content = {.process = 7};

        cr_expect_eq(parse(texts[i], &content), SP_BAD_SYNTAX, "%s", texts[i]);
        cr_expect_eq(content.process, 7, "%s", texts[i]);
    }
}

Test(lab_note, takes_the_longest_group_name_there_is)
{
    sp_note_content_t content;
    char text[128];

    cr_assert_eq(parse("group signpost-lab.4294967295\n", &content), SP_OK);
    cr_expect_str_eq(content.group, "signpost-lab.4294967295");
    for (int zeros = SP_NOTE_GROUP_MAX - 15; zeros != SP_NOTE_GROUP_MAX - 13; ++zeros) {
        (void)snprintf(text, sizeof(text), "group signpost-lab.%0*d\n", zeros, 1);
        cr_expect_eq(parse(text, &content),
                     strlen("signpost-lab.") + (size_t)zeros < SP_NOTE_GROUP_MAX ? SP_OK
                                                                                 : SP_BAD_SYNTAX,
                     "%d", zeros);
    }
}
