/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_CAA_H
#define SIGNPOST_ACME_CAA_H

/* Who may issue for a name: CAA records (RFC 8659) with the parameters of RFC 8657. */

#include <signpost/base/str.h>
#include <stdint.h>

#define SP_CAA_CRITICAL 0x80U

/* Borrowed from the record's data. */
typedef struct sp_caa_record {
    uint8_t flags;
    sp_str_t tag;
    sp_str_t value;
} sp_caa_record_t;

/* RFC 8659, 4.1. False when the data is no CAA record. */
bool sp_caa_record_read(sp_str_t data, sp_caa_record_t *ret_record);

/* Who asks. */
typedef struct sp_caa_asker {
    const sp_str_t *identities; /* any of them is the authority's name */
    size_t identity_count;
    sp_str_t method;      /* "http-01" */
    sp_str_t account_uri; /* empty: not known (yet); then accounturi is left to the authority */
} sp_caa_asker_t;

typedef enum sp_caa_verdict {
    SP_CAA_ALLOWED,
    SP_CAA_OTHER_ISSUER,  /* the records name others, or nobody */
    SP_CAA_OTHER_ACCOUNT, /* the authority, but for other accounts */
    SP_CAA_OTHER_METHOD,  /* the authority, but by other challenges */
    SP_CAA_CRITICAL_TAG   /* a critical record that says what nobody here understands */
} sp_caa_verdict_t;

/* What the relevant set of records, found by climbing, says of a certificate for one name that is
 * no wildcard. An empty set allows. Of several reasons to refuse, the one that is closest to
 * allowing. */
sp_caa_verdict_t sp_caa_evaluate(const sp_caa_record_t *records, size_t count,
                                 const sp_caa_asker_t *asker);

#endif
