/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/outlook.h"

#include <signpost/rule/hostname.h>
#include <stdio.h>

#include "tls/folder.h"

#define LOOP_WAIT_MS 1000 /* the longest that the loop sleeps; answers wake it */
#define TIME_MAX 32
#define FOLDER_MAX (SP_NAME_MAX + 16)

static void on_done(void *arg)
{
    (void)arg; /* whoever turns the loop sees it */
}

sp_status_t sp_outlook_run(sp_str_t name, const sp_outlook_with_t *with, sp_arena_t *arena,
                           sp_permission_t *permission, sp_error_t *err)
{
    h2o_loop_t *loop = h2o_evloop_create();
    sp_permission_with_t inner = {.settings = with->settings,
                                  .policy = with->alone.policy,
                                  .storage = with->storage,
                                  .timeout_ms = with->alone.timeout_ms};
    sp_status_t status = SP_NO_MEMORY;

    *permission = (sp_permission_t){.is_done = false};
    if (loop == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    status = sp_lookups_create(loop, with->alone.dns, with->alone.zones, NULL, &inner.lookups, err);
    if (status == SP_OK) {
        status = sp_caa_client_create(loop, with->alone.dns, with->alone.zones, &inner.caa, err);
    }
    if (status == SP_OK) {
        sp_permission_start(name, &inner, arena, on_done, NULL, permission);
    }
    while (status == SP_OK && !permission->is_done) {
        (void)h2o_evloop_run(loop, LOOP_WAIT_MS);
    }
    sp_permission_clear(permission);
    sp_caa_client_destroy(inner.caa);
    sp_lookups_destroy(inner.lookups);
    /* What they had on the loop is closed from the loop itself. */
    (void)h2o_evloop_run(loop, 0);
    h2o_evloop_destroy(loop);
    return status;
}

static sp_inventory_item_t look(const sp_outlook_places_t *places,
                                const sp_permission_t *permission)
{
    sp_inventory_item_t item = {.state = SP_INVENTORY_ABSENT};

    if (places->storage != NULL && permission->permit != SP_PERMIT_BAD_NAME) {
        sp_inventory_look(places->storage, permission->name, time(NULL), &item);
    }
    return item;
}

/* The end of a valid certificate in a folder of tls.certificates; 0: there is none. */
static time_t look_into(const char *certificates, sp_str_t name, const char *folder)
{
    sp_certificate_t *certificate = NULL;
    uint64_t mark = 0;
    time_t end = 0;

    if (sp_tls_folder_read(certificates, sp_str_from(folder), &mark, &certificate, NULL) != SP_OK) {
        return 0;
    }
    if (sp_certificate_covers(certificate, name) &&
        sp_certificate_is_valid_at(certificate, time(NULL))) {
        end = sp_certificate_not_after(certificate);
    }
    sp_certificate_release(certificate);
    return end;
}

/* The same for all folders that may hold one for `name` (tls/store.h). */
static time_t find_given(const sp_outlook_places_t *places, const sp_permission_t *permission)
{
    static const char *const wildcards[] = {"*", "_", "_wildcard"};
    sp_str_t name = permission->name;
    sp_str_t parent = sp_str_skip(name, sp_str_find(name, '.'));
    char folder[FOLDER_MAX];
    time_t end = 0;

    if (places->certificates == NULL || permission->permit == SP_PERMIT_BAD_NAME) {
        return 0;
    }
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)name.len, name.ptr);
    end = look_into(places->certificates, name, folder);
    for (size_t i = 0; end == 0 && i != SP_COUNT(wildcards); ++i) {
        (void)snprintf(folder, sizeof(folder), "%s%.*s", wildcards[i], (int)parent.len, parent.ptr);
        end = look_into(places->certificates, name, folder);
    }
    return end;
}

static const char *print_time(time_t time, char out[TIME_MAX])
{
    struct tm parts;

    if (gmtime_r(&time, &parts) == NULL ||
        strftime(out, TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        out[0] = '\0';
    }
    return out;
}

static const char *describe(const sp_inventory_item_t *item)
{
    switch (item->state) {
    case SP_INVENTORY_VALID:
    case SP_INVENTORY_DUE:
        return "valid";
    case SP_INVENTORY_EXPIRED:
        return "expired";
    case SP_INVENTORY_FAULTY:
        return "there is one that can't be used";
    case SP_INVENTORY_ABSENT:
        return "none yet";
    }
    return "none yet";
}

void sp_outlook_print(const sp_outlook_places_t *places, const sp_permission_t *permission,
                      char text[SP_OUTLOOK_TEXT_MAX])
{
    sp_inventory_item_t item = look(places, permission);
    time_t given = find_given(places, permission);
    bool is_valid = item.state == SP_INVENTORY_VALID || item.state == SP_INVENTORY_DUE;
    bool is_granted = permission->permit == SP_PERMIT_GRANTED;
    char until[TIME_MAX];
    char due[TIME_MAX];

    if (given != 0) {
        (void)snprintf(text, SP_OUTLOOK_TEXT_MAX, "in tls.certificates, valid until %s",
                       print_time(given, until));
    } else if (is_valid) {
        (void)snprintf(text, SP_OUTLOOK_TEXT_MAX, "valid until %s, and %s from %s on: %s",
                       print_time(item.not_after, until),
                       is_granted ? "to be renewed" : "would not be renewed",
                       print_time(item.due, due), permission->reason);
    } else {
        (void)snprintf(text, SP_OUTLOOK_TEXT_MAX, "%s; %s: %s%s", describe(&item),
                       is_granted ? "one would be got" : "none would be got", permission->reason,
                       places->storage == NULL
                           ? " (as far as is known: the storage can't be read from here)"
                           : "");
    }
}

json_t *sp_outlook_json(const sp_outlook_places_t *places, const sp_permission_t *permission)
{
    sp_inventory_item_t item = look(places, permission);
    time_t given = find_given(places, permission);
    json_t *object = json_pack("{sssbssss}", "stored", sp_inventory_state_name(item.state),
                               "granted", permission->permit == SP_PERMIT_GRANTED, "code",
                               sp_permit_name(permission->permit), "reason", permission->reason);
    char text[TIME_MAX];

    if (given != 0) {
        (void)json_object_set_new(object, "given_until", json_string(print_time(given, text)));
    }
    if (item.not_after != 0) {
        (void)json_object_set_new(object, "not_after",
                                  json_string(print_time(item.not_after, text)));
        (void)json_object_set_new(object, "renewal", json_string(print_time(item.due, text)));
    }
    return object;
}
