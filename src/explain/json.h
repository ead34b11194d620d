/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_EXPLAIN_JSON_H
#define SIGNPOST_EXPLAIN_JSON_H

/* What is needed beside jansson itself to print JSON. */

#include <jansson.h>
#include <signpost/base/error.h>
#include <stdio.h>

/* A new JSON string. Text that is no UTF-8 becomes one with \xNN for each octet outside printable
 * ASCII, since JSON can't hold it. NULL when memory is out. */
json_t *sp_json_str(sp_str_t text);

/* Prints the value, indented, with a line end, and gives it up. A NULL `root` is SP_NO_MEMORY; a
 * refused write is SP_IO. */
sp_status_t sp_json_print(json_t *root, FILE *out);

#endif
