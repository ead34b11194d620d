/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_EXPLAIN_REQUEST_H
#define SIGNPOST_EXPLAIN_REQUEST_H

/* A URL and some header fields, as the request that a browser would send for them. */

#include <signpost/base/arena.h>
#include <signpost/decide/request.h>

/* As given on the command line. */
typedef struct sp_explain_input {
    const char *url;
    const char *method;        /* NULL: GET */
    const char *const *fields; /* each `Name: value` */
    size_t field_count;
} sp_explain_input_t;

/* The URL is `[http[s]://]HOST[:PORT][/PATH][?QUERY][#FRAGMENT]`. Without a scheme it is http; path
 * and query stay octet for octet, the fragment is never sent. A Host among the fields replaces that
 * of the URL. Everything in *ret_raw is borrowed from `input` and from `arena`. SP_OK,
 * SP_NO_MEMORY, or another status with a sentence in *err. */
sp_status_t sp_explain_request(const sp_explain_input_t *input, sp_arena_t *arena,
                               sp_raw_request_t *ret_raw, sp_error_t *err);

#endif
