/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/order.h"

#include <stdio.h>
#include <time.h>

#include "acme/account.h"
#include "acme/client.h"
#include "acme/inventory.h"
#include "acme/key_request.h"
#include "acme/ledger.h"

#define LOCKS SP_STORAGE_STATE "/locks/"
#define ACCOUNT_LOCK SP_STORAGE_STATE "/locks/.account"
#define LOOK_MS 100 /* between looks at a lock that somebody has */
#define END_MS 5    /* between looks at a client that has closed its output */
#define LOCK_PATIENCE_MS 120000
#define LIMITED_S ((uint64_t)3600) /* the authority has had enough of us */
#define ARENA_CHUNK 16384
#define REPEATS_MAX 5
#define PATH_MAX_LEN (2 * SP_STORAGE_PATH_MAX)

bool sp_order_is_running(const sp_order_t *order)
{
    return order->state == SP_ORDER_LOCKING || order->state == SP_ORDER_ACCOUNT ||
           order->state == SP_ORDER_REGISTERING || order->state == SP_ORDER_ORDERING;
}

/* --- Ends --- */

static void end(sp_order_t *order, sp_order_result_t result, const char *why)
{
    order->state = SP_ORDER_ENDED;
    order->result = result;
    (void)snprintf(order->why, sizeof(order->why), "%s", why);
    sp_make_printable(order->why);
}

/* The authority, or the way to it, is at fault: the name waits before it is tried again. */
static void fail(sp_order_t *order, sp_str_t why, uint64_t least_s)
{
    char text[SP_PERMISSION_REASON_MAX];

    (void)snprintf(text, sizeof(text), "%.*s", (int)why.len, why.ptr);
    sp_ledger_fail(order->storage, order->name, (uint64_t)time(NULL), least_s, sp_str_from(text));
    end(order, SP_ORDER_FAILED, text);
}

static void succeed(sp_order_t *order)
{
    sp_ledger_clear(order->storage, order->name);
    end(order, SP_ORDER_ISSUED, "");
}

/* --- The client --- */

static void run_client(sp_order_t *order, const char *const *words, sp_order_state_t state,
                       uint64_t now_ms)
{
    char program[SP_ACME_CLIENT_FILE_MAX];
    char work[PATH_MAX_LEN];
    char config[PATH_MAX_LEN];
    char result[PATH_MAX_LEN];
    char request[PATH_MAX_LEN];
    char key[PATH_MAX_LEN];
    const char *arguments[] = {program,  "--config", config, "--privkey", key,
                               words[0], words[1],   NULL,   NULL};
    sp_child_command_t command = {.arguments = arguments,
                                  .path = sp_acme_client_search_path(),
                                  .home = work,
                                  .result = result,
                                  .lock = order->lock != -1 ? order->lock : order->account_lock};
    sp_error_t err = {.status = SP_OK};
    const char *root = sp_storage_path(order->storage);

    (void)snprintf(work, sizeof(work), "%s/" SP_ORDER_FOLDER "%.*s", root, (int)order->name.len,
                   order->name.ptr);
    (void)snprintf(config, sizeof(config), "%.*s/config", SP_STORAGE_PATH_MAX, work);
    (void)snprintf(result, sizeof(result), "%.*s/output", SP_STORAGE_PATH_MAX, work);
    (void)snprintf(request, sizeof(request), "%.*s/request.pem", SP_STORAGE_PATH_MAX, work);
    if (state == SP_ORDER_ORDERING) {
        arguments[7] = request;
    }
    (void)snprintf(key, sizeof(key), "%s/%.*s", root, SP_STORAGE_PATH_MAX - 2,
                   sp_acme_account_key(order->view.settings).text);
    if (!sp_acme_client_find(program)) {
        fail(order, SP_STR("the ACME client is not installed: install " SP_ACME_CLIENT), 0);
        return;
    }
    if (sp_child_start(&command, &order->child, &err) != SP_OK) {
        fail(order, sp_str_from(err.message), 0);
        return;
    }
    order->has_sent_all = false;
    order->state = state;
    order->deadline_ms = now_ms + SP_ORDER_MS;
}

static void begin_registering(sp_order_t *order, uint64_t now_ms)
{
    static const char *const words[] = {"--register", "--accept-terms"};

    run_client(order, words, SP_ORDER_REGISTERING, now_ms);
}

/* False when it has ended. */
static bool spend(sp_order_t *order)
{
    const sp_acme_settings_t *settings = order->view.settings;
    const sp_budget_t budget = {settings->per_domain_per_week, settings->per_hour};
    uint64_t now_s = (uint64_t)time(NULL);
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    if (order->kind == SP_ORDER_DEMAND && !order->has_spent) {
        status = sp_ledger_spend(order->storage, &budget, order->name, now_s, &err);
        order->has_spent = status == SP_OK;
        order->spent_s = status == SP_OK ? now_s : 0;
    }
    if (status != SP_OK) {
        order->permission.permit = SP_PERMIT_HOUR_BUDGET;
        end(order, status == SP_TOO_LONG ? SP_ORDER_REFUSED : SP_ORDER_FAILED, err.message);
    }
    return status == SP_OK;
}

/* The authority has certainly not heard of it. */
static void take_back(sp_order_t *order)
{
    if (order->spent_s != 0) {
        sp_ledger_take_back(order->storage, order->name, order->spent_s);
        order->has_spent = false;
        order->spent_s = 0;
    }
}

static void begin_ordering(sp_order_t *order, uint64_t now_ms)
{
    static const char *const words[] = {"--no-lock", "--signcsr"};

    if (spend(order)) {
        run_client(order, words, SP_ORDER_ORDERING, now_ms);
        if (order->state == SP_ORDER_ENDED) {
            take_back(order);
        }
    }
}

static void release_account(sp_order_t *order)
{
    if (order->account_lock != -1) {
        sp_storage_unlock(order->storage, ACCOUNT_LOCK, order->account_lock);
        order->account_lock = -1;
    }
}

static void go_on_registered(sp_order_t *order, uint64_t now_ms)
{
    if (order->kind == SP_ORDER_REGISTRATION) {
        succeed(order);
    } else {
        begin_ordering(order, now_ms);
    }
}

static void register_account(sp_order_t *order, uint64_t now_ms)
{
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    sp_acme_account_drop(order->storage, order->view.settings);
    if (order->kind == SP_ORDER_REGISTRATION) {
        status = sp_order_prepare(order, &err); /* others have done so */
    }
    if (status == SP_OK) {
        status = sp_acme_account_prepare(order->storage, order->view.settings, &err);
    }
    if (status == SP_OK) {
        begin_registering(order, now_ms);
    } else {
        fail(order, sp_str_from(err.message), 0);
    }
}

/* One order registers, the others wait for it. */
static void see_to_account(sp_order_t *order, uint64_t now_ms)
{
    sp_status_t status = SP_OK;

    order->state = SP_ORDER_ACCOUNT;
    if (sp_acme_account_is_registered(order->storage, order->view.settings)) {
        go_on_registered(order, now_ms);
        return;
    }
    status = sp_storage_lock(order->storage, ACCOUNT_LOCK, false, &order->account_lock);
    if (status == SP_IO || (status != SP_OK && now_ms >= order->deadline_ms)) {
        fail(order, SP_STR("the account can't be locked"), 0);
    } else if (status != SP_OK) {
        order->look_ms = now_ms + LOOK_MS;
    } else if (sp_acme_account_is_registered(order->storage, order->view.settings)) {
        release_account(order);
        go_on_registered(order, now_ms);
    } else {
        register_account(order, now_ms);
    }
}

static bool must_repeat(sp_order_t *order)
{
    return !sp_child_succeeded(&order->child) &&
           sp_acme_client_is_to_repeat(sp_child_output(&order->child)) &&
           order->repeats++ < REPEATS_MAX;
}

static void take_registration(sp_order_t *order, uint64_t now_ms)
{
    sp_error_t err = {.status = SP_OK};
    bool done = sp_child_succeeded(&order->child) &&
                sp_acme_account_note(order->storage, order->view.settings, &err) == SP_OK;

    if (!done && must_repeat(order)) {
        begin_registering(order, now_ms);
        return;
    }
    if (order->kind != SP_ORDER_REGISTRATION) {
        release_account(order); /* it holds its folder by the lock, too */
    }
    if (done) {
        go_on_registered(order, now_ms);
    } else {
        fail(order,
             err.status == SP_OK ? sp_acme_client_fault(sp_child_output(&order->child))
                                 : sp_str_from(err.message),
             0);
    }
}

static void take_order(sp_order_t *order, uint64_t now_ms)
{
    sp_str_t output = sp_child_output(&order->child);
    sp_error_t err = {.status = SP_OK};

    if (!sp_child_succeeded(&order->child) &&
        sp_acme_client_lacks_directory(output, order->view.settings->directory)) {
        take_back(order);
    }
    order->spent_s = 0;
    if (must_repeat(order)) {
        begin_ordering(order, now_ms);
        return;
    }
    if (!sp_child_succeeded(&order->child)) {
        if (sp_acme_client_lacks_account(output) && !order->has_registered_again) {
            order->has_registered_again = true;
            sp_acme_account_drop(order->storage, order->view.settings);
            see_to_account(order, now_ms);
            return;
        }
        fail(order, sp_acme_client_fault(output),
             sp_acme_client_is_limited(output) ? LIMITED_S : 0);
        return;
    }
    if (sp_order_take_result(order, &err) == SP_OK) {
        succeed(order);
    } else {
        fail(order,
             err.status == SP_OK ? SP_STR("the client left no certificate")
                                 : sp_str_from(err.message),
             0);
    }
}

static void watch_client(sp_order_t *order, uint64_t now_ms)
{
    order->has_sent_all = order->has_sent_all || !sp_child_read(&order->child);
    if (order->has_sent_all && sp_child_has_ended(&order->child)) {
        if (order->state == SP_ORDER_REGISTERING) {
            take_registration(order, now_ms);
        } else {
            take_order(order, now_ms);
        }
        return;
    }
    if (now_ms >= order->deadline_ms) {
        sp_child_clear(&order->child);
        fail(order, SP_STR("the authority did not finish within a minute"), 0);
        return;
    }
    order->look_ms = order->has_sent_all ? now_ms + END_MS : order->deadline_ms;
}

/* --- The beginning --- */

/* Has another process tried meanwhile, in vain? Then it has ended. */
static bool must_wait(sp_order_t *order)
{
    uint64_t now_s = (uint64_t)time(NULL);
    sp_backoff_t backoff;

    sp_ledger_backoff(order->storage, order->name, now_s, &backoff);
    if (order->kind == SP_ORDER_FORCED || !sp_backoff_holds(&backoff, now_s)) {
        return false;
    }
    order->permission.permit = SP_PERMIT_BACK_OFF;
    end(order, SP_ORDER_REFUSED, backoff.reason);
    return true;
}

static void begin(sp_order_t *order, uint64_t now_ms)
{
    sp_error_t err = {.status = SP_OK};

    if (sp_order_is_served(order)) {
        end(order, SP_ORDER_PRESENT, "");
    } else if (sp_order_take_result(order, NULL) == SP_OK) {
        succeed(order); /* of a process that ended before it could do this */
    } else if (!must_wait(order)) {
        if (sp_order_prepare(order, &err) == SP_OK) {
            see_to_account(order, now_ms);
        } else {
            fail(order, sp_str_from(err.message), 0);
        }
    }
}

static void take_lock(sp_order_t *order, uint64_t now_ms)
{
    sp_storage_name_t at = sp_storage_name(LOCKS, order->name, "");
    sp_status_t status = sp_storage_lock(order->storage, at.text, false, &order->lock);

    if (status == SP_OK) {
        order->deadline_ms = now_ms + LOCK_PATIENCE_MS;
        begin(order, now_ms);
    } else if (status == SP_IO) {
        end(order, SP_ORDER_FAILED, "the storage can't be locked");
    } else if (sp_order_is_served(order)) {
        end(order, SP_ORDER_PRESENT, "");
    } else if (now_ms >= order->deadline_ms) {
        end(order, SP_ORDER_FAILED, "another process has been at it for two minutes");
    } else {
        order->look_ms = now_ms + LOOK_MS;
    }
}

static void take_permission(sp_order_t *order, bool has_room)
{
    if (!order->is_permitted) {
        return;
    }
    if (order->permission.permit != SP_PERMIT_GRANTED) {
        end(order, SP_ORDER_REFUSED, order->permission.reason);
        return;
    }
    order->state = has_room ? SP_ORDER_LOCKING : SP_ORDER_QUEUED;
}

void sp_order_step(sp_order_t *order, uint64_t now_ms, bool has_room)
{
    order->look_ms = 0;
    if (order->state == SP_ORDER_ASKING || (order->state == SP_ORDER_QUEUED && has_room)) {
        take_permission(order, has_room);
        order->deadline_ms = now_ms + LOCK_PATIENCE_MS;
    }
    switch (order->state) {
    case SP_ORDER_ASKING:
    case SP_ORDER_QUEUED:
    case SP_ORDER_ENDED:
        break;
    case SP_ORDER_LOCKING:
        take_lock(order, now_ms);
        break;
    case SP_ORDER_ACCOUNT:
        see_to_account(order, now_ms);
        break;
    case SP_ORDER_REGISTERING:
    case SP_ORDER_ORDERING:
        watch_client(order, now_ms);
        break;
    }
}

void sp_order_clear(sp_order_t *order)
{
    sp_storage_name_t at = sp_storage_name(SP_ORDER_FOLDER, order->name, "");

    sp_permission_clear(&order->permission);
    sp_child_clear(&order->child);
    if (order->lock != -1 || order->account_lock != -1) {
        sp_storage_remove_folder(order->storage, at.text);
    }
    release_account(order);
    if (order->lock != -1) {
        at = sp_storage_name(LOCKS, order->name, "");
        sp_storage_unlock(order->storage, at.text, order->lock);
        order->lock = -1;
    }
    sp_arena_clear(&order->arena);
}
