/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_UNIT_RULE_EXPECT_STR_H
#define SIGNPOST_TESTS_UNIT_RULE_EXPECT_STR_H

#include <criterion/criterion.h>
#include <signpost/base/str.h>

/* Goes on after a difference, and shows both texts. `expected` ends in NUL. */
#define EXPECT_STR(actual, expected)                                                               \
    do {                                                                                           \
        const sp_str_t got_text = (actual);                                                        \
        cr_expect(sp_str_eq(got_text, sp_str_from(expected)), "'%.*s' is not '%s'",                \
                  (int)got_text.len, got_text.ptr == NULL ? "" : got_text.ptr, (expected));        \
    } while (0)

#endif
