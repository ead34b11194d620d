/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/issuer_shares.h"

unsigned sp_issuer_orders_share(unsigned per_hour)
{
    return per_hour / 2 + per_hour % 2;
}

/* Whose orders are used up is not asked for more names: all of them would be refused, after
 * lookups, in the name of whoever else waits. */
static sp_permit_t judge(sp_clients_t *clients, uint64_t asker, unsigned per_hour, uint64_t now_ms)
{
    const sp_client_t client = sp_client_from_number(asker);

    if (!sp_clients_have_left(clients, &client, SP_SHARE_ORDERS, sp_issuer_orders_share(per_hour),
                              now_ms)) {
        return SP_PERMIT_CLIENT_BUDGET;
    }
    return sp_clients_take(clients, &client, SP_SHARE_NAMES, SP_ISSUER_NAMES_PER_MINUTE, now_ms)
               ? SP_PERMIT_GRANTED
               : SP_PERMIT_CLIENT_NAMES;
}

sp_permit_t sp_issuer_admit(sp_clients_t *clients, const sp_tls_askers_t *askers, unsigned per_hour,
                            uint64_t now_ms, uint64_t *ret_asker)
{
    sp_permit_t permit = SP_PERMIT_CLIENT_NAMES;

    *ret_asker = askers->count == 0 ? 0 : askers->list[0];
    if (clients == NULL || per_hour == 0) { /* 0: nothing is ordered, and the reason is another */
        return SP_PERMIT_GRANTED;
    }
    for (size_t i = 0; i != askers->count; ++i) {
        permit = judge(clients, askers->list[i], per_hour, now_ms);
        if (permit == SP_PERMIT_GRANTED) {
            *ret_asker = askers->list[i];
            break;
        }
    }
    return permit;
}

bool sp_issuer_take_order(sp_clients_t *clients, uint64_t asker, unsigned per_hour, uint64_t now_ms)
{
    const sp_client_t client = sp_client_from_number(asker);

    return clients == NULL || sp_clients_take(clients, &client, SP_SHARE_ORDERS,
                                              sp_issuer_orders_share(per_hour), now_ms);
}
