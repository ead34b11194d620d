/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/permission.h"
#include "serve/admin/endpoints.h"
#include "serve/admin/query.h"
#include "serve/admin/reply.h"
#include "serve/issuer.h"

#define ASKING_MAX 256 /* calls that wait for DNS at a time */

/* One call; lies in its memory. */
typedef struct asking {
    sp_admin_t *admin;
    sp_call_t *call;
    sp_upstream_use_t *use;
    sp_permission_t permission;
} asking_t;

static void on_gone(void *arg)
{
    asking_t *asking = arg;

    sp_permission_clear(&asking->permission);
    --asking->admin->asking;
    sp_upstream_leave(asking->use);
}

static void show(void *arg)
{
    const asking_t *asking = arg;
    const sp_permission_t *permission = &asking->permission;
    unsigned status = permission->permit == SP_PERMIT_GRANTED ? 200 : 403;

    sp_reply_json_own(asking->call, status,
                      json_pack("{sbssss}", "granted", status == 200, "code",
                                sp_permit_name(permission->permit), "reason", permission->reason));
}

/* Whether a certificate may be got for a name, for proxies that get theirs themselves: 200 or 403,
 * as Caddy's on_demand_tls wants it. */
void sp_admin_ask(sp_admin_t *admin, sp_call_t *call)
{
    sp_arena_t *arena = sp_call_arena(call);
    sp_str_t domain = sp_query_value(sp_call_query(call), SP_STR("domain"), 0, arena);
    asking_t *asking = sp_arena_zalloc(arena, 1, sizeof(*asking));
    sp_issuer_t *issuer = sp_board_issuer(admin->board);
    const sp_config_t *config = NULL;
    sp_permission_with_t with = {.storage = issuer == NULL ? NULL : sp_issuer_storage(issuer)};

    if (asking == NULL || admin->asking == ASKING_MAX) {
        sp_reply_error(call, 503, "too many names are being asked about: ask again");
        return;
    }
    if (domain.ptr == NULL || domain.len == 0) {
        sp_reply_error(call, 400, "give the name as domain=NAME");
        return;
    }
    asking->admin = admin;
    asking->call = call;
    asking->use = sp_upstream_enter(admin->upstream);
    ++admin->asking;
    sp_call_set_on_gone(call, on_gone, asking);
    config = sp_snapshot_config(asking->use->snapshot);
    with.settings = &config->acme;
    with.policy = &config->policy;
    with.lookups = asking->use->lookups;
    with.caa = asking->use->caa;
    with.timeout_ms = config->dns.timeout_ms;
    sp_permission_start(domain, &with, arena, show, asking, &asking->permission);
    if (asking->permission.is_done) {
        show(asking);
    }
}
