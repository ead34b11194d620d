/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/name.h"

#include <criterion/criterion.h>
#include <string.h>

static bool reads(const char *text, const char *expected)
{
    char out[SP_TLS_NAME_MAX];
    sp_str_t name = {.ptr = NULL, .len = 0};

    return sp_tls_name_read(sp_str_from(text), out, &name) &&
           sp_str_eq(name, sp_str_from(expected));
}

static bool refuses(const char *text, size_t len)
{
    char out[SP_TLS_NAME_MAX];
    sp_str_t name;

    return !sp_tls_name_read((sp_str_t){.ptr = text, .len = len}, out, &name);
}

Test(tls_name, takes_host_names_in_lower_case)
{
    cr_expect(reads("www.example.com", "www.example.com"));
    cr_expect(reads("WWW.Example.COM", "www.example.com"));
    cr_expect(reads("localhost", "localhost"));
    cr_expect(reads("a-b_c.xn--bcher-kva.example", "a-b_c.xn--bcher-kva.example"));
    cr_expect(reads("example.com.", "example.com"));
    cr_expect(reads("1.2.3.example", "1.2.3.example"));
}

Test(tls_name, refuses_what_could_be_a_path)
{
    static const char *const bad[] = {
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc",
        "a..b",
        ".a",
        "a...",
        "a b",
        "*",
        "*.a.com",
        "a\\b.com",
        "a%2fb",
        "a:443",
        "[::1]",
        "192.0.2.1",
        "2001:db8::1",
        "m\xc3\xbcller.de",
        "a\n.com",
    };

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect(refuses(bad[i], strlen(bad[i])), "%s", bad[i]);
    }
    cr_expect(refuses("a\0b.com", 7));
}

Test(tls_name, keeps_to_the_limits_of_dns)
{
    char text[300];

    memset(text, 'a', sizeof(text));
    for (size_t i = 63; i < sizeof(text); i += 64) {
        text[i] = '.';
    }
    cr_expect_not(refuses(text, 253));
    cr_expect(refuses(text, 254));
    text[253] = '.';
    cr_expect_not(refuses(text, 254), "the final dot does not count");
    cr_expect_not(refuses(text, 63));
    text[63] = 'a';
    cr_expect(refuses(text, 64), "a label of 64");
}
