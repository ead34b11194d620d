/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/registered_domain.h"

#include <criterion/criterion.h>
#include <signpost/rule/hostname.h>
#include <string.h>

static void expect(const char *name, const char *domain)
{
    sp_str_t found = sp_registered_domain(sp_str_from(name));

    cr_expect(sp_str_eq(found, sp_str_from(domain)), "%s: %.*s", name, (int)found.len, found.ptr);
}

Test(registered_domain, is_the_public_suffix_and_one_label)
{
    expect("www.a.example.com", "example.com");
    expect("example.com", "example.com");
    expect("www.example.co.uk", "example.co.uk");
    expect("a.b.github.io", "b.github.io");
}

Test(registered_domain, is_the_name_itself_where_nobody_has_registered_it)
{
    expect("co.uk", "co.uk");
    expect("com", "com");
    expect("", "");
}

Test(registered_domain, takes_names_of_any_length)
{
    char name[SP_NAME_MAX + 2];

    memset(name, 'a', sizeof(name));
    memcpy(name + SP_NAME_MAX - 4, ".com", 4);
    cr_expect_eq(sp_registered_domain((sp_str_t){name, SP_NAME_MAX}).len, SP_NAME_MAX);
    cr_expect_eq(sp_registered_domain((sp_str_t){name, SP_NAME_MAX + 1}).len, SP_NAME_MAX + 1);
}
