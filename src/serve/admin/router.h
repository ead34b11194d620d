/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_ROUTER_H
#define SIGNPOST_SERVE_ADMIN_ROUTER_H

/* Which endpoint a request is for. */

#include "serve/admin/state.h"

typedef void sp_admin_fn(sp_admin_t *admin, sp_call_t *call);

typedef struct sp_admin_route {
    sp_str_t path;
    sp_admin_fn *get;    /* also for HEAD */
    sp_admin_fn *remove; /* DELETE; NULL: not allowed */
    sp_str_t usage;      /* for the list of endpoints; empty: not listed */
    sp_str_t summary;
} sp_admin_route_t;

/* NULL when there is no such endpoint. */
const sp_admin_route_t *sp_admin_route(sp_str_t path);

/* NULL when the endpoint does not know the method. */
sp_admin_fn *sp_admin_route_method(const sp_admin_route_t *route, sp_str_t method);

/* The methods that an endpoint knows, as the value of Allow. */
sp_str_t sp_admin_route_allow(const sp_admin_route_t *route);

/* Answers any request: with its endpoint, 404 or 405. */
void sp_admin_dispatch(void *arg, sp_call_t *call);

#endif
