/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DECIDE_ANSWER_H
#define SIGNPOST_DECIDE_ANSWER_H

/* What DNS said of one name, with the redirect record in it already parsed and compiled. Made once,
 * when the reply arrives; immutable and reference-counted from then on, so that the cache, waiting
 * requests and other threads share it. */

#include <signpost/base/error.h>
#include <signpost/rule/record.h>

typedef enum sp_answer_kind {
    SP_ANSWER_TXT,      /* at least one TXT record */
    SP_ANSWER_NODATA,   /* the name exists without TXT (RFC 2308, 2.2) */
    SP_ANSWER_NXDOMAIN, /* the name does not exist (RFC 8020) */
    SP_ANSWER_FAILURE   /* DNS trouble; `failure` says which */
} sp_answer_kind_t;

typedef enum sp_failure {
    SP_FAILURE_NONE,
    SP_FAILURE_SERVFAIL,
    SP_FAILURE_REFUSED, /* rcode REFUSED, and every rcode that has no name here */
    SP_FAILURE_TIMEOUT,
    SP_FAILURE_CONNECTION, /* the resolver's port is closed or unreachable */
    SP_FAILURE_MALFORMED,
    SP_FAILURE_OVERLOAD, /* too many lookups in flight: not even asked */
    SP_FAILURE_NO_RESOLVER
} sp_failure_t;

/* What the TXT records at the name amount to (records.md TXT-2). */
typedef enum sp_finding {
    SP_FINDING_NOTHING, /* no record of ours: the name is absent */
    SP_FINDING_RECORD,
    SP_FINDING_FAULT /* ours, but unusable: `fault` says where and why */
} sp_finding_t;

/* Borrowed parts from which an answer is made. */
typedef struct sp_answer_parts {
    sp_answer_kind_t kind;
    sp_failure_t failure;
    uint32_t ttl_s;        /* smallest along the CNAME chain; for absences from the SOA */
    const sp_str_t *texts; /* each TXT record, its character-strings joined with nothing between */
    size_t text_count;
    sp_str_t canonical; /* last name of the CNAME chain; empty when there was none */
} sp_answer_parts_t;

typedef struct sp_answer {
    sp_answer_kind_t kind;
    sp_failure_t failure;
    uint32_t ttl_s;
    sp_finding_t finding;
    const sp_str_t *texts;
    uint32_t text_count;
    uint32_t ours; /* index in `texts` of the record or fault (the first, when several are ours) */
    sp_str_t canonical;
    const sp_record_t *record; /* with SP_FINDING_RECORD */
    const sp_error_t *fault;   /* with SP_FINDING_FAULT */
} sp_answer_t;

/* Copies the parts, finds out which text is a record and compiles it. The new answer has one
 * reference. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_answer_create(const sp_answer_parts_t *parts, const sp_answer_t **ret_answer);

/* Both are safe from any thread. sp_answer_release accepts NULL. */
const sp_answer_t *sp_answer_retain(const sp_answer_t *answer);
void sp_answer_release(const sp_answer_t *answer);

/* Octets of heap that the answer holds, its compiled expression included (estimated there). */
size_t sp_answer_bytes(const sp_answer_t *answer);

/* "SERVFAIL", "time-out", … */
const char *sp_failure_name(sp_failure_t failure);
const char *sp_answer_kind_name(sp_answer_kind_t kind);

#endif
