/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/challenge.h"

#define ARENA_CHUNK 8192

/* base64url (RFC 8555, 8.3): it names a file. */
static bool is_token(sp_str_t token)
{
    for (size_t i = 0; i != token.len; ++i) {
        char c = token.ptr[i];

        if (!sp_is_alnum(c) && c != '-' && c != '_') {
            return false;
        }
    }
    return token.len != 0 && token.len <= SP_CHALLENGE_TOKEN_MAX;
}

sp_str_t sp_challenge_answer(const sp_storage_t *storage, sp_str_t path, sp_arena_t *arena)
{
    const sp_str_t prefix = SP_STR(SP_CHALLENGE_PATH);
    sp_str_t token = sp_str_skip(path, prefix.len);
    sp_storage_name_t at;
    sp_str_t text = {0};

    if (!sp_str_starts_with(path, prefix) || !is_token(token)) {
        return (sp_str_t){0};
    }
    at = sp_storage_name(SP_STORAGE_STATE "/challenges/", token, "");
    if (sp_storage_read(storage, at.text, arena, &text) != SP_OK ||
        text.len > SP_CHALLENGE_TEXT_MAX) {
        return (sp_str_t){0};
    }
    return text;
}

sp_certificate_t *sp_challenge_certificate(const sp_storage_t *storage, sp_str_t name)
{
    sp_storage_name_t at = sp_storage_name(SP_STORAGE_STATE "/alpn/", name, ".crt.pem");
    sp_arena_t arena;
    sp_certificate_pem_t pem = {.chain = {0}};
    sp_certificate_t *certificate = NULL;
    sp_status_t status = SP_OK;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    status = sp_storage_read(storage, at.text, &arena, &pem.chain);
    if (status == SP_OK) {
        at = sp_storage_name(SP_STORAGE_STATE "/alpn/", name, ".key.pem");
        status = sp_storage_read(storage, at.text, &arena, &pem.key);
    }
    if (status == SP_OK && sp_certificate_read(&pem, 1, &certificate, NULL) != SP_OK) {
        certificate = NULL;
    }
    sp_arena_clear(&arena);
    return certificate;
}
