/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_ISSUER_H
#define SIGNPOST_TLS_ISSUER_H

/* Whoever gets certificates that nobody has yet, as the store (store.h) sees it.
 *
 * The store's own thread asks, one question at a time and with no lock held; handshakes of other
 * names that need a file wait behind it, so that an answer must not take more than a few
 * milliseconds. The answer may come later, from any thread, also while the question is being asked:
 * sp_tls_store_changed or sp_tls_store_refused. Handshakes wait for it for SP_TLS_WAIT_MS at most;
 * the issuer may go on after that. */

#include <signpost/base/error.h>

#include "tls/certificate.h"

#define SP_TLS_ASKERS_MAX 64

/* Different clients who wait for a name, as their workers number them (sp_tls_wait_t); more are not
 * told. */
typedef struct sp_tls_askers {
    uint64_t list[SP_TLS_ASKERS_MAX];
    size_t count;
} sp_tls_askers_t;

typedef enum sp_tls_want {
    SP_TLS_WANT_DUE,     /* it is being seen to: an answer follows */
    SP_TLS_WANT_REFUSED, /* there will be none */
    SP_TLS_WANT_LIMITED  /* not for these clients, now: it is not held against the next who asks */
} sp_tls_want_t;

typedef struct sp_tls_issuer {
    void *arg;

    /* A client has asked for `name` (a host name as sp_tls_name_read leaves it, never an address),
     * and the store has no certificate for it, or none that has not expired. DUE: it is being seen
     * to, one of sp_tls_store_changed and sp_tls_store_refused follows; how many handshakes wait
     * does not matter, and while one answer is due the question is not asked again. REFUSED,
     * LIMITED: there will be none; *ret_why is a short phrase for people ("its record does not
     * resolve"), valid until the next call. The same name is asked for again after
     * SP_TLS_RECHECK_MS at the earliest, after LIMITED at once: longer pauses are the issuer's own
     * affair. */
    sp_tls_want_t (*want)(void *arg, sp_str_t name, const sp_tls_askers_t *askers,
                          const char **ret_why);

    /* A certificate authority asks for `name` by ALPN acme-tls/1 (RFC 8737): the certificate that
     * answers it, as a reference that becomes the store's; NULL: none is due. May be NULL as a
     * whole when no such challenge is ever used. Nothing of it is remembered. */
    sp_certificate_t *(*challenge)(void *arg, sp_str_t name);
} sp_tls_issuer_t;

#endif
