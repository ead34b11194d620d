/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 3 /* while somebody is writing the files */
#define PATH_MORE_MAX 32

/* Where a certificate and its key are, from the folder. */
typedef struct layout {
    const char *chain;
    const char *key; /* NULL: private/FOLDER/key.pem beside the folder */
    const char *second_chain;
    const char *second_key;
} layout_t;

static const layout_t layouts[] = {
    {"fullchain.pem", "privkey.pem", "fullchain.rsa.pem", "privkey.rsa.pem"},
    {"tls.crt", "tls.key", "tls.rsa.crt", "tls.rsa.key"},
    {"cert.pem", NULL, NULL, NULL},
};

/* The folder and the layout found in it. */
typedef struct place {
    const char *root;
    sp_str_t folder;
    const layout_t *layout;
    bool has_second;
} place_t;

typedef struct text {
    char *octets;
    size_t len;
} text_t;

static bool print_path(const place_t *place, const char *file, char out[SP_TLS_FOLDER_PATH_MAX])
{
    int len = file == NULL ? snprintf(out, SP_TLS_FOLDER_PATH_MAX, "%s/private/%.*s/key.pem",
                                      place->root, (int)place->folder.len, place->folder.ptr)
                           : snprintf(out, SP_TLS_FOLDER_PATH_MAX, "%s/%.*s/%s", place->root,
                                      (int)place->folder.len, place->folder.ptr, file);

    return len > 0 && (size_t)len < SP_TLS_FOLDER_PATH_MAX;
}

bool sp_tls_folder_path(const char *root, sp_str_t folder, char out[SP_TLS_FOLDER_PATH_MAX])
{
    int len = snprintf(out, SP_TLS_FOLDER_PATH_MAX, "%s/%.*s", root, (int)folder.len, folder.ptr);

    return len > 0 && (size_t)len < SP_TLS_FOLDER_PATH_MAX - PATH_MORE_MAX;
}

/* FNV-1a: changes are told apart, nobody is kept from making two files look alike. */
static void mix(uint64_t *mark, const void *octets, size_t len)
{
    const unsigned char *at = octets;

    for (size_t i = 0; i != len; ++i) {
        *mark = (*mark ^ at[i]) * UINT64_C(0x100000001b3);
    }
}

/* False: the file is not there. */
static bool mix_file(uint64_t *mark, const place_t *place, const char *file)
{
    char path[SP_TLS_FOLDER_PATH_MAX];
    struct stat found;

    if (!print_path(place, file, path) || stat(path, &found) != 0) {
        mix(mark, "-", 1);
        return false;
    }
    mix(mark, path, strlen(path));
    mix(mark, &found.st_dev, sizeof(found.st_dev));
    mix(mark, &found.st_ino, sizeof(found.st_ino));
    mix(mark, &found.st_size, sizeof(found.st_size));
    mix(mark, &found.st_mtim, sizeof(found.st_mtim));
    mix(mark, &found.st_ctim, sizeof(found.st_ctim));
    return true;
}

static uint64_t look_at_layout(place_t *place)
{
    uint64_t mark = UINT64_C(0xcbf29ce484222325);

    if (!mix_file(&mark, place, place->layout->chain)) {
        return 0;
    }
    (void)mix_file(&mark, place, place->layout->key);
    if (place->layout->second_chain != NULL) {
        place->has_second = mix_file(&mark, place, place->layout->second_chain);
        (void)mix_file(&mark, place, place->layout->second_key);
    }
    return mark == 0 ? 1 : mark;
}

static uint64_t look(place_t *place)
{
    char path[SP_TLS_FOLDER_PATH_MAX];
    struct stat found;
    uint64_t mark = 0;

    if (!sp_tls_folder_path(place->root, place->folder, path) || stat(path, &found) != 0) {
        return 0;
    }
    for (size_t i = 0; mark == 0 && i != SP_COUNT(layouts); ++i) {
        place->layout = &layouts[i];
        place->has_second = false;
        mark = look_at_layout(place);
    }
    return mark;
}

uint64_t sp_tls_folder_look(const char *root, sp_str_t folder)
{
    place_t place = {.root = root, .folder = folder};

    return look(&place);
}

static const char *name_of(const char *file)
{
    return file == NULL ? "private/…/key.pem" : file;
}

static sp_status_t fail(const char *file, int error, sp_error_t *err)
{
    return sp_fail(err, error == ENOMEM ? SP_NO_MEMORY : SP_IO, 0, "cannot read %s: %s",
                   file == NULL ? "the key" : name_of(file), strerror(error));
}

/* One octet more than allowed, so that too long a file shows. */
static int read_all(int fd, text_t *text)
{
    ssize_t len = 1;

    text->octets = malloc(SP_CERTIFICATE_TEXT_MAX + 1);
    if (text->octets == NULL) {
        return ENOMEM;
    }
    while (len > 0 && text->len <= SP_CERTIFICATE_TEXT_MAX) {
        len = read(fd, text->octets + text->len, SP_CERTIFICATE_TEXT_MAX + 1 - text->len);
        if (len > 0) {
            text->len += (size_t)len;
        }
    }
    return len < 0 ? errno : 0;
}

static int read_open_file(int fd, text_t *text)
{
    struct stat found;

    if (fstat(fd, &found) != 0) {
        return errno;
    }
    return S_ISREG(found.st_mode) ? read_all(fd, text) : EINVAL;
}

static sp_status_t read_file(const place_t *place, const char *file, text_t *text, sp_error_t *err)
{
    char path[SP_TLS_FOLDER_PATH_MAX];
    int fd = -1;
    int error = ENAMETOOLONG;

    if (print_path(place, file, path)) {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        error = fd == -1 ? errno : read_open_file(fd, text);
    }
    if (fd != -1) {
        (void)close(fd);
    }
    return error == 0 ? SP_OK : fail(file, error, err);
}

static void clear(text_t *text)
{
    if (text->octets != NULL) {
        OPENSSL_cleanse(text->octets, text->len);
    }
    free(text->octets);
}

static sp_str_t slice(const text_t *text)
{
    return (sp_str_t){.ptr = text->octets, .len = text->len};
}

static sp_status_t read_place(const place_t *place, sp_certificate_t **ret_certificate,
                              sp_error_t *err)
{
    const char *files[] = {place->layout->chain, place->layout->key, place->layout->second_chain,
                           place->layout->second_key};
    text_t texts[SP_COUNT(files)] = {{.octets = NULL}};
    size_t pairs = place->has_second ? 2 : 1;
    sp_certificate_pem_t pems[2];
    sp_status_t status = SP_OK;

    for (size_t i = 0; status == SP_OK && i != pairs * 2; ++i) {
        status = read_file(place, files[i], &texts[i], err);
    }
    if (status == SP_OK) {
        pems[0] = (sp_certificate_pem_t){.chain = slice(&texts[0]), .key = slice(&texts[1])};
        pems[1] = (sp_certificate_pem_t){.chain = slice(&texts[2]), .key = slice(&texts[3])};
        status = sp_certificate_read(pems, pairs, ret_certificate, err);
    }
    for (size_t i = 0; i != SP_COUNT(texts); ++i) {
        clear(&texts[i]);
    }
    return status;
}

/* Files are replaced one after the other: what was read together may never have belonged together.
 * Then they are read again, at once, and the next time that somebody looks. */
sp_status_t sp_tls_folder_read(const char *root, sp_str_t folder, uint64_t *ret_mark,
                               sp_certificate_t **ret_certificate, sp_error_t *err)
{
    place_t place = {.root = root, .folder = folder};
    sp_certificate_t *certificate = NULL;
    sp_status_t status = SP_OK;
    uint64_t mark = 0;

    for (int i = 0; i != TRIES; ++i) {
        sp_certificate_release(certificate);
        certificate = NULL;
        mark = look(&place);
        *ret_mark = mark;
        if (mark == 0) {
            return sp_fail(err, SP_NOT_FOUND, 0, "there is no certificate");
        }
        status = read_place(&place, &certificate, err);
        if (sp_tls_folder_look(root, folder) == mark) {
            break;
        }
        *ret_mark = 0;
    }
    if (status == SP_IO || status == SP_NO_MEMORY) {
        *ret_mark = 0;
    }
    if (status == SP_OK) {
        *ret_certificate = certificate;
    }
    return status;
}
