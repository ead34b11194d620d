/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_suggest.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 40 /* longer names are like no key */
#define SIMILAR_MAX 2   /* edits */

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Levenshtein: insertions, deletions and replacements that turn one name into the other. */
static size_t count_edits(sp_str_t a, sp_str_t b)
{
    size_t row[NAME_MAX_LEN + 1];

    for (size_t j = 0; j <= b.len; ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.len; ++i) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b.len; ++j) {
            size_t above = row[j];
            bool same = sp_to_lower(a.ptr[i - 1]) == sp_to_lower(b.ptr[j - 1]);

            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1));
            diagonal = above;
        }
    }
    return row[b.len];
}

/* The key that is most like `name`; NULL when none is like it. */
static const char *find_similar(const sp_config_keys_t *keys, sp_str_t name)
{
    const char *best = NULL;
    size_t best_edits = SIMILAR_MAX + 1;

    for (size_t row = 0; name.len <= NAME_MAX_LEN && row != keys->count; ++row) {
        sp_str_t key = sp_str_from(keys->rows[row].name);
        size_t edits = count_edits(name, key);

        if (edits < best_edits && edits < key.len) {
            best = keys->rows[row].name;
            best_edits = edits;
        }
    }
    return best;
}

static void append(char out[SP_CONFIG_ADVICE_MAX], const char *text)
{
    size_t used = strlen(out);

    if (snprintf(out + used, SP_CONFIG_ADVICE_MAX - used, "%s", text) < 0) {
        out[used] = '\0';
    }
}

void sp_config_advise_key(const sp_config_keys_t *keys, sp_str_t name,
                          char out[SP_CONFIG_ADVICE_MAX])
{
    const char *similar = find_similar(keys, name);

    out[0] = '\0';
    if (similar != NULL) {
        append(out, "did you mean \"");
        append(out, similar);
        append(out, "\"?");
        return;
    }
    append(out, "expected ");
    for (size_t row = 0; row != keys->count; ++row) {
        append(out, row == 0 ? "" : ", ");
        append(out, keys->rows[row].name);
    }
}

void sp_config_list_words(const sp_config_key_t *key, const char *joint,
                          char out[SP_CONFIG_ADVICE_MAX])
{
    out[0] = '\0';
    for (size_t i = 0; i != key->word_count; ++i) {
        if (i != 0 && i + 1 == key->word_count) {
            append(out, " ");
            append(out, joint);
            append(out, " ");
        } else if (i != 0) {
            append(out, ", ");
        }
        append(out, key->words[i].name);
    }
}
