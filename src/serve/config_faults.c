/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_faults.h"

#include "serve/json_position.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

sp_status_t sp_config_faults_init(sp_config_faults_t *faults)
{
    *faults = (sp_config_faults_t){.items = calloc(SP_CONFIG_FAULTS_MAX, sizeof(sp_error_t))};
    return faults->items == NULL ? SP_NO_MEMORY : SP_OK;
}

void sp_config_faults_clear(sp_config_faults_t *faults)
{
    free(faults->items);
    *faults = (sp_config_faults_t){.items = NULL};
}

void sp_config_faults_add(sp_config_faults_t *faults, size_t offset, const char *format, ...)
{
    char message[SP_ERROR_MESSAGE_MAX];
    va_list args;

    if (sp_config_faults_are_full(faults)) {
        faults->overflow = true;
        return;
    }
    va_start(args, format);
    if (vsnprintf(message, sizeof(message), format, args) < 0) {
        message[0] = '\0';
    }
    va_end(args);
    (void)sp_fail(&faults->items[faults->count], SP_BAD_VALUE, offset, "%s", message);
    ++faults->count;
}

bool sp_config_faults_are_full(const sp_config_faults_t *faults)
{
    return faults->count == SP_CONFIG_FAULTS_MAX;
}

static int compare_offsets(const void *left, const void *right)
{
    const sp_error_t *a = left;
    const sp_error_t *b = right;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

void sp_config_faults_report(sp_config_faults_t *faults, sp_str_t text, const char *source,
                             sp_config_fault_fn *on_fault, void *arg)
{
    if (on_fault == NULL || faults->count == 0) {
        return;
    }
    qsort(faults->items, faults->count, sizeof(faults->items[0]), compare_offsets);
    for (size_t i = 0; i != faults->count; ++i) {
        sp_json_place_t place = sp_json_place(text, faults->items[i].offset);
        sp_config_fault_t fault = {.source = source,
                                   .line = place.line,
                                   .column = place.column,
                                   .message = faults->items[i].message};

        on_fault(arg, &fault);
    }
    if (faults->overflow) {
        sp_config_fault_t fault = {.source = source,
                                   .message = "more faults than can be listed; these first"};

        on_fault(arg, &fault);
    }
}
