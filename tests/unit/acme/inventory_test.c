/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/inventory.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define DAY 86400

Test(inventory, renews_after_two_thirds_each_name_at_its_own_time)
{
    time_t least = 0;
    time_t most = 0;

    for (int i = 0; i != 1000; ++i) {
        char name[32];
        time_t due = 0;

        (void)snprintf(name, sizeof(name), "n%d.example.com", i);
        due = sp_inventory_due(sp_str_from(name), 1000, 1000 + 90 * DAY);
        cr_assert_geq(due, 1000 + 60 * DAY);
        cr_assert_leq(due, 1000 + 66 * DAY);
        cr_assert_eq(due, sp_inventory_due(sp_str_from(name), 1000, 1000 + 90 * DAY));
        least = i == 0 || due < least ? due : least;
        most = due > most ? due : most;
    }
    cr_expect_gt(most - least, 5 * DAY);
}

Test(inventory, calls_faulty_what_is_no_certificate)
{
    sp_inventory_item_t item;

    sp_inventory_judge(SP_STR("a.example"), SP_STR(""), SP_STR(""), 1000, &item);
    cr_expect_eq(item.state, SP_INVENTORY_FAULTY);
    cr_expect_str_neq(item.fault, "");
}
