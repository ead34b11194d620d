/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/address.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

static sp_arena_t arena;

static void set_up(void)
{
    sp_arena_init(&arena, NULL, 0, 256);
}

static void tear_down(void)
{
    sp_arena_clear(&arena);
}

TestSuite(address, .init = set_up, .fini = tear_down);

static sp_address_t parse(const char *text)
{
    sp_address_t address = {.kind = SP_ADDRESS_NONE};
    sp_error_t err = {.message = ""};

    cr_expect_eq(sp_address_parse(sp_str_from(text), &arena, &address, &err), SP_OK, "%s: %s", text,
                 err.message);
    return address;
}

static void expect_refused(const char *text, const char *part)
{
    sp_address_t address = {.kind = SP_ADDRESS_NONE};
    sp_error_t err = {.message = ""};

    cr_expect_neq(sp_address_parse(sp_str_from(text), &arena, &address, &err), SP_OK, "%s", text);
    cr_expect_eq(address.kind, SP_ADDRESS_NONE, "the result is written on success only");
    cr_expect_not_null(strstr(err.message, part), "'%s' does not say '%s'", err.message, part);
}

Test(address, reads_ipv4_with_port)
{
    sp_address_t address = parse("127.0.0.1:8081");
    struct sockaddr_in in;

    memcpy(&in, &address.socket, sizeof(in));
    cr_expect_eq(address.kind, SP_ADDRESS_IPV4);
    cr_expect_eq(address.socket_len, sizeof(in));
    cr_expect_eq(in.sin_family, AF_INET);
    cr_expect_eq(ntohs(in.sin_port), 8081);
    cr_expect_eq(ntohl(in.sin_addr.s_addr), INADDR_LOOPBACK);
    cr_expect_str_eq(address.text, "127.0.0.1:8081");
    cr_expect_null(address.path);
}

Test(address, reads_ipv6_in_brackets_with_port)
{
    sp_address_t address = parse("[::1]:65535");
    struct sockaddr_in6 in6;

    memcpy(&in6, &address.socket, sizeof(in6));
    cr_expect_eq(address.kind, SP_ADDRESS_IPV6);
    cr_expect_eq(address.socket_len, sizeof(in6));
    cr_expect_eq(in6.sin6_family, AF_INET6);
    cr_expect_eq(ntohs(in6.sin6_port), 65535);
    cr_expect(IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr));
}

Test(address, reads_a_unix_socket)
{
    sp_address_t address = parse("unix:/run/signpost/http");
    struct sockaddr_un un;

    memcpy(&un, &address.socket, sizeof(un));
    cr_expect_eq(address.kind, SP_ADDRESS_UNIX);
    cr_expect_eq(un.sun_family, AF_UNIX);
    cr_expect_str_eq(un.sun_path, "/run/signpost/http");
    cr_expect_str_eq(address.path, "/run/signpost/http");
}

Test(address, holds_unix_paths_to_the_systems_limit)
{
    enum { MAX = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };
    char text[5 + MAX + 2];

    memset(text, 'a', sizeof(text));
    memcpy(text, "unix:/", 6);
    text[5 + MAX] = '\0';
    cr_expect_eq(parse(text).kind, SP_ADDRESS_UNIX);
    text[5 + MAX] = 'a';
    text[5 + MAX + 1] = '\0';
    expect_refused(text, "at most 107 octets");
}

Test(address, refuses_what_is_no_place_to_listen_at)
{
    expect_refused("", "expected IPv4:port");
    expect_refused("8080", "expected IPv4:port");
    expect_refused("127.0.0.1", "expected IPv4:port");
    expect_refused("[::1]", "expected IPv4:port");
    expect_refused("[::1]8080", "expected IPv4:port");
    expect_refused("[::1:8080", "expected IPv4:port");
    expect_refused("::1:8080", "brackets");
    expect_refused(":8080", "no IPv4 or IPv6 address");
    expect_refused("localhost:8080", "host names are not looked up");
    expect_refused("[localhost]:8080", "host names are not looked up");
    expect_refused("[127.0.0.1]:8080", "no IPv4 or IPv6 address");
    expect_refused("127.1:8080", "no IPv4 or IPv6 address");
    expect_refused("0x7f.0.0.1:8080", "no IPv4 or IPv6 address");
    expect_refused("127.0.0.1 :8080", "no IPv4 or IPv6 address");
    expect_refused("*:8080", "no IPv4 or IPv6 address");
    expect_refused("unix:", "absolute path");
    expect_refused("unix:run/http", "absolute path");
}

Test(address, takes_ports_from_0_to_65535)
{
    cr_expect_eq(parse("0.0.0.0:0").kind, SP_ADDRESS_IPV4);
    cr_expect_eq(parse("0.0.0.0:65535").kind, SP_ADDRESS_IPV4);
    expect_refused("0.0.0.0:65536", "from 0 to 65535");
    expect_refused("0.0.0.0:-1", "from 0 to 65535");
    expect_refused("0.0.0.0:", "from 0 to 65535");
    expect_refused("0.0.0.0:http", "from 0 to 65535");
    expect_refused("[::]:99999999999999999999", "from 0 to 65535");
}

Test(address, equals_the_same_place_in_another_spelling)
{
    sp_address_t a = parse("[::1]:80");
    sp_address_t b = parse("[0:0:0:0:0:0:0:1]:080");
    sp_address_t c = parse("[::1]:81");
    sp_address_t d = parse("127.0.0.1:80");

    cr_expect(sp_address_eq(&a, &b));
    cr_expect_not(sp_address_eq(&a, &c));
    cr_expect_not(sp_address_eq(&a, &d));
}

static sp_address_t read_address(const char *text)
{
    sp_address_t address;

    cr_assert_eq(sp_address_parse(sp_str_from(text), &arena, &address, NULL), SP_OK, "%s", text);
    return address;
}

Test(address, overlaps_what_the_system_would_not_open_beside_it)
{
    static const struct {
        const char *a;
        const char *b;
        bool overlaps;
    } cases[] = {
        {"[::]:80", "[::]:80", true},
        {"[::]:80", "0.0.0.0:80", true},
        {"[::]:80", "127.0.0.1:80", true},
        {"[::]:80", "[::1]:80", true},
        {"[::]:80", "[::]:81", false},
        {"[::]:80", "127.0.0.1:81", false},
        {"0.0.0.0:80", "127.0.0.1:80", true},
        {"0.0.0.0:80", "[::1]:80", false},
        {"0.0.0.0:80", "[::ffff:127.0.0.1]:80", true},
        {"127.0.0.1:80", "127.0.0.1:80", true},
        {"127.0.0.1:80", "127.0.0.2:80", false},
        {"127.0.0.1:80", "[::1]:80", false},
        {"127.0.0.1:80", "[::ffff:127.0.0.1]:80", true},
        {"[::1]:80", "[::1]:80", true},
        {"[::1]:80", "[::2]:80", false},
        {"unix:/a", "unix:/a", true},
        {"unix:/a", "unix:/b", false},
        {"unix:/a", "[::]:80", false},
    };

    for (size_t i = 0; i != SP_COUNT(cases); ++i) {
        sp_address_t a = read_address(cases[i].a);
        sp_address_t b = read_address(cases[i].b);

        cr_expect_eq(sp_address_overlaps(&a, &b), cases[i].overlaps, "%s %s", cases[i].a,
                     cases[i].b);
        cr_expect_eq(sp_address_overlaps(&b, &a), cases[i].overlaps, "%s %s", cases[i].b,
                     cases[i].a);
    }
}
