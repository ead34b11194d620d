/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ZONE_SCANNER_H
#define SIGNPOST_DNS_ZONE_SCANNER_H

/* A libzscanner that can begin anew behind a fault which the library itself takes for the end. */

#include <libzscanner/scanner.h>
#include <signpost/base/error.h>

typedef struct sp_zone_scanner {
    zs_scanner_t *zs;
    sp_str_t text;                                             /* borrowed; ends in LF */
    uint8_t origin[ZS_MAX_DNAME_LENGTH + ZS_MAX_LABEL_LENGTH]; /* before the current directive */
    uint32_t origin_length;
} sp_zone_scanner_t;

/* `path` is the file that holds the text, or NULL: $INCLUDE is relative to its folder. SP_OK,
 * SP_BAD_VALUE when `origin` is no absolute name, or SP_NO_MEMORY. */
sp_status_t sp_zone_scanner_init(sp_zone_scanner_t *scanner, sp_str_t text, const char *path,
                                 const char *origin, uint32_t ttl_s, sp_error_t *err);

/* Also after a failed init, and when all is zero. */
void sp_zone_scanner_clear(sp_zone_scanner_t *scanner);

/* Offset of the octet at which the scanner has stopped. */
size_t sp_zone_scanner_offset(const sp_zone_scanner_t *scanner);

/* After each record: what the directives up to here have set is good. */
void sp_zone_scanner_remember(sp_zone_scanner_t *scanner);

/* Begins anew at `offset`, with the origin, the TTL and the last owner that were in force; the
 * origin that was remembered when the fault lies in an $ORIGIN line. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_zone_scanner_restart(sp_zone_scanner_t *scanner, size_t offset);

#endif
