/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CERTIFICATES_H
#define SIGNPOST_SERVE_CERTIFICATES_H

/* The process' TLS: one policy and one store of certificates for all workers. They stay from the
 * start to the end; a reload gives the store other folders. */

#include "serve/config.h"
#include "serve/log.h"
#include "tls/policy.h"
#include "tls/store.h"

typedef struct sp_certificates sp_certificates_t;

/* Can listeners speak TLS with this configuration, which may have faults? Logs what is wrong.
 * SP_OK, SP_BAD_VALUE, SP_IO …
 */
sp_status_t sp_certificates_check(const sp_config_t *config, const sp_log_t *log);

/* Reads every folder of tls.certificates, which nothing else does at once: a pair that is broken is
 * a fault, one that clients would not like a warning. SP_OK, SP_BAD_VALUE, SP_NO_MEMORY. */
sp_status_t sp_certificates_inspect(const sp_config_t *config, const sp_log_t *log);

/* *ret_certificates is NULL when no listener speaks TLS. `log` must outlive it; faults are logged.
 */
sp_status_t sp_certificates_create(const sp_config_t *config, const sp_log_t *log,
                                   sp_certificates_t **ret_certificates);
void sp_certificates_destroy(sp_certificates_t *certificates); /* accepts NULL */

/* Files are looked at again, in the folders of the new configuration. Accepts NULL. */
void sp_certificates_reload(sp_certificates_t *certificates, const sp_config_t *config);

SSL_CTX *sp_certificates_context(const sp_certificates_t *certificates);
sp_tls_store_t *sp_certificates_store(const sp_certificates_t *certificates);

#endif
