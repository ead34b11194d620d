/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_NESTED_FOLDERS_H
#define SIGNPOST_SERVE_NESTED_FOLDERS_H

/* Folders that must have nothing in common. */

#include <stdbool.h>

/* Are they the same, or does one lie in the other, all links followed? Either may be missing, then
 * where it would be counts. False when that can't be found out: whoever uses the folder will
 * complain. */
bool sp_folders_are_nested(const char *a, const char *b);

#endif
