/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_METRICS_ACME_H
#define SIGNPOST_SERVE_ADMIN_METRICS_ACME_H

/* The metrics of certificates on demand. */

#include <signpost/base/buf.h>

#include "serve/issuer.h"

/* Nothing where there is no issuer (NULL). */
void sp_metrics_acme(sp_buf_t *buf, sp_issuer_t *issuer);

#endif
