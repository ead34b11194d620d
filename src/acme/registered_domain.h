/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_REGISTERED_DOMAIN_H
#define SIGNPOST_ACME_REGISTERED_DOMAIN_H

/* The part of a name that somebody has registered: what authorities count certificates by. */

#include <signpost/base/str.h>

/* The public suffix of `name` and one label more, by the public suffix list that libpsl brings; the
 * name itself where it is a public suffix or too long to be one. `name` is a host name in lower
 * case. A part of `name`. */
sp_str_t sp_registered_domain(sp_str_t name);

#endif
