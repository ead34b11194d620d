/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/orders.h"
#include "cli/cert/cert.h"

#define LOOP_WAIT_MS 1000 /* the longest that the loop sleeps; what happens wakes it */

/* One order, with a loop of its own. */
typedef struct renewing {
    const sp_config_t *config;
    sp_lookups_t *lookups;
    sp_caa_client_t *caa;
    sp_orders_t *orders;
    bool is_over;
    sp_status_t status;
    sp_error_t *err;
} renewing_t;

static sp_orders_view_t enter(void *arg)
{
    const renewing_t *renewing = arg;

    return (sp_orders_view_t){.settings = &renewing->config->acme,
                              .policy = &renewing->config->policy,
                              .lookups = renewing->lookups,
                              .caa = renewing->caa,
                              .timeout_ms = renewing->config->dns.timeout_ms};
}

static void leave(void *arg, void *holder)
{
    (void)arg;
    (void)holder;
}

static void on_end(void *arg, const sp_order_end_t *end)
{
    renewing_t *renewing = arg;

    renewing->is_over = true;
    renewing->status = end->result == SP_ORDER_ISSUED
                           ? SP_OK
                           : sp_fail(renewing->err, SP_BAD_VALUE, 0, "%.190s", end->why);
}

static sp_status_t create(renewing_t *renewing, h2o_loop_t *loop, const sp_storage_t *storage,
                          const sp_snapshot_t *snapshot)
{
    const sp_dns_options_t *dns = sp_snapshot_dns(snapshot);
    const sp_zones_t *zones = sp_snapshot_zones(snapshot);
    const sp_orders_callbacks_t callbacks = {enter, leave, on_end, NULL, renewing};
    sp_status_t status =
        sp_lookups_create(loop, dns, zones, NULL, &renewing->lookups, renewing->err);

    if (status == SP_OK) {
        status = sp_caa_client_create(loop, dns, zones, &renewing->caa, renewing->err);
    }
    if (status == SP_OK) {
        status = sp_orders_create(loop, storage, &callbacks, &renewing->orders, renewing->err);
    }
    return status;
}

sp_status_t sp_cert_renew(const sp_storage_t *storage, const sp_snapshot_t *snapshot, sp_str_t name,
                          sp_error_t *err)
{
    renewing_t renewing = {.config = sp_snapshot_config(snapshot), .err = err};
    h2o_loop_t *loop = h2o_evloop_create();
    sp_status_t status = create(&renewing, loop, storage, snapshot);

    if (status == SP_OK && !sp_orders_want(renewing.orders, name, SP_ORDER_FORCED, 0)) {
        status = sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    while (status == SP_OK && !renewing.is_over) {
        (void)h2o_evloop_run(loop, LOOP_WAIT_MS);
    }
    sp_orders_destroy(renewing.orders);
    sp_caa_client_destroy(renewing.caa);
    sp_lookups_destroy(renewing.lookups);
    /* What they had on the loop is closed from the loop itself. */
    (void)h2o_evloop_run(loop, 0);
    h2o_evloop_destroy(loop);
    return status == SP_OK ? renewing.status : status;
}
