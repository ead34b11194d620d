/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_CLIENTS_H
#define SIGNPOST_HTTP_CLIENTS_H

/* Who takes how much: connections in all, connections of each client, and of what each client
 * causes in a second, a minute or an hour. Shared by all workers; every function is safe from any
 * thread and takes no lock.
 *
 * A client is an IPv4 address, or the first 56 bits of an IPv6 address: what an access provider
 * gives one customer. The table has a fixed size, whatever the number of clients: it is a count-min
 * sketch, two counters for each client, the smaller of which is believed. A client can therefore
 * never take more than it may; that two clients are taken for one needs both of their counters to
 * coincide with those of busy ones, and which ones do is random in each process. */

#include <signpost/base/error.h>
#include <sys/socket.h>

#define SP_CLIENT_IPV6_BITS 56
#define SP_CLIENTS_ROWS 2
#define SP_CLIENTS_CELLS ((size_t)1 << 16) /* of each row; 3.5 MiB in all, touched when used */

typedef struct sp_clients sp_clients_t;

/* Where a client's counters are. */
typedef struct sp_client {
    bool is_counted; /* false: neither counted nor limited */
    bool is_inside;  /* an address that may stand for everybody: see sp_client_to_number */
    uint16_t cells[SP_CLIENTS_ROWS];
} sp_client_t;

/* `max`: connections in all (0: any number). SP_OK, SP_NO_MEMORY, or SP_IO when the system has no
 * random octets. */
sp_status_t sp_clients_create(size_t max, sp_clients_t **ret_clients);
void sp_clients_destroy(sp_clients_t *clients); /* accepts NULL */

/* The client that has this address; not counted for families other than IPv4 and IPv6. An IPv4
 * address mapped to IPv6 is the IPv4 address. */
sp_client_t sp_client_of(const sp_clients_t *clients, const struct sockaddr *address);

/* The same from text, as proxies name it: "192.0.2.1", "2001:db8::1". */
sp_client_t sp_client_named(const sp_clients_t *clients, sp_str_t address);

/* Are there as many connections as there may be? */
bool sp_clients_are_full(const sp_clients_t *clients);

/* Counts a connection. False, and nothing is counted, when the client has `limit` already (0: no
 * limit). */
bool sp_clients_enter(sp_clients_t *clients, const sp_client_t *client, unsigned limit);

/* What sp_clients_enter counted is over. */
void sp_clients_leave(sp_clients_t *clients, const sp_client_t *client);

/* Connections now. */
size_t sp_clients_count(const sp_clients_t *clients);

/* What a client may cause so much of in a while. Each while begins anew for all at once, so that
 * twice as much may fall together where one ends. */
typedef enum sp_client_share {
    SP_SHARE_QUESTIONS, /* that DNS must be asked, in a second */
    SP_SHARE_NAMES,     /* that have no certificate, looked at by the issuer, in a minute */
    SP_SHARE_ORDERS     /* of certificates, in an hour */
} sp_client_share_t;
#define SP_CLIENT_SHARES (SP_SHARE_ORDERS + 1)

/* Has it had fewer than `limit`? A client that is not counted always has. */
bool sp_clients_have_left(const sp_clients_t *clients, const sp_client_t *client,
                          sp_client_share_t share, unsigned limit, uint64_t now_ms);

/* Counts one. False, and nothing is counted, when it has had `limit` already. */
bool sp_clients_take(sp_clients_t *clients, const sp_client_t *client, sp_client_share_t share,
                     unsigned limit, uint64_t now_ms);

/* The same for SP_SHARE_QUESTIONS. */
bool sp_clients_may_ask(sp_clients_t *clients, const sp_client_t *client, unsigned limit,
                        uint64_t now_ms);

/* A client as a number, for those who pass it on without knowing what it is: 0 for one that is not
 * counted, and for an address that is loopback, link-local, private (RFC 1918, RFC 4193) or shared
 * (RFC 6598). A balancer that puts its own in the place of everybody's has such a one. */
uint64_t sp_client_to_number(const sp_client_t *client);
sp_client_t sp_client_from_number(uint64_t number);

#endif
