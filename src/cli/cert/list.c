/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "acme/inventory.h"
#include "acme/ledger.h"
#include "cli/cert/cert.h"
#include "explain/json.h"
#include "tls/name.h"

#define TIME_MAX 32
#define ARENA_CHUNK 65536

/* Names, sorted. */
typedef struct names {
    sp_arena_t arena;
    sp_str_t *list;
    size_t count;
    size_t capacity;
} names_t;

static int compare(const void *a, const void *b)
{
    return sp_str_compare(*(const sp_str_t *)a, *(const sp_str_t *)b);
}

static sp_status_t add(names_t *names, sp_str_t name)
{
    sp_str_t copy = sp_arena_copy(&names->arena, name);

    if (names->count == names->capacity) {
        size_t capacity = names->capacity == 0 ? 64 : 2 * names->capacity;
        sp_str_t *list = realloc(names->list, capacity * sizeof(*list));

        if (list == NULL) {
            return SP_NO_MEMORY;
        }
        names->list = list;
        names->capacity = capacity;
    }
    names->list[names->count++] = copy;
    return copy.ptr == NULL ? SP_NO_MEMORY : SP_OK;
}

/* Adds what lies in `at`. */
static sp_status_t collect(names_t *names, const sp_storage_t *storage, const char *at)
{
    sp_storage_walk_t *walk = sp_storage_walk_begin(storage, at);
    char text[256];
    char checked[SP_TLS_NAME_MAX];
    sp_str_t name;
    sp_status_t status = SP_OK;

    while (status == SP_OK && walk != NULL && sp_storage_walk_next(walk, text, &name)) {
        if (sp_tls_name_read(name, checked, &name)) {
            status = add(names, name);
        }
    }
    sp_storage_walk_end(walk);
    return status;
}

static const char *print_time(time_t time, char out[TIME_MAX])
{
    struct tm parts;

    if (time == 0 || gmtime_r(&time, &parts) == NULL ||
        strftime(out, TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        (void)snprintf(out, TIME_MAX, "-");
    }
    return out;
}

static void print_text(sp_str_t name, const sp_inventory_item_t *item, const sp_backoff_t *backoff)
{
    char until[TIME_MAX];
    char due[TIME_MAX];
    char next[TIME_MAX];

    (void)printf("%-8s  %-20s  %-20s  %.*s", sp_inventory_state_name(item->state),
                 print_time(item->not_after, until), print_time(item->due, due), (int)name.len,
                 name.ptr);
    if (item->fault[0] != '\0') {
        (void)printf(": %s", item->fault);
    }
    if (backoff->failures != 0) {
        (void)printf("\n          failed %u time%s, next try from %s on: %s", backoff->failures,
                     backoff->failures == 1 ? "" : "s", print_time((time_t)backoff->until_s, next),
                     backoff->reason);
    }
    (void)putchar('\n');
}

static json_t *item_json(sp_str_t name, const sp_inventory_item_t *item,
                         const sp_backoff_t *backoff)
{
    json_t *object = json_object();
    char text[TIME_MAX];

    (void)json_object_set_new(object, "name", sp_json_str(name));
    (void)json_object_set_new(object, "state", json_string(sp_inventory_state_name(item->state)));
    if (item->not_after != 0) {
        (void)json_object_set_new(object, "not_before",
                                  json_string(print_time(item->not_before, text)));
        (void)json_object_set_new(object, "not_after",
                                  json_string(print_time(item->not_after, text)));
        (void)json_object_set_new(object, "renewal", json_string(print_time(item->due, text)));
        (void)json_object_set_new(object, "issuer", sp_json_str(sp_str_from(item->issuer)));
    }
    if (item->fault[0] != '\0') {
        (void)json_object_set_new(object, "fault", sp_json_str(sp_str_from(item->fault)));
    }
    if (backoff->failures != 0) {
        (void)json_object_set_new(object, "failures", json_integer(backoff->failures));
        (void)json_object_set_new(object, "next_try",
                                  json_string(print_time((time_t)backoff->until_s, text)));
        (void)json_object_set_new(object, "last_failure",
                                  sp_json_str(sp_str_from(backoff->reason)));
    }
    return object;
}

/* One name; where `array` is NULL, as text. */
static void print(const sp_storage_t *storage, sp_str_t name, json_t *array)
{
    sp_inventory_item_t item;
    sp_backoff_t backoff;
    time_t now = time(NULL);

    sp_inventory_look(storage, name, now, &item);
    sp_ledger_backoff(storage, name, (uint64_t)now, &backoff);
    if (item.state == SP_INVENTORY_ABSENT && backoff.failures == 0) {
        return; /* a folder of something else */
    }
    if (array == NULL) {
        print_text(name, &item, &backoff);
    } else {
        (void)json_array_append_new(array, item_json(name, &item, &backoff));
    }
}

static sp_status_t print_all(const sp_storage_t *storage, const names_t *names, bool json)
{
    json_t *array = json ? json_array() : NULL;

    if (!json) {
        (void)printf("%-8s  %-20s  %-20s  %s\n", "STATE", "VALID UNTIL", "RENEWED FROM", "NAME");
    }
    for (size_t i = 0; i != names->count; ++i) {
        if (i == 0 || !sp_str_eq(names->list[i], names->list[i - 1])) {
            print(storage, names->list[i], array);
        }
    }
    return json ? sp_json_print(json_pack("{so}", "certificates", array), stdout) : SP_OK;
}

sp_status_t sp_cert_list(const sp_storage_t *storage, bool json)
{
    names_t names = {.count = 0};
    sp_status_t status = SP_OK;

    sp_arena_init(&names.arena, NULL, 0, ARENA_CHUNK);
    status = collect(&names, storage, ".");
    if (status == SP_OK) {
        status = collect(&names, storage, SP_STORAGE_STATE "/failures");
    }
    if (status == SP_OK) {
        if (names.count != 0) {
            qsort(names.list, names.count, sizeof(*names.list), compare);
        }
        status = print_all(storage, &names, json);
    }
    free(names.list);
    sp_arena_clear(&names.arena);
    return status;
}
