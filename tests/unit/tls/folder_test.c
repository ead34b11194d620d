/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/tls/maker.h"

static char root[MAKER_ROOT_MAX];

static void make_root(void)
{
    maker_create_root(root);
}

static void remove_root(void)
{
    maker_remove(root);
}

TestSuite(folder, .init = make_root, .fini = remove_root);

static size_t pairs_of(const char *folder)
{
    uint64_t mark = 0;
    sp_certificate_t *certificate = NULL;
    sp_error_t err = {0};
    size_t count = 0;
    sp_status_t status = sp_tls_folder_read(root, sp_str_from(folder), &mark, &certificate, &err);

    cr_assert_eq(status, SP_OK, "%s", err.message);
    cr_expect_eq(mark, sp_tls_folder_look(root, sp_str_from(folder)));
    cr_expect_neq(mark, 0);
    count = sp_certificate_pair_count(certificate);
    sp_certificate_release(certificate);
    return count;
}

static void expect_fault(const char *folder, sp_status_t expected, const char *message)
{
    uint64_t mark = 1;
    sp_certificate_t *certificate = NULL;
    sp_error_t err = {0};

    cr_expect_eq(sp_tls_folder_read(root, sp_str_from(folder), &mark, &certificate, &err),
                 expected);
    cr_expect_not_null(strstr(err.message, message), "%s", err.message);
    cr_expect_null(certificate);
    cr_expect((mark == 0) == (expected == SP_NOT_FOUND || expected == SP_IO));
}

Test(folder, of_every_layout)
{
    maker_pair_t pair;

    maker_make(&pair, MAKER_P256, "a.example", -1, MAKER_DAY);
    maker_write(root, "certbot", "fullchain.pem", pair.chain);
    maker_write(root, "certbot", "privkey.pem", pair.key);
    maker_write(root, "kubernetes", "tls.crt", pair.chain);
    maker_write(root, "kubernetes", "tls.key", pair.key);
    maker_write(root, "uacme", "cert.pem", pair.chain);
    maker_write(root, "private", "unused", "");
    maker_write(root, "private/uacme", "key.pem", pair.key);
    cr_expect_eq(pairs_of("certbot"), 1);
    cr_expect_eq(pairs_of("kubernetes"), 1);
    cr_expect_eq(pairs_of("uacme"), 1);
}

Test(folder, with_a_second_pair)
{
    maker_pair_t pair;

    maker_add(root, "a.example", "a.example");
    maker_make(&pair, MAKER_RSA, "a.example", -1, MAKER_DAY);
    maker_write(root, "a.example", "fullchain.rsa.pem", pair.chain);
    maker_write(root, "a.example", "privkey.rsa.pem", pair.key);
    cr_expect_eq(pairs_of("a.example"), 2);
    maker_write(root, "b.example", "tls.crt", pair.chain);
    maker_write(root, "b.example", "tls.key", pair.key);
    cr_expect_eq(pairs_of("b.example"), 1);
    maker_write(root, "b.example", "tls.rsa.crt", pair.chain);
    expect_fault("b.example", SP_IO, "cannot read tls.rsa.key: No such file or directory");
}

Test(folder, that_is_not_there)
{
    cr_expect_eq(sp_tls_folder_look(root, SP_STR("a.example")), 0);
    expect_fault("a.example", SP_NOT_FOUND, "there is no certificate");
    maker_write(root, "a.example", "readme", "");
    cr_expect_eq(sp_tls_folder_look(root, SP_STR("a.example")), 0);
    maker_write(root, "a.example", "privkey.pem", "");
    cr_expect_eq(sp_tls_folder_look(root, SP_STR("a.example")), 0, "the certificate decides");
}

Test(folder, that_has_faults)
{
    char path[MAKER_PATH_MAX];
    maker_pair_t pair;

    maker_make(&pair, MAKER_P256, "a.example", -1, MAKER_DAY);
    maker_write(root, "a.example", "fullchain.pem", pair.chain);
    expect_fault("a.example", SP_IO, "cannot read privkey.pem: No such file");
    maker_write(root, "a.example", "privkey.pem", "nothing");
    expect_fault("a.example", SP_BAD_SYNTAX, "no private key");
    (void)snprintf(path, sizeof(path), "%s/a.example/privkey.pem", root);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(mkfifo(path, 0600), 0);
    expect_fault("a.example", SP_IO, "cannot read privkey.pem: Invalid argument");
}

Test(folder, keeps_to_the_length_of_files)
{
    char *text = calloc(SP_CERTIFICATE_TEXT_MAX + 2, 1);
    maker_pair_t pair;

    maker_make(&pair, MAKER_P256, "a.example", -1, MAKER_DAY);
    memset(text, '\n', SP_CERTIFICATE_TEXT_MAX);
    memcpy(text, pair.chain, strlen(pair.chain));
    maker_write(root, "a.example", "privkey.pem", pair.key);
    maker_write(root, "a.example", "fullchain.pem", text);
    cr_expect_eq(pairs_of("a.example"), 1);
    text[SP_CERTIFICATE_TEXT_MAX] = '\n';
    maker_write(root, "a.example", "fullchain.pem", text);
    expect_fault("a.example", SP_TOO_LONG, "at most 131072 octets");
    free(text);
}

Test(folder, shows_when_it_changes)
{
    uint64_t before = 0;
    maker_pair_t pair;

    maker_add(root, "a.example", "a.example");
    before = sp_tls_folder_look(root, SP_STR("a.example"));
    cr_expect_eq(sp_tls_folder_look(root, SP_STR("a.example")), before);
    maker_add(root, "a.example", "a.example");
    cr_expect_neq(sp_tls_folder_look(root, SP_STR("a.example")), before);
    before = sp_tls_folder_look(root, SP_STR("a.example"));
    maker_make(&pair, MAKER_RSA, "a.example", -1, MAKER_DAY);
    maker_write(root, "a.example", "fullchain.rsa.pem", pair.chain);
    cr_expect_neq(sp_tls_folder_look(root, SP_STR("a.example")), before);
}

/* The way Kubernetes replaces a secret: one symbolic link, behind which all files change. */
Test(folder, that_is_exchanged_behind_a_link)
{
    char path[MAKER_PATH_MAX];
    char fresh[MAKER_PATH_MAX];
    uint64_t before = 0;
    maker_pair_t pair;

    for (int i = 0; i != 2; ++i) {
        maker_make(&pair, MAKER_P256, "a.example", -1, MAKER_DAY);
        maker_write(root, i == 0 ? "one" : "two", "tls.crt", pair.chain);
        maker_write(root, i == 0 ? "one" : "two", "tls.key", pair.key);
    }
    maker_write(root, "a.example", "unused", "");
    (void)snprintf(path, sizeof(path), "%s/a.example/tls.crt", root);
    cr_assert_eq(symlink("..data/tls.crt", path), 0);
    (void)snprintf(path, sizeof(path), "%s/a.example/tls.key", root);
    cr_assert_eq(symlink("..data/tls.key", path), 0);
    (void)snprintf(path, sizeof(path), "%s/a.example/..data", root);
    cr_assert_eq(symlink("../one", path), 0);
    before = sp_tls_folder_look(root, SP_STR("a.example"));
    cr_expect_eq(pairs_of("a.example"), 1);
    (void)snprintf(fresh, sizeof(fresh), "%s/a.example/..fresh", root);
    cr_assert_eq(symlink("../two", fresh), 0);
    cr_assert_eq(rename(fresh, path), 0);
    cr_expect_neq(sp_tls_folder_look(root, SP_STR("a.example")), before);
    cr_expect_eq(pairs_of("a.example"), 1);
}

Test(folder, has_a_path_that_ends_somewhere)
{
    char path[SP_TLS_FOLDER_PATH_MAX];
    char *text = calloc(SP_TLS_FOLDER_PATH_MAX + 1, 1);

    cr_expect(sp_tls_folder_path("/etc/tls", SP_STR("a.example"), path));
    cr_expect_str_eq(path, "/etc/tls/a.example");
    memset(text, 'x', SP_TLS_FOLDER_PATH_MAX - 34);
    cr_expect(sp_tls_folder_path(text, SP_STR("a"), path) == false);
    text[SP_TLS_FOLDER_PATH_MAX - 35] = '\0';
    cr_expect(sp_tls_folder_path(text, SP_STR("a"), path));
    memset(text, 'x', SP_TLS_FOLDER_PATH_MAX);
    cr_expect_eq(sp_tls_folder_look(text, SP_STR("a")), 0);
    free(text);
}
