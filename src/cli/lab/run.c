/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/lab/lab.h"
#include "lab/files.h"
#include "lab/spawn.h"

#define EXPERIMENTS_MAX 32
#define REPETITIONS_MAX 1000
#define DEFAULT_FOLDER "lab-results"

/* What one run of the command holds; all of it is released in the end. */
typedef struct session {
    const sp_arguments_t *arguments;
    sp_lab_library_t library;
    sp_lab_experiment_t *experiments[EXPERIMENTS_MAX];
    sp_lab_invocation_t invocation;
    char folder[SP_LAB_PATH_MAX];
} session_t;

static int read_experiments(session_t *session, size_t at)
{
    sp_error_t err;

    for (const char *name = NULL;
         (name = sp_arguments_next(session->arguments, NULL, &at)) != NULL;) {
        size_t *count = &session->invocation.count;

        if (sp_lab_library_experiment(&session->library, name, &session->experiments[*count],
                                      &err) != SP_OK) {
            return sp_cli_lab_fail(sp_cli_lab_status(&err), err.message);
        }
        ++*count;
    }
    return SP_EXIT_DONE;
}

static int read_options(session_t *session)
{
    bool is_given = sp_arguments_has(session->arguments, "repeat");
    uint64_t count = 0;

    if (is_given &&
        (!sp_arguments_uint(session->arguments, "repeat", REPETITIONS_MAX, &count) || count == 0)) {
        return sp_usage_error("lab", "--repeat must be from 1 to %d, not '%s'", REPETITIONS_MAX,
                              sp_arguments_value(session->arguments, "repeat"));
    }
    session->invocation.repeat = (unsigned)count;
    session->invocation.quick = sp_arguments_has(session->arguments, "quick");
    session->invocation.machine_wide = sp_arguments_has(session->arguments, "machine-wide");
    return SP_EXIT_DONE;
}

/* lab-results/20260102-030405-E1-E2 */
static void choose_folder(session_t *session)
{
    const char *given = sp_arguments_value(session->arguments, "out");
    time_t now = time(NULL);
    struct tm parts;
    char moment[32] = "";
    size_t len = 0;

    if (given != NULL) {
        (void)snprintf(session->folder, sizeof(session->folder), "%s", given);
        return;
    }
    if (localtime_r(&now, &parts) == NULL ||
        strftime(moment, sizeof(moment), "%Y%m%d-%H%M%S", &parts) == 0) {
        moment[0] = '\0';
    }
    len = (size_t)snprintf(session->folder, sizeof(session->folder), DEFAULT_FOLDER "/%s", moment);
    for (size_t i = 0; i != session->invocation.count && len < sizeof(session->folder); ++i) {
        len += (size_t)snprintf(session->folder + len, sizeof(session->folder) - len, "-%s",
                                session->experiments[i]->id);
    }
}

/* A result took long to get: none is ever replaced. */
static sp_status_t open_folder(void *arg, int *ret_folder, sp_error_t *err)
{
    const session_t *session = arg;
    sp_status_t status = sp_lab_folder_make(session->folder, err);
    int folder = -1;

    if (status != SP_OK) {
        return status;
    }
    folder = open(session->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder == -1) {
        return sp_fail(err, SP_IO, 0, "%.120s: %s", session->folder, strerror(errno));
    }
    if (faccessat(folder, SP_LAB_RESULT_NAME, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        (void)close(folder);
        return sp_fail(err, SP_IO, 0,
                       "%.90s already holds a " SP_LAB_RESULT_NAME
                       "; name another folder with --out, or remove that one",
                       session->folder);
    }
    *ret_folder = folder;
    return SP_OK;
}

static int measure(session_t *session)
{
    sp_lab_outcome_t outcome = SP_LAB_FAILED;
    const char *results[] = {session->folder};
    char page[SP_LAB_PATH_MAX + 16];
    sp_error_t err = {.message = ""};
    int result = SP_EXIT_DONE;

    if (sp_lab_run(&session->invocation, &outcome, &err) != SP_OK) {
        return sp_cli_lab_fail(SP_EXIT_FAILED, err.message);
    }
    (void)snprintf(page, sizeof(page), "%s/" SP_LAB_RESULT_NAME, session->folder);
    if (access(page, R_OK) == 0) {
        (void)snprintf(page, sizeof(page), "%s/report.html", session->folder);
        result = sp_cli_lab_write_report(results, 1, page, NULL);
        (void)printf("%s/" SP_LAB_RESULT_NAME "\n%s\n", session->folder, page);
    }
    switch (outcome) {
    case SP_LAB_DONE:
        return result;
    case SP_LAB_FAILED:
        return sp_cli_lab_fail(SP_EXIT_FAILED, "not everything could be measured: see above");
    case SP_LAB_INTERRUPTED:
        return sp_cli_lab_fail(SP_EXIT_FAILED, "interrupted: the result holds what was measured");
    }
    return SP_EXIT_FAILED;
}

/* What was typed, before anything of this machine is looked at. */
static int check_usage(session_t *session, size_t at)
{
    size_t from = at;

    if (sp_arguments_next(session->arguments, NULL, &from) == NULL) {
        return sp_usage_error("lab",
                              "say which experiments to run; 'signpost lab list' shows them");
    }
    if (sp_cli_lab_check_names(session->arguments, at, EXPERIMENTS_MAX) != SP_EXIT_DONE) {
        return SP_EXIT_USAGE;
    }
    return read_options(session);
}

static int prepare(session_t *session, size_t at)
{
    sp_error_t err;
    int result = check_usage(session, at);

    if (result != SP_EXIT_DONE) {
        return result;
    }
    if (geteuid() != 0) {
        return sp_cli_lab_fail(SP_EXIT_FAILED, "namespaces, interfaces and firewall rules need "
                                               "root: run it with sudo");
    }
    if (sp_lab_library_open(sp_arguments_value(session->arguments, "lab"), &session->library,
                            &err) != SP_OK) {
        return sp_cli_lab_fail(SP_EXIT_USAGE, err.message);
    }
    if (sp_program_path_extend(session->library.program_folders, &err) != SP_OK) {
        return sp_cli_lab_fail(SP_EXIT_FAILED, err.message);
    }
    result = read_experiments(session, at);
    if (result == SP_EXIT_DONE && sp_lab_missing(&session->invocation, false, stderr) != 0) {
        return sp_cli_lab_fail(SP_EXIT_FAILED, "what is named above is needed and missing");
    }
    return result;
}

int sp_cli_lab_run(const sp_arguments_t *arguments, size_t at)
{
    session_t session = {.arguments = arguments, .invocation = {.count = 0}};
    int result = SP_EXIT_DONE;

    session.invocation.library = &session.library;
    session.invocation.experiments = session.experiments;
    session.invocation.open_folder = open_folder;
    session.invocation.arg = &session;
    session.invocation.progress = stderr;
    result = prepare(&session, at);
    if (result == SP_EXIT_DONE) {
        choose_folder(&session);
        result = measure(&session);
    }
    for (size_t i = 0; i != session.invocation.count; ++i) {
        sp_lab_experiment_destroy(session.experiments[i]);
    }
    sp_lab_library_clear(&session.library);
    return result;
}
