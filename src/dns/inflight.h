/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_INFLIGHT_H
#define SIGNPOST_DNS_INFLIGHT_H

/* Equal questions share one query: who asks for a name that is being asked for boards the flight
 * that is under way. The number of flights is bounded, in all and for each domain: random names
 * below one domain leave room for the others. */

#include "dns/name_map.h"

typedef struct sp_inflight sp_inflight_t;
typedef struct sp_flight sp_flight_t;

/* One who waits, inside the caller's object; all zero while it does not. */
typedef struct sp_waiter {
    sp_flight_t *flight;
    struct sp_waiter *previous;
    struct sp_waiter *next;
} sp_waiter_t;

/* SP_OK, SP_NO_MEMORY, or SP_IO when the system has no random octets. */
sp_status_t sp_inflight_create(unsigned max, sp_inflight_t **ret_inflight);

/* Frees the flights too; their waiters are just forgotten. Accepts NULL. */
void sp_inflight_destroy(sp_inflight_t *inflight);

/* The flight under way for a name, or NULL. */
sp_flight_t *sp_inflight_find(const sp_inflight_t *inflight, sp_str_t name);

/* A new flight for a name that has none, begun at `now_us`; `owner` is the caller's affair. SP_OK,
 * SP_TOO_LONG when there are `max`, or a tenth of that (32 at least) for the domain of the name, or
 * SP_NO_MEMORY. */
sp_status_t sp_inflight_start(sp_inflight_t *inflight, sp_str_t name, void *owner, uint64_t now_us,
                              sp_flight_t **ret_flight);

/* The domain by which flights are counted: the last two labels of a name, or three where these look
 * like a registry's (`co.uk`: two letters below at most three). */
sp_str_t sp_inflight_domain(sp_str_t name);

sp_str_t sp_flight_name(const sp_flight_t *flight);
void *sp_flight_owner(const sp_flight_t *flight);
uint64_t sp_flight_began_us(const sp_flight_t *flight);

/* In the order in which they boarded. */
void sp_flight_board(sp_flight_t *flight, sp_waiter_t *waiter);
void sp_flight_leave(sp_waiter_t *waiter);
sp_waiter_t *sp_flight_first(const sp_flight_t *flight);

/* The answer is there: who asks from now on does not find the flight any more. Whoever landed it
 * frees it when all have left. */
void sp_inflight_land(sp_inflight_t *inflight, sp_flight_t *flight);
void sp_flight_free(sp_flight_t *flight);

size_t sp_inflight_count(const sp_inflight_t *inflight);

#endif
