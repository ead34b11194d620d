/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_FORGET_H
#define SIGNPOST_SERVE_ADMIN_FORGET_H

/* Forgetting what the cache knows. */

#include <signpost/decide/decision.h>

#include "dns/cache.h"

typedef struct sp_forget {
    sp_cache_t *cache;
    const sp_policy_t *policy;
    sp_arena_t *arena;
} sp_forget_t;

/* A DNS name as people write it: in any case, with or without the final dot. True when it was
 * there. */
bool sp_forget_name(const sp_forget_t *forget, sp_str_t name);

/* Forgets the candidates of `host` (records.md, NAME-1), and every name that the decision for
 * `http://HOST` + `path` asks as long as the cache can answer it: the targets of `use`, the names
 * below a path record that belong to this path. *ret_count is how many were there. SP_OK,
 * SP_NO_MEMORY, or why it is no host or no path. */
sp_status_t sp_forget_host(const sp_forget_t *forget, sp_str_t host, sp_str_t path,
                           size_t *ret_count, sp_error_t *err);

#endif
