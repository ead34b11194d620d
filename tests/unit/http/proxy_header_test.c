/* SPDX-License-Identifier: Apache-2.0 */
#include "http/proxy_header.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static sp_proxy_status_t read_text(const char *text, sp_proxy_header_t *header)
{
    return sp_proxy_header_read(sp_str_from(text), header);
}

/* "192.0.2.1:5", "[2001:db8::1]:5", or "" */
static const char *source_of(const sp_proxy_header_t *header)
{
    static char text[80];
    char address[INET6_ADDRSTRLEN];
    struct sockaddr_in in;
    struct sockaddr_in6 in6;

    text[0] = '\0';
    if (header->source_len == sizeof(in)) {
        memcpy(&in, &header->source, sizeof(in));
        cr_assert_not_null(inet_ntop(AF_INET, &in.sin_addr, address, sizeof(address)));
        (void)snprintf(text, sizeof(text), "%s:%u", address, ntohs(in.sin_port));
    } else if (header->source_len == sizeof(in6)) {
        memcpy(&in6, &header->source, sizeof(in6));
        cr_assert_not_null(inet_ntop(AF_INET6, &in6.sin6_addr, address, sizeof(address)));
        (void)snprintf(text, sizeof(text), "[%s]:%u", address, ntohs(in6.sin6_port));
    }
    return text;
}

static void expect_source(const char *text, const char *source, size_t rest)
{
    sp_proxy_header_t header = {.size = 0};

    cr_assert_eq(read_text(text, &header), SP_PROXY_COMPLETE, "%s", text);
    cr_expect_str_eq(source_of(&header), source, "%s", text);
    cr_expect_eq(header.size, strlen(text) - rest, "%s", text);
}

Test(proxy_header, version_1)
{
    expect_source("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n", "192.0.2.1:56324", 0);
    expect_source("PROXY TCP4 192.0.2.1 198.51.100.1 0 65535\r\nGET /", "192.0.2.1:0", 5);
    expect_source("PROXY TCP6 2001:db8::1 ::1 5 443\r\n", "[2001:db8::1]:5", 0);
    expect_source("PROXY UNKNOWN\r\n", "", 0);
    expect_source("PROXY UNKNOWN ffff:: ffff:: 65535 65535\r\n\n", "", 1);
}

Test(proxy_header, version_1_that_is_none)
{
    static const char *const bad[] = {
        "GET / HTTP/1.1\r\n",
        "proxy TCP4 192.0.2.1 198.51.100.1 1 2\r\n",
        "PROXY  TCP4 192.0.2.1 198.51.100.1 1 2\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 1 2\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 1\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 1 2 \r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 1 2 3\r\n",
        "PROXY TCP4 192.0.2.1  198.51.100.1 1 2\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 65536 2\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 1 65536\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 01 2\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 -1 2\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1  2\r\n",
        "PROXY TCP4 192.0.2 198.51.100.1 1 2\r\n",
        "PROXY TCP4 192.0.2.256 198.51.100.1 1 2\r\n",
        "PROXY TCP4 2001:db8::1 ::1 1 2\r\n",
        "PROXY TCP6 192.0.2.1 198.51.100.1 1 2\r\n",
        "PROXY TCP6 2001:db8::g ::1 1 2\r\n",
        "PROXY TCP6 2001:db8::1%eth0 ::1 1 2\r\n",
        "PROXY TCP6 ::1 host 1 2\r\n",
        "PROXY TCP5 192.0.2.1 198.51.100.1 1 2\r\n",
        "PROXY UNKNOWNS\r\n",
        "PROXY \r\n",
        "PROXY \n",
    };
    sp_proxy_header_t header;

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        cr_expect_eq(read_text(bad[i], &header), SP_PROXY_BROKEN, "%s", bad[i]);
    }
}

Test(proxy_header, may_be_cut_anywhere)
{
    sp_str_t text = SP_STR("PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\n");
    sp_proxy_header_t header;

    for (size_t len = 0; len != text.len; ++len) {
        cr_expect_eq(sp_proxy_header_read(sp_str_slice(text, 0, len), &header), SP_PROXY_MORE);
    }
}

Test(proxy_header, version_1_has_107_octets)
{
    char text[200];
    sp_proxy_header_t header;

    memset(text, 'x', sizeof(text));
    memcpy(text, "PROXY UNKNOWN ", 14);
    memcpy(text + 105, "\r\n", 2);
    cr_expect_eq(sp_proxy_header_read((sp_str_t){.ptr = text, .len = 107}, &header),
                 SP_PROXY_COMPLETE);
    memset(text + 105, 'x', 2);
    memcpy(text + 106, "\r\n", 2);
    cr_expect_eq(sp_proxy_header_read((sp_str_t){.ptr = text, .len = 106}, &header), SP_PROXY_MORE);
    cr_expect_eq(sp_proxy_header_read((sp_str_t){.ptr = text, .len = 108}, &header),
                 SP_PROXY_BROKEN);
}

typedef struct octets {
    char ptr[8192];
    size_t len;
} octets_t;

/* Version 2 with `len` octets behind its head. */
static octets_t make(unsigned command, unsigned family, size_t len)
{
    octets_t octets = {.len = 16 + len};

    memcpy(octets.ptr, "\r\n\r\n\0\r\nQUIT\n", 12);
    octets.ptr[12] = (char)command;
    octets.ptr[13] = (char)family;
    octets.ptr[14] = (char)(len >> 8U);
    octets.ptr[15] = (char)len;
    for (size_t i = 0; i != len; ++i) {
        octets.ptr[16 + i] = (char)(i + 1);
    }
    return octets;
}

static sp_proxy_status_t read_octets(const octets_t *octets, sp_proxy_header_t *header)
{
    return sp_proxy_header_read((sp_str_t){.ptr = octets->ptr, .len = octets->len}, header);
}

static void expect_octets(unsigned command, unsigned family, size_t len, const char *source)
{
    octets_t octets = make(command, family, len);
    sp_proxy_header_t header = {.size = 0};

    cr_assert_eq(read_octets(&octets, &header), SP_PROXY_COMPLETE, "%x %x %zu", command, family,
                 len);
    cr_expect_eq(header.size, 16 + len);
    cr_expect_str_eq(source_of(&header), source);
    for (size_t cut = 0; cut != octets.len; ++cut) {
        cr_assert_eq(sp_proxy_header_read((sp_str_t){.ptr = octets.ptr, .len = cut}, &header),
                     SP_PROXY_MORE);
    }
}

Test(proxy_header, version_2)
{
    expect_octets(0x21, 0x11, 12, "1.2.3.4:2314");
    expect_octets(0x21, 0x11, 100, "1.2.3.4:2314");
    expect_octets(0x21, 0x21, 36, "[102:304:506:708:90a:b0c:d0e:f10]:8482");
    expect_octets(0x21, 0x31, 216, "");
    expect_octets(0x21, 0x00, 0, "");
    expect_octets(0x20, 0x00, 0, "");
    expect_octets(0x20, 0x11, 12, "");
}

Test(proxy_header, version_2_that_is_none)
{
    static const struct {
        unsigned command;
        unsigned family;
        size_t len;
    } bad[] = {
        {0x11, 0x11, 12}, {0x31, 0x11, 12}, {0x22, 0x11, 12},  {0x2f, 0x11, 12},
        {0x21, 0x11, 11}, {0x21, 0x21, 35}, {0x21, 0x31, 215}, {0x21, 0x12, 12},
        {0x21, 0x22, 36}, {0x21, 0x41, 36}, {0x21, 0x10, 12},  {0x21, 0x01, 0},
    };

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        octets_t octets = make(bad[i].command, bad[i].family, bad[i].len);
        sp_proxy_header_t header;

        cr_expect_eq(read_octets(&octets, &header), SP_PROXY_BROKEN, "%zu", i);
    }
}

Test(proxy_header, version_2_has_4096_octets)
{
    octets_t octets = make(0x21, 0x11, SP_PROXY_HEADER_MAX - 16);
    sp_proxy_header_t header;

    cr_expect_eq(read_octets(&octets, &header), SP_PROXY_COMPLETE);
    octets = make(0x21, 0x11, SP_PROXY_HEADER_MAX - 15);
    cr_expect_eq(read_octets(&octets, &header), SP_PROXY_BROKEN);
    octets.len = 16;
    cr_expect_eq(read_octets(&octets, &header), SP_PROXY_BROKEN, "without waiting for it");
}
