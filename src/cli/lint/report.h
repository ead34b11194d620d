/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_LINT_REPORT_H
#define SIGNPOST_CLI_LINT_REPORT_H

/* Findings for people, and for programs. */

#include <stdio.h>

#include "cli/lint/lint.h"

/* `FILE:LINE:COLUMN: severity: message [code]`, the advice in a line of its own, and a summary. */
void sp_lint_print_text(const sp_lint_t *lint, const char *file, FILE *out);

/* {"findings": [{"file", "line", "column", "severity", "code", "message", "advice", "name"}],
 *  "errors": n, "warnings": n, "notes": n}. SP_OK or SP_NO_MEMORY. */
sp_status_t sp_lint_print_json(const sp_lint_t *lint, const char *file, FILE *out);

#endif
