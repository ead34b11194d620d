/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/metrics_acme.h"

#include <stdio.h>

#include "serve/admin/metrics_text.h"

#define LABELS_MAX 96

static void put_orders(sp_buf_t *buf, const sp_issuer_figures_t *figures)
{
    static const char *const kinds[] = {"demand", "renewal"};
    char labels[LABELS_MAX];

    sp_metric_begin(buf, "signpost_acme_orders_total", SP_METRIC_COUNTER,
                    "Orders of certificates that have ended, by what they were for and how.");
    for (size_t i = 0; i != (size_t)2 * SP_ORDER_RESULTS; ++i) {
        size_t result = i % SP_ORDER_RESULTS;
        bool is_renewal = i >= SP_ORDER_RESULTS;

        (void)snprintf(labels, sizeof(labels), "kind=\"%s\",result=\"%s\"", kinds[is_renewal],
                       sp_order_result_name((sp_order_result_t)result));
        sp_metric_value(buf, "signpost_acme_orders_total", labels,
                        (is_renewal ? figures->renewals : figures->orders)[result]);
    }
    sp_metric_begin(buf, "signpost_acme_refusals_total", SP_METRIC_COUNTER,
                    "Orders that were not begun, by why.");
    for (size_t i = SP_PERMIT_GRANTED + 1; i != SP_PERMITS; ++i) {
        (void)snprintf(labels, sizeof(labels), "reason=\"%s\"", sp_permit_name((sp_permit_t)i));
        sp_metric_value(buf, "signpost_acme_refusals_total", labels, figures->refusals[i]);
    }
    sp_metric_single(
        buf, "signpost_acme_deleted_total", SP_METRIC_COUNTER,
        "Certificates that were deleted: expired long ago, and not permitted any more.",
        figures->deleted);
    sp_metric_single(buf, "signpost_acme_orders", SP_METRIC_GAUGE,
                     "Names that are being judged or ordered, now.", figures->under_way);
}

static void put_stored(sp_buf_t *buf, const sp_renewals_figures_t *stored)
{
    char labels[LABELS_MAX];

    if (!stored->is_known) {
        return;
    }
    sp_metric_begin(buf, "signpost_acme_stored", SP_METRIC_GAUGE,
                    "Certificates in tls.acme.storage, by state; due ones are valid, too.");
    for (size_t i = 0; i != SP_INVENTORY_ABSENT; ++i) {
        (void)snprintf(labels, sizeof(labels), "state=\"%s\"",
                       sp_inventory_state_name((sp_inventory_state_t)i));
        sp_metric_value(buf, "signpost_acme_stored", labels, stored->names[i]);
    }
    if (stored->next_expiry != 0) {
        sp_metric_single(buf, "signpost_acme_next_expiry_timestamp_seconds", SP_METRIC_GAUGE,
                         "When the first of the valid ones among them expires, in Unix time.",
                         (uint64_t)stored->next_expiry);
    }
}

void sp_metrics_acme(sp_buf_t *buf, sp_issuer_t *issuer)
{
    sp_issuer_figures_t figures;

    if (issuer == NULL) {
        return;
    }
    sp_issuer_count(issuer, &figures);
    put_orders(buf, &figures);
    put_stored(buf, &figures.stored);
}
