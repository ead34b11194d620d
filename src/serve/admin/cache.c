/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/endpoints.h"
#include "serve/admin/forget.h"
#include "serve/admin/query.h"
#include "serve/admin/reply.h"

void sp_admin_cache(sp_admin_t *admin, sp_call_t *call)
{
    sp_snapshot_t *snapshot = sp_board_snapshot(admin->board);
    const sp_config_cache_t *config = &sp_snapshot_config(snapshot)->cache;
    sp_cache_t *cache = sp_snapshot_cache(snapshot);
    sp_cache_counters_t counters = {0};
    json_t *root = NULL;

    if (cache != NULL) {
        sp_cache_count(cache, &counters);
    }
    root = json_pack("{sb,sI,sI,sI,sI}", "enabled", cache != NULL, "entries",
                     (json_int_t)counters.entries, "bytes", (json_int_t)counters.bytes, "max_bytes",
                     (json_int_t)config->max_bytes, "evictions", (json_int_t)counters.evictions);
    sp_snapshot_release(snapshot);
    sp_reply_json_own(call, 200, root);
}

static void forget_name(sp_admin_t *admin, sp_call_t *call, const sp_forget_t *forget,
                        sp_str_t name)
{
    if (!sp_forget_name(forget, name)) {
        sp_reply_error(call, 404, "the cache does not hold %.*s", (int)name.len, name.ptr);
        return;
    }
    sp_log_write(sp_board_log(admin->board), SP_LOG_INFO, "cache: forgot %.*s", (int)name.len,
                 name.ptr);
    sp_reply_nothing(call);
}

static void forget_host(sp_admin_t *admin, sp_call_t *call, const sp_forget_t *forget,
                        sp_str_t host)
{
    sp_str_t path = sp_query_value(sp_call_query(call), SP_STR("path"), 0, forget->arena);
    size_t count = 0;
    sp_error_t err = {0};
    sp_status_t status =
        sp_forget_host(forget, host, path.ptr == NULL ? SP_STR("/") : path, &count, &err);

    if (status == SP_NO_MEMORY) {
        sp_reply_error(call, 503, "out of memory");
    } else if (status != SP_OK) {
        sp_reply_error(call, 400, "%s", err.message);
    } else if (count == 0) {
        sp_reply_error(call, 404, "the cache holds nothing that decides for %.*s", (int)host.len,
                       host.ptr);
    } else {
        sp_log_write(sp_board_log(admin->board), SP_LOG_INFO, "cache: forgot %zu names for %.*s",
                     count, (int)host.len, host.ptr);
        sp_reply_nothing(call);
    }
}

void sp_admin_forget(sp_admin_t *admin, sp_call_t *call)
{
    sp_arena_t *arena = sp_call_arena(call);
    sp_str_t name = sp_query_value(sp_call_query(call), SP_STR("name"), 0, arena);
    sp_str_t host = sp_query_value(sp_call_query(call), SP_STR("host"), 0, arena);
    sp_snapshot_t *snapshot = sp_board_snapshot(admin->board);
    const sp_forget_t forget = {.cache = sp_snapshot_cache(snapshot),
                                .policy = &sp_snapshot_config(snapshot)->policy,
                                .arena = arena};

    if ((name.len == 0) == (host.len == 0)) {
        sp_reply_error(call, 400, "give name=NAME or host=HOST, one of the two");
    } else if (forget.cache == NULL) {
        sp_reply_error(call, 404, "the cache is off");
    } else if (name.len != 0) {
        forget_name(admin, call, &forget, name);
    } else {
        forget_host(admin, call, &forget, host);
    }
    sp_snapshot_release(snapshot);
}
