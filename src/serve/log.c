/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static const char *prefix(sp_log_level_t level)
{
    switch (level) {
    case SP_LOG_ERROR:
        return "signpost: ";
    case SP_LOG_WARNING:
        return "signpost: warning: ";
    case SP_LOG_INFO:
        return "signpost: info: ";
    case SP_LOG_DEBUG:
        return "signpost: debug: ";
    }
    return "signpost: ";
}

/* Room for one escape and the line's end is kept. */
static size_t append_escaped(char *line, size_t len, const char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (; *text != '\0' && len < SP_LOG_LINE_MAX - 5; ++text) {
        unsigned char octet = (unsigned char)*text;

        if (octet >= ' ' && octet < 0x7f) {
            line[len++] = *text;
            continue;
        }
        line[len++] = '\\';
        line[len++] = 'x';
        line[len++] = digits[octet >> 4];
        line[len++] = digits[octet & 15];
    }
    return len;
}

static void write_line(const char *start, const char *text)
{
    char line[SP_LOG_LINE_MAX];
    size_t len = append_escaped(line, 0, start);
    ssize_t written = 0;

    len = append_escaped(line, len, text);
    line[len++] = '\n';
    /* One call, so that lines of several threads don't mix. Nobody can be told if it fails. */
    written = write(STDERR_FILENO, line, len);
    (void)written;
}

void sp_log_write(const sp_log_t *log, sp_log_level_t level, const char *format, ...)
{
    char text[SP_LOG_LINE_MAX];
    va_list args;

    if (level > log->level) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    write_line(prefix(level), text);
}

void sp_log_write_place(const char *format, ...)
{
    char text[SP_LOG_LINE_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    write_line("", text);
}
