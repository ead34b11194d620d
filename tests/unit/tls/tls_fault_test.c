/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "support/failing_alloc.h"
#include "tls/folder.h"
#include "tls/policy.h"
#include "tls/store.h"
#include "unit/tls/maker.h"

static char root[MAKER_ROOT_MAX];

static void make_root(void)
{
    maker_create_root(root);
    maker_add(root, "a.example", "a.example");
}

static void remove_root(void)
{
    maker_remove(root);
}

TestSuite(tls_fault, .init = make_root, .fini = remove_root);

/* `work` for each allocation that fails, until none does: then it must have gone well. */
static void sweep(bool (*work)(void))
{
    bool failed = true;
    size_t refused = 0;

    for (size_t n = 1; failed; ++n) {
        bool is_good = false;

        cr_assert_lt(n, 1000, "the sweep ends");
        sp_alloc_fail_at(n);
        is_good = work();
        failed = sp_alloc_stop();
        refused += is_good ? 0 : 1;
        cr_assert(is_good || failed, "allocation %zu", n);
    }
    cr_expect_gt(refused, 0, "some failure shows");
}

static bool read_folder(void)
{
    uint64_t mark = 0;
    sp_certificate_t *certificate = NULL;
    sp_error_t err = {0};
    sp_status_t status = sp_tls_folder_read(root, SP_STR("a.example"), &mark, &certificate, &err);

    cr_expect(status == SP_OK || status == SP_NO_MEMORY, "%s", err.message);
    cr_expect_eq(status == SP_OK, certificate != NULL);
    sp_certificate_release(certificate);
    return status == SP_OK;
}

Test(tls_fault, a_folder_is_read_or_not)
{
    sweep(read_folder);
}

static void on_done(sp_tls_wait_t *wait, sp_certificate_t *certificate)
{
    (void)wait;
    sp_certificate_release(certificate);
}

/* Creates, looks, leaves: whatever the store's thread has got to by then. */
static bool use_store(void)
{
    sp_tls_store_options_t options = {.folders = {root, NULL}, .fallback = "a.example"};
    sp_tls_wait_t wait = {.on_done = on_done};
    sp_tls_store_t *store = NULL;
    sp_tls_inbox_t *inbox = NULL;
    sp_certificate_t *certificate = NULL;
    bool is_good = false;

    if (sp_tls_store_create(&options, &store, NULL) != SP_OK) {
        return false;
    }
    if (sp_tls_inbox_create(store, &inbox) == SP_OK) {
        is_good =
            sp_tls_store_find(inbox, SP_STR("a.example"), 0, &wait, &certificate) == SP_TLS_WAITING;
    }
    if (is_good) {
        sp_certificate_release(sp_tls_store_cancel(&wait));
        is_good = sp_tls_store_reload(store, &options) == SP_OK;
    }
    sp_tls_inbox_destroy(inbox);
    sp_tls_store_destroy(store);
    return is_good;
}

Test(tls_fault, a_store_comes_and_goes)
{
    sweep(use_store);
}

static sp_tls_offer_t *offer_nothing(SSL *ssl)
{
    (void)ssl;
    return NULL;
}

static bool create_policy(void)
{
    sp_tls_policy_t *policy = NULL;
    sp_error_t err = {0};
    sp_status_t status = sp_tls_policy_create(offer_nothing, &policy, &err);

    cr_expect_eq(status == SP_OK, policy != NULL);
    sp_tls_policy_destroy(policy);
    return status == SP_OK;
}

Test(tls_fault, a_policy_is_made_or_not)
{
    sweep(create_policy);
}
