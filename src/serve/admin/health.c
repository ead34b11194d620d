/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "serve/admin/endpoints.h"
#include "serve/admin/reply.h"
#include "serve/config_write.h"

void sp_admin_health(sp_admin_t *admin, sp_call_t *call)
{
    (void)admin;
    sp_reply_json_own(call, 200, json_pack("{ss}", "status", "ok"));
}

static void not_ready(sp_call_t *call, const char *reason, const char *message)
{
    sp_reply_json_own(call, 503,
                      json_pack("{sb,ss,ss}", "ready", 0, "reason", reason, "message", message));
}

void sp_admin_readiness(sp_admin_t *admin, sp_call_t *call)
{
    sp_upstream_silence_t silence = sp_upstream_silence(admin->upstream);
    char text[120];

    switch (sp_board_life(admin->board)) {
    case SP_LIFE_STARTING:
        not_ready(call, "starting", "the workers are being started");
        return;
    case SP_LIFE_DRAINING:
        not_ready(call, "draining", "the server is stopping: new requests belong elsewhere");
        return;
    case SP_LIFE_SERVING:
        break;
    }
    if (silence.is_too_long) {
        (void)snprintf(text, sizeof(text), "no resolver has answered for %" PRIu64 " ms",
                       silence.ms);
        not_ready(call, "no_resolver", text);
        return;
    }
    sp_reply_json_own(call, 200, json_pack("{sb}", "ready", 1));
}

void sp_admin_config(sp_admin_t *admin, sp_call_t *call)
{
    sp_snapshot_t *snapshot = sp_board_snapshot(admin->board);

    sp_reply_json_own(call, 200,
                      sp_config_json(sp_snapshot_config(snapshot), sp_snapshot_dns(snapshot)));
    sp_snapshot_release(snapshot);
}
