/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <signpost/base/error.h>
#include <string.h>

Test(error, carries_a_place_and_a_sentence)
{
    sp_error_t err;

    cr_expect_eq(sp_fail(&err, SP_BAD_VALUE, 28, "code must be %d, not '%s'", 302, "999"),
                 SP_BAD_VALUE);
    cr_expect_eq(err.status, SP_BAD_VALUE);
    cr_expect_eq(err.offset, 28);
    cr_expect_str_eq(err.message, "code must be 302, not '999'");
}

Test(error, needs_no_place_to_be_written_to)
{
    cr_expect_eq(sp_fail(NULL, SP_TOO_LONG, 1, "%s", "unseen"), SP_TOO_LONG);
}

Test(error, shows_nothing_that_steers_a_terminal)
{
    sp_error_t err;

    (void)sp_fail(&err, SP_BAD_SYNTAX, 0, "%s", "a\x1b[31m\n\x7f\xc3\xa4~");
    cr_expect_str_eq(err.message, "a?[31m????~");
}

Test(error, cuts_a_message_that_is_too_long)
{
    sp_error_t err;
    char text[SP_ERROR_MESSAGE_MAX + 2];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    (void)sp_fail(&err, SP_BAD_SYNTAX, 0, "%s", text);
    cr_expect_eq(strlen(err.message), SP_ERROR_MESSAGE_MAX - 1);
}

Test(error, has_a_name_for_every_status)
{
    const sp_status_t all[] = {SP_OK,       SP_NO_MEMORY, SP_BAD_SYNTAX,  SP_BAD_VALUE,
                               SP_TOO_LONG, SP_NOT_FOUND, SP_UNSUPPORTED, SP_IO};

    for (size_t i = 0; i != SP_COUNT(all); ++i) {
        cr_expect_str_neq(sp_status_name(all[i]), "unknown status");
        for (size_t k = 0; k != i; ++k) {
            cr_expect_str_neq(sp_status_name(all[i]), sp_status_name(all[k]));
        }
    }
    cr_expect_str_eq(sp_status_name((sp_status_t)99), "unknown status");
}
