/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_ENDPOINTS_H
#define SIGNPOST_SERVE_ADMIN_ENDPOINTS_H

/* The endpoints behind the router; each answers its call, now or later. */

#include "serve/admin/state.h"

void sp_admin_health(sp_admin_t *admin, sp_call_t *call);       /* health.c */
void sp_admin_readiness(sp_admin_t *admin, sp_call_t *call);    /* health.c */
void sp_admin_metrics(sp_admin_t *admin, sp_call_t *call);      /* metrics.c */
void sp_admin_explain(sp_admin_t *admin, sp_call_t *call);      /* explain.c */
void sp_admin_cache(sp_admin_t *admin, sp_call_t *call);        /* cache.c */
void sp_admin_forget(sp_admin_t *admin, sp_call_t *call);       /* cache.c */
void sp_admin_certificates(sp_admin_t *admin, sp_call_t *call); /* certificates.c */
void sp_admin_config(sp_admin_t *admin, sp_call_t *call);       /* health.c */
void sp_admin_ask(sp_admin_t *admin, sp_call_t *call);          /* ask.c */

#endif
