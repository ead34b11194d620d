/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_TEMPLATE_H
#define SIGNPOST_LAB_TEMPLATE_H

/* Configuration files of roles are templates:
 *
 *   {{name}}                   the value; the values of a list with blanks between them
 *   {{#list}}…{{.}}…{{/list}}  once for each value of the list, {{.}} being the value
 *   {{?flag}}…{{/flag}}        only if the flag holds: it has a value that is neither empty nor
 * "no"
 *   {{^flag}}…{{/flag}}        only if it does not
 *
 * A line that holds nothing but an opening or closing tag leaves no empty line. Blocks nest. A name
 * that nobody has given a meaning is an error, save as a flag, where it does not hold. */

#include <signpost/base/buf.h>

#include "lab/json_reader.h"

#define SP_LAB_TEMPLATE_DEPTH 8
#define SP_LAB_TEMPLATE_MAX ((size_t)16 * 1024 * 1024) /* octets of what comes out */

typedef struct sp_lab_variable {
    const char *name;
    sp_lab_texts_t values; /* one for what is no list */
    const char *one[1];    /* room for that one */
} sp_lab_variable_t;

#define SP_LAB_VARIABLES_MAX 64

typedef struct sp_lab_variables {
    sp_lab_variable_t list[SP_LAB_VARIABLES_MAX];
    size_t count;
} sp_lab_variables_t;

/* Later values of a name replace earlier ones. Texts are borrowed. SP_OK or SP_TOO_LONG. */
sp_status_t sp_lab_variables_set(sp_lab_variables_t *variables, const char *name,
                                 const char *value);
sp_status_t sp_lab_variables_set_list(sp_lab_variables_t *variables, const char *name,
                                      sp_lab_texts_t values);

/* Appends to `out`. SP_OK; SP_BAD_SYNTAX with FILE:LINE:COLUMN in *err; SP_NO_MEMORY, SP_TOO_LONG.
 */
sp_status_t sp_lab_template_fill(sp_str_t text, const char *file,
                                 const sp_lab_variables_t *variables, sp_buf_t *out,
                                 sp_error_t *err);

#endif
