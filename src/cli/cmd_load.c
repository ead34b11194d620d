/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/load/read_plan.h"
#include "load/generator.h"
#include "load/result.h"
#include "serve/signals.h"

static const sp_option_t options[] = {
    {"connect", 0, "HOST:PORT", "the server; hosts of the requests are never looked up"},
    {"tls", 0, NULL, "over TLS, with the request's host as server name; nothing is verified"},
    {"http", 0, "1.1|2", "version of HTTP, 1.1 unless given"},
    {"rate", 0, "N", "open loop: N requests a second, whatever the server does"},
    {"arrivals", 0, "poisson|constant", "with --rate: poisson unless given"},
    {"closed", 0, NULL, "closed loop, as without --rate: send again when answered"},
    {"connections", 0, "N", "64 in a closed loop; at most 1000 in an open one"},
    {"streams", 0, "N", "HTTP/2: requests under way on one connection, 1 unless given"},
    {"no-keep-alive", 0, NULL, "HTTP/1.1: a connection for each request"},
    {"duration", 0, "S", "seconds in which requests are sent, 10 unless given"},
    {"requests", 0, "N", "send so many instead"},
    {"names", 0, "uniform|zipf:S|sequential", "which request is next, uniform unless given"},
    {"seed", 0, "N", "of names and arrivals, 1 unless given"},
    {"timeout", 0, "S", "seconds that an answer may take, 15 unless given"},
    {"threads", 0, "N", "1 unless given"},
    {"zone", 0, "FILE", "make the requests from the _redirect records of this zone file"},
    {"json", 0, "FILE", "write the result as JSON; - is standard output"},
    {"samples", 0, "FILE", "write each request's times; - is standard output"},
    {"progress", 0, NULL, "show how it goes, also where that is no terminal"},
};

/* What one run of the command holds; all of it is released in the end. */
typedef struct session {
    const sp_arguments_t *arguments;
    sp_load_plan_t plan;
    sp_load_targets_t targets;
    sp_load_outcome_t outcome;
    sp_load_line_t line;
    FILE *json;
    FILE *samples;
    int signals;
    volatile sig_atomic_t stop;
} session_t;

static int fail(int result, const char *message)
{
    (void)fprintf(stderr, "signpost load: %s\n", message);
    return result;
}

/* ---- before the run ---- */

static bool is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static int read_usage(session_t *session)
{
    const sp_arguments_t *arguments = session->arguments;
    size_t operands = sp_arguments_count(arguments, NULL);
    size_t zones = sp_arguments_count(arguments, "zone");
    sp_error_t err = {.status = SP_OK};

    sp_status_t status = sp_load_plan_read(arguments, &session->plan, &err);

    if (status == SP_BAD_VALUE) {
        return sp_usage_error("load", "%s", err.message);
    }
    if (status != SP_OK) {
        return fail(SP_EXIT_FAILED, err.message);
    }
    if (operands + zones != 1) {
        return sp_usage_error("load", operands + zones == 0
                                          ? "give a file of requests, or a zone with --zone FILE"
                                          : "give one file of requests or one --zone FILE only");
    }
    if (is_standard(sp_arguments_value(arguments, "json")) &&
        is_standard(sp_arguments_value(arguments, "samples"))) {
        return sp_usage_error("load", "only one of --json and --samples can be standard output");
    }
    return SP_EXIT_DONE;
}

static int read_targets(session_t *session)
{
    const char *zone = sp_arguments_value(session->arguments, "zone");
    size_t at = 0;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status =
        zone != NULL ? sp_load_targets_from_zone(zone, session->plan.tls, &session->targets, &err)
                     : sp_load_targets_read(sp_arguments_next(session->arguments, NULL, &at),
                                            &session->targets, &err);

    if (status != SP_OK) {
        return fail(status == SP_NO_MEMORY || status == SP_IO ? SP_EXIT_FAILED : SP_EXIT_USAGE,
                    err.message);
    }
    session->plan.targets = &session->targets;
    if (session->targets.skipped != 0) {
        (void)fprintf(stderr,
                      "signpost load: no request was found for %zu of the zone's %zu records, "
                      "%.*s for one\n",
                      session->targets.skipped, session->targets.skipped + session->targets.count,
                      (int)session->targets.first_skipped.len, session->targets.first_skipped.ptr);
    }
    return SP_EXIT_DONE;
}

/* Tried before the run, so that its result is not lost; what the file holds stays until then. */
static int open_output(const session_t *session, const char *name, FILE **ret_file)
{
    const char *path = sp_arguments_value(session->arguments, name);

    if (path == NULL) {
        return SP_EXIT_DONE;
    }
    *ret_file = is_standard(path) ? stdout : fopen(path, "ab");
    if (*ret_file == NULL) {
        (void)fprintf(stderr, "signpost load: %s: %s\n", path, strerror(errno));
        return SP_EXIT_FAILED;
    }
    return SP_EXIT_DONE;
}

static int prepare(session_t *session)
{
    sp_error_t err = {.status = SP_OK};
    int result = read_usage(session);

    if (result == SP_EXIT_DONE) {
        result = read_targets(session);
    }
    if (result == SP_EXIT_DONE) {
        result = open_output(session, "json", &session->json);
    }
    if (result == SP_EXIT_DONE) {
        result = open_output(session, "samples", &session->samples);
    }
    if (result == SP_EXIT_DONE && sp_signals_open(&session->signals, &err) != SP_OK) {
        result = fail(SP_EXIT_FAILED, err.message);
    }
    return result;
}

/* ---- the run ---- */

static bool shows_progress(const session_t *session)
{
    return session->line.same_line || sp_arguments_has(session->arguments, "progress");
}

static void on_progress(void *arg, const sp_load_progress_t *progress)
{
    session_t *session = arg;

    if (sp_signals_read(session->signals) != SP_SIGNAL_NONE) {
        session->stop = 1;
    }
    if (shows_progress(session)) {
        sp_load_line_show(&session->line, progress);
    }
}

static int generate(session_t *session)
{
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    session->line = (sp_load_line_t){
        .plan = &session->plan, .out = stderr, .same_line = isatty(STDERR_FILENO) != 0};
    status =
        sp_load_run(&session->plan, &session->stop, on_progress, session, &session->outcome, &err);
    if (shows_progress(session)) {
        sp_load_line_end(&session->line);
    }
    return status == SP_OK ? SP_EXIT_DONE : fail(SP_EXIT_FAILED, err.message);
}

/* ---- after the run ---- */

/* From here on the file holds nothing but what is written now. A pipe or device can't be cut, and
 * need not be. */
static bool begin_output(FILE *file)
{
    return file == NULL || file == stdout || ftruncate(fileno(file), 0) == 0 || errno == EINVAL;
}

static sp_status_t write_outputs(const session_t *session, const sp_load_result_t *result)
{
    sp_status_t status = SP_OK;

    if (!begin_output(session->json) || !begin_output(session->samples)) {
        return SP_IO;
    }
    if (session->json != NULL) {
        status = sp_load_result_print_json(result, session->json);
    }
    if (status == SP_OK && session->samples != NULL) {
        status = sp_load_samples_print(session->outcome.tally, session->samples);
    }
    return status;
}

static int tell(session_t *session)
{
    const sp_load_result_t result = {.plan = &session->plan,
                                     .outcome = &session->outcome,
                                     .connect = sp_arguments_value(session->arguments, "connect")};
    bool standard_taken = session->json == stdout || session->samples == stdout;
    sp_status_t status = SP_OK;

    sp_load_result_print_text(&result, standard_taken ? stderr : stdout);
    status = write_outputs(session, &result);
    if (status != SP_OK) {
        return fail(SP_EXIT_FAILED,
                    status == SP_NO_MEMORY ? "out of memory" : "the result can't be written");
    }
    return sp_load_errors(session->outcome.tally) == 0 && !session->outcome.interrupted
               ? SP_EXIT_DONE
               : SP_EXIT_FAILED;
}

static void close_output(FILE *file)
{
    if (file != NULL && file != stdout) {
        (void)fclose(file); /* flushed, and asked whether that went well, before */
    }
}

static int run(const sp_arguments_t *arguments)
{
    session_t session = {.arguments = arguments, .signals = -1};
    int result = prepare(&session);

    if (result == SP_EXIT_DONE) {
        result = generate(&session);
    }
    if (result == SP_EXIT_DONE) {
        result = tell(&session);
    }
    close_output(session.json);
    close_output(session.samples);
    if (session.signals != -1) {
        (void)close(session.signals);
    }
    sp_load_tally_destroy(session.outcome.tally);
    sp_load_targets_clear(&session.targets);
    return result;
}

const sp_command_t sp_command_load = {
    .name = "load",
    .summary = "send requests to a server, check its answers, and time them",
    .usage = "--connect HOST:PORT [--tls] [--http 1.1|2]\n"
             "                     [--rate N [--arrivals poisson|constant] | --closed]\n"
             "                     [--connections N] [--streams N] [--no-keep-alive]\n"
             "                     [--duration S | --requests N] [--timeout S]\n"
             "                     [--names uniform|zipf:S|sequential] [--seed N] [--threads N]\n"
             "                     [--json FILE] [--samples FILE] [--progress]\n"
             "                     (TARGETS | --zone FILE)",
    .about =
        "Generates load for any HTTP server that redirects. TARGETS has one request a line:\n"
        "host, path, and optionally the expected status and Location, separated by tabs; -\n"
        "is standard input. Without a status any below 400 is right. Without a field for the\n"
        "Location any is right; where that field is there and empty, there must be none.\n\n"
        "In an open loop latency counts from the time at which a request was due, whether it\n"
        "could be sent then or not, so that a server that stalls can't hide it. Requests\n"
        "that are under way in the end are waited for, up to their time-out. Every request is\n"
        "counted: as expected, with a wrong status or Location, failed, timed out, unfinished.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples =
        "  signpost load --connect 127.0.0.1:8080 --zone examples/zones/demo.zone\n"
        "  signpost load --connect 127.0.0.1:8080 --rate 2000 --duration 60 --json run.json \\\n"
        "                --names zipf:1.1 requests.tsv",
    .failure = "a request did not get the answer it must get, a file can't be read or written, or\n"
               "     the run was stopped early",
    .run = run,
};
