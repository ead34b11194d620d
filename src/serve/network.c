/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define IPV4_BITS 32
#define IPV6_BITS 128
#define MAPPED_BITS 96 /* ::ffff:0:0/96 (RFC 4291, 2.5.5.2) */

static const uint8_t mapped_prefix[MAPPED_BITS / 8] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool is_mapped(const uint8_t *address)
{
    return memcmp(address, mapped_prefix, sizeof(mapped_prefix)) == 0;
}

static int shown(sp_str_t text)
{
    return text.len > 60 ? 60 : (int)text.len;
}

static bool read_address(sp_str_t text, sp_network_t *network)
{
    char copy[INET6_ADDRSTRLEN];

    if (text.len == 0 || text.len >= sizeof(copy) || sp_str_find(text, '\0') != text.len) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    network->family = sp_str_find(text, ':') == text.len ? AF_INET : AF_INET6;
    return inet_pton(network->family, copy, network->address) == 1;
}

/* Zeroes what lies behind the prefix; false when it was zero already. */
static bool mask_tail(uint8_t *address, unsigned bits, unsigned prefix_len)
{
    bool changed = false;

    for (unsigned bit = prefix_len; bit < bits; ++bit) {
        uint8_t mask = (uint8_t)(0x80U >> (bit % 8));

        if ((address[bit / 8] & mask) != 0) {
            address[bit / 8] = (uint8_t)(address[bit / 8] & ~mask);
            changed = true;
        }
    }
    return changed;
}

static sp_status_t fail_tail(sp_str_t text, const sp_network_t *network, sp_error_t *err)
{
    char address[INET6_ADDRSTRLEN];

    if (inet_ntop(network->family, network->address, address, sizeof(address)) == NULL) {
        address[0] = '\0';
    }
    return sp_fail(err, SP_BAD_VALUE, 0, "'%.*s' has bits set behind its prefix; expected %s/%u",
                   shown(text), text.ptr, address, (unsigned)network->prefix_len);
}

/* Peers are compared in their IPv4 form, so a range of mapped addresses becomes one of IPv4. */
static void unmap(sp_network_t *network)
{
    if (network->family == AF_INET6 && network->prefix_len >= MAPPED_BITS &&
        is_mapped(network->address)) {
        network->family = AF_INET;
        network->prefix_len = (uint8_t)(network->prefix_len - MAPPED_BITS);
        memmove(network->address, network->address + sizeof(mapped_prefix), 4);
        memset(network->address + 4, 0, sizeof(network->address) - 4);
    }
}

sp_status_t sp_network_parse(sp_str_t text, sp_network_t *ret_network, sp_error_t *err)
{
    sp_network_t network = {.family = AF_UNIX};
    sp_str_t length_text;
    sp_str_t address = sp_str_cut(text, '/', &length_text);
    unsigned bits;
    uint64_t length;

    if (sp_str_eq(text, SP_STR("unix:"))) {
        *ret_network = network;
        return SP_OK;
    }
    if (!read_address(address, &network)) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "'%.*s' is no range of addresses; expected ADDRESS/LENGTH as in "
                       "10.0.0.0/8 or fd00::/8",
                       shown(text), text.ptr);
    }
    bits = network.family == AF_INET ? IPV4_BITS : IPV6_BITS;
    length = bits;
    if (length_text.ptr != NULL && !sp_str_to_uint(length_text, bits, &length)) {
        return sp_fail(err, SP_BAD_VALUE, 0, "prefix length '%.*s' is no number from 0 to %u",
                       shown(length_text), length_text.ptr, bits);
    }
    network.prefix_len = (uint8_t)length;
    if (mask_tail(network.address, bits, network.prefix_len)) {
        return fail_tail(text, &network, err);
    }
    unmap(&network);
    *ret_network = network;
    return SP_OK;
}

static bool has_prefix(const sp_network_t *network, const uint8_t *address)
{
    size_t octets = network->prefix_len / 8U;
    unsigned rest = network->prefix_len % 8U;

    if (memcmp(network->address, address, octets) != 0) {
        return false;
    }
    return rest == 0 || ((network->address[octets] ^ address[octets]) >> (8 - rest)) == 0;
}

bool sp_network_contains(const sp_network_t *network, const struct sockaddr *peer)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    uint8_t address[16] = {0};
    sa_family_t family = peer->sa_family;

    if (family == AF_INET) {
        memcpy(&in, peer, sizeof(in));
        memcpy(address, &in.sin_addr, sizeof(in.sin_addr));
    } else if (family == AF_INET6) {
        memcpy(&in6, peer, sizeof(in6));
        memcpy(address, &in6.sin6_addr, sizeof(in6.sin6_addr));
        if (is_mapped(address)) {
            family = AF_INET;
            memmove(address, address + sizeof(mapped_prefix), 4);
        }
    }
    return network->family == family && (family == AF_UNIX || has_prefix(network, address));
}
