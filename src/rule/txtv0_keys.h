/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_RULE_TXTV0_KEYS_H
#define SIGNPOST_RULE_TXTV0_KEYS_H

/* The keys of txtv0 (records.md, section 3); `>Name` comes on top. To add one: a row here and one
 * in txtv0.c, a field in sp_record_t, a reader in txtv0.c. */
typedef enum sp_txtv0_key {
    SP_KEY_V,
    SP_KEY_TYPE,
    SP_KEY_TO,
    SP_KEY_CODE,
    SP_KEY_FROM,
    SP_KEY_RE,
    SP_KEY_ROOT,
    SP_KEY_WEBSITE,
    SP_KEY_VCS,
    SP_KEY_REF,
    SP_KEY_USE,
    SP_KEY_COUNT
} sp_txtv0_key_t;

/* As they are written. */
extern const char *const sp_txtv0_keys[SP_KEY_COUNT];

#endif
