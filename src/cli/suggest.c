/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/suggest.h"

#define WORD_MAX 32

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Slips (octet added, left out, changed, or two swapped) between two words of at most WORD_MAX
 * octets: the optimal string alignment distance, with three rows kept. */
static unsigned distance(sp_str_t a, sp_str_t b)
{
    unsigned rows[3][WORD_MAX + 1];
    unsigned *before = rows[0];
    unsigned *above = rows[1];
    unsigned *row = rows[2];

    for (unsigned j = 0; j <= b.len; ++j) {
        above[j] = j;
        before[j] = j;
    }
    for (unsigned i = 1; i <= a.len; ++i) {
        unsigned *free_row = before;

        row[0] = i;
        for (unsigned j = 1; j <= b.len; ++j) {
            char x = sp_to_lower(a.ptr[i - 1]);
            char y = sp_to_lower(b.ptr[j - 1]);

            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y ? 1U : 0U));
            if (i > 1 && j > 1 && x == sp_to_lower(b.ptr[j - 2]) &&
                y == sp_to_lower(a.ptr[i - 2])) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        before = above;
        above = row;
        row = free_row;
    }
    return above[b.len];
}

const char *sp_suggest(sp_str_t word, const char *const *known, size_t known_count)
{
    const char *best = NULL;
    unsigned best_slips = 3;

    if (word.len == 0 || word.len > WORD_MAX) {
        return NULL;
    }
    for (size_t i = 0; i != known_count; ++i) {
        sp_str_t candidate = sp_str_from(known[i]);
        unsigned slips = candidate.len > WORD_MAX ? best_slips : distance(word, candidate);

        if (slips < best_slips && (size_t)slips * 3 <= word.len + 1) {
            best = known[i];
            best_slips = slips;
        }
    }
    return best;
}
