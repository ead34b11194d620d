/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/base/buf.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

void sp_buf_init(sp_buf_t *buf, sp_arena_t *arena, size_t max)
{
    *buf = (sp_buf_t){.arena = arena, .max = max, .status = SP_OK};
}

/* Makes room for `more` octets of text, and for one more, which is not counted in the capacity:
 * vsnprintf writes a NUL behind what it prints. After a failure there is no room any more. */
static bool grow(sp_buf_t *buf, size_t more)
{
    size_t capacity = buf->capacity == 0 ? 128 : buf->capacity;
    char *grown = NULL;

    if (buf->status == SP_OK && more > buf->max - buf->len) {
        buf->status = SP_TOO_LONG;
    }
    while (buf->status == SP_OK && capacity - buf->len < more) {
        capacity *= 2;
    }
    if (buf->status == SP_OK) {
        capacity = capacity < buf->max ? capacity : buf->max;
        grown = sp_arena_alloc(buf->arena, capacity + 1);
        buf->status = grown == NULL ? SP_NO_MEMORY : SP_OK;
    }
    if (buf->status != SP_OK) {
        buf->capacity = buf->len;
        return false;
    }
    if (buf->len != 0) {
        memcpy(grown, buf->ptr, buf->len);
    }
    buf->ptr = grown;
    buf->capacity = capacity;
    return true;
}

static inline bool reserve(sp_buf_t *buf, size_t more)
{
    return more <= buf->capacity - buf->len || grow(buf, more);
}

void sp_buf_reserve(sp_buf_t *buf, size_t more)
{
    size_t room = buf->max - buf->len;

    (void)reserve(buf, more < room ? more : room);
}

void sp_buf_append(sp_buf_t *buf, sp_str_t text)
{
    if (text.len != 0 && reserve(buf, text.len)) {
        memcpy(buf->ptr + buf->len, text.ptr, text.len);
        buf->len += text.len;
    }
}

void sp_buf_append_char(sp_buf_t *buf, char c)
{
    if (reserve(buf, 1)) {
        buf->ptr[buf->len++] = c;
    }
}

void sp_buf_append_uint(sp_buf_t *buf, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    sp_buf_append(buf, (sp_str_t){.ptr = digits + at, .len = sizeof(digits) - at});
}

void sp_buf_printf(sp_buf_t *buf, const char *format, ...)
{
    va_list args;
    int need = 0;

    va_start(args, format);
    need = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (need <= 0 || !reserve(buf, (size_t)need)) {
        return;
    }
    va_start(args, format);
    need = vsnprintf(buf->ptr + buf->len, (size_t)need + 1, format, args);
    va_end(args);
    buf->len += need < 0 ? 0 : (size_t)need;
}

static sp_str_t html_reference(char c)
{
    switch (c) {
    case '&':
        return SP_STR("&amp;");
    case '<':
        return SP_STR("&lt;");
    case '>':
        return SP_STR("&gt;");
    case '"':
        return SP_STR("&#34;");
    default:
        return SP_STR("&#39;");
    }
}

static size_t length_of_plain(sp_str_t text)
{
    size_t len = 0;

    while (len != text.len && !sp_octet_is(text.ptr[len], SP_OCTET_HTML)) {
        ++len;
    }
    return len;
}

void sp_buf_append_html(sp_buf_t *buf, sp_str_t text)
{
    size_t plain = length_of_plain(text);

    for (; plain != text.len; plain = length_of_plain(text)) {
        sp_buf_append(buf, sp_str_slice(text, 0, plain));
        sp_buf_append(buf, html_reference(text.ptr[plain]));
        text = sp_str_skip(text, plain + 1);
    }
    sp_buf_append(buf, text);
}

void sp_buf_append_escaped(sp_buf_t *buf, sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c >= 0x20 && c < 0x7f && c != '\\') {
            sp_buf_append_char(buf, (char)c);
        } else {
            const char escape[] = {'\\', 'x', hex_digits[c >> 4], hex_digits[c & 15]};

            sp_buf_append(buf, (sp_str_t){.ptr = escape, .len = sizeof(escape)});
        }
    }
}

sp_str_t sp_buf_str(const sp_buf_t *buf)
{
    return (sp_str_t){.ptr = buf->ptr, .len = buf->len};
}
