/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/inflight.h"

#include <stdlib.h>

#define DOMAIN_SHARE 10 /* of all flights, one domain may have one in so many */
#define DOMAIN_MIN 32
#define COUNTRY_LABEL 2  /* letters */
#define REGISTRY_LABEL 3 /* letters, at most */

/* There is one while it has flights. */
typedef struct domain {
    sp_name_node_t node;
    size_t flights;
    char name[];
} domain_t;

struct sp_flight {
    sp_name_node_t node;
    domain_t *domain; /* NULL: landed */
    void *owner;
    uint64_t began_us;
    sp_waiter_t *first;
    sp_waiter_t *last;
    char name[];
};

struct sp_inflight {
    sp_name_map_t map;
    sp_name_map_t domains;
    unsigned max;
    unsigned domain_max;
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
    inflight->domain_max = max / DOMAIN_SHARE > DOMAIN_MIN ? max / DOMAIN_SHARE : DOMAIN_MIN;
    status = sp_name_key_make(&key);
    if (status == SP_OK) {
        status = sp_name_map_init(&inflight->map, &key);
    }
    if (status == SP_OK) {
        status = sp_name_map_init(&inflight->domains, &key);
    }
    if (status != SP_OK) {
        sp_name_map_clear(&inflight->map);
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

            sp_inflight_land(inflight, flight);
            free(flight);
        }
    }
    sp_name_map_clear(&inflight->map);
    sp_name_map_clear(&inflight->domains);
    free(inflight);
}

sp_flight_t *sp_inflight_find(const sp_inflight_t *inflight, sp_str_t name)
{
    return (sp_flight_t *)sp_name_map_find(&inflight->map, name);
}

/* Where the last label of `name` begins; *len is how long it is. */
static size_t last_label(sp_str_t name, size_t *len)
{
    size_t at = name.len;

    while (at != 0 && name.ptr[at - 1] != '.') {
        --at;
    }
    *len = name.len - at;
    return at;
}

sp_str_t sp_inflight_domain(sp_str_t name)
{
    size_t lens[2];
    sp_str_t head = name;
    size_t at = name.len;

    for (unsigned label = 0; label != 3; ++label) {
        size_t len;

        at = last_label(head, &len);
        lens[label & 1] = len;
        if (at == 0 || (label == 1 && !(lens[0] == COUNTRY_LABEL && len <= REGISTRY_LABEL))) {
            break;
        }
        head.len = at - 1;
    }
    return (sp_str_t){name.ptr + at, name.len - at};
}

/* The domain of a name, made where it is not there; NULL: no memory. */
static domain_t *find_domain(sp_inflight_t *inflight, sp_str_t name)
{
    sp_str_t text = sp_inflight_domain(name);
    domain_t *domain = (domain_t *)sp_name_map_find(&inflight->domains, text);

    if (domain == NULL && (domain = calloc(1, sizeof(*domain) + text.len)) != NULL) {
        sp_name_node_init(&domain->node, offsetof(domain_t, name), text);
        sp_name_map_insert(&inflight->domains, &domain->node);
    }
    return domain;
}

static void leave_domain(sp_inflight_t *inflight, domain_t *domain)
{
    if (domain->flights == 0) {
        sp_name_map_remove(&inflight->domains, &domain->node);
        free(domain);
    }
}

sp_status_t sp_inflight_start(sp_inflight_t *inflight, sp_str_t name, void *owner, uint64_t now_us,
                              sp_flight_t **ret_flight)
{
    sp_flight_t *flight;
    domain_t *domain;

    if (inflight->map.count >= inflight->max || name.len > SP_NAME_MAX) {
        return SP_TOO_LONG;
    }
    domain = find_domain(inflight, name);
    if (domain == NULL) {
        return SP_NO_MEMORY;
    }
    if (domain->flights >= inflight->domain_max) {
        return SP_TOO_LONG;
    }
    flight = calloc(1, sizeof(*flight) + name.len);
    if (flight == NULL) {
        leave_domain(inflight, domain);
        return SP_NO_MEMORY;
    }
    domain->flights += 1;
    flight->domain = domain;
    flight->owner = owner;
    flight->began_us = now_us;
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

uint64_t sp_flight_began_us(const sp_flight_t *flight)
{
    return flight->began_us;
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
    flight->domain->flights -= 1;
    leave_domain(inflight, flight->domain);
    flight->domain = NULL;
}

void sp_flight_free(sp_flight_t *flight)
{
    free(flight);
}

size_t sp_inflight_count(const sp_inflight_t *inflight)
{
    return inflight->map.count;
}
