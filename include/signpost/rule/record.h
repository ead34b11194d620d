/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_RECORD_H
#define SIGNPOST_RULE_RECORD_H

/* A redirect record, compiled: what every record language turns into. Made once from text,
 * evaluated many times; immutable. It points into the text it was read from and into its arena. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <signpost/rule/match.h>
#include <signpost/rule/outcome.h>
#include <signpost/rule/template.h>

#define SP_RECORD_MAX 4096 /* octets of joined text (TXT-5) */

typedef enum sp_record_type {
    SP_TYPE_HOST,
    SP_TYPE_PATH,
    SP_TYPE_GOMETA,
    SP_TYPE_DOCKERV2,
    SP_TYPE_COUNT
} sp_record_type_t;

/* A `use=` value. `zone` is NAME of `_redirect.NAME`, lower case; empty when the value is no such
 * name. */
typedef struct sp_use {
    sp_str_t zone;
    struct sp_use *next;
} sp_use_t;

/* A response header field of the record, value decoded. */
typedef struct sp_record_header {
    sp_header_t field;
    struct sp_record_header *next;
} sp_record_header_t;

typedef struct sp_record {
    sp_str_t text; /* as read: without quotes around it and backslashes before ';' */
    sp_record_type_t type;
    uint16_t code; /* 302 unless the record says otherwise */
    bool ref;
    bool numbered; /* `re=record` */
    bool has_re;   /* an `re` field is there, valid or not */
    bool has_from;
    bool has_type; /* a `type` field is there: it must be enabled, beside `use` as well */
    sp_str_t from;
    sp_str_t vcs;            /* "git" unless the record says otherwise */
    const sp_template_t *to; /* NULL: missing */
    const sp_template_t *root;
    const sp_template_t *website;
    sp_regex_t *re; /* NULL: none, or not valid */
    const sp_use_t *use;
    const sp_record_header_t *headers;
} sp_record_t;

/* A remark is about something that works, but not as its author may think: an ignored field, say.
 */
typedef enum sp_severity { SP_SEVERITY_ERROR, SP_SEVERITY_WARNING, SP_SEVERITY_NOTE } sp_severity_t;

typedef struct sp_remark {
    sp_severity_t severity;
    size_t offset;       /* in the text as given */
    const char *code;    /* stable, for programs: "unknown-key" */
    const char *message; /* what is there; ends in NUL, printable */
    const char *advice;  /* what to write instead */
} sp_remark_t;

typedef void sp_remark_fn(void *arg, const sp_remark_t *remark);

/* One record language. `claims` and `parse` see one joined TXT text. Text and record live as long
 * as `arena` and the regular expressions until sp_record_clear. */
typedef struct sp_dialect {
    const char *name; /* as in the `dialects` setting */
    /* Is this text a record of the language? `alone`: it is the only TXT record at its name. */
    bool (*claims)(sp_str_t text, bool alone);
    /* SP_OK, SP_NO_MEMORY, or why the record is faulty. `remark` may be NULL. */
    sp_status_t (*parse)(sp_str_t text, sp_arena_t *arena, sp_remark_fn *remark, void *arg,
                         sp_record_t *ret_record, sp_error_t *err);
} sp_dialect_t;

extern const sp_dialect_t sp_dialect_txtv0;

/* Frees what a record holds outside its arena (the compiled expression). */
void sp_record_clear(sp_record_t *record);

/* "host", "path", "gometa", "dockerv2"; and back (SP_TYPE_COUNT when unknown). */
const char *sp_record_type_name(sp_record_type_t type);
sp_record_type_t sp_record_type_from(sp_str_t name);

/* For showing a record: its fields in order, as written, blanks around them dropped. */
typedef struct sp_field {
    sp_str_t key;   /* empty for a field without '=' */
    sp_str_t value; /* the whole field where there is no '=' */
    bool has_equals;
} sp_field_t;

/* Cuts the next field off *rest (start with *rest = the text); false at the end. Empty fields are
 * passed over. */
bool sp_field_next(sp_str_t *rest, sp_field_t *ret_field);

#endif
