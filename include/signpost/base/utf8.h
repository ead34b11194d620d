/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_BASE_UTF8_H
#define SIGNPOST_BASE_UTF8_H

/* Is it UTF-8? Log lines and subjects of regular expressions must be, whatever clients send. */

#include <signpost/base/str.h>

/* Octets of the character that `text` (not empty) begins with; 0 when it begins with none (RFC
 * 3629: no overlong form, no surrogate, nothing over U+10FFFF). */
size_t sp_utf8_len(sp_str_t text);

#endif
