/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "lab/lookups.h"

static const sp_option_t options[] = {
    {"threads", 0, "N", "lookups at a time"},
    {"duration", 0, "S", "seconds in which lookups are begun"},
    {"names", 0, "N", "hosts of the laboratory's zone to choose from"},
    {"absolute", 0, NULL, "names with a final dot: without the search list"},
    {"json", 0, "FILE", "where the figures go"},
};

static int fail(const char *message)
{
    (void)fprintf(stderr, "signpost lab-lookups: %s\n", message);
    return SP_EXIT_FAILED;
}

static bool read_number(const sp_arguments_t *arguments, const char *name, double max,
                        double *ret_value)
{
    const char *text = sp_arguments_value(arguments, name);
    char *end = NULL;
    double value = text == NULL ? 0 : strtod(text, &end);

    if (text == NULL || end == text || *end != '\0' || !(value > 0 && value <= max)) {
        return false;
    }
    *ret_value = value;
    return true;
}

static int run(const sp_arguments_t *arguments)
{
    double threads = 0, names = 0, duration = 0;
    const char *path = sp_arguments_value(arguments, "json");
    sp_lab_lookups_plan_t plan = {.absolute = sp_arguments_has(arguments, "absolute"), .seed = 1};
    json_t *json = NULL;
    sp_error_t err = {.message = ""};
    int written = 0;

    if (!read_number(arguments, "threads", SP_LAB_LOOKUP_THREADS_MAX, &threads) ||
        !read_number(arguments, "names", 1e6, &names) ||
        !read_number(arguments, "duration", 86400, &duration) || path == NULL) {
        return sp_usage_error("lab-lookups",
                              "--threads, --names, --duration and --json are needed");
    }
    plan.threads = (unsigned)threads;
    plan.names = (unsigned)names;
    plan.duration_s = duration;
    if (sp_lab_lookups_run(&plan, &json, &err) != SP_OK) {
        return fail(err.message);
    }
    written = json_dump_file(json, path, JSON_INDENT(1));
    json_decref(json);
    return written == 0 ? SP_EXIT_DONE : fail(strerror(errno));
}

const sp_command_t sp_command_lab_lookups = {
    .name = "lab-lookups",
    .summary = "a resolver client, for the laboratory",
    .usage = "--threads N --duration S --names N [--absolute] --json FILE",
    .about = "Looks hosts of the laboratory's zone up with the C library, which asks whom\n"
             "/etc/resolv.conf says. Started by 'signpost lab run'.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost lab-lookups --threads 200 --duration 30 --names 10000 --json out.json",
    .failure = "no threads could be started, or the figures could not be written",
    .run = run,
};
