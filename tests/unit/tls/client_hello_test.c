/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/client_hello.h"

#include <criterion/criterion.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <string.h>

#define OCTETS_MAX 40000

typedef struct octets {
    char ptr[OCTETS_MAX];
    size_t len;
} octets_t;

static void put(octets_t *octets, const void *ptr, size_t len)
{
    cr_assert_leq(octets->len + len, sizeof(octets->ptr));
    memcpy(octets->ptr + octets->len, ptr, len);
    octets->len += len;
}

static void put_number(octets_t *octets, size_t value, size_t width)
{
    for (size_t i = width; i-- != 0;) {
        char octet = (char)(value >> (8 * i));

        put(octets, &octet, 1);
    }
}

/* What OpenSSL sends as its first. */
static octets_t real_hello(const char *name, const char *alpn)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    BIO *out = BIO_new(BIO_s_mem());
    octets_t hello = {.len = 0};

    cr_assert_not_null(ssl);
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), out);
    if (name != NULL) {
        /* OpenSSL's macro for it casts the const away. */
        cr_assert_eq(SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                              (void *)(uintptr_t)name),
                     1);
    }
    if (alpn != NULL) {
        cr_assert_eq(SSL_set_alpn_protos(ssl, (const unsigned char *)alpn, (unsigned)strlen(alpn)),
                     0);
    }
    cr_assert_lt(SSL_connect(ssl), 0);
    hello.len = (size_t)BIO_read(out, hello.ptr, sizeof(hello.ptr));
    SSL_free(ssl);
    SSL_CTX_free(context);
    return hello;
}

static sp_hello_status_t read_octets(const octets_t *octets, sp_client_hello_t *hello)
{
    return sp_client_hello_read((sp_str_t){.ptr = octets->ptr, .len = octets->len}, hello);
}

/* A message with these extensions, in one record. */
static octets_t make_hello(const octets_t *extensions)
{
    octets_t hello = {.len = 0};
    size_t body = 2 + 32 + 1 + 4 + 2 + (extensions == NULL ? 0 : 2 + extensions->len);
    static const char nothing[32];

    put(&hello, "\x16\x03\x01", 3);
    put_number(&hello, body + 4, 2);
    put(&hello, "\x01", 1);
    put_number(&hello, body, 3);
    put(&hello, "\x03\x03", 2);
    put(&hello, nothing, 32);
    put(&hello, "\0", 1);             /* session */
    put(&hello, "\0\x02\x13\x01", 4); /* cipher suites */
    put(&hello, "\x01\0", 2);         /* compression */
    if (extensions != NULL) {
        put_number(&hello, extensions->len, 2);
        put(&hello, extensions->ptr, extensions->len);
    }
    return hello;
}

static void put_extension(octets_t *extensions, size_t type, const void *body, size_t len)
{
    put_number(extensions, type, 2);
    put_number(extensions, len, 2);
    put(extensions, body, len);
}

static bool has_name(const sp_client_hello_t *hello, const char *name)
{
    return hello->name_len == strlen(name) && memcmp(hello->name, name, hello->name_len) == 0;
}

Test(client_hello, of_a_real_client)
{
    octets_t octets = real_hello("www.example.com", "\x02h2\x08http/1.1");
    sp_client_hello_t hello = {.need = 0};

    cr_assert_eq(read_octets(&octets, &hello), SP_HELLO_COMPLETE);
    cr_expect(has_name(&hello, "www.example.com"));
    cr_expect(hello.has_alpn);
    cr_expect_not(hello.offers_acme);
    octets = real_hello(NULL, NULL);
    cr_assert_eq(read_octets(&octets, &hello), SP_HELLO_COMPLETE);
    cr_expect_eq(hello.name_len, 0);
    cr_expect_not(hello.has_alpn);
    octets = real_hello("a.example", "\x0a"
                                     "acme-tls/1");
    cr_assert_eq(read_octets(&octets, &hello), SP_HELLO_COMPLETE);
    cr_expect(hello.offers_acme);
}

Test(client_hello, may_be_cut_anywhere)
{
    octets_t octets = real_hello("www.example.com", NULL);

    for (size_t len = 0; len != octets.len; ++len) {
        sp_client_hello_t hello = {.need = 0};

        cr_assert_eq(sp_client_hello_read((sp_str_t){.ptr = octets.ptr, .len = len}, &hello),
                     SP_HELLO_MORE, "%zu", len);
        cr_assert_gt(hello.need, len);
        cr_assert_leq(hello.need, octets.len, "%zu", len);
    }
}

Test(client_hello, may_come_in_many_records)
{
    octets_t whole = real_hello("www.example.com", NULL);
    octets_t split = {.len = 0};
    sp_client_hello_t hello = {.need = 0};

    for (size_t at = 5; at != whole.len; ++at) {
        put(&split, "\x16\x03\x01\0\x01", 5);
        put(&split, whole.ptr + at, 1);
    }
    cr_assert_eq(read_octets(&split, &hello), SP_HELLO_COMPLETE);
    cr_expect(has_name(&hello, "www.example.com"));
    for (size_t len = 0; len != split.len; ++len) {
        cr_assert_eq(sp_client_hello_read((sp_str_t){.ptr = split.ptr, .len = len}, &hello),
                     SP_HELLO_MORE);
        cr_assert_gt(hello.need, len);
    }
}

Test(client_hello, needs_no_extensions)
{
    octets_t octets = make_hello(NULL);
    sp_client_hello_t hello = {.need = 0};

    cr_assert_eq(read_octets(&octets, &hello), SP_HELLO_COMPLETE);
    cr_expect_eq(hello.name_len, 0);
}

Test(client_hello, of_another_protocol)
{
    static const char *const others[] = {"GET / HTTP/1.1\r\n", "SSH-2.0-x\r\n", "\x80\x2e\x01",
                                         "\x16\x02\x01\0\x05", "\x15\x03\x01\0\x02"};

    for (size_t i = 0; i != SP_COUNT(others); ++i) {
        sp_client_hello_t hello;

        cr_expect_eq(sp_client_hello_read(sp_str_from(others[i]), &hello), SP_HELLO_NOT_TLS, "%zu",
                     i);
    }
}

Test(client_hello, keeps_to_the_length_of_names)
{
    for (size_t len = 254; len != 258; ++len) {
        octets_t extensions = {.len = 0};
        octets_t body = {.len = 0};
        octets_t octets;
        sp_client_hello_t hello = {.need = 0};

        put_number(&body, len + 3, 2);
        put(&body, "\0", 1);
        put_number(&body, len, 2);
        for (size_t i = 0; i != len; ++i) {
            put(&body, "a", 1);
        }
        put_extension(&extensions, 0, body.ptr, body.len);
        octets = make_hello(&extensions);
        cr_assert_eq(read_octets(&octets, &hello), SP_HELLO_COMPLETE);
        cr_expect_eq(hello.name_len,
                     len < SP_CLIENT_HELLO_NAME_MAX ? len : SP_CLIENT_HELLO_NAME_MAX);
    }
}

/* A message of `size` octets with its header. */
static sp_hello_status_t read_of_size(size_t size, size_t record)
{
    octets_t extensions = {.len = 0};
    octets_t whole = {.len = 0};
    octets_t split = {.len = 0};
    octets_t body = {.len = 0};
    sp_client_hello_t hello = {.need = 0};

    body.len = size - 4 - (2 + 32 + 1 + 4 + 2 + 2) - 4;
    put_extension(&extensions, 21, body.ptr, body.len);
    whole = make_hello(&extensions);
    cr_assert_eq(whole.len, size + 5);
    for (size_t at = 5; at != whole.len;) {
        size_t part = whole.len - at < record ? whole.len - at : record;

        put(&split, "\x16\x03\x01", 3);
        put_number(&split, part, 2);
        put(&split, whole.ptr + at, part);
        at += part;
    }
    return read_octets(&split, &hello);
}

Test(client_hello, keeps_to_its_size)
{
    cr_expect_eq(read_of_size(SP_CLIENT_HELLO_MAX, 16384), SP_HELLO_COMPLETE);
    cr_expect_eq(read_of_size(SP_CLIENT_HELLO_MAX + 1, 16384), SP_HELLO_TOO_LONG);
    /* 16,384 octets in records of 20: 820 headers of 5 octets make 20,484. */
    cr_expect_eq(read_of_size(SP_CLIENT_HELLO_MAX, 21), SP_HELLO_COMPLETE);
    cr_expect_eq(read_of_size(SP_CLIENT_HELLO_MAX, 20), SP_HELLO_TOO_LONG);
}

Test(client_hello, that_is_broken)
{
    static const struct {
        size_t type;
        size_t len;
        const char *body;
    } bad[] = {
        {0, 0, ""},               /* no list */
        {0, 2, "\0\0"},           /* an empty one */
        {0, 5, "\0\x03\0\0\0"},   /* an empty name */
        {0, 5, "\0\x03\0\0\x01"}, /* a name that is cut off */
        {0, 7,
         "\0\x04\0\0\x01" /* something behind the list */
         "ab"},
        {0, 10,
         "\0\x08\0\0\x01"
         "a\0\0\x01"
         "b"},               /* two hosts */
        {16, 2, "\0\0"},     /* no protocol */
        {16, 3, "\0\x01\0"}, /* an empty one */
        {16, 4,
         "\0\x02\x05"
         "h"}, /* one that is cut off */
    };

    for (size_t i = 0; i != SP_COUNT(bad); ++i) {
        octets_t extensions = {.len = 0};
        octets_t octets;
        sp_client_hello_t hello;

        put_extension(&extensions, bad[i].type, bad[i].body, bad[i].len);
        octets = make_hello(&extensions);
        cr_expect_eq(read_octets(&octets, &hello), SP_HELLO_BROKEN, "%zu", i);
    }
}

Test(client_hello, that_is_no_hello)
{
    octets_t octets = make_hello(NULL);
    sp_client_hello_t hello;

    octets.ptr[5] = 2; /* ServerHello */
    cr_expect_eq(read_octets(&octets, &hello), SP_HELLO_BROKEN);
    octets = make_hello(NULL);
    octets.ptr[8] = 40; /* ends within the compression methods */
    cr_expect_eq(read_octets(&octets, &hello), SP_HELLO_BROKEN);
    octets = make_hello(NULL);
    octets.ptr[3] = octets.ptr[4] = 0; /* an empty record */
    cr_expect_eq(read_octets(&octets, &hello), SP_HELLO_BROKEN);
    octets = make_hello(NULL);
    octets.ptr[3] = 0x40;
    octets.ptr[4] = 1; /* one over 16,384 */
    cr_expect_eq(read_octets(&octets, &hello), SP_HELLO_BROKEN);
}
