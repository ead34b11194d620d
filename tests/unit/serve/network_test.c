/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/network.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

static sp_network_t parse(const char *text)
{
    sp_network_t network = {.prefix_len = 0};
    sp_error_t err = {.message = ""};

    cr_expect_eq(sp_network_parse(sp_str_from(text), &network, &err), SP_OK, "%s: %s", text,
                 err.message);
    return network;
}

static bool contains(const char *range, const char *peer)
{
    sp_network_t network = parse(range);
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

    if (inet_pton(AF_INET, peer, &in.sin_addr) == 1) {
        return sp_network_contains(&network, (const struct sockaddr *)&in);
    }
    cr_assert_eq(inet_pton(AF_INET6, peer, &in6.sin6_addr), 1);
    return sp_network_contains(&network, (const struct sockaddr *)&in6);
}

static void expect_refused(const char *text, const char *part)
{
    sp_network_t network = {.prefix_len = 77};
    sp_error_t err = {.message = ""};

    cr_expect_neq(sp_network_parse(sp_str_from(text), &network, &err), SP_OK, "%s", text);
    cr_expect_eq(network.prefix_len, 77, "the result is written on success only");
    cr_expect_not_null(strstr(err.message, part), "'%s' does not say '%s'", err.message, part);
}

Test(network, contains_ipv4_peers_up_to_its_last_address)
{
    cr_expect(contains("10.0.0.0/8", "10.0.0.0"));
    cr_expect(contains("10.0.0.0/8", "10.255.255.255"));
    cr_expect_not(contains("10.0.0.0/8", "11.0.0.0"));
    cr_expect_not(contains("10.0.0.0/8", "9.255.255.255"));
    cr_expect(contains("192.0.2.128/25", "192.0.2.128"));
    cr_expect_not(contains("192.0.2.128/25", "192.0.2.127"));
    cr_expect(contains("0.0.0.0/0", "203.0.113.7"));
}

Test(network, contains_ipv6_peers_up_to_its_last_address)
{
    cr_expect(contains("2001:db8::/33", "2001:db8:7fff::1"));
    cr_expect_not(contains("2001:db8::/33", "2001:db8:8000::1"));
    cr_expect(contains("::/0", "2001:db8::1"));
    cr_expect_not(contains("::/0", "192.0.2.1"));
    cr_expect_not(contains("0.0.0.0/0", "2001:db8::1"));
}

Test(network, reads_an_address_alone_as_just_that)
{
    cr_expect(contains("192.0.2.1", "192.0.2.1"));
    cr_expect_not(contains("192.0.2.1", "192.0.2.0"));
    cr_expect(contains("2001:db8::1", "2001:db8::1"));
    cr_expect_not(contains("2001:db8::1", "2001:db8::"));
}

/* What a socket on [::] says of an IPv4 client. */
Test(network, takes_a_mapped_peer_as_ipv4)
{
    cr_expect(contains("10.0.0.0/8", "::ffff:10.1.2.3"));
    cr_expect_not(contains("10.0.0.0/8", "::ffff:11.1.2.3"));
    cr_expect(contains("::ffff:10.0.0.0/104", "10.1.2.3"));
    cr_expect(contains("::ffff:10.0.0.0/104", "::ffff:10.1.2.3"));
    cr_expect_not(contains("::ffff:10.0.0.0/104", "11.1.2.3"));
}

Test(network, knows_unix_sockets_by_a_word)
{
    sp_network_t network = parse("unix:");
    sp_network_t everything = parse("0.0.0.0/0");
    struct sockaddr_un un = {.sun_family = AF_UNIX};

    cr_expect(sp_network_contains(&network, (const struct sockaddr *)&un));
    cr_expect_not(sp_network_contains(&everything, (const struct sockaddr *)&un));
    cr_expect_not(contains("unix:", "127.0.0.1"));
}

Test(network, refuses_what_is_no_range)
{
    expect_refused("", "no range of addresses");
    expect_refused("/8", "no range of addresses");
    expect_refused("example.com/8", "no range of addresses");
    expect_refused("10.0.0/8", "no range of addresses");
    expect_refused("unix:/run/x", "no range of addresses");
    expect_refused("10.0.0.0/33", "from 0 to 32");
    expect_refused("10.0.0.0/", "from 0 to 32");
    expect_refused("10.0.0.0/-1", "from 0 to 32");
    expect_refused("::/129", "from 0 to 128");
    cr_expect_eq(parse("10.0.0.0/32").prefix_len, 32);
    cr_expect_eq(parse("::/128").prefix_len, 128);
}

Test(network, proposes_the_range_where_bits_stand_behind_the_prefix)
{
    expect_refused("10.1.2.3/8", "expected 10.0.0.0/8");
    expect_refused("2001:db8::1/32", "expected 2001:db8::/32");
}
