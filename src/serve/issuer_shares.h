/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ISSUER_SHARES_H
#define SIGNPOST_SERVE_ISSUER_SHARES_H

/* What one client (http/clients.h) may have of the issuer, so that nobody who makes up names can
 * use up what is there for all: names that have no certificate looked at, which costs lookups, and
 * orders, which cost budget. Names that have a valid certificate cost nothing; nor does a client
 * that is not counted, such as a trusted proxy, or whose address may stand for everybody. */

#include "acme/permission.h"
#include "http/clients.h"
#include "tls/issuer.h"

#define SP_ISSUER_NAMES_PER_MINUTE 60

/* Half of `per_hour`, rounded up. */
unsigned sp_issuer_orders_share(unsigned per_hour);

/* May a name be looked at for one of these? SP_PERMIT_GRANTED: for *ret_asker, and it is counted;
 * else SP_PERMIT_CLIENT_NAMES or SP_PERMIT_CLIENT_BUDGET. `clients` may be NULL: no limits. */
sp_permit_t sp_issuer_admit(sp_clients_t *clients, const sp_tls_askers_t *askers, unsigned per_hour,
                            uint64_t now_ms, uint64_t *ret_asker);

/* An order for that one is about to begin: counted, unless it has had its share (false). */
bool sp_issuer_take_order(sp_clients_t *clients, uint64_t asker, unsigned per_hour,
                          uint64_t now_ms);

#endif
