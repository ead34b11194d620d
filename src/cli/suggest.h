/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_SUGGEST_H
#define SIGNPOST_CLI_SUGGEST_H

/* "Did you mean …?" for options, commands, record keys and placeholders. */

#include <signpost/base/str.h>

/* The entry of `known` that `word` is most likely a misspelling of, letters compared without case;
 * NULL when none is near (up to one slip in three letters, two at most). */
const char *sp_suggest(sp_str_t word, const char *const *known, size_t known_count);

#endif
