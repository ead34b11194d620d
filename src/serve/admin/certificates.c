/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "explain/json.h"
#include "serve/admin/endpoints.h"
#include "serve/admin/reply.h"

#define ITEMS_MAX 1000
#define NAMES_MAX 12 /* of one certificate: the whole stays below SP_REPLY_MAX */

static json_t *time_json(time_t moment)
{
    struct tm parts;
    char text[32];

    if (gmtime_r(&moment, &parts) == NULL ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        return json_null();
    }
    return json_string(text);
}

static json_t *names_json(const sp_certificate_t *certificate)
{
    json_t *names = json_array();

    for (size_t i = 0; i != NAMES_MAX && sp_certificate_name(certificate, i).len != 0; ++i) {
        (void)json_array_append_new(names, sp_json_str(sp_certificate_name(certificate, i)));
    }
    return names;
}

static json_t *keys_json(const sp_certificate_t *certificate)
{
    json_t *keys = json_array();

    for (size_t i = 0; i != sp_certificate_pair_count(certificate); ++i) {
        (void)json_array_append_new(keys, json_string(sp_certificate_key_type(certificate, i)));
    }
    return keys;
}

static void add_certificate(json_t *object, const sp_certificate_t *certificate)
{
    (void)json_object_set_new(object, "names", names_json(certificate));
    (void)json_object_set_new(object, "keys", keys_json(certificate));
    (void)json_object_set_new(object, "issuer",
                              sp_json_str(sp_str_from(sp_certificate_issuer(certificate))));
    (void)json_object_set_new(object, "not_before",
                              time_json(sp_certificate_not_before(certificate)));
    (void)json_object_set_new(object, "not_after",
                              time_json(sp_certificate_not_after(certificate)));
}

/* The name that a client asked for; null: it named none. */
static void add_item(void *arg, const sp_tls_item_t *item)
{
    json_t *object = json_object();

    (void)json_object_set_new(object, "name",
                              item->name.len == 0 ? json_null() : sp_json_str(item->name));
    (void)json_object_set_new(object, "state", json_string(sp_tls_state_name(item->state)));
    if (item->why[0] != '\0') {
        (void)json_object_set_new(object, "why", sp_json_str(sp_str_from(item->why)));
    }
    if (item->source[0] != '\0') {
        (void)json_object_set_new(object, "source", sp_json_str(sp_str_from(item->source)));
    }
    if (item->certificate != NULL) {
        add_certificate(object, item->certificate);
    }
    (void)json_array_append_new(arg, object);
}

void sp_admin_certificates(sp_admin_t *admin, sp_call_t *call)
{
    const sp_certificates_t *certificates = sp_board_certificates(admin->board);
    time_t now = time(NULL);
    sp_tls_figures_t figures = {.bytes = 0};
    json_t *list = json_array();

    if (certificates != NULL) {
        sp_tls_store_count(sp_certificates_store(certificates), now, &figures);
        sp_tls_store_list(sp_certificates_store(certificates), now, ITEMS_MAX, add_item, list);
    }
    sp_reply_json_own(call, 200,
                      json_pack("{sb,sI,sI,sI,so}", "tls", certificates != NULL, "names",
                                (json_int_t)figures.names, "bytes", (json_int_t)figures.bytes,
                                "shown", (json_int_t)json_array_size(list), "certificates", list));
}
