/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/certificate.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "unit/tls/maker.h"

static sp_certificate_pem_t pem_of(const maker_pair_t *pair)
{
    return (sp_certificate_pem_t){.chain = sp_str_from(pair->chain), .key = sp_str_from(pair->key)};
}

static sp_certificate_t *read_good(const maker_pair_t *pair)
{
    sp_certificate_pem_t pem = pem_of(pair);
    sp_certificate_t *certificate = NULL;
    sp_error_t err = {0};

    cr_assert_eq(sp_certificate_read(&pem, 1, &certificate, &err), SP_OK, "%s", err.message);
    return certificate;
}

static void expect_bad(const sp_certificate_pem_t *pems, size_t count, sp_status_t status,
                       const char *message)
{
    sp_certificate_t *certificate = NULL;
    sp_error_t err = {0};

    cr_expect_eq(sp_certificate_read(pems, count, &certificate, &err), status, "%s", message);
    cr_expect_not_null(strstr(err.message, message), "%s, not %s", message, err.message);
    cr_expect_null(certificate);
}

static void expect_key_type(maker_key_t key, const char *expected)
{
    maker_pair_t pair;
    sp_certificate_t *certificate = NULL;

    maker_make(&pair, key, "a.example", -1, MAKER_DAY);
    certificate = read_good(&pair);
    cr_expect_str_eq(sp_certificate_key_type(certificate, 0), expected);
    sp_certificate_release(certificate);
}

Test(certificate, knows_its_key)
{
    expect_key_type(MAKER_P256, "ECDSA P-256");
    expect_key_type(MAKER_P384, "ECDSA P-384");
    expect_key_type(MAKER_RSA, "RSA 2048");
    expect_key_type(MAKER_ED25519, "Ed25519");
}

Test(certificate, knows_its_names_and_times)
{
    maker_pair_t pair;
    sp_certificate_t *certificate = NULL;
    time_t now = time(NULL);

    maker_make(&pair, MAKER_P256, "a.example,DNS:*.b.example,IP:192.0.2.1", -MAKER_DAY, MAKER_DAY);
    certificate = read_good(&pair);
    cr_expect(sp_str_eq(sp_certificate_name(certificate, 0), SP_STR("a.example")));
    cr_expect(sp_str_eq(sp_certificate_name(certificate, 1), SP_STR("*.b.example")));
    cr_expect_eq(sp_certificate_name(certificate, 2).len, 0);
    cr_expect_str_eq(sp_certificate_issuer(certificate), "Test Authority");
    cr_expect(sp_certificate_covers(certificate, SP_STR("a.example")));
    cr_expect(sp_certificate_covers(certificate, SP_STR("x.b.example")));
    cr_expect_not(sp_certificate_covers(certificate, SP_STR("b.example")));
    cr_expect_leq(sp_certificate_not_before(certificate), now - MAKER_DAY + 1);
    cr_expect_geq(sp_certificate_not_after(certificate), now + MAKER_DAY - 5);
    cr_expect(sp_certificate_is_valid_at(certificate, now));
    cr_expect_not(sp_certificate_is_valid_at(certificate, now + 2 * MAKER_DAY));
    cr_expect_not(sp_certificate_is_valid_at(certificate, now - 2 * MAKER_DAY));
    cr_expect_gt(sp_certificate_size(certificate), 1000);
    sp_certificate_release(certificate);
}

Test(certificate, is_shared)
{
    maker_pair_t pair;
    sp_certificate_t *certificate = NULL;

    maker_make(&pair, MAKER_P256, "a.example", -1, MAKER_DAY);
    certificate = read_good(&pair);
    cr_expect_eq(sp_certificate_retain(certificate), certificate);
    sp_certificate_release(certificate);
    cr_expect_eq(sp_certificate_pair_count(certificate), 1);
    sp_certificate_release(certificate);
    sp_certificate_release(NULL);
}

Test(certificate, of_two_kinds)
{
    maker_pair_t pairs[2];
    sp_certificate_pem_t pems[2];
    sp_certificate_t *certificate = NULL;
    sp_error_t err = {0};

    maker_make(&pairs[0], MAKER_P256, "a.example", -MAKER_DAY, 2L * MAKER_DAY);
    maker_make(&pairs[1], MAKER_RSA, "a.example", -5, MAKER_DAY);
    pems[0] = pem_of(&pairs[0]);
    pems[1] = pem_of(&pairs[1]);
    cr_assert_eq(sp_certificate_read(pems, 2, &certificate, &err), SP_OK, "%s", err.message);
    cr_expect_eq(sp_certificate_pair_count(certificate), 2);
    cr_expect_str_eq(sp_certificate_key_type(certificate, 1), "RSA 2048");
    cr_expect_lt(sp_certificate_not_after(certificate), time(NULL) + MAKER_DAY + 5);
    cr_expect_gt(sp_certificate_not_before(certificate), time(NULL) - 60);
    sp_certificate_release(certificate);
    maker_make(&pairs[1], MAKER_P384, "a.example", -5, MAKER_DAY);
    pems[1] = pem_of(&pairs[1]);
    expect_bad(pems, 2, SP_BAD_VALUE, "keys of one kind");
}

Test(certificate, that_is_none)
{
    maker_pair_t pair;
    maker_pair_t other;
    sp_certificate_pem_t pem;

    maker_make(&pair, MAKER_P256, "a.example", -1, MAKER_DAY);
    maker_make(&other, MAKER_P256, "a.example", -1, MAKER_DAY);
    pem = pem_of(&pair);
    pem.chain = SP_STR("");
    expect_bad(&pem, 1, SP_BAD_SYNTAX, "no certificate in PEM form");
    pem.chain = pem_of(&pair).key;
    expect_bad(&pem, 1, SP_BAD_SYNTAX, "no certificate in PEM form");
    pem = pem_of(&pair);
    pem.key = SP_STR("garbage");
    expect_bad(&pem, 1, SP_BAD_SYNTAX, "no private key in PEM form");
    pem.key = pem_of(&other).key;
    expect_bad(&pem, 1, SP_BAD_VALUE, "belongs to another certificate");
    maker_encrypt(&pair);
    pem = pem_of(&pair);
    expect_bad(&pem, 1, SP_BAD_VALUE, "is encrypted");
}

Test(certificate, with_a_key_that_is_not_taken)
{
    maker_pair_t pair;
    sp_certificate_pem_t pem;

    maker_make(&pair, MAKER_RSA_WEAK, "a.example", -1, MAKER_DAY);
    pem = pem_of(&pair);
    expect_bad(&pem, 1, SP_BAD_VALUE, "the RSA key has 1024 bits; expected at least 2048");
    maker_make(&pair, MAKER_ED448, "a.example", -1, MAKER_DAY);
    pem = pem_of(&pair);
    expect_bad(&pem, 1, SP_BAD_VALUE, "neither ECDSA, RSA nor Ed25519");
}

static void read_chain_of(size_t links, char *memory, size_t size, const maker_pair_t *pair,
                          sp_certificate_pem_t *ret_pem)
{
    size_t len = strlen(pair->chain);

    cr_assert_lt(links * len, size);
    for (size_t i = 0; i != links; ++i) {
        memcpy(memory + i * len, pair->chain, len);
    }
    *ret_pem = pem_of(pair);
    ret_pem->chain = (sp_str_t){.ptr = memory, .len = links * len};
}

Test(certificate, keeps_to_the_length_of_chains)
{
    static char memory[32 * 2048];
    maker_pair_t pair;
    sp_certificate_pem_t pem;
    sp_certificate_t *certificate = NULL;

    maker_make(&pair, MAKER_P256, "a.example", -1, MAKER_DAY);
    read_chain_of(SP_CERTIFICATE_CHAIN_MAX, memory, sizeof(memory), &pair, &pem);
    cr_assert_eq(sp_certificate_read(&pem, 1, &certificate, NULL), SP_OK);
    sp_certificate_release(certificate);
    read_chain_of(SP_CERTIFICATE_CHAIN_MAX + 1, memory, sizeof(memory), &pair, &pem);
    expect_bad(&pem, 1, SP_TOO_LONG, "more than 16 certificates");
    read_chain_of(2, memory, sizeof(memory), &pair, &pem);
    memory[strlen(pair.chain) + 100] = '!';
    expect_bad(&pem, 1, SP_BAD_SYNTAX, "certificate 2 of the chain is damaged");
}

Test(certificate, keeps_to_the_length_of_files)
{
    static char memory[SP_CERTIFICATE_TEXT_MAX + 1];
    maker_pair_t pair;
    sp_certificate_pem_t pem;
    sp_certificate_t *certificate = NULL;

    maker_make(&pair, MAKER_P256, "a.example", -1, MAKER_DAY);
    memset(memory, '\n', sizeof(memory));
    memcpy(memory, pair.chain, strlen(pair.chain));
    pem = pem_of(&pair);
    pem.chain = (sp_str_t){.ptr = memory, .len = sizeof(memory) - 1};
    cr_assert_eq(sp_certificate_read(&pem, 1, &certificate, NULL), SP_OK);
    sp_certificate_release(certificate);
    pem.chain.len = sizeof(memory);
    expect_bad(&pem, 1, SP_TOO_LONG, "at most 131072 octets");
}
