/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/inflight.h"

#include <stdlib.h>

struct sp_flight {
    sp_name_node_t node;
    void *owner;
    sp_waiter_t *first;
    sp_waiter_t *last;
    char name[];
};

struct sp_inflight {
    sp_name_map_t map;
    unsigned max;
};

sp_status_t sp_inflight_create(unsigned max, sp_inflight_t **ret_inflight)
{
    sp_inflight_t *inflight = calloc(1, sizeof(*inflight));
    sp_name_key_t key;
    sp_status_t status;

    if (inflight == NULL) {
        return SP_NO_MEMORY;
    }
    inflight->max = max;
    status = sp_name_key_make(&key);
    if (status == SP_OK) {
        status = sp_name_map_init(&inflight->map, &key);
    }
    if (status != SP_OK) {
        free(inflight);
        return status;
    }
    *ret_inflight = inflight;
    return SP_OK;
}

void sp_inflight_destroy(sp_inflight_t *inflight)
{
    if (inflight == NULL) {
        return;
    }
    for (size_t i = 0; i != inflight->map.size; ++i) {
        while (inflight->map.buckets[i] != NULL) {
            sp_flight_t *flight = (sp_flight_t *)inflight->map.buckets[i];

            sp_name_map_remove(&inflight->map, &flight->node);
            free(flight);
        }
    }
    sp_name_map_clear(&inflight->map);
    free(inflight);
}

sp_flight_t *sp_inflight_find(const sp_inflight_t *inflight, sp_str_t name)
{
    return (sp_flight_t *)sp_name_map_find(&inflight->map, name);
}

sp_status_t sp_inflight_start(sp_inflight_t *inflight, sp_str_t name, void *owner,
                              sp_flight_t **ret_flight)
{
    sp_flight_t *flight;

    if (inflight->map.count >= inflight->max || name.len > SP_NAME_MAX) {
        return SP_TOO_LONG;
    }
    flight = calloc(1, sizeof(*flight) + name.len);
    if (flight == NULL) {
        return SP_NO_MEMORY;
    }
    flight->owner = owner;
    sp_name_node_init(&flight->node, offsetof(sp_flight_t, name), name);
    sp_name_map_insert(&inflight->map, &flight->node);
    *ret_flight = flight;
    return SP_OK;
}

sp_str_t sp_flight_name(const sp_flight_t *flight)
{
    return sp_name_node_str(&flight->node);
}

void *sp_flight_owner(const sp_flight_t *flight)
{
    return flight->owner;
}

void sp_flight_board(sp_flight_t *flight, sp_waiter_t *waiter)
{
    *waiter = (sp_waiter_t){.flight = flight, .previous = flight->last};
    *(flight->last != NULL ? &flight->last->next : &flight->first) = waiter;
    flight->last = waiter;
}

void sp_flight_leave(sp_waiter_t *waiter)
{
    sp_flight_t *flight = waiter->flight;

    *(waiter->previous != NULL ? &waiter->previous->next : &flight->first) = waiter->next;
    *(waiter->next != NULL ? &waiter->next->previous : &flight->last) = waiter->previous;
    *waiter = (sp_waiter_t){0};
}

sp_waiter_t *sp_flight_first(const sp_flight_t *flight)
{
    return flight->first;
}

void sp_inflight_land(sp_inflight_t *inflight, sp_flight_t *flight)
{
    sp_name_map_remove(&inflight->map, &flight->node);
}

void sp_flight_free(sp_flight_t *flight)
{
    free(flight);
}

size_t sp_inflight_count(const sp_inflight_t *inflight)
{
    return inflight->map.count;
}
