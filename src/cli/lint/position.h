/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LINT_POSITION_H
#define SIGNPOST_CLI_LINT_POSITION_H

/* From an octet of a TXT record's joined text back to the line and column of the zone file that it
 * was written at: quotes, escapes, comments, parentheses and several strings between. */

#include "cli/lint/zone.h"

#define SP_LINT_NO_OFFSET ((size_t)-1) /* the record as a whole */

typedef struct sp_lint_place {
    size_t line;   /* from 1 */
    size_t column; /* in octets, from 1 */
} sp_lint_place_t;

/* Where the record's data begins when the octet can't be found in the source. */
sp_lint_place_t sp_lint_locate(const sp_lint_zone_t *zone, const sp_lint_record_t *record,
                               size_t offset);

#endif
