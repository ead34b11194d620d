/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/order.h"

#include <stdio.h>
#include <time.h>

#include "acme/client.h"
#include "acme/inventory.h"
#include "acme/key_request.h"

#define ARENA_CHUNK 16384
#define PATH_MAX_LEN (2 * SP_STORAGE_PATH_MAX)

bool sp_order_is_served(const sp_order_t *order)
{
    sp_inventory_item_t item;

    if (order->kind == SP_ORDER_FORCED) {
        return false;
    }
    sp_inventory_look(order->storage, order->name, time(NULL), &item);
    return item.state == SP_INVENTORY_VALID ||
           (item.state == SP_INVENTORY_DUE && order->kind == SP_ORDER_DEMAND);
}

sp_status_t sp_order_take_result(const sp_order_t *order, sp_error_t *err)
{
    sp_storage_name_t at = sp_storage_name(SP_ORDER_FOLDER, order->name, "/privkey.pem");
    sp_arena_t arena;
    sp_buf_t chain;
    sp_str_t key = {0};
    sp_str_t output = {0};
    sp_inventory_item_t item;
    sp_status_t status = SP_OK;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    sp_buf_init(&chain, &arena, SP_STORAGE_FILE_MAX);
    status = sp_storage_read(order->storage, at.text, &arena, &key);
    if (status == SP_OK) {
        at = sp_storage_name(SP_ORDER_FOLDER, order->name, "/output");
        status = sp_storage_read(order->storage, at.text, &arena, &output);
    }
    if (status == SP_OK) {
        sp_acme_client_chain(output, &chain);
        status = chain.status;
    }
    if (status == SP_OK) {
        sp_inventory_judge(order->name, sp_buf_str(&chain), key, time(NULL), &item);
        status =
            item.state == SP_INVENTORY_VALID
                ? sp_storage_install(order->storage, order->name, sp_buf_str(&chain), key, err)
                : sp_fail(err, SP_BAD_VALUE, 0, "what the authority sent can't be used: %s",
                          item.state == SP_INVENTORY_FAULTY ? item.fault : "it is not valid now");
    }
    sp_arena_clear(&arena);
    return status;
}

static sp_status_t write_files(const sp_order_t *order, const sp_key_request_t *request,
                               sp_str_t config, sp_error_t *err)
{
    const struct {
        const char *suffix;
        sp_str_t text;
    } files[] = {
        {"/privkey.pem", request->key}, {"/request.pem", request->request}, {"/config", config}};
    sp_status_t status = SP_OK;

    for (size_t i = 0; status == SP_OK && i != SP_COUNT(files); ++i) {
        sp_storage_name_t at = sp_storage_name(SP_ORDER_FOLDER, order->name, files[i].suffix);

        status = sp_storage_write(order->storage, at.text, files[i].text, err);
    }
    return status;
}

sp_status_t sp_order_prepare(const sp_order_t *order, sp_error_t *err)
{
    sp_storage_name_t at = sp_storage_name(SP_ORDER_FOLDER, order->name, "");
    const char *root = sp_storage_path(order->storage);
    char work[PATH_MAX_LEN];
    sp_arena_t arena;
    sp_buf_t config;
    sp_key_request_t request = {.key = SP_STR("")};
    sp_status_t status = sp_storage_empty_folder(order->storage, at.text, err);

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    sp_buf_init(&config, &arena, SP_STORAGE_FILE_MAX);
    if (status == SP_OK) {
        status = sp_key_request_create(order->name, &arena, &request);
    }
    if (status == SP_OK) {
        (void)snprintf(work, sizeof(work), "%s/%.*s", root, SP_STORAGE_PATH_MAX - 2, at.text);
        sp_acme_client_config(order->view.settings, root, work, &config);
        status = config.status;
    }
    if (status == SP_OK) {
        status = write_files(order, &request, sp_buf_str(&config), err);
    } else if (err->status == SP_OK) {
        (void)sp_fail(err, status, 0, "out of memory");
    }
    sp_arena_clear(&arena);
    return status;
}
