/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/base/error.h>

#include <stdarg.h>
#include <stdio.h>

const char *sp_status_name(sp_status_t status)
{
    switch (status) {
    case SP_OK:
        return "ok";
    case SP_NO_MEMORY:
        return "out of memory";
    case SP_BAD_SYNTAX:
        return "bad syntax";
    case SP_BAD_VALUE:
        return "bad value";
    case SP_TOO_LONG:
        return "too long";
    case SP_NOT_FOUND:
        return "not found";
    case SP_UNSUPPORTED:
        return "unsupported";
    case SP_IO:
        return "input/output error";
    }
    return "unknown status";
}

void sp_make_printable(char *message)
{
    for (; *message != '\0'; ++message) {
        unsigned char c = (unsigned char)*message;

        if (c < 0x20 || c >= 0x7f) {
            *message = '?';
        }
    }
}

sp_status_t sp_fail(sp_error_t *err, sp_status_t status, size_t offset, const char *format, ...)
{
    va_list args;

    if (err == NULL) {
        return status;
    }
    err->status = status;
    err->offset = offset;
    va_start(args, format);
    if (vsnprintf(err->message, sizeof(err->message), format, args) < 0) {
        err->message[0] = '\0';
    }
    va_end(args);
    sp_make_printable(err->message);
    return status;
}
