/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_TXTV0_REMARKS_H
#define SIGNPOST_RULE_TXTV0_REMARKS_H

/* What a txtv0 record's author should hear although the record is read: ignored fields and likely
 * slips. Nothing here changes what a record means, and nothing is worked out unless somebody
 * listens. */

#include <signpost/rule/record.h>

typedef struct sp_remarks {
    sp_remark_fn *report; /* NULL: nobody listens */
    void *arg;
    const void *reader;
    size_t (*offset_of)(const void *reader, sp_str_t part); /* of a part of the text that is read */
} sp_remarks_t;

void sp_remark_text(const sp_remarks_t *remarks, sp_str_t text);
void sp_remark_no_equals(const sp_remarks_t *remarks, sp_str_t field);
void sp_remark_unknown_key(const sp_remarks_t *remarks, sp_str_t key);
void sp_remark_repeated(const sp_remarks_t *remarks, sp_str_t key);
void sp_remark_use(const sp_remarks_t *remarks, sp_str_t value);
void sp_remark_header(const sp_remarks_t *remarks, sp_str_t name, const char *why);
void sp_remark_regex(const sp_remarks_t *remarks, sp_str_t pattern, const char *why);

/* `target` may be NULL. */
void sp_remark_target(const sp_remarks_t *remarks, const char *key, const sp_template_t *target);

/* About the record as a whole, once it is read. */
void sp_remark_record(const sp_remarks_t *remarks, const sp_record_t *record, bool has_version);

#endif
