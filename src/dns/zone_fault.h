/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ZONE_FAULT_H
#define SIGNPOST_DNS_ZONE_FAULT_H

/* The scanner library's error codes, in words that help who wrote the zone file. */

#include "dns/zone_place.h"
#include <signpost/base/error.h>

/* Where a fault lies, and what to say of it. */
typedef struct sp_zone_fault {
    size_t offset;
    char message[SP_ERROR_MESSAGE_MAX];
} sp_zone_fault_t;

/* `offset` is where the scanner stumbled over `code`, `from` where the entry may have begun. */
void sp_zone_fault_describe(sp_str_t text, size_t from, size_t offset, int code,
                            sp_zone_fault_t *ret_fault);

#endif
