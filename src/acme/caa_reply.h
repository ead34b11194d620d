/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_CAA_REPLY_H
#define SIGNPOST_ACME_CAA_REPLY_H

/* Raw DNS reply → CAA records. Any octets may come in. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

#include "acme/caa.h"

typedef enum sp_caa_reply_kind {
    SP_CAA_REPLY_RECORDS,   /* those of the name, or of where its CNAMEs lead; maybe none */
    SP_CAA_REPLY_ALIAS,     /* CNAMEs lead to `alias`, of which nothing is said */
    SP_CAA_REPLY_TRUNCATED, /* the same question belongs on TCP */
    SP_CAA_REPLY_FAILED     /* rcode, or no reply to this question at all */
} sp_caa_reply_kind_t;

typedef struct sp_caa_reply {
    sp_caa_reply_kind_t kind;
    const sp_caa_record_t *records; /* in the message and the arena. One that can't be read stands
                                       here as critical, with an empty tag */
    size_t count;
    sp_str_t alias;
    const char *why; /* FAILED: "SERVFAIL", … */
} sp_caa_reply_t;

/* Reads the reply to a question for the CAA records of `name` (text form of dns/wire_name.h). SP_OK
 * or SP_NO_MEMORY. */
sp_status_t sp_caa_reply_read(sp_str_t message, sp_str_t name, sp_arena_t *arena,
                              sp_caa_reply_t *ret_reply);

#endif
