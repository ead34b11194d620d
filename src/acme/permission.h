/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_PERMISSION_H
#define SIGNPOST_ACME_PERMISSION_H

/* May there be a certificate for this name? The one rule, for orders, for `/ask` and for `explain`:
 * it is a host name; its orders have not failed lately; it has a record that resolves now to
 * something; the budgets, and of them what one client may spend, are not spent; its CAA records
 * allow the authority. */

#include <signpost/rule/hostname.h>

#include "acme/caa_client.h"
#include "acme/settings.h"
#include "acme/storage.h"
#include "explain/run.h"

typedef enum sp_permit {
    SP_PERMIT_GRANTED,
    SP_PERMIT_BAD_NAME, /* no host name, an address, a wildcard */
    SP_PERMIT_BACK_OFF, /* its last order failed */
    SP_PERMIT_NO_RECORD,
    SP_PERMIT_FAULTY_RECORD, /* there is one, which can't be used */
    SP_PERMIT_DNS_FAILURE,   /* the record can't be looked up */
    SP_PERMIT_DOMAIN_BUDGET, /* spent */
    SP_PERMIT_HOUR_BUDGET,   /* spent */
    SP_PERMIT_CLIENT_BUDGET, /* the share of it that one client may spend is */
    SP_PERMIT_CLIENT_NAMES,  /* not looked at: its client has had too many looked at */
    SP_PERMIT_CAA,           /* forbids */
    SP_PERMIT_CAA_FAILURE,   /* can't be looked up: forbids, for now (RFC 8659, 3) */
    SP_PERMIT_NO_MEMORY
} sp_permit_t;
#define SP_PERMITS (SP_PERMIT_NO_MEMORY + 1)

/* Stable, for programs: "granted", "back-off" … */
const char *sp_permit_name(sp_permit_t permit);

/* Who asks may spend one order more; counted, when it may. */
typedef bool sp_permission_share_fn(void *arg, uint64_t asker);

/* With what it is judged; everything is borrowed for as long as the judging takes. */
typedef struct sp_permission_with {
    const sp_acme_settings_t *settings;
    const sp_policy_t *policy;
    sp_lookups_t *lookups;
    sp_caa_client_t *caa;
    const sp_storage_t *storage; /* NULL: no failures and no budgets are known */
    unsigned timeout_ms;         /* for the record's lookups, and again for CAA's */
    bool is_renewal;             /* of a certificate that is there: budgets and failures apart */
    sp_permission_share_fn *take_share; /* NULL: nobody has a share, all may spend everything */
    void *share_arg;
    uint64_t asker;
} sp_permission_with_t;

#define SP_PERMISSION_REASON_MAX 400

typedef void sp_permission_fn(void *arg);

typedef struct sp_permission {
    bool is_done;
    sp_permit_t permit;
    char reason[SP_PERMISSION_REASON_MAX]; /* a sentence without its full stop */
    /* While it waits. */
    sp_permission_with_t with;
    sp_str_t name; /* in `arena` */
    sp_arena_t *arena;
    sp_raw_request_t raw;
    sp_explanation_t explanation;
    sp_caa_lookup_t *caa;
    sp_permission_fn *done;
    void *arg;
} sp_permission_t;

/* Begins. `arena` and what `with` names must outlive it, and *permission stays where it is. When
 * `is_done` is set on return, `done` is never called; otherwise it runs once, later, from the loop,
 * unless the permission is cleared before. `name` in any case, with or without final dot. */
void sp_permission_start(sp_str_t name, const sp_permission_with_t *with, sp_arena_t *arena,
                         sp_permission_fn *done, void *arg, sp_permission_t *permission);

/* Also in the middle. Once is enough; all zero is nothing to clear. */
void sp_permission_clear(sp_permission_t *permission);

#endif
