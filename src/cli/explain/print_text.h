/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_EXPLAIN_PRINT_TEXT_H
#define SIGNPOST_CLI_EXPLAIN_PRINT_TEXT_H

/* An explanation for people at a terminal. */

#include <stdio.h>

#include "explain/run.h"

/* `colour`: with the escape sequences of a terminal (ECMA-48). SP_OK or SP_IO. */
sp_status_t sp_explain_print_text(const sp_explanation_t *explanation, bool colour, FILE *out);

#endif
