/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_UNIT_CLI_LINT_SUPPORT_H
#define SIGNPOST_TESTS_UNIT_CLI_LINT_SUPPORT_H

/* Zone text in, findings out. The zone is example.com with TTL 300; its first record stands in line
 * 4, after $ORIGIN, $TTL and the SOA. */

#include "cli/lint/lint.h"

/* Looks `records` over. Clear with sp_lint_clear; the text must outlive it. */
void lint_zone(const char *text, sp_lint_t *ret_lint);

/* Asserts that the only findings are these codes, in order and separated by blanks; "" for none. */
void expect_codes(const char *records, const char *codes);

/* Asserts that there is one finding, of this code, at this place. */
void expect_place(const char *records, const char *code, size_t line, size_t column);

#endif
