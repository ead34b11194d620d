/* SPDX-License-Identifier: Apache-2.0 */

/* The first octets of a TLS connection. However they are cut: it says how much is missing and keeps
 * its word, and the whole reads the same as its beginning promised. */

#include <signpost/base/str.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tls/client_hello.h"
#include "tls/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* In memory of its own, so that a sanitizer sees each octet too far. */
static sp_hello_status_t read_copy(const uint8_t *data, size_t size, sp_client_hello_t *hello)
{
    char *copy = malloc(size == 0 ? 1 : size);
    sp_hello_status_t status = SP_HELLO_MORE;

    require(copy != NULL);
    if (size != 0) {
        memcpy(copy, data, size);
    }
    status = sp_client_hello_read((sp_str_t){.ptr = copy, .len = size}, hello);
    free(copy);
    return status;
}

static void judge_name(const sp_client_hello_t *hello)
{
    char memory[SP_TLS_NAME_MAX];
    sp_str_t name;

    require(hello->name_len <= SP_CLIENT_HELLO_NAME_MAX);
    if (!sp_tls_name_read((sp_str_t){.ptr = hello->name, .len = hello->name_len}, memory, &name)) {
        return;
    }
    require(name.len != 0 && name.len <= SP_TLS_NAME_MAX && name.ptr[0] != '.');
    require(sp_str_find(name, '/') == name.len);
    require(sp_str_search(name, SP_STR("..")) == name.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_client_hello_t hello = {.need = 0};
    sp_hello_status_t status = read_copy(data, size, &hello);

    if (status == SP_HELLO_MORE) {
        require(hello.need > size && hello.need <= SP_CLIENT_HELLO_INPUT_MAX);
    }
    if (status == SP_HELLO_COMPLETE) {
        sp_client_hello_t part = {.need = 0};
        sp_hello_status_t before = read_copy(data, size / 2, &part);

        judge_name(&hello);
        require(before == SP_HELLO_MORE || before == SP_HELLO_COMPLETE);
        require(before == SP_HELLO_MORE || part.name_len == hello.name_len);
    }
    return 0;
}
