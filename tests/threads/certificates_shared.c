/* SPDX-License-Identifier: Apache-2.0 */

/* Workers look for certificates and give up waiting, while files change, an issuer answers, the
 * configuration is read again and an operator looks at all of it. */

#include <openssl/pem.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dns/lookup.h"
#include "tls/store.h"

#define WORKERS 3
#define FINDS 3000
#define NAMES 40
#define PATH_MAX_HERE 200
#define PATIENCE_MS 20000

typedef struct shared {
    char root[64];
    sp_tls_store_t *store;
    atomic_uint asked;
    atomic_int working;
} shared_t;

typedef struct looking {
    sp_tls_wait_t wait;
    bool is_done;
} looking_t;

static void require(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void write_pem(const char *root, const char *file, EVP_PKEY *key, X509 *certificate)
{
    char path[PATH_MAX_HERE];
    char fresh[PATH_MAX_HERE];
    FILE *stream = NULL;

    (void)snprintf(path, sizeof(path), "%s/n0.example/%s", root, file);
    (void)snprintf(fresh, sizeof(fresh), "%s/n0.example/.fresh", root);
    stream = fopen(fresh, "we");
    require(stream != NULL, "cannot write");
    require(certificate == NULL ? PEM_write_PrivateKey(stream, key, NULL, NULL, 0, NULL, NULL) == 1
                                : PEM_write_X509(stream, certificate) == 1,
            "cannot write PEM");
    require(fclose(stream) == 0 && rename(fresh, path) == 0, "cannot rename");
}

/* n0.example has a certificate, which changes each time. */
static void make_certificate(const char *root)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();

    require(key != NULL && certificate != NULL &&
                ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
                X509_gmtime_adj(X509_getm_notBefore(certificate), -60) != NULL &&
                X509_gmtime_adj(X509_getm_notAfter(certificate), 3600) != NULL &&
                X509_set_pubkey(certificate, key) == 1 &&
                X509_sign(certificate, key, EVP_sha256()) > 0,
            "cannot make a certificate");
    write_pem(root, "privkey.pem", key, NULL);
    write_pem(root, "fullchain.pem", NULL, certificate);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

/* Refuses some at once, some for who asks only; promises the others and takes it back by the main
 * thread. */
static sp_tls_want_t want(void *arg, sp_str_t name, const sp_tls_askers_t *askers,
                          const char **ret_why)
{
    shared_t *shared = arg;

    (void)name;
    require(askers->count != 0, "somebody must have asked");
    *ret_why = "not this one";
    switch (atomic_fetch_add(&shared->asked, 1) % 4) {
    case 1:
        return SP_TLS_WANT_REFUSED;
    case 3:
        return SP_TLS_WANT_LIMITED;
    default:
        return SP_TLS_WANT_DUE;
    }
}

static void on_done(sp_tls_wait_t *wait, sp_certificate_t *certificate)
{
    ((looking_t *)(void *)wait)->is_done = true;
    sp_certificate_release(certificate);
}

static sp_str_t name_of(unsigned number, char text[32])
{
    int len = snprintf(text, 32, "n%u.example", number % NAMES);

    return (sp_str_t){.ptr = text, .len = (size_t)len};
}

/* Waits for a moment, then for the end or not at all. */
static void await(sp_tls_inbox_t *inbox, looking_t *looking, bool is_patient)
{
    while (!looking->is_done) {
        struct pollfd fd = {.fd = sp_tls_inbox_fd(inbox), .events = POLLIN};
        int ready = poll(&fd, 1, is_patient ? PATIENCE_MS : 1);

        if (ready == 0) {
            require(!is_patient, "a wait never ends");
            sp_certificate_release(sp_tls_store_cancel(&looking->wait));
            return;
        }
        sp_tls_inbox_run(inbox);
    }
}

static void *work(void *arg)
{
    shared_t *shared = arg;
    sp_tls_inbox_t *inbox = NULL;
    char text[32];

    require(sp_tls_inbox_create(shared->store, &inbox) == SP_OK, "no inbox");
    for (unsigned i = 0; i != FINDS; ++i) {
        looking_t looking = {.wait = {.on_done = on_done}};
        sp_certificate_t *certificate = NULL;
        uint64_t ahead_ms = i % 5 == 0 ? SP_TLS_FRESH_MS : 0;
        sp_tls_found_t found = sp_tls_store_find(
            inbox, name_of(i * 7, text), sp_now_ms() + ahead_ms, &looking.wait, &certificate);

        if (found == SP_TLS_WAITING) {
            await(inbox, &looking, i % 50 == 0);
        } else if (found == SP_TLS_FOUND) {
            require(sp_certificate_pair_count(certificate) == 1, "a strange certificate");
            sp_certificate_release(certificate);
        }
    }
    sp_tls_inbox_destroy(inbox);
    (void)atomic_fetch_sub(&shared->working, 1);
    return NULL;
}

static void look_at(void *arg, const sp_tls_item_t *item)
{
    (void)arg;
    require(item->name.len != 0 && item->source != NULL, "a strange item");
}

/* What other threads than the workers do, once over. */
static void disturb(shared_t *shared, unsigned turn)
{
    sp_tls_store_options_t options = {.folders = {shared->root, NULL}, .fallback = "n0.example"};
    sp_tls_issuer_t issuer = {.arg = shared, .want = want};
    sp_tls_figures_t figures;
    char text[32];

    make_certificate(shared->root);
    for (unsigned i = 0; i != NAMES; ++i) {
        sp_str_t name = name_of(i, text);

        if ((i + turn) % 2 == 0) {
            sp_tls_store_changed(shared->store, name);
        } else {
            sp_tls_store_refused(shared->store, name, "no");
        }
    }
    sp_tls_store_count(shared->store, time(NULL), &figures);
    sp_tls_store_list(shared->store, time(NULL), NAMES, look_at, NULL);
    require(sp_tls_store_reload(shared->store, &options) == SP_OK, "no reload");
    sp_tls_store_set_issuer(shared->store, turn % 4 == 3 ? NULL : &issuer);
}

int main(void)
{
    shared_t shared = {.root = "/tmp/signpost-threads-XXXXXX", .working = WORKERS};
    sp_tls_store_options_t options = {.folders = {shared.root, NULL}};
    pthread_t threads[WORKERS];
    char command[PATH_MAX_HERE];

    require(mkdtemp(shared.root) != NULL, "no folder");
    (void)snprintf(command, sizeof(command), "%s/n0.example", shared.root);
    require(mkdir(command, 0700) == 0, "no folder");
    make_certificate(shared.root);
    require(sp_tls_store_create(&options, &shared.store, NULL) == SP_OK, "no store");
    for (size_t i = 0; i != WORKERS; ++i) {
        require(pthread_create(&threads[i], NULL, work, &shared) == 0, "no thread");
    }
    for (unsigned turn = 0; atomic_load(&shared.working) != 0; ++turn) {
        disturb(&shared, turn);
    }
    for (size_t i = 0; i != WORKERS; ++i) {
        require(pthread_join(threads[i], NULL) == 0, "no end");
    }
    sp_tls_store_destroy(shared.store);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", shared.root);
    return system(command) == 0 ? 0 : 1; /* NOLINT(cert-env33-c): a path of our own making */
}
