/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_MARKUP_H
#define SIGNPOST_LAB_REPORT_MARKUP_H

/* Texts of results within HTML and SVG. */

#include <signpost/base/buf.h>

/* Escaped. What may be in no document (XML 1.0, 2.2) becomes U+FFFD: control characters but tab and
 * newline, the two that are no characters, and octets that are no UTF-8, such as a character that a
 * label was cut in. */
void sp_lab_append_text(sp_buf_t *out, sp_str_t text);

#endif
