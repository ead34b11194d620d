/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/suggest.h"

#include <criterion/criterion.h>

static const char *const known[] = {"serve", "explain", "lint", "to", "path"};

static void expect(const char *word, const char *suggestion)
{
    const char *found = sp_suggest(sp_str_from(word), known, SP_COUNT(known));

    if (suggestion == NULL) {
        cr_expect_null(found, "'%s' gave '%s'", word, found);
    } else {
        cr_assert_not_null(found, "'%s' gave nothing", word);
        cr_expect_str_eq(found, suggestion);
    }
}

Test(suggest, finds_a_slip)
{
    expect("expalin", "explain"); /* swapped */
    expect("serv", "serve");      /* left out */
    expect("linnt", "lint");      /* added */
    expect("pach", "path");       /* changed */
    expect("TO", "to");
}

Test(suggest, keeps_silent_when_nothing_is_near)
{
    expect("xyz", NULL);
    expect("", NULL);
    expect("a", NULL);
    expect("from", NULL);
    expect("a-word-that-is-longer-than-any-word-that-is-known", NULL);
}
