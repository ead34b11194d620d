/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_BASE_BUF_H
#define SIGNPOST_BASE_BUF_H

/* A text that grows in an arena up to a hard maximum: a Location, a page, a report line. Appending
 * never fails on the spot; the first failure (limit or memory) sticks and shows in `status`, so a
 * writer appends everything and asks once at the end. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

typedef struct sp_buf {
    sp_arena_t *arena;
    char *ptr;
    size_t len;
    size_t capacity;
    size_t max;
    sp_status_t status; /* SP_OK, SP_TOO_LONG or SP_NO_MEMORY */
} sp_buf_t;

void sp_buf_init(sp_buf_t *buf, sp_arena_t *arena, size_t max);
/* Makes room for `more` octets at once: a hint that saves growing. */
void sp_buf_reserve(sp_buf_t *buf, size_t more);

void sp_buf_append(sp_buf_t *buf, sp_str_t text);
void sp_buf_append_char(sp_buf_t *buf, char c);
void sp_buf_append_uint(sp_buf_t *buf, uint64_t value);
void sp_buf_printf(sp_buf_t *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* &, <, >, " and ' as character references: safe as text and inside a quoted attribute. */
void sp_buf_append_html(sp_buf_t *buf, sp_str_t text);

/* Octets outside printable ASCII, and the backslash, as \xNN: safe for a terminal and a log line.
 */
void sp_buf_append_escaped(sp_buf_t *buf, sp_str_t text);

/* What has been written so far; valid until the next append. */
sp_str_t sp_buf_str(const sp_buf_t *buf);

#endif
