/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_CAA_IDENTITY_H
#define SIGNPOST_ACME_CAA_IDENTITY_H

/* What CAA records call an authority, by the host of its ACME directory. */

#include <signpost/base/str.h>

#define SP_CAA_IDENTITIES_KNOWN_MAX 4

/* The names for an authority whose directory is known here; 0: it is not, and a CAA record that
 * restricts anything forbids, unless `tls.acme.caa_identities` says who it is. */
size_t sp_caa_identities(sp_str_t directory_url, sp_str_t ret_names[SP_CAA_IDENTITIES_KNOWN_MAX]);

#endif
