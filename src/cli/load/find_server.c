/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/load/find_server.h"

#include <netdb.h>
#include <signpost/rule/hostname.h>
#include <stdio.h>
#include <string.h>

#include "load/probe.h"
#include "serve/address.h"

#define PORT_TEXT_MAX 8 /* digits, and NUL */

static sp_status_t refuse(const char *text, sp_error_t *err)
{
    return sp_fail(err, SP_BAD_VALUE, 0,
                   "--connect must be an address or a name, and a port, as 127.0.0.1:8080, "
                   "[::1]:8080 or localhost:8080, not '%s'",
                   text);
}

/* Leaves the last where none connects: the run's own probe says why. */
static void choose(const struct addrinfo *found, sp_load_plan_t *plan)
{
    for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) {
        memcpy(&plan->address, one->ai_addr, one->ai_addrlen);
        plan->address_len = one->ai_addrlen;
        if (one->ai_next == NULL || sp_load_probe_server(plan, NULL) == SP_OK) {
            return;
        }
    }
}

static sp_status_t look_up(const char *text, sp_load_plan_t *plan, sp_error_t *err)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    sp_str_t port = {0};
    sp_str_t host = sp_str_cut(sp_str_from(text), ':', &port);
    struct addrinfo *found = NULL;
    char name[SP_NAME_MAX + 2]; /* a final dot, which keeps the search list out, and NUL */
    char service[PORT_TEXT_MAX];
    int error = 0;

    if (host.len >= sizeof(name) || port.len >= sizeof(service)) {
        return refuse(text, err);
    }
    (void)snprintf(name, sizeof(name), "%.*s", (int)host.len, host.ptr);
    (void)snprintf(service, sizeof(service), "%.*s", (int)port.len, port.ptr);
    error = getaddrinfo(name, service, &hints, &found);
    if (error != 0) {
        return sp_fail(err, SP_IO, 0, "%s can't be looked up: %s", name, gai_strerror(error));
    }
    choose(found, plan);
    freeaddrinfo(found);
    return SP_OK;
}

/* A name with a port, and not an address that the first reader did not like. */
static sp_status_t check_name(const char *text, sp_arena_t *arena, sp_error_t *err)
{
    sp_host_t host = {.is_address = false};
    uint64_t port = 0;
    sp_status_t status = sp_host_read(sp_str_from(text), arena, &host, NULL);

    if (status == SP_OK &&
        (host.is_address || !sp_str_to_uint(host.port, UINT16_MAX, &port) || port == 0)) {
        status = SP_BAD_VALUE;
    }
    if (status == SP_NO_MEMORY) {
        return sp_fail(err, status, 0, "out of memory");
    }
    return status == SP_OK ? SP_OK : refuse(text, err);
}

sp_status_t sp_load_server_find(const char *text, sp_load_plan_t *plan, sp_error_t *err)
{
    sp_address_t address = {.kind = SP_ADDRESS_NONE};
    sp_arena_t arena;
    sp_status_t status = SP_OK;

    sp_arena_init(&arena, NULL, 0, 256);
    status = sp_address_parse(sp_str_from(text), &arena, &address, NULL);
    if (status == SP_OK && address.kind != SP_ADDRESS_UNIX) {
        plan->address = address.socket;
        plan->address_len = address.socket_len;
    } else {
        status = check_name(text, &arena, err);
        if (status == SP_OK) {
            status = look_up(text, plan, err);
        }
    }
    sp_arena_clear(&arena);
    return status;
}
