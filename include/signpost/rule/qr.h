/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_QR_H
#define SIGNPOST_RULE_QR_H

/* A text as a QR code in a PNG image (ISO/IEC 18004, drawn by libqrencode and libpng). */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>

/* How QR codes are drawn. Colours are 0xRRGGBBAA. */
typedef struct sp_qr_policy {
    bool enabled;
    uint16_t size; /* edge of the image in pixels, quiet zone included */
    uint32_t background;
    uint32_t foreground;
    uint8_t recovery_level; /* 0 … 3: L, M, Q, H */
} sp_qr_policy_t;

#define SP_QR_SIZE_MAX 2048

/* *ret_png lies in `arena`. SP_OK, SP_TOO_LONG when the text does not fit into a code of that
 * recovery level, or SP_NO_MEMORY. An image smaller than the code is made as large as the code
 * needs. */
sp_status_t sp_qr_draw(sp_str_t text, const sp_qr_policy_t *policy, sp_arena_t *arena,
                       sp_str_t *ret_png);

#endif
