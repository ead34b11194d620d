/* SPDX-License-Identifier: Apache-2.0 */
#include "load/requests.h"

#include <stdlib.h>
#include <string.h>

#define PART_COUNT 5

/* GET PATH HTTP/1.1, Host, and where the connection is not to be kept, a field that says so. */
static void split(const sp_load_plan_t *plan, size_t target, sp_str_t parts[PART_COUNT])
{
    const sp_load_target_t *wanted = &plan->targets->list[target];

    parts[0] = SP_STR("GET ");
    parts[1] = wanted->path;
    parts[2] = SP_STR(" HTTP/1.1\r\nHost: ");
    parts[3] = wanted->host;
    parts[4] = plan->keep_alive ? SP_STR("\r\n\r\n") : SP_STR("\r\nConnection: close\r\n\r\n");
}

static size_t write_one(const sp_load_plan_t *plan, size_t target, char *into)
{
    sp_str_t parts[PART_COUNT];
    size_t len = 0;

    split(plan, target, parts);
    for (size_t i = 0; i != PART_COUNT; ++i) {
        if (into != NULL && parts[i].len != 0) {
            memcpy(into + len, parts[i].ptr, parts[i].len);
        }
        len += parts[i].len;
    }
    return len;
}

sp_status_t sp_load_requests_init(sp_load_requests_t *requests, const sp_load_plan_t *plan)
{
    size_t count = plan->targets->count;
    size_t *begin = calloc(count + 1, sizeof(*begin));
    char *octets = NULL;

    if (begin == NULL) {
        return SP_NO_MEMORY;
    }
    for (size_t i = 0; i != count; ++i) {
        begin[i + 1] = begin[i] + write_one(plan, i, NULL);
    }
    octets = malloc(begin[count] + 1);
    if (octets == NULL) {
        free(begin);
        return SP_NO_MEMORY;
    }
    for (size_t i = 0; i != count; ++i) {
        (void)write_one(plan, i, octets + begin[i]);
    }
    *requests = (sp_load_requests_t){.octets = octets, .begin = begin};
    return SP_OK;
}

void sp_load_requests_clear(sp_load_requests_t *requests)
{
    free(requests->octets);
    free(requests->begin);
    *requests = (sp_load_requests_t){.octets = NULL};
}
