/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/fault_log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "serve/config_origin.h"

void sp_fault_log(void *arg, const sp_config_fault_t *fault)
{
    const sp_log_t *log = arg;

    if (fault->line != 0) {
        sp_log_write_place(log, "%s:%zu:%zu: %s", fault->source, fault->line, fault->column,
                           fault->message);
    } else {
        sp_log_write_place(log, "%s: %s", fault->source, fault->message);
    }
}

void sp_fault_log_value(const sp_log_t *log, const sp_config_t *config, const char *pointer,
                        const char *format, ...)
{
    char message[SP_LOG_LINE_MAX];
    va_list args;

    va_start(args, format);
    if (vsnprintf(message, sizeof(message), format, args) < 0) {
        message[0] = '\0';
    }
    va_end(args);
    sp_config_tell(config, pointer, message, sp_fault_log, (void *)(uintptr_t)log);
}

sp_status_t sp_fault_worse(sp_status_t first, sp_status_t second)
{
    return first == SP_OK || second == SP_NO_MEMORY ? second : first;
}
