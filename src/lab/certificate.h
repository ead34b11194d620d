/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_CERTIFICATE_H
#define SIGNPOST_LAB_CERTIFICATE_H

/* A self-signed certificate for the encrypted legs of a run, made new for it. */

#include <signpost/base/error.h>

#define SP_LAB_CERTIFICATE_NAME "dns.test"

/* An EC key (P-256) and a certificate for SP_LAB_CERTIFICATE_NAME, valid for a day, as PEM. Servers
 * that give up root must read the key: it is worth nothing outside the run. */
sp_status_t sp_lab_certificate_write(const char *certificate_path, const char *key_path,
                                     sp_error_t *err);

#endif
