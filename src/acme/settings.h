/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_SETTINGS_H
#define SIGNPOST_ACME_SETTINGS_H

/* `tls.acme`: from whom certificates are got, how, and how many. */

#include <signpost/base/str.h>

#define SP_ACME_LETS_ENCRYPT "https://acme-v02.api.letsencrypt.org/directory"
#define SP_ACME_CAA_IDENTITIES_MAX 8
#define SP_ACME_DIRECTORY_MAX 180 /* octets: the client makes a file name of it */

typedef enum sp_acme_challenge { SP_ACME_HTTP_01, SP_ACME_TLS_ALPN_01 } sp_acme_challenge_t;

typedef struct sp_acme_settings {
    const char *storage;   /* a folder; NULL: no certificates on demand */
    sp_str_t directory;    /* an https URL */
    sp_str_t email;        /* of the account; empty: none */
    const char *ca_file;   /* that vouches for the directory's server; NULL: the system's */
    sp_str_t eab_kid;      /* external account binding (RFC 8555, 7.3.4); empty: none */
    sp_str_t eab_hmac_key; /* base64url. A secret */
    sp_acme_challenge_t challenge;
    unsigned per_domain_per_week;   /* orders of one registered domain */
    unsigned per_hour;              /* orders of all domains */
    const sp_str_t *caa_identities; /* what CAA records call the authority; none: by `directory` */
    size_t caa_identity_count;
} sp_acme_settings_t;

/* "http-01", "tls-alpn-01": as in RFC 8555 and RFC 8657. */
static inline const char *sp_acme_challenge_name(sp_acme_challenge_t challenge)
{
    return challenge == SP_ACME_HTTP_01 ? "http-01" : "tls-alpn-01";
}

#endif
