/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/clock.h"
#include "lab/machine.h"
#include "lab/once.h"
#include "lab/progress.h"
#include "lab/report/findings.h"
#include "lab/result.h"
#include "lab/tools.h"

#define FAILURES_MAX 2 /* of one case; then it is given up */

/* One experiment under way. */
typedef struct course {
    const sp_lab_invocation_t *invocation;
    sp_lab_session_t *session;
    const sp_lab_experiment_t *experiment;
    sp_lab_cases_t cases;
    sp_lab_plan_t plan;
    sp_lab_turn_t turn;
    sp_lab_progress_t progress;
    unsigned *failures; /* of each case */
    json_t *result;
} course_t;

static void show_step(void *arg, const char *step)
{
    const course_t *course = arg;

    sp_lab_progress_show(&course->progress, &course->plan, &course->turn, step);
}

/* What a run may say of itself before it has begun. */
static json_t *begin_run(const course_t *course, const sp_lab_case_t *one)
{
    char started[SP_LAB_TIME_MAX];

    return json_pack("{s:s, s:i, s:i, s:i, s:n, s:s}", "setup", one->name, "repetition",
                     (int)course->turn.repetition, "attempt", (int)course->turn.attempt, "order",
                     (int)course->turn.order, "discarded", "started",
                     sp_lab_time(time(NULL), started));
}

static bool is_given_up(const course_t *course, const json_t *setup)
{
    return !json_is_true(json_object_get(setup, "possible")) ||
           course->failures[course->turn.index] == FAILURES_MAX;
}

static void give_up(course_t *course, json_t *setup, const sp_error_t *err)
{
    const char *name = json_string_value(json_object_get(setup, "name"));

    (void)json_object_set_new(setup, "possible", json_string(err->message));
    sp_lab_progress_drop(&course->progress, course->turn.index);
    sp_lab_progress_say(&course->progress, "%s %s: not possible here: %s", course->experiment->id,
                        name, err->message);
}

/* Wrong answers are told at once: what was measured is not what was meant. */
static void look_at_answers(const course_t *course, const sp_lab_case_t *one, const json_t *run)
{
    const json_t *requests = json_object_get(json_object_get(run, "load"), "requests");
    double due = json_number_value(json_object_get(requests, "due"));
    double ok = json_number_value(json_object_get(requests, "ok"));

    if (ok < due && !one->setup->expect_errors) {
        sp_lab_progress_say(&course->progress, "%s %s: %.0f of %.0f requests failed",
                            course->experiment->id, one->name, due - ok, due);
    }
}

static void take_result(course_t *course, const sp_lab_case_t *one, json_t *run, double foreign)
{
    char why[80];

    if (sp_lab_plan_disturbed(&course->plan, foreign)) {
        (void)snprintf(why, sizeof(why), "others used %.2f processors meanwhile", foreign);
        (void)json_object_set_new(run, "discarded", json_string(why));
        sp_lab_progress_say(&course->progress, "%s %s: %s; once more", course->experiment->id,
                            one->name, why);
    } else if (foreign > SP_LAB_FOREIGN_MAX) {
        (void)json_object_set_new(run, "disturbed", json_true());
    }
    look_at_answers(course, one, run);
}

/* A run that went wrong stays in the result, and is not repeated at once: its next turn is. */
static void take_failure(course_t *course, json_t *setup, json_t *run, const sp_error_t *err)
{
    (void)json_object_set_new(run, "discarded", json_string(err->message));
    if (err->status == SP_UNSUPPORTED) {
        give_up(course, setup, err);
        return;
    }
    sp_lab_progress_say(&course->progress, "%s %s: %s", course->experiment->id,
                        json_string_value(json_object_get(setup, "name")), err->message);
    if (++course->failures[course->turn.index] == FAILURES_MAX) {
        give_up(course, setup, err);
    }
}

static void take_turn(course_t *course)
{
    const sp_lab_case_t *one = &course->cases.list[course->turn.index];
    json_t *setup = sp_lab_result_setup(course->result, one->name);
    sp_lab_once_t once = {.session = course->session,
                          .experiment = course->experiment,
                          .one = one,
                          .setup = setup,
                          .on_step = show_step,
                          .arg = course};
    json_t *run = NULL;
    double foreign = 0;
    int64_t began = sp_clock_ms();
    sp_error_t err = {.message = ""};

    if (is_given_up(course, setup)) {
        return;
    }
    sp_lab_progress_show(&course->progress, &course->plan, &course->turn, "");
    run = begin_run(course, one);
    if (sp_lab_run_once(&once, run, &foreign, &err) == SP_OK) {
        take_result(course, one, run, foreign);
        sp_lab_progress_took(&course->progress, course->turn.index,
                             (double)(sp_clock_ms() - began) / 1000);
    } else if (sp_capsule_is_stopping(course->session->capsule)) {
        (void)json_object_set_new(run, "discarded", json_string("interrupted"));
    } else {
        take_failure(course, setup, run, &err);
    }
    (void)json_array_append_new(json_object_get(course->result, "runs"), run);
}

/* What came out, for somebody at the terminal; the page has more. */
static void say_verdicts(const course_t *course, const json_t *verdicts)
{
    size_t i = 0, unmeasured = 0;
    json_t *verdict = NULL;

    json_array_foreach(verdicts, i, verdict)
    {
        const json_t *holds = json_object_get(verdict, "holds");
        const char *text = json_string_value(json_object_get(verdict, "text"));

        if (json_is_true(json_object_get(verdict, "unmeasured"))) {
            ++unmeasured;
        } else if (text != NULL) {
            sp_lab_progress_say(&course->progress, "%s: %s%s", course->experiment->id,
                                json_is_false(holds) ? "DOES NOT HOLD: " : "", text);
        }
    }
    if (unmeasured != 0) {
        sp_lab_progress_say(&course->progress, "%s: " SP_LAB_UNMEASURED, course->experiment->id,
                            unmeasured, json_array_size(verdicts));
    }
}

static sp_status_t run_experiment(course_t *course, json_t *result, sp_error_t *err)
{
    json_t *verdicts = NULL;

    course->result = sp_lab_result_experiment(course->experiment, course->invocation->quick);
    course->failures = calloc(course->cases.count + 1, sizeof(*course->failures));
    if (course->result == NULL || course->failures == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    (void)json_array_append(json_object_get(result, "experiments"), course->result);
    sp_lab_plan_init(&course->plan, course->cases.count, course->cases.repetitions,
                     course->invocation->quick ? SP_LAB_REPEATED_SHARE_QUICK
                                               : SP_LAB_REPEATED_SHARE);
    while (!sp_capsule_is_stopping(course->session->capsule) &&
           sp_lab_plan_next(&course->plan, &course->turn)) {
        take_turn(course);
    }
    sp_lab_progress_end(&course->progress);
    verdicts = sp_lab_verdicts(course->result);
    if (verdicts != NULL) {
        say_verdicts(course, verdicts);
        (void)json_object_set_new(course->result, "verdicts", verdicts);
    }
    return SP_OK;
}

static bool has_failed(const course_t *course)
{
    for (size_t i = 0; i != course->cases.count; ++i) {
        if (course->failures[i] != 0) {
            return true;
        }
    }
    return false;
}

static sp_lab_cases_t cases_of(const sp_lab_invocation_t *invocation,
                               const sp_lab_experiment_t *experiment)
{
    sp_lab_cases_t cases = invocation->quick ? experiment->quick : experiment->full;

    if (invocation->repeat != 0) {
        cases.repetitions = invocation->repeat;
    }
    return cases;
}

/* What follows after the n-th experiment. */
static double later_seconds(const sp_lab_invocation_t *invocation, size_t n)
{
    double seconds = 0;

    for (size_t i = n + 1; i < invocation->count; ++i) {
        sp_lab_cases_t cases = cases_of(invocation, invocation->experiments[i]);

        seconds += sp_lab_cases_seconds(&cases);
    }
    return seconds;
}

static sp_status_t run_all(const sp_lab_invocation_t *invocation, sp_lab_session_t *session,
                           json_t *result, bool *ret_failed, sp_error_t *err)
{
    sp_status_t status = SP_OK;

    for (size_t i = 0;
         status == SP_OK && i != invocation->count && !sp_capsule_is_stopping(session->capsule);
         ++i) {
        course_t course = {.invocation = invocation,
                           .session = session,
                           .experiment = invocation->experiments[i],
                           .cases = cases_of(invocation, invocation->experiments[i])};

        status = sp_lab_progress_init(&course.progress, invocation->progress, course.experiment,
                                      &course.cases);
        if (status != SP_OK) {
            return sp_fail(err, status, 0, "out of memory");
        }
        course.progress.later_s = later_seconds(invocation, i);
        status = run_experiment(&course, result, err);
        *ret_failed = *ret_failed || (course.failures != NULL && has_failed(&course));
        sp_lab_progress_clear(&course.progress);
        free(course.failures);
        json_decref(course.result);
    }
    return status;
}

/* ---- inside and outside of the capsule ---- */

typedef struct job {
    const sp_lab_invocation_t *invocation;
    int folder; /* -1: not open */
} job_t;

static sp_status_t open_folder(void *arg, sp_error_t *err)
{
    job_t *job = arg;

    return job->invocation->open_folder(job->invocation->arg, &job->folder, err);
}

static int work(sp_capsule_t *capsule, void *arg)
{
    const job_t *job = arg;
    const sp_lab_invocation_t *invocation = job->invocation;
    sp_lab_session_t session = {.capsule = capsule,
                                .library = invocation->library,
                                .machine_wide = invocation->machine_wide,
                                .versions = json_object()};
    int64_t began = sp_clock_ms();
    json_t *machine =
        sp_lab_machine_json(sp_cgroup_says(sp_capsule_cgroup(capsule)), sp_lab_generator_cpu());
    json_t *result = sp_lab_result_begin(time(NULL), machine);
    bool failed = false;
    bool stopping = false;
    sp_error_t err = {.message = ""};
    sp_status_t status = SP_OK;

    (void)snprintf(session.folder, sizeof(session.folder), "%s", sp_capsule_folder(capsule));
    status = run_all(invocation, &session, result, &failed, &err);
    stopping = sp_capsule_is_stopping(capsule);
    (void)json_object_set_new(result, "interrupted", json_boolean(stopping));
    (void)json_object_set_new(result, "elapsed_s",
                              json_real((double)(sp_clock_ms() - began) / 1000));
    if (status == SP_OK) {
        status = sp_lab_result_write(result, job->folder, SP_LAB_RESULT_NAME, &err);
    }
    if (status != SP_OK) {
        (void)fprintf(stderr, "signpost lab: %s\n", err.message);
    }
    json_decref(result);
    json_decref(session.versions);
    if (status != SP_OK || failed) {
        return SP_LAB_FAILED;
    }
    return stopping ? SP_LAB_INTERRUPTED : SP_LAB_DONE;
}

sp_status_t sp_lab_run(const sp_lab_invocation_t *invocation, sp_lab_outcome_t *ret_outcome,
                       sp_error_t *err)
{
    job_t job = {.invocation = invocation, .folder = -1};
    int result = 0;
    sp_status_t status = sp_capsule_run(open_folder, work, &job, &result, err);

    if (job.folder != -1) {
        (void)close(job.folder);
    }
    if (status == SP_OK) {
        *ret_outcome = (sp_lab_outcome_t)result;
    }
    return status;
}

/* ---- what it needs ---- */

static const struct {
    const char *program, *package;
} always_needed[] = {{"ip", "iproute2"}, {"iptables", "iptables"}, {"ethtool", "ethtool"}};

typedef struct asking {
    sp_lab_library_t *library;
    bool stand_ins;
    FILE *out;
    const char *asked[SP_LAB_LIBRARY_ROLES_MAX];
    size_t asked_count, missing;
} asking_t;

static void ask(asking_t *asking, const char *role)
{
    sp_lab_pick_t pick;
    sp_error_t err;

    for (size_t i = 0; i != asking->asked_count; ++i) {
        if (strcmp(asking->asked[i], role) == 0) {
            return;
        }
    }
    if (asking->asked_count != SP_LAB_LIBRARY_ROLES_MAX) {
        asking->asked[asking->asked_count++] = role;
    }
    if (sp_lab_library_pick(asking->library, role, &pick, &err) != SP_OK) {
        ++asking->missing;
        (void)fprintf(asking->out, "  %s\n", err.message);
    } else if (pick.in_place_of != NULL && asking->stand_ins) {
        (void)fprintf(asking->out, "  %s is missing, %s stands in: %s\n", pick.in_place_of->title,
                      pick.role->title,
                      pick.in_place_of->install == NULL ? "" : pick.in_place_of->install);
    }
}

static void ask_for_setup(asking_t *asking, const sp_lab_setup_t *setup)
{
    for (size_t i = 0; i != setup->roles.count; ++i) {
        ask(asking, setup->roles.list[i].role);
    }
    for (size_t i = 0; i != setup->raw.count; ++i) {
        ask(asking, setup->raw.list[i].role);
    }
    if (setup->steps.role != NULL) {
        ask(asking, setup->steps.role);
    }
    if (sp_lab_setup_serves(setup)) {
        ask(asking, setup->app.role);
    }
}

size_t sp_lab_missing(const sp_lab_invocation_t *invocation, bool stand_ins, FILE *out)
{
    asking_t asking = {.library = invocation->library, .stand_ins = stand_ins, .out = out};
    char path[SP_LAB_PATH_MAX];

    for (size_t i = 0; i != SP_COUNT(always_needed); ++i) {
        if (sp_program_find(always_needed[i].program, NULL, path, sizeof(path)) != SP_OK) {
            ++asking.missing;
            (void)fprintf(out, "  %s is missing: apt-get install --no-install-recommends %s\n",
                          always_needed[i].program, always_needed[i].package);
        }
    }
    for (size_t i = 0; i != invocation->count; ++i) {
        sp_lab_cases_t cases = cases_of(invocation, invocation->experiments[i]);

        for (size_t k = 0; k != cases.count; ++k) {
            ask_for_setup(&asking, cases.list[k].setup);
        }
    }
    return asking.missing;
}
