/* SPDX-License-Identifier: Apache-2.0 */
#include "http/proxy_header.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define V2_HEAD 16
#define V2_VERSION 2
#define V2_LOCAL 0
#define V2_PROXY 1
#define V2_UNSPEC 0
#define V2_INET 1
#define V2_INET6 2
#define V2_UNIX 3
#define V2_STREAM 1
#define V2_INET_SIZE 12
#define V2_INET6_SIZE 36
#define V2_UNIX_SIZE 216

static const char v2_signature[] = "\r\n\r\n\0\r\nQUIT\n";
#define V2_SIGNATURE ((sp_str_t){.ptr = v2_signature, .len = sizeof(v2_signature) - 1})

/* Is what is there of `text` the beginning of `whole`, or does it begin with it? */
static bool may_begin_with(sp_str_t text, sp_str_t whole)
{
    return sp_str_starts_with(text.len < whole.len ? whole : text,
                              text.len < whole.len ? text : whole);
}

/* --- version 1 --- */

/* Digits without a leading zero. */
static bool read_port(sp_str_t text, in_port_t *ret_port)
{
    uint64_t value = 0;

    if (!sp_str_to_uint(text, UINT16_MAX, &value) || (text.len > 1 && text.ptr[0] == '0')) {
        return false;
    }
    *ret_port = htons((in_port_t)value);
    return true;
}

static bool read_address(int family, sp_str_t text, void *ret_address)
{
    char copy[INET6_ADDRSTRLEN] = "";

    if (text.len >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    return strlen(copy) == text.len && inet_pton(family, copy, ret_address) == 1;
}

/* SOURCE DESTINATION SOURCE-PORT DESTINATION-PORT, with one blank in between. */
static bool read_line_addresses(sp_str_t rest, int family, sp_proxy_header_t *header)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    struct in6_addr unused_address;
    in_port_t unused_port = 0;
    bool is_inet = family == AF_INET;
    sp_str_t source = sp_str_cut(rest, ' ', &rest);
    sp_str_t destination = sp_str_cut(rest, ' ', &rest);
    sp_str_t source_port = sp_str_cut(rest, ' ', &rest);

    if (rest.ptr == NULL ||
        !read_address(family, source, is_inet ? (void *)&in.sin_addr : (void *)&in6.sin6_addr) ||
        !read_address(family, destination, &unused_address) ||
        !read_port(source_port, is_inet ? &in.sin_port : &in6.sin6_port) ||
        !read_port(rest, &unused_port)) {
        return false;
    }
    header->source_len = is_inet ? sizeof(in) : sizeof(in6);
    memcpy(&header->source, is_inet ? (const void *)&in : (const void *)&in6, header->source_len);
    return true;
}

static sp_proxy_status_t read_line(sp_str_t input, sp_proxy_header_t *ret_header)
{
    sp_str_t looked_at = sp_str_slice(input, 0, SP_PROXY_LINE_MAX);
    size_t end = sp_str_find(looked_at, '\n');
    sp_str_t line = {.ptr = NULL, .len = 0};
    sp_proxy_header_t header = {.size = end + 1};
    bool is_good = false;

    if (end == looked_at.len) {
        return looked_at.len == SP_PROXY_LINE_MAX ? SP_PROXY_BROKEN : SP_PROXY_MORE;
    }
    if (end == 0 || looked_at.ptr[end - 1] != '\r') {
        return SP_PROXY_BROKEN;
    }
    line = sp_str_slice(looked_at, 0, end - 1);
    if (sp_str_starts_with(line, SP_STR("PROXY TCP4 "))) {
        is_good = read_line_addresses(sp_str_skip(line, 11), AF_INET, &header);
    } else if (sp_str_starts_with(line, SP_STR("PROXY TCP6 "))) {
        is_good = read_line_addresses(sp_str_skip(line, 11), AF_INET6, &header);
    } else { /* the rest of the line is to be ignored then */
        is_good = sp_str_eq(line, SP_STR("PROXY UNKNOWN")) ||
                  sp_str_starts_with(line, SP_STR("PROXY UNKNOWN "));
    }
    if (!is_good) {
        return SP_PROXY_BROKEN;
    }
    *ret_header = header;
    return SP_PROXY_COMPLETE;
}

/* --- version 2 --- */

static unsigned octet_at(sp_str_t text, size_t at)
{
    return (unsigned char)text.ptr[at];
}

static void keep_inet(sp_str_t block, sp_proxy_header_t *header)
{
    struct sockaddr_in in = {.sin_family = AF_INET};

    memcpy(&in.sin_addr, block.ptr, sizeof(in.sin_addr));
    memcpy(&in.sin_port, block.ptr + 8, sizeof(in.sin_port));
    memcpy(&header->source, &in, sizeof(in));
    header->source_len = sizeof(in);
}

static void keep_inet6(sp_str_t block, sp_proxy_header_t *header)
{
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

    memcpy(&in6.sin6_addr, block.ptr, sizeof(in6.sin6_addr));
    memcpy(&in6.sin6_port, block.ptr + 32, sizeof(in6.sin6_port));
    memcpy(&header->source, &in6, sizeof(in6));
    header->source_len = sizeof(in6);
}

/* The addresses; what follows them in the block (TLVs) is nothing that is needed here. */
static bool read_block(unsigned family, sp_str_t block, sp_proxy_header_t *header)
{
    switch (family) {
    case V2_UNSPEC << 4U: /* with any protocol of none: nothing is said */
        return true;
    case V2_INET << 4U | V2_STREAM:
        if (block.len >= V2_INET_SIZE) {
            keep_inet(block, header);
        }
        return block.len >= V2_INET_SIZE;
    case V2_INET6 << 4U | V2_STREAM:
        if (block.len >= V2_INET6_SIZE) {
            keep_inet6(block, header);
        }
        return block.len >= V2_INET6_SIZE;
    case V2_UNIX << 4U | V2_STREAM:
        return block.len >= V2_UNIX_SIZE;
    default:
        return false;
    }
}

static sp_proxy_status_t read_octets(sp_str_t input, sp_proxy_header_t *ret_header)
{
    sp_proxy_header_t header = {.size = V2_HEAD};
    unsigned command = 0;
    sp_str_t block = {.ptr = NULL, .len = 0};

    if (input.len > 12 && octet_at(input, 12) >> 4U != V2_VERSION) {
        return SP_PROXY_BROKEN;
    }
    if (input.len < V2_HEAD) {
        return SP_PROXY_MORE;
    }
    command = octet_at(input, 12) & 0xfU;
    header.size += octet_at(input, 14) << 8U | octet_at(input, 15);
    if (command > V2_PROXY || header.size > SP_PROXY_HEADER_MAX) {
        return SP_PROXY_BROKEN;
    }
    if (input.len < header.size) {
        return SP_PROXY_MORE;
    }
    block = sp_str_slice(input, V2_HEAD, header.size);
    if (command == V2_PROXY && !read_block(octet_at(input, 13), block, &header)) {
        return SP_PROXY_BROKEN;
    }
    *ret_header = header;
    return SP_PROXY_COMPLETE;
}

sp_proxy_status_t sp_proxy_header_read(sp_str_t input, sp_proxy_header_t *ret_header)
{
    if (input.len == 0) {
        return SP_PROXY_MORE;
    }
    if (may_begin_with(input, V2_SIGNATURE)) {
        return input.len < V2_SIGNATURE.len ? SP_PROXY_MORE : read_octets(input, ret_header);
    }
    if (may_begin_with(input, SP_STR("PROXY "))) {
        return input.len < SP_STR("PROXY ").len ? SP_PROXY_MORE : read_line(input, ret_header);
    }
    return SP_PROXY_BROKEN;
}
