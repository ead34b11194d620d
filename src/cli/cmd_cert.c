/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acme/ledger.h"
#include "cli/cert/cert.h"
#include "cli/commands.h"
#include "cli/settings.h"
#include "tls/name.h"

static const sp_option_t options[] = {
    {"config", 0, "FILE", "configuration file (JSON), with tls.acme"},
    {"resolver", 0, "ADDR[:PORT]", "ask this resolver; may be given more than once"},
    {"zone", 0, "FILE", "answer from this zone file; may be given more than once"},
    {"json", 0, NULL, "list: print a JSON object"},
};

static const sp_action_t actions[] = {
    {"list", "config resolver zone json"},
    {"renew", "config resolver zone"},
    {"forget", "config resolver zone"},
};

/* What one run of the command holds; all of it is released in the end. */
typedef struct session {
    const sp_arguments_t *arguments;
    sp_settings_t settings;
    sp_snapshot_t *snapshot;
    sp_storage_t *storage;
    sp_str_t verb;
    sp_str_t name; /* in `memory` */
    char memory[SP_TLS_NAME_MAX];
} session_t;

static int fail(const char *message)
{
    (void)fprintf(stderr, "signpost cert: %s\n", message);
    return SP_EXIT_FAILED;
}

static int read_words(session_t *session)
{
    size_t at = 0;
    const char *verb = sp_arguments_next(session->arguments, NULL, &at);
    const char *name = verb == NULL ? NULL : sp_arguments_next(session->arguments, NULL, &at);
    size_t count = sp_arguments_count(session->arguments, NULL);
    bool is_list = false;

    session->verb = sp_str_from(verb);
    is_list = sp_str_eq(session->verb, SP_STR("list"));
    if (!is_list && !sp_str_eq(session->verb, SP_STR("renew")) &&
        !sp_str_eq(session->verb, SP_STR("forget"))) {
        return sp_usage_error("cert",
                              verb == NULL ? "say what to do: list, renew or forget"
                                           : "'%s' is unknown; expected list, renew or forget",
                              verb);
    }
    if (count != (is_list ? 1U : 2U)) {
        return sp_usage_error("cert", is_list ? "list takes no name" : "give one name");
    }
    if (!is_list && !sp_tls_name_read(sp_str_from(name), session->memory, &session->name)) {
        return sp_usage_error("cert", "'%s' is no host name", name);
    }
    return SP_EXIT_DONE;
}

/* Files that root makes could not be read by the service, which runs as somebody else. */
static int become_owner(const char *path)
{
    struct stat about;

    if (geteuid() != 0 || stat(path, &about) != 0 || about.st_uid == 0) {
        return SP_EXIT_DONE;
    }
    if (setgroups(0, NULL) != 0 || setgid(about.st_gid) != 0 || setuid(about.st_uid) != 0) {
        return fail("becoming the owner of tls.acme.storage failed");
    }
    return SP_EXIT_DONE;
}

static int load(session_t *session)
{
    const sp_log_t log = {.level = SP_LOG_ERROR};
    const char *path = NULL;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    if (sp_settings_read(session->arguments, &session->settings) != SP_OK) {
        return fail("out of memory");
    }
    status = sp_snapshot_load(&session->settings.flags, &log, NULL, &session->snapshot);
    if (status != SP_OK) {
        return status == SP_NO_MEMORY ? SP_EXIT_FAILED : SP_EXIT_USAGE;
    }
    path = sp_snapshot_config(session->snapshot)->acme.storage;
    if (path == NULL) {
        return sp_usage_error("cert", "the configuration has no tls.acme, so no certificates are "
                                      "got; give one that has with --config");
    }
    if (become_owner(path) != SP_EXIT_DONE) {
        return SP_EXIT_FAILED;
    }
    status =
        sp_storage_open(path, !sp_str_eq(session->verb, SP_STR("list")), &session->storage, &err);
    return status == SP_OK ? SP_EXIT_DONE : fail(err.message);
}

static int renew(const session_t *session)
{
    sp_error_t err = {.status = SP_OK};

    if (sp_cert_renew(session->storage, session->snapshot, session->name, &err) != SP_OK) {
        return fail(err.message);
    }
    (void)printf("%.*s: the certificate is there\n", (int)session->name.len, session->name.ptr);
    return SP_EXIT_DONE;
}

static int forget(const session_t *session)
{
    sp_storage_name_t lock_at = sp_storage_name(SP_STORAGE_STATE "/locks/", session->name, "");
    int lock = -1;
    sp_status_t status = sp_storage_lock(session->storage, lock_at.text, false, &lock);

    if (status != SP_OK) {
        return fail(status == SP_NOT_FOUND ? "an order for it is under way; wait for its end"
                                           : "the storage can't be locked");
    }
    status = sp_storage_forget(session->storage, session->name);
    sp_ledger_clear(session->storage, session->name);
    sp_storage_unlock(session->storage, lock_at.text, lock);
    if (status == SP_IO) {
        return fail(strerror(errno));
    }
    (void)printf("%.*s: %s\n", (int)session->name.len, session->name.ptr,
                 status == SP_OK ? "forgotten" : "there was no certificate");
    return SP_EXIT_DONE;
}

static int act(const session_t *session)
{
    if (sp_str_eq(session->verb, SP_STR("renew"))) {
        return renew(session);
    }
    if (sp_str_eq(session->verb, SP_STR("forget"))) {
        return forget(session);
    }
    return sp_cert_list(session->storage, sp_arguments_has(session->arguments, "json")) == SP_OK
               ? SP_EXIT_DONE
               : fail("the list can't be made");
}

static int run(const sp_arguments_t *arguments)
{
    session_t session = {.arguments = arguments};
    int result = read_words(&session);

    if (result == SP_EXIT_DONE) {
        result = load(&session);
    }
    if (result == SP_EXIT_DONE) {
        result = act(&session);
    }
    sp_storage_close(session.storage);
    sp_snapshot_release(session.snapshot);
    sp_settings_clear(&session.settings);
    return result;
}

const sp_command_t sp_command_cert = {
    .name = "cert",
    .summary = "certificates that were got on demand",
    .usage = "[--config FILE] [--json] list\n"
             "       signpost cert [--config FILE] renew NAME\n"
             "       signpost cert [--config FILE] forget NAME",
    .about = "Works on the folder tls.acme.storage of the configuration, which a running service\n"
             "may use at the same time; run by root, as the folder's owner.\n"
             "  list    what is there: state, end, renewal; names whose orders fail, and why\n"
             "  renew   orders a certificate now, whatever is there, if the rules permit one:\n"
             "          everything but budgets and earlier failures counts. The authority asks\n"
             "          the running service\n"
             "  forget  takes the certificate away, and what is remembered of failures. A\n"
             "          client that asks for the name has one ordered again",
    .options = options,
    .option_count = SP_COUNT(options),
    .actions = actions,
    .action_count = SP_COUNT(actions),
    .examples = "  signpost cert --config /etc/signpost/signpost.json list\n"
                "  signpost cert --config /etc/signpost/signpost.json renew www.example.com",
    .failure = "there is no certificate at the end, or the folder can't be used",
    .run = run,
};
