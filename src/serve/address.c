/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/address.h"

#include "dns/resolver_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#define PORT_MAX 65535

static int shown(sp_str_t text)
{
    return text.len > 60 ? 60 : (int)text.len;
}

/* NUL-terminated copy for the C library; false when it does not fit or holds a NUL itself. */
static bool copy_text(sp_str_t text, char *out, size_t size)
{
    if (text.len >= size || sp_str_find(text, '\0') != text.len) {
        return false;
    }
    if (text.len != 0) {
        memcpy(out, text.ptr, text.len);
    }
    out[text.len] = '\0';
    return true;
}

/* The shape first, so that each slip gets its own sentence: an address with a port, and brackets
 * around IPv6. *ret_host is the address alone. */
static sp_status_t check_shape(sp_str_t text, sp_str_t *ret_host, in_port_t *ret_port,
                               sp_error_t *err)
{
    bool brackets = sp_str_starts_with(text, SP_STR("["));
    size_t close = brackets ? sp_str_find(text, ']') : 0;
    size_t colon = close + sp_str_find(sp_str_skip(text, close), ':');
    sp_str_t port = sp_str_skip(text, colon + 1);
    uint64_t number;

    if (colon >= text.len || (brackets && colon != close + 1)) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "'%.*s' is no place to listen at; expected IPv4:port, [IPv6]:port or "
                       "unix:/path",
                       shown(text), text.ptr);
    }
    if (!brackets && sp_str_find(port, ':') != port.len) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "'%.*s' is ambiguous; an IPv6 address stands in brackets: [IPv6]:port",
                       shown(text), text.ptr);
    }
    if (!sp_str_to_uint(port, PORT_MAX, &number)) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "port '%.*s' is no number from 0 to 65535 (0: any free port)", shown(port),
                       port.ptr);
    }
    *ret_host = brackets ? sp_str_slice(text, 1, close) : sp_str_slice(text, 0, colon);
    *ret_port = htons((uint16_t)number);
    return SP_OK;
}

static sp_status_t read_unix(sp_str_t path, sp_address_t *address, sp_error_t *err)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};

    if (!sp_str_starts_with(path, SP_STR("/"))) {
        return sp_fail(err, SP_BAD_VALUE, 0, "a unix socket needs an absolute path, as unix:/path");
    }
    if (!copy_text(path, un.sun_path, sizeof(un.sun_path))) {
        return sp_fail(err, SP_TOO_LONG, 0, "the path of a unix socket has at most %zu octets",
                       sizeof(un.sun_path) - 1);
    }
    address->kind = SP_ADDRESS_UNIX;
    memcpy(&address->socket, &un, sizeof(un));
    address->socket_len = sizeof(un);
    return SP_OK;
}

/* Port 0 is for the system to choose one that is free; a resolver can't have it. */
static void set_port(struct sockaddr_storage *socket, in_port_t port)
{
    if (socket->ss_family == AF_INET) {
        ((struct sockaddr_in *)socket)->sin_port = port;
    } else {
        ((struct sockaddr_in6 *)socket)->sin6_port = port;
    }
}

/* Without its port, an address to listen at is written like that of a resolver. */
static sp_status_t read_internet(sp_str_t text, sp_address_t *address, sp_error_t *err)
{
    sp_str_t host = text;
    in_port_t port = 0;
    sp_status_t status = check_shape(text, &host, &port, err);

    if (status != SP_OK) {
        return status;
    }
    text = sp_str_slice(text, 0, sp_str_find_last(text, ':'));
    if (sp_resolver_parse(text, &address->socket, NULL) != SP_OK) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "'%.*s' is no IPv4 or IPv6 address; host names are not looked up here",
                       shown(host), host.ptr);
    }
    set_port(&address->socket, port);
    address->kind = address->socket.ss_family == AF_INET ? SP_ADDRESS_IPV4 : SP_ADDRESS_IPV6;
    address->socket_len = sp_resolver_length(&address->socket);
    return SP_OK;
}

/* The text is kept for messages, and of a unix socket the path for unlink. */
static sp_status_t keep_text(sp_str_t text, sp_arena_t *arena, sp_address_t *address,
                             sp_error_t *err)
{
    char *copy = sp_arena_zalloc(arena, text.len + 1, 1);

    if (copy == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    memcpy(copy, text.ptr, text.len);
    address->text = copy;
    address->path = address->kind == SP_ADDRESS_UNIX ? copy + SP_STR("unix:").len : NULL;
    return SP_OK;
}

sp_status_t sp_address_parse(sp_str_t text, sp_arena_t *arena, sp_address_t *ret_address,
                             sp_error_t *err)
{
    sp_address_t address = {.kind = SP_ADDRESS_NONE};
    sp_str_t prefix = SP_STR("unix:");
    sp_status_t status = sp_str_starts_with(text, prefix)
                             ? read_unix(sp_str_skip(text, prefix.len), &address, err)
                             : read_internet(text, &address, err);

    if (status == SP_OK) {
        status = keep_text(text, arena, &address, err);
    }
    if (status == SP_OK) {
        *ret_address = address;
    }
    return status;
}

bool sp_address_eq(const sp_address_t *a, const sp_address_t *b)
{
    return a->kind == b->kind && a->socket_len == b->socket_len &&
           memcmp(&a->socket, &b->socket, a->socket_len) == 0;
}

/* An address of either family as one of IPv6 (RFC 4291, 2.5.5.2). */
typedef struct endpoint {
    struct in6_addr address;
    in_port_t port;
} endpoint_t;

static endpoint_t endpoint_of(const sp_address_t *address)
{
    endpoint_t endpoint = {.port = 0};

    if (address->kind == SP_ADDRESS_IPV6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, &address->socket, sizeof(in6));
        endpoint.address = in6.sin6_addr;
        endpoint.port = in6.sin6_port;
    } else if (address->kind == SP_ADDRESS_IPV4) {
        struct sockaddr_in in;

        memcpy(&in, &address->socket, sizeof(in));
        memset(endpoint.address.s6_addr + 10, 0xff, 2);
        memcpy(endpoint.address.s6_addr + 12, &in.sin_addr, sizeof(in.sin_addr));
        endpoint.port = in.sin_port;
    }
    return endpoint;
}

/* Does a listener at `a` take what is sent to `b`? */
static bool takes(const endpoint_t *a, const endpoint_t *b)
{
    static const unsigned char any4[4] = {0};
    const unsigned char *last = a->address.s6_addr + 12;

    if (IN6_IS_ADDR_UNSPECIFIED(&a->address) || IN6_ARE_ADDR_EQUAL(&a->address, &b->address)) {
        return true;
    }
    return IN6_IS_ADDR_V4MAPPED(&a->address) && memcmp(last, any4, sizeof(any4)) == 0 &&
           IN6_IS_ADDR_V4MAPPED(&b->address);
}

bool sp_address_overlaps(const sp_address_t *a, const sp_address_t *b)
{
    endpoint_t one = endpoint_of(a);
    endpoint_t other = endpoint_of(b);

    if (one.port == 0 || other.port == 0) { /* no address of a network */
        return a->kind != SP_ADDRESS_NONE && sp_address_eq(a, b);
    }
    return one.port == other.port && (takes(&one, &other) || takes(&other, &one));
}
