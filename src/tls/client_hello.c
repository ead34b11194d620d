/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/client_hello.h"

#include <string.h>

#define RECORD_HEADER 5
#define RECORD_MAX 16384
#define TYPE_HANDSHAKE 22
#define MAJOR_VERSION 3
#define MESSAGE_HEADER 4
#define MESSAGE_CLIENT_HELLO 1
#define RANDOM_SIZE 32
#define SESSION_ID_MAX 32
#define EXTENSION_SERVER_NAME 0
#define EXTENSION_ALPN 16
#define NAME_TYPE_HOST 0

static unsigned octet_at(sp_str_t text, size_t at)
{
    return (unsigned char)text.ptr[at];
}

static size_t number_at(sp_str_t text, size_t at, size_t octets)
{
    size_t value = 0;

    for (size_t i = 0; i != octets; ++i) {
        value = value << 8U | octet_at(text, at + i);
    }
    return value;
}

/* Takes what is preceded by its length, in `octets` octets. False: it is cut off. */
static bool take_vector(sp_str_t *rest, size_t octets, sp_str_t *ret_vector)
{
    size_t len = 0;

    if (rest->len < octets) {
        return false;
    }
    len = number_at(*rest, 0, octets);
    if (rest->len - octets < len) {
        return false;
    }
    *ret_vector = sp_str_slice(*rest, octets, octets + len);
    *rest = sp_str_skip(*rest, octets + len);
    return true;
}

/* RFC 6066, 3. Names of other types don't exist; a longer host name than any is the same as a wrong
 * one. */
static bool read_server_name(sp_str_t body, sp_client_hello_t *hello)
{
    sp_str_t list;
    sp_str_t name;

    if (!take_vector(&body, 2, &list) || body.len != 0 || list.len == 0) {
        return false;
    }
    while (list.len != 0) {
        unsigned type = octet_at(list, 0);

        list = sp_str_skip(list, 1);
        if (!take_vector(&list, 2, &name) || name.len == 0) {
            return false;
        }
        if (type == NAME_TYPE_HOST) {
            if (hello->name_len != 0) {
                return false;
            }
            hello->name_len = name.len < sizeof(hello->name) ? name.len : sizeof(hello->name);
            memcpy(hello->name, name.ptr, hello->name_len);
        }
    }
    return true;
}

/* RFC 7301, 3.1. */
static bool read_alpn(sp_str_t body, sp_client_hello_t *hello)
{
    sp_str_t list;
    sp_str_t protocol;

    if (hello->has_alpn || !take_vector(&body, 2, &list) || body.len != 0 || list.len == 0) {
        return false;
    }
    hello->has_alpn = true;
    while (list.len != 0) {
        if (!take_vector(&list, 1, &protocol) || protocol.len == 0) {
            return false;
        }
        hello->offers_acme = hello->offers_acme || sp_str_eq(protocol, SP_STR("acme-tls/1"));
    }
    return true;
}

static bool read_extensions(sp_str_t list, sp_client_hello_t *hello)
{
    while (list.len != 0) {
        sp_str_t body;
        size_t type = 0;

        if (list.len < 2) {
            return false;
        }
        type = number_at(list, 0, 2);
        list = sp_str_skip(list, 2);
        if (!take_vector(&list, 2, &body) ||
            (type == EXTENSION_SERVER_NAME && !read_server_name(body, hello)) ||
            (type == EXTENSION_ALPN && !read_alpn(body, hello))) {
            return false;
        }
    }
    return true;
}

static bool read_message(sp_str_t rest, sp_client_hello_t *hello)
{
    sp_str_t part;

    if (rest.len < 2 + RANDOM_SIZE) {
        return false;
    }
    rest = sp_str_skip(rest, 2 + RANDOM_SIZE);
    if (!take_vector(&rest, 1, &part) || part.len > SESSION_ID_MAX || /* session to resume */
        !take_vector(&rest, 2, &part) || part.len < 2 ||              /* cipher suites */
        !take_vector(&rest, 1, &part) || part.len < 1) {              /* compression */
        return false;
    }
    if (rest.len == 0) {
        return true; /* TLS 1.2 without extensions */
    }
    return take_vector(&rest, 2, &part) && rest.len == 0 && read_extensions(part, hello);
}

/* The message gathered from its records. */
typedef struct gathered {
    char octets[SP_CLIENT_HELLO_MAX];
    size_t len;
    size_t expected; /* with its header; 0: not known yet */
} gathered_t;

static sp_hello_status_t check_record(sp_str_t input, size_t at)
{
    if (octet_at(input, at) != TYPE_HANDSHAKE ||
        (input.len > at + 1 && octet_at(input, at + 1) != MAJOR_VERSION)) {
        return at == 0 ? SP_HELLO_NOT_TLS : SP_HELLO_BROKEN;
    }
    if (input.len < at + RECORD_HEADER) {
        return SP_HELLO_MORE;
    }
    if (number_at(input, at + 3, 2) == 0 || number_at(input, at + 3, 2) > RECORD_MAX) {
        return SP_HELLO_BROKEN;
    }
    return SP_HELLO_COMPLETE;
}

/* Adds what the record holds of the message; what may follow in it is none of ours. */
static sp_hello_status_t add_fragment(gathered_t *gathered, sp_str_t fragment)
{
    size_t room = sizeof(gathered->octets) - gathered->len;
    size_t len = fragment.len < room ? fragment.len : room;

    memcpy(gathered->octets + gathered->len, fragment.ptr, len);
    gathered->len += len;
    if (gathered->len >= 1 && gathered->octets[0] != MESSAGE_CLIENT_HELLO) {
        return SP_HELLO_BROKEN;
    }
    if (gathered->len >= MESSAGE_HEADER) {
        sp_str_t message = {.ptr = gathered->octets, .len = gathered->len};

        gathered->expected = MESSAGE_HEADER + number_at(message, 1, 3);
        if (gathered->expected > sizeof(gathered->octets)) {
            return SP_HELLO_TOO_LONG;
        }
    }
    return SP_HELLO_COMPLETE;
}

static bool is_whole(const gathered_t *gathered)
{
    return gathered->expected != 0 && gathered->len >= gathered->expected;
}

/* The records of the message, as far as they have arrived. *ret_need: octets of input that it takes
 * to get further. */
static sp_hello_status_t gather(sp_str_t input, gathered_t *gathered, size_t *ret_need)
{
    size_t at = 0;

    while (!is_whole(gathered)) {
        sp_hello_status_t status = SP_HELLO_MORE;
        size_t end = 0;

        *ret_need = at + RECORD_HEADER;
        if (*ret_need > SP_CLIENT_HELLO_INPUT_MAX) {
            return SP_HELLO_TOO_LONG;
        }
        if (at < input.len) {
            status = check_record(input, at);
        }
        if (status != SP_HELLO_COMPLETE) {
            return status;
        }
        end = at + RECORD_HEADER + number_at(input, at + 3, 2);
        if (end > SP_CLIENT_HELLO_INPUT_MAX) {
            return SP_HELLO_TOO_LONG;
        }
        status = add_fragment(gathered, sp_str_slice(input, at + RECORD_HEADER, end));
        if (status != SP_HELLO_COMPLETE) {
            return status;
        }
        if (end > input.len) {
            *ret_need = end;
            return is_whole(gathered) ? SP_HELLO_COMPLETE : SP_HELLO_MORE;
        }
        at = end;
    }
    return SP_HELLO_COMPLETE;
}

sp_hello_status_t sp_client_hello_read(sp_str_t input, sp_client_hello_t *ret_hello)
{
    gathered_t gathered;
    sp_client_hello_t hello = {.need = 0};
    sp_hello_status_t status = SP_HELLO_COMPLETE;

    gathered.len = 0;
    gathered.expected = 0;
    status = gather(input, &gathered, &hello.need);
    if (status == SP_HELLO_MORE) {
        ret_hello->need = hello.need;
    }
    if (status != SP_HELLO_COMPLETE) {
        return status;
    }
    if (!read_message((sp_str_t){.ptr = gathered.octets + MESSAGE_HEADER,
                                 .len = gathered.expected - MESSAGE_HEADER},
                      &hello)) {
        return SP_HELLO_BROKEN;
    }
    *ret_hello = hello;
    return SP_HELLO_COMPLETE;
}
