/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_OUTCOME_H
#define SIGNPOST_RULE_OUTCOME_H

/* What a request gets: status, header fields and body, complete. The adapter that speaks HTTP adds
 * nothing but Date, Server and framing, and leaves the body out for HEAD. */

#include <signpost/base/str.h>

/* A header field, of a request or of a response. */
typedef struct sp_header {
    sp_str_t name;
    sp_str_t value;
} sp_header_t;

/* Counted in the metrics and written to the access log under these names. */
typedef enum sp_outcome_kind {
    SP_OUTCOME_REDIRECT,     /* a record's target */
    SP_OUTCOME_PAGE,         /* 200: go-import page, registry answer, QR code */
    SP_OUTCOME_FALLBACK,     /* `fallback.www` or `fallback.redirect` */
    SP_OUTCOME_NOT_FOUND,    /* 404: no record; also favicon and ACME paths */
    SP_OUTCOME_BAD_REQUEST,  /* 400 */
    SP_OUTCOME_RECORD_ERROR, /* 404: a record that can't be used */
    SP_OUTCOME_DNS_FAILURE,  /* 503 */
    SP_OUTCOME_LIMITED       /* 508, or 503 for want of memory */
} sp_outcome_kind_t;

typedef struct sp_outcome {
    sp_outcome_kind_t kind;
    uint16_t status;
    sp_str_t location;          /* also among `headers`; empty when the answer is no redirect */
    const sp_header_t *headers; /* in sending order; Content-Type and Location included */
    size_t header_count;
    sp_str_t body;
    sp_str_t record; /* the DNS name whose record decided; empty when none did */
    sp_str_t reason; /* one sentence for `explain` and the log */
} sp_outcome_t;

/* "redirect", "page", … */
const char *sp_outcome_kind_name(sp_outcome_kind_t kind);

#endif
