/* SPDX-License-Identifier: Apache-2.0 */

/* A host with or without port, of a request and of a target: what is accepted is well-formed, and
 * is accepted again as it is written. */

#include <arpa/inet.h>
#include <signpost/rule/location.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_name(sp_str_t name)
{
    require(name.len != 0 && name.len <= SP_NAME_MAX);
    for (sp_str_t rest = name; rest.ptr != NULL;) {
        sp_str_t label = sp_str_cut(rest, '.', &rest);

        require(sp_label_is_valid(label));
        for (size_t i = 0; i != label.len; ++i) {
            require(label.ptr[i] == sp_to_lower(label.ptr[i]));
        }
    }
}

static void check_host(sp_str_t text, sp_arena_t *arena)
{
    sp_host_t host;
    sp_host_t again;
    sp_error_t err = {.message = ""};
    sp_buf_t written;

    if (sp_host_read(text, arena, &host, &err) != SP_OK) {
        require(err.message[0] != '\0' && err.offset <= text.len);
        return;
    }
    if (host.name.ptr[0] == '[') {
        require(host.is_address && sp_ipv6_is_valid(sp_str_slice(host.name, 1, host.name.len - 1)));
    } else {
        check_name(host.name);
    }
    require(host.port.len == 0 || sp_port_is_valid(host.port));
    sp_buf_init(&written, arena, SIZE_MAX / 2);
    sp_buf_append(&written, host.name);
    sp_buf_append(&written, host.port.len == 0 ? SP_STR("") : SP_STR(":"));
    sp_buf_append(&written, host.port);
    require(sp_host_read(sp_buf_str(&written), arena, &again, NULL) == SP_OK);
    require(sp_str_eq(host.name, again.name) && sp_str_eq(host.port, again.port));
    require(host.is_address == again.is_address);
}

static void check_authority(sp_str_t text, sp_arena_t *arena)
{
    sp_str_t authority;
    sp_str_t again;
    sp_host_t host;
    sp_host_t host_again;
    sp_error_t err = {.message = ""};

    if (sp_authority_read(text, arena, &authority, &host, &err) != SP_OK) {
        require(err.message[0] != '\0');
        return;
    }
    for (size_t i = 0; i != authority.len; ++i) {
        require(authority.ptr[i] > 0x20 && authority.ptr[i] < 0x7f);
        require(strchr("\"<>\\^`{|}", authority.ptr[i]) == NULL);
    }
    require(sp_authority_read(authority, arena, &again, &host_again, NULL) == SP_OK);
    require(sp_str_eq(authority, again) && sp_str_eq(host.name, host_again.name));
}

/* The system's own reader of addresses has the last word. */
static void check_ipv6(sp_str_t text)
{
    char copy[64];
    struct in6_addr address;

    if (text.len < sizeof(copy) && memchr(text.ptr, '\0', text.len) == NULL) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
        require(sp_ipv6_is_valid(text) == (inet_pton(AF_INET6, copy, &address) == 1));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    sp_arena_t arena;

    if (size == 0) {
        return 0;
    }
    sp_arena_init(&arena, NULL, 0, 4096);
    check_host(text, &arena);
    check_authority(text, &arena);
    check_ipv6(text);
    sp_arena_clear(&arena);
    return 0;
}
