/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define END_MAX 8 /* octets kept for one escape, and the end of the line */

static const char *level_name(sp_log_level_t level)
{
    switch (level) {
    case SP_LOG_ERROR:
        return "error";
    case SP_LOG_WARNING:
        return "warning";
    case SP_LOG_INFO:
        return "info";
    case SP_LOG_DEBUG:
        return "debug";
    }
    return "error";
}

static size_t append(char *line, size_t len, const char *text)
{
    size_t more = strnlen(text, SP_LOG_LINE_MAX - len);

    memcpy(line + len, text, more);
    return len + more;
}

static size_t append_escaped(char *line, size_t len, const char *text, bool is_json)
{
    static const char digits[] = "0123456789abcdef";

    for (; *text != '\0' && len < SP_LOG_LINE_MAX - END_MAX; ++text) {
        unsigned char octet = (unsigned char)*text;
        bool is_plain = octet >= ' ' && octet < 0x7f;

        if (is_json && (!is_plain || octet == '"' || octet == '\\')) {
            line[len++] = '\\'; /* the escape below is text to JSON */
        }
        if (is_plain) {
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

static size_t begin_json(sp_log_level_t level, const struct timespec *time, char *line)
{
    struct tm utc = {0};
    char day[32];

    (void)gmtime_r(&time->tv_sec, &utc);
    if (strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &utc) == 0) {
        day[0] = '\0';
    }
    return (size_t)snprintf(line, SP_LOG_LINE_MAX,
                            "{\"time\":\"%s.%03ldZ\",\"level\":\"%s\",\"message\":\"", day,
                            time->tv_nsec / 1000000, level_name(level));
}

size_t sp_log_line_write(sp_log_format_t format, sp_log_level_t level, const char *text,
                         const struct timespec *time, char line[SP_LOG_LINE_MAX])
{
    size_t len = 0;

    if (format == SP_LOG_JSON) {
        len = append_escaped(line, begin_json(level, time, line), text, true);
        return append(line, len, "\"}\n");
    }
    len = append(line, len, "signpost: ");
    if (level != SP_LOG_ERROR) {
        len = append(line, len, level_name(level));
        len = append(line, len, ": ");
    }
    len = append_escaped(line, len, text, false);
    return append(line, len, "\n");
}

static void put_out(const char *line, size_t len)
{
    /* One call, so that lines of several threads don't mix. Nobody can be told if it fails. */
    ssize_t written = write(STDERR_FILENO, line, len);

    (void)written;
}

static void write_event(const sp_log_t *log, sp_log_level_t level, const char *text)
{
    char line[SP_LOG_LINE_MAX];
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    put_out(line, sp_log_line_write(log->format, level, text, &now, line));
}

static void tell(void *arg, sp_log_level_t level, const char *text, uint64_t count)
{
    char whole[SP_LOG_LINE_MAX];

    (void)snprintf(whole, sizeof(whole), "%s ... repeated %llu times in %d s", text,
                   (unsigned long long)count, SP_LOG_FOLD_MS / 1000);
    write_event(arg, level, whole);
}

static void tell_folded(const sp_log_t *log, uint64_t now_ms)
{
    sp_log_t own = {.level = log->level, .format = log->format};

    sp_log_fold_tell(log->fold, now_ms, tell, &own);
}

void sp_log_tell_folded(const sp_log_t *log, bool all)
{
    if (log->fold != NULL) {
        tell_folded(log, all ? UINT64_MAX : sp_now_ms());
    }
}

/* Information is about what its reader did, a reload say: he wants to see each time. */
static bool is_folded(const sp_log_t *log, sp_log_level_t level, const char *text)
{
    uint64_t now_ms = sp_now_ms();

    if (log->fold == NULL) {
        return false;
    }
    tell_folded(log, now_ms);
    return level != SP_LOG_INFO && !sp_log_fold_add(log->fold, level, text, now_ms);
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
    if (!is_folded(log, level, text)) {
        write_event(log, level, text);
    }
}

void sp_log_write_place(const sp_log_t *log, const char *format, ...)
{
    char text[SP_LOG_LINE_MAX];
    char line[SP_LOG_LINE_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (log->format == SP_LOG_JSON) {
        write_event(log, SP_LOG_ERROR, text);
        return;
    }
    put_out(line, append(line, append_escaped(line, 0, text, false), "\n"));
}
