/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/forget.h"

#include <signpost/decide/lookup_names.h>

bool sp_forget_name(const sp_forget_t *forget, sp_str_t name)
{
    sp_str_t lower = sp_arena_copy_lower(forget->arena, name);

    if (lower.len != 0 && lower.ptr[lower.len - 1] == '.') {
        --lower.len;
    }
    return lower.ptr != NULL && sp_cache_remove(forget->cache, lower);
}

/* What the cache does not know does not exist, as far as the decision goes. */
static sp_status_t answer_from_cache(sp_cache_t *cache, sp_decision_t *decision, sp_str_t name)
{
    uint32_t ttl_s = 0;
    const sp_answer_t *answer = sp_cache_find(cache, name, sp_now_ms(), &ttl_s);

    if (answer == NULL &&
        sp_answer_create(&(sp_answer_parts_t){.kind = SP_ANSWER_NXDOMAIN}, &answer) != SP_OK) {
        return SP_NO_MEMORY;
    }
    sp_decision_answer(decision, answer);
    sp_answer_release(answer);
    return SP_OK;
}

static sp_status_t forget_asked(const sp_forget_t *forget, const sp_request_t *request,
                                size_t *count)
{
    sp_decision_t *decision = sp_decision_create(request, forget->policy, forget->arena);
    sp_status_t status = decision == NULL ? SP_NO_MEMORY : SP_OK;

    while (status == SP_OK && sp_decision_step(decision) == SP_STEP_LOOKUP) {
        sp_str_t name = sp_arena_copy(forget->arena, sp_decision_name(decision));

        status = name.ptr == NULL ? SP_NO_MEMORY : answer_from_cache(forget->cache, decision, name);
        *count += status == SP_OK && sp_cache_remove(forget->cache, name) ? 1 : 0;
    }
    sp_decision_destroy(decision);
    return status;
}

sp_status_t sp_forget_host(const sp_forget_t *forget, sp_str_t host, sp_str_t path,
                           size_t *ret_count, sp_error_t *err)
{
    sp_raw_request_t raw = {.method = SP_STR("GET"),
                            .target = path,
                            .scheme = SP_STR("http"),
                            .hosts = &host,
                            .host_count = 1};
    sp_request_t request;
    size_t count = 0;
    sp_status_t status = sp_request_read(&raw, forget->arena, &request, err);

    if (status == SP_OK) {
        status = forget_asked(forget, &request, &count);
    }
    for (size_t i = 0; status == SP_OK && i != SP_HOST_CANDIDATES; ++i) {
        sp_str_t name = sp_lookup_name_of_host(request.host, i, forget->arena);

        status = name.ptr == NULL ? SP_NO_MEMORY : SP_OK;
        count += name.len != 0 && sp_cache_remove(forget->cache, name) ? 1 : 0;
    }
    if (status == SP_OK) {
        *ret_count = count;
    }
    return status;
}
