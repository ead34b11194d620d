/* SPDX-License-Identifier: Apache-2.0 */
#include "http/clients.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dns/name_map.h"

/* The while (a second, a minute, an hour) and the count in it, in one word that is changed as a
 * whole. */
typedef _Atomic(uint64_t) taken_t;

static const uint32_t while_ms[SP_CLIENT_SHARES] = {
    [SP_SHARE_QUESTIONS] = 1000, [SP_SHARE_NAMES] = 60000, [SP_SHARE_ORDERS] = 3600000};

struct sp_clients {
    sp_name_key_t key;
    size_t max; /* 0: any number */
    atomic_size_t count;
    atomic_uint connections[SP_CLIENTS_ROWS][SP_CLIENTS_CELLS];
    taken_t taken[SP_CLIENT_SHARES][SP_CLIENTS_ROWS][SP_CLIENTS_CELLS];
};

sp_status_t sp_clients_create(size_t max, sp_clients_t **ret_clients)
{
    sp_clients_t *clients = calloc(1, sizeof(*clients));

    if (clients == NULL) {
        return SP_NO_MEMORY;
    }
    if (sp_name_key_make(&clients->key) != SP_OK) {
        free(clients);
        return SP_IO;
    }
    clients->max = max;
    *ret_clients = clients;
    return SP_OK;
}

void sp_clients_destroy(sp_clients_t *clients)
{
    free(clients);
}

/* Addresses that never come from the Internet; the first `bits` count. */
typedef struct range {
    uint8_t bits;
    uint8_t octets[2];
} range_t;

static const range_t inside_ipv4[] = {{8, {10, 0}},     {8, {127, 0}},   {10, {100, 64}},
                                      {16, {169, 254}}, {12, {172, 16}}, {16, {192, 168}}};
static const range_t inside_ipv6[] = {{7, {0xfc, 0}}, {10, {0xfe, 0x80}}};

static bool is_in(const range_t *ranges, size_t count, const uint8_t *address)
{
    unsigned head = (unsigned)address[0] << 8U | address[1];
    size_t i = 0;

    while (i != count && ((head ^ ((unsigned)ranges[i].octets[0] << 8U | ranges[i].octets[1])) >>
                          (16U - ranges[i].bits)) != 0) {
        ++i;
    }
    return i != count;
}

static sp_client_t find_cells(const sp_clients_t *clients, const void *octets, size_t len)
{
    uint64_t hash = sp_name_hash(&clients->key, (sp_str_t){.ptr = octets, .len = len});

    return (sp_client_t){.is_counted = true,
                         .cells = {(uint16_t)(hash % SP_CLIENTS_CELLS),
                                   (uint16_t)((hash >> 32U) % SP_CLIENTS_CELLS)}};
}

static sp_client_t of_ipv4(const sp_clients_t *clients, const void *octets)
{
    sp_client_t client = find_cells(clients, octets, 4);

    client.is_inside = is_in(inside_ipv4, SP_COUNT(inside_ipv4), octets);
    return client;
}

static sp_client_t of_ipv6(const sp_clients_t *clients, const struct in6_addr *address)
{
    sp_client_t client;

    if (IN6_IS_ADDR_V4MAPPED(address)) {
        return of_ipv4(clients, address->s6_addr + 12);
    }
    client = find_cells(clients, address->s6_addr, SP_CLIENT_IPV6_BITS / 8);
    client.is_inside = IN6_IS_ADDR_LOOPBACK(address) ||
                       is_in(inside_ipv6, SP_COUNT(inside_ipv6), address->s6_addr);
    return client;
}

sp_client_t sp_client_of(const sp_clients_t *clients, const struct sockaddr *address)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;

    if (address->sa_family == AF_INET) {
        memcpy(&in, address, sizeof(in));
        return of_ipv4(clients, &in.sin_addr);
    }
    if (address->sa_family == AF_INET6) {
        memcpy(&in6, address, sizeof(in6));
        return of_ipv6(clients, &in6.sin6_addr);
    }
    return (sp_client_t){.is_counted = false};
}

sp_client_t sp_client_named(const sp_clients_t *clients, sp_str_t address)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr in;
    struct in6_addr in6;

    if (address.len == 0 || address.len >= sizeof(text)) {
        return (sp_client_t){.is_counted = false};
    }
    memcpy(text, address.ptr, address.len);
    text[address.len] = '\0';
    if (inet_pton(AF_INET, text, &in) == 1) {
        return of_ipv4(clients, &in);
    }
    if (inet_pton(AF_INET6, text, &in6) == 1) {
        return of_ipv6(clients, &in6);
    }
    return (sp_client_t){.is_counted = false};
}

bool sp_clients_are_full(const sp_clients_t *clients)
{
    return clients->max != 0 && sp_clients_count(clients) >= clients->max;
}

static unsigned held_by(const sp_clients_t *clients, const sp_client_t *client)
{
    unsigned least = UINT32_MAX;

    for (size_t row = 0; row != SP_CLIENTS_ROWS; ++row) {
        unsigned count = atomic_load_explicit(&clients->connections[row][client->cells[row]],
                                              memory_order_relaxed);

        least = count < least ? count : least;
    }
    return least;
}

bool sp_clients_enter(sp_clients_t *clients, const sp_client_t *client, unsigned limit)
{
    if (client->is_counted && limit != 0 && held_by(clients, client) >= limit) {
        return false;
    }
    (void)atomic_fetch_add_explicit(&clients->count, 1, memory_order_relaxed);
    for (size_t row = 0; client->is_counted && row != SP_CLIENTS_ROWS; ++row) {
        (void)atomic_fetch_add_explicit(&clients->connections[row][client->cells[row]], 1,
                                        memory_order_relaxed);
    }
    return true;
}

void sp_clients_leave(sp_clients_t *clients, const sp_client_t *client)
{
    (void)atomic_fetch_sub_explicit(&clients->count, 1, memory_order_relaxed);
    for (size_t row = 0; client->is_counted && row != SP_CLIENTS_ROWS; ++row) {
        (void)atomic_fetch_sub_explicit(&clients->connections[row][client->cells[row]], 1,
                                        memory_order_relaxed);
    }
}

size_t sp_clients_count(const sp_clients_t *clients)
{
    return atomic_load_explicit(&clients->count, memory_order_relaxed);
}

static unsigned count_in(uint64_t word, uint32_t now)
{
    return (uint32_t)(word >> 32U) == now ? (unsigned)(uint32_t)word : 0;
}

static void add_one(taken_t *cell, uint32_t now)
{
    uint64_t old = atomic_load_explicit(cell, memory_order_relaxed);
    uint64_t fresh = 0;

    do {
        fresh = (uint64_t)now << 32U | (count_in(old, now) + 1U);
    } while (!atomic_compare_exchange_weak_explicit(cell, &old, fresh, memory_order_relaxed,
                                                    memory_order_relaxed));
}

bool sp_clients_have_left(const sp_clients_t *clients, const sp_client_t *client,
                          sp_client_share_t share, unsigned limit, uint64_t now_ms)
{
    uint32_t now = (uint32_t)(now_ms / while_ms[share]);

    for (size_t row = 0; client->is_counted && row != SP_CLIENTS_ROWS; ++row) {
        const taken_t *cell = &clients->taken[share][row][client->cells[row]];

        if (count_in(atomic_load_explicit(cell, memory_order_relaxed), now) < limit) {
            return true;
        }
    }
    return !client->is_counted;
}

bool sp_clients_take(sp_clients_t *clients, const sp_client_t *client, sp_client_share_t share,
                     unsigned limit, uint64_t now_ms)
{
    if (!sp_clients_have_left(clients, client, share, limit, now_ms)) {
        return false;
    }
    for (size_t row = 0; client->is_counted && row != SP_CLIENTS_ROWS; ++row) {
        add_one(&clients->taken[share][row][client->cells[row]],
                (uint32_t)(now_ms / while_ms[share]));
    }
    return true;
}

bool sp_clients_may_ask(sp_clients_t *clients, const sp_client_t *client, unsigned limit,
                        uint64_t now_ms)
{
    return sp_clients_take(clients, client, SP_SHARE_QUESTIONS, limit, now_ms);
}

uint64_t sp_client_to_number(const sp_client_t *client)
{
    return client->is_counted && !client->is_inside
               ? UINT64_C(1) << 32U | (uint64_t)client->cells[0] << 16U | client->cells[1]
               : 0;
}

sp_client_t sp_client_from_number(uint64_t number)
{
    return (sp_client_t){.is_counted = number != 0,
                         .cells = {(uint16_t)(number >> 16U), (uint16_t)number}};
}
