/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_CALIBRATE_H
#define SIGNPOST_LAB_CALIBRATE_H

/* Does an impairment do what it says? Datagrams are sent over the impaired wire at a rate far below
 * what it carries, and echoed at the other end; no server is involved. */

#include <jansson.h>

#include "lab/impairment.h"

/* For a loss: {"expected", "measured", "packets"}, shares of datagrams that did not come back. For
 * a delay: {"expected_ms", "measured_ms", "packets"}, the median way there and back. *ret_json is
 * NULL for kinds that can't be seen like this (TCP alone, a rate, connection tracking). `list` is
 * all that is in force: losses on one wire add up. */
sp_status_t sp_lab_calibrate(const sp_topology_t *topology, const sp_impairment_t *list,
                             size_t count, size_t index, json_t **ret_json, sp_error_t *err);

/* The pure part: the share of datagrams that do not come back, when each of `count` losses on
 * `wire` hits both directions. */
double sp_lab_expected_loss(const sp_impairment_t *list, size_t count, sp_wire_t wire);

#endif
