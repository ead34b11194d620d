/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_TEMPLATE_H
#define SIGNPOST_RULE_TEMPLATE_H

/* A target with placeholders such as {path} or {label1}: parsed once, expanded many times
 * (records.md, section 5). */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

typedef enum sp_placeholder {
    SP_PH_LITERAL, /* no placeholder: the text itself */
    SP_PH_URI,
    SP_PH_PATH,
    SP_PH_QUERY,
    SP_PH_URI_ESCAPED,
    SP_PH_PATH_ESCAPED,
    SP_PH_QUERY_ESCAPED,
    SP_PH_DIR,
    SP_PH_FILE,
    SP_PH_HOST,
    SP_PH_HOSTONLY,
    SP_PH_PORT,
    SP_PH_SCHEME,
    SP_PH_METHOD,
    SP_PH_USER,
    SP_PH_FRAGMENT,
    SP_PH_LABEL,     /* {labelN}; `number` is N, 0 when it is no usable number */
    SP_PH_PARAMETER, /* {?key}; `text` is the key */
    SP_PH_HEADER,    /* {>Name} */
    SP_PH_COOKIE,    /* {~name} */
    SP_PH_VALUE,     /* {N}: the N-th value of the deciding match */
    SP_PH_SEGMENT,   /* {$N}: the N-th path segment */
    SP_PH_GROUP      /* {name}, {$name}: a named group, or no placeholder at all */
} sp_placeholder_t;

typedef struct sp_template_part {
    const char *text; /* literal text, or the placeholder's argument (for SP_PH_GROUP with its '$',
                         if any) */
    uint16_t len;
    uint16_t number;
    uint8_t kind; /* sp_placeholder_t */
} sp_template_part_t;

typedef struct sp_template {
    sp_str_t text; /* as written */
    uint16_t part_count;
    /* Octets in front that are a complete `http(s)://authority`, checked once and for all; 0 when
     * the authority is not the record's own text alone. Its host stands at `host_at`, `host_len`
     * octets without final dot. */
    uint16_t prefix_len;
    uint16_t host_at;
    uint16_t host_len;
    sp_template_part_t parts[];
} sp_template_t;

/* Any text of up to 65,535 octets is a template: NULL when it is longer, or memory is out. Borrows
 * `text`. */
const sp_template_t *sp_template_parse(sp_str_t text, sp_arena_t *arena);

static inline sp_str_t sp_template_part_text(const sp_template_part_t *part)
{
    return (sp_str_t){.ptr = part->text, .len = part->len};
}

#endif
