/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/settings.h"

#include <stdlib.h>

/* Copies the values of one option to `list`; returns what lies behind them. */
static const char **collect(const sp_arguments_t *arguments, const char *name, const char **list,
                            size_t *ret_count)
{
    size_t at = 0;

    for (const char *value = NULL; (value = sp_arguments_next(arguments, name, &at)) != NULL;) {
        *list++ = value;
        ++*ret_count;
    }
    return list;
}

sp_status_t sp_settings_read(const sp_arguments_t *arguments, sp_settings_t *ret_settings)
{
    sp_settings_t settings = {.flags = {.environment = getenv}};
    const char **free_part = calloc(arguments->count + 1, sizeof(*free_part));

    if (free_part == NULL) {
        return SP_NO_MEMORY;
    }
    settings.lists = free_part;
    settings.flags.listen = free_part;
    free_part = collect(arguments, "listen", free_part, &settings.flags.listen_count);
    settings.flags.resolvers = free_part;
    free_part = collect(arguments, "resolver", free_part, &settings.flags.resolver_count);
    settings.flags.zones = free_part;
    (void)collect(arguments, "zone", free_part, &settings.flags.zone_count);
    settings.flags.file = sp_arguments_value(arguments, "config");
    settings.flags.threads = sp_arguments_value(arguments, "threads");
    settings.flags.no_cache = sp_arguments_has(arguments, "no-cache");
    *ret_settings = settings;
    return SP_OK;
}

void sp_settings_clear(sp_settings_t *settings)
{
    free(settings->lists);
    settings->lists = NULL;
}
