/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/issuer_wishes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static sp_issuer_wishes_t wishes;

static void create(void)
{
    sp_issuer_wishes_init(&wishes);
}

static void destroy(void)
{
    sp_issuer_wishes_clear(&wishes);
}

TestSuite(issuer_wishes, .init = create, .fini = destroy);

static sp_issuer_wish_t *expect(sp_issuer_wish_t *wish, const char *name, uint64_t asker)
{
    sp_issuer_wish_t *next = NULL;

    cr_assert_not_null(wish);
    cr_expect(sp_str_eq((sp_str_t){wish->name, wish->len}, sp_str_from(name)));
    cr_expect_eq(wish->asker, asker);
    next = wish->next;
    free(wish);
    return next;
}

Test(issuer_wishes, come_out_in_order_and_all_at_once)
{
    sp_issuer_wish_t *wish = NULL;

    cr_expect_null(sp_issuer_wishes_take(&wishes));
    cr_expect(sp_issuer_wishes_add(&wishes, SP_STR("a.example"), 1));
    cr_expect(sp_issuer_wishes_add(&wishes, SP_STR("b.example"), 2));
    wish = sp_issuer_wishes_take(&wishes);
    cr_expect_null(expect(expect(wish, "a.example", 1), "b.example", 2));
    cr_expect_null(sp_issuer_wishes_take(&wishes));
}

Test(issuer_wishes, are_so_many_at_most)
{
    for (size_t i = 0; i != SP_ISSUER_WISHES_MAX; ++i) {
        cr_assert(sp_issuer_wishes_add(&wishes, SP_STR("a.example"), i));
    }
    cr_expect_not(sp_issuer_wishes_add(&wishes, SP_STR("b.example"), 7));
    sp_issuer_wishes_clear(&wishes);
    sp_issuer_wishes_init(&wishes);
    cr_expect(sp_issuer_wishes_add(&wishes, SP_STR("b.example"), 7));
}

Test(issuer_wishes, have_names_that_can_be)
{
    char name[SP_TLS_NAME_MAX + 1] = {0};

    cr_expect(sp_issuer_wishes_add(&wishes, (sp_str_t){name, SP_TLS_NAME_MAX}, 0));
    cr_expect_not(sp_issuer_wishes_add(&wishes, (sp_str_t){name, SP_TLS_NAME_MAX + 1}, 0));
}
