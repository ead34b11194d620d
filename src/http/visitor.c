/* SPDX-License-Identifier: Apache-2.0 */
#include "http/visitor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

/* The last of a list's elements; *rest loses it. */
static sp_str_t take_last(sp_str_t *rest)
{
    size_t comma = sp_str_find_last(*rest, ',');
    bool is_only = comma == rest->len;
    sp_str_t element = is_only ? *rest : sp_str_skip(*rest, comma + 1);

    *rest = sp_str_slice(*rest, 0, is_only ? 0 : comma);
    return sp_str_trim(element);
}

/* The value of `for` in an element of Forwarded, without quotes. Addresses have none of the octets
 * that quoting is there for. */
static sp_str_t read_for(sp_str_t element)
{
    while (element.len != 0) {
        sp_str_t value = {.ptr = NULL, .len = 0};
        sp_str_t pair = sp_str_cut(element, ';', &element);
        sp_str_t name = sp_str_trim(sp_str_cut(pair, '=', &value));

        if (sp_str_eq_nocase(name, SP_STR("for"))) {
            value = sp_str_trim(value);
            return value.len >= 2 && value.ptr[0] == '"' ? sp_str_slice(value, 1, value.len - 1)
                                                         : value;
        }
    }
    return (sp_str_t){.ptr = "", .len = 0};
}

/* Without port and brackets; a bare IPv6 address stays. */
static sp_str_t strip_port(sp_str_t node)
{
    size_t colon = sp_str_find(node, ':');

    if (node.len != 0 && node.ptr[0] == '[') {
        return sp_str_slice(node, 1, sp_str_find(node, ']'));
    }
    return colon == sp_str_find_last(node, ':') ? sp_str_slice(node, 0, colon) : node;
}

static bool is_trusted(const sp_service_t *service, sp_str_t address)
{
    char text[INET6_ADDRSTRLEN] = "";
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

    if (service->trusts == NULL || address.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, address.ptr, address.len);
    if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
        return service->trusts(service->trusts_arg, (const struct sockaddr *)&in);
    }
    return inet_pton(AF_INET6, text, &in6.sin6_addr) == 1 &&
           service->trusts(service->trusts_arg, (const struct sockaddr *)&in6);
}

/* The visitor by the header fields of one name. Empty: there are none. */
static sp_str_t find_by(const sp_service_t *service, const sp_header_t *headers, size_t count,
                        sp_str_t name)
{
    sp_str_t address = {.ptr = "", .len = 0};

    for (size_t i = count; i-- != 0;) {
        sp_str_t rest = headers[i].value;

        while (sp_str_eq_nocase(headers[i].name, name) && rest.len != 0) {
            sp_str_t element = take_last(&rest);

            address = strip_port(name.len == SP_STR("Forwarded").len ? read_for(element) : element);
            if (!is_trusted(service, address)) {
                return address;
            }
        }
    }
    return address;
}

size_t sp_visitors_find(const sp_clients_t *clients, const sp_service_t *service,
                        const sp_header_t *headers, size_t header_count,
                        sp_client_t ret_visitors[SP_VISITORS_MAX])
{
    const sp_str_t names[SP_VISITORS_MAX] = {SP_STR("Forwarded"), SP_STR("X-Forwarded-For")};
    size_t found = 0;

    for (size_t i = 0; i != SP_VISITORS_MAX; ++i) {
        sp_client_t client =
            sp_client_named(clients, find_by(service, headers, header_count, names[i]));

        if (client.is_counted) {
            ret_visitors[found++] = client;
        }
    }
    return found;
}
