/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_LOCATION_H
#define SIGNPOST_RULE_LOCATION_H

/* Building and vetting the URL that goes into Location (records.md TO-2, TO-3, TO-6; RFC 3986). */

#include <signpost/base/buf.h>
#include <signpost/rule/hostname.h>

/* A longer Location is refused: browsers and proxies stop at less. */
#define SP_LOCATION_MAX 32768

/* Where octets that enter a URL come from, which decides what is percent-encoded. */
typedef enum sp_octets {
    SP_OCTETS_RECORD,        /* the record's own text */
    SP_OCTETS_SENT,          /* as the visitor sent them: '#' is data */
    SP_OCTETS_DECODED_PATH,  /* decoded before: '%', '?' and '#' are data */
    SP_OCTETS_DECODED_QUERY, /* decoded before: '%', '&', '+' and '#' are data */
} sp_octets_t;

/* Appends `text`, percent-encoding what may not stand in a URL or would change its structure. */
void sp_url_append(sp_buf_t *buf, sp_str_t text, sp_octets_t octets);

/* Appends one octet as %XX with upper-case digits. */
void sp_url_append_escape(sp_buf_t *buf, unsigned char octet);

/* A URL cut at its delimiters (RFC 3986, appendix B). Absent parts have ptr NULL; `path` may be
 * empty. */
typedef struct sp_url {
    sp_str_t scheme;
    sp_str_t authority;
    sp_str_t path;
    sp_str_t query;    /* without '?' */
    sp_str_t fragment; /* without '#' */
} sp_url_t;

void sp_url_split(sp_str_t text, sp_url_t *ret_url);

/* The same for what follows an authority: "//" is part of the path there. */
void sp_url_split_path(sp_str_t text, sp_url_t *ret_url);

/* Checks `[userinfo@]host[:port]` and writes it with A-labels. *ret_host is the host without case,
 * final dot and port, for comparing. SP_OK, SP_NO_MEMORY or SP_BAD_VALUE. */
sp_status_t sp_authority_read(sp_str_t authority, sp_arena_t *arena, sp_str_t *ret_authority,
                              sp_host_t *ret_host, sp_error_t *err);

/* Resolves a reference without scheme and authority against an absolute path and its query (RFC
 * 3986, 5.2), and gives path, query and fragment of the result. SP_BAD_VALUE when it would begin
 * with "//". */
sp_status_t sp_reference_resolve(const sp_url_t *reference, sp_str_t base_path, sp_str_t base_query,
                                 sp_arena_t *arena, sp_url_t *ret_url, sp_error_t *err);

#endif
