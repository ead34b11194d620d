/* SPDX-License-Identifier: Apache-2.0 */
#include "load/tls_sessions.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static sp_load_sessions_t sessions;

static void clear(void)
{
    sp_load_sessions_clear(&sessions);
}

TestSuite(load_tls_sessions, .fini = clear);

static SSL_SESSION *keep(const char *name)
{
    SSL_SESSION *session = SSL_SESSION_new();

    cr_assert_not_null(session);
    sp_load_sessions_keep(&sessions, sp_str_from(name), session);
    return session;
}

static SSL_SESSION *find(const char *name)
{
    return sp_load_sessions_find(&sessions, sp_str_from(name));
}

Test(load_tls_sessions, each_name_has_its_own)
{
    SSL_SESSION *one = keep("a.example"), *other = keep("b.example");

    cr_expect_eq(find("a.example"), one);
    cr_expect_eq(find("b.example"), other);
    cr_expect_null(find("c.example"));
    cr_expect_null(find("a.exampl"));
    cr_expect_null(find(""));
}

Test(load_tls_sessions, a_newer_one_takes_the_place)
{
    SSL_SESSION *newer = NULL;

    (void)keep("a.example");
    newer = keep("a.example");
    cr_expect_eq(find("a.example"), newer);
}

static const char *name_of(size_t number)
{
    static char name[32];

    (void)snprintf(name, sizeof(name), "host-%zu.example", number);
    return name;
}

Test(load_tls_sessions, as_many_as_fit_and_one_more)
{
    for (size_t i = 0; i != SP_LOAD_SESSIONS_MAX; ++i) {
        (void)keep(name_of(i));
    }
    for (size_t i = 0; i != SP_LOAD_SESSIONS_MAX; ++i) {
        cr_expect_not_null(find(name_of(i)));
    }
    cr_expect_not_null(find(name_of(0))); /* so that number 1 is the one longest unused */
    (void)keep(name_of(SP_LOAD_SESSIONS_MAX));
    for (size_t i = 0; i != SP_LOAD_SESSIONS_MAX + 1; ++i) {
        cr_expect_eq(find(name_of(i)) == NULL, i == 1, "%zu", i);
    }
}

Test(load_tls_sessions, a_name_at_the_limit_and_one_beyond)
{
    char name[SP_LOAD_SESSION_NAME + 2];
    SSL_SESSION *longest = NULL, *too_long = NULL;

    memset(name, 'a', sizeof(name));
    name[SP_LOAD_SESSION_NAME] = '\0';
    longest = keep(name);
    cr_expect_eq(find(name), longest);
    name[SP_LOAD_SESSION_NAME] = 'a';
    name[SP_LOAD_SESSION_NAME + 1] = '\0';
    too_long = keep(name);
    cr_expect_eq(find(name), too_long);
    name[SP_LOAD_SESSION_NAME] = '\0';
    cr_expect_eq(find(name), longest);
}
