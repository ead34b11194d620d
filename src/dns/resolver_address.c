/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/resolver_address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

/* The parts of the text; `port` has ptr NULL where there is none. */
typedef struct address_text {
    sp_str_t host;
    sp_str_t scope;
    sp_str_t port;
    bool bracketed;
} address_text_t;

static sp_status_t refuse(sp_error_t *err, sp_str_t text, size_t offset, const char *what)
{
    int len = text.len < 100 ? (int)text.len : 100;

    return sp_fail(err, SP_BAD_VALUE, offset,
                   "'%.*s' is no resolver address: %s; expected ADDRESS, IPv4:PORT or [IPv6]:PORT",
                   len, text.ptr, what);
}

static bool split_brackets(sp_str_t text, address_text_t *ret)
{
    size_t close = sp_str_find(text, ']');
    sp_str_t rest = sp_str_skip(text, close + 1);

    if (close == text.len) {
        return false;
    }
    ret->bracketed = true;
    ret->host = sp_str_slice(text, 1, close);
    if (rest.len != 0) {
        ret->port = sp_str_skip(rest, 1);
        return rest.ptr[0] == ':';
    }
    return true;
}

/* One colon parts an IPv4 address from its port; more than one is IPv6 without a port. */
static bool split(sp_str_t text, address_text_t *ret)
{
    size_t colon = sp_str_find(text, ':');
    size_t percent;

    *ret = (address_text_t){.host = text};
    if (sp_str_starts_with(text, SP_STR("["))) {
        if (!split_brackets(text, ret)) {
            return false;
        }
    } else if (colon != text.len && colon == sp_str_find_last(text, ':')) {
        ret->host = sp_str_slice(text, 0, colon);
        ret->port = sp_str_skip(text, colon + 1);
    }
    percent = sp_str_find(ret->host, '%');
    if (percent != ret->host.len) {
        ret->scope = sp_str_skip(ret->host, percent + 1);
        ret->host = sp_str_slice(ret->host, 0, percent);
        return ret->scope.len != 0;
    }
    return true;
}

static bool copy_text(sp_str_t text, char *out, size_t size)
{
    if (text.len >= size || memchr(text.ptr, '\0', text.len) != NULL) {
        return false;
    }
    memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
    return true;
}

static bool read_scope(sp_str_t scope, uint32_t *ret_scope)
{
    char name[IF_NAMESIZE];
    uint64_t number;

    *ret_scope = 0;
    if (scope.len == 0) {
        return true;
    }
    if (sp_str_to_uint(scope, UINT32_MAX, &number)) {
        *ret_scope = (uint32_t)number;
        return true;
    }
    *ret_scope = copy_text(scope, name, sizeof(name)) ? if_nametoindex(name) : 0;
    return *ret_scope != 0;
}

sp_status_t sp_resolver_parse(sp_str_t text, struct sockaddr_storage *ret_address, sp_error_t *err)
{
    struct sockaddr_storage address = {0};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address;
    char host[INET6_ADDRSTRLEN];
    address_text_t parts;
    uint64_t port = SP_RESOLVER_PORT;
    bool is_v4;

    if (!split(text, &parts) || parts.host.len == 0) {
        return refuse(err, text, 0, "the address is missing or its brackets do not fit");
    }
    if (parts.port.ptr != NULL && (!sp_str_to_uint(parts.port, 65535, &port) || port == 0)) {
        return refuse(err, text, (size_t)(parts.port.ptr - text.ptr), "the port is not 1 to 65535");
    }
    if (!copy_text(parts.host, host, sizeof(host))) {
        return refuse(err, text, 0, "it is neither IPv4 nor IPv6");
    }
    is_v4 =
        !parts.bracketed && parts.scope.len == 0 && inet_pton(AF_INET, host, &v4->sin_addr) == 1;
    if (is_v4) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
    } else if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        if (!read_scope(parts.scope, &v6->sin6_scope_id)) {
            return refuse(err, text, (size_t)(parts.scope.ptr - text.ptr),
                          "no network interface has that name");
        }
    } else {
        return refuse(err, text, 0, "it is neither IPv4 nor IPv6");
    }
    *ret_address = address;
    return SP_OK;
}

void sp_resolver_print(const struct sockaddr_storage *address, char *ret_text, size_t size)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    char host[INET6_ADDRSTRLEN] = "?";
    char scope[16] = "";

    if (address->ss_family == AF_INET) {
        (void)inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
        (void)snprintf(ret_text, size, "%s:%u", host, (unsigned)ntohs(v4->sin_port));
        return;
    }
    (void)inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
    if (v6->sin6_scope_id != 0) {
        (void)snprintf(scope, sizeof(scope), "%%%u", (unsigned)v6->sin6_scope_id);
    }
    (void)snprintf(ret_text, size, "[%s%s]:%u", host, scope, (unsigned)ntohs(v6->sin6_port));
}

socklen_t sp_resolver_length(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET ? (socklen_t)sizeof(struct sockaddr_in)
                                         : (socklen_t)sizeof(struct sockaddr_in6);
}

bool sp_resolver_is_loopback(const struct sockaddr_storage *address)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;

    if (address->ss_family == AF_INET) {
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}
