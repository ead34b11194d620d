/* SPDX-License-Identifier: Apache-2.0 */

/* What a proxy says ahead of a connection. However it is cut: it is the same header, or it is
 * waited for; nothing behind it matters. */

#include <signpost/base/str.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "http/proxy_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* In memory of its own, so that a sanitizer sees each octet too far. */
static sp_proxy_status_t read_copy(const uint8_t *data, size_t size, sp_proxy_header_t *header)
{
    char *copy = malloc(size == 0 ? 1 : size);
    sp_proxy_status_t status = SP_PROXY_MORE;

    require(copy != NULL);
    if (size != 0) {
        memcpy(copy, data, size);
    }
    status = sp_proxy_header_read((sp_str_t){.ptr = copy, .len = size}, header);
    free(copy);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_proxy_header_t header = {.size = 0};
    sp_proxy_header_t again = {.size = 0};
    sp_proxy_status_t status = read_copy(data, size, &header);

    if (status == SP_PROXY_MORE) {
        require(size < SP_PROXY_HEADER_MAX);
    }
    if (status == SP_PROXY_COMPLETE) {
        require(header.size != 0 && header.size <= size && header.size <= SP_PROXY_HEADER_MAX);
        require(header.source_len <= sizeof(header.source));
        require(read_copy(data, header.size, &again) == SP_PROXY_COMPLETE);
        require(again.size == header.size && again.source_len == header.source_len);
        require(memcmp(&again.source, &header.source, header.source_len) == 0);
        require(read_copy(data, header.size - 1, &again) == SP_PROXY_MORE);
    }
    return 0;
}
