/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_NAME_H
#define SIGNPOST_TLS_NAME_H

/* Names by which certificates are found: host names as they stand in a ClientHello (RFC 6066, 3).
 * They become names of folders, so nothing else gets through. */

#include <signpost/base/error.h>

#define SP_TLS_NAME_MAX 253 /* RFC 1035, without final dot */

/* `text` in lower case, without final dot, into `out`; false when it is no host name: an empty
 * label or one over 63 octets, another octet than letters, digits, '-' and '_', a last label of
 * digits (an address). */
bool sp_tls_name_read(sp_str_t text, char out[SP_TLS_NAME_MAX], sp_str_t *ret_name);

#endif
