/* SPDX-License-Identifier: Apache-2.0 */

/* Tools that roles describe. */

#include <signal.h>
#include <stdio.h>

#include "lab/files.h"
#include "lab/raw_output.h"
#include "lab/tools.h"

#define ARENA_CHUNK 8192
#define EXTRA_MS 30000 /* beyond what a run should take */
#define GRACE_MS 1000
#define SERVER_ATTEMPTS 50 /* of a client whose server half is about to listen */

typedef struct tool_run {
    const sp_lab_stage_t *stage;
    const sp_lab_use_t *tool;
    sp_lab_pick_t pick;
    sp_lab_variables_t variables;
    sp_arena_t arena;
    char output[2 * SP_LAB_PATH_MAX], errors[2 * SP_LAB_PATH_MAX];
} tool_run_t;

static const char *number_text(tool_run_t *run, double value)
{
    sp_buf_t text;

    sp_buf_init(&text, &run->arena, 32);
    sp_buf_printf(&text, "%.10g", value);
    sp_buf_append_char(&text, '\0');
    return text.status == SP_OK ? sp_buf_str(&text).ptr : "0";
}

static sp_status_t prepare(tool_run_t *run, const char *address, double rate, sp_error_t *err)
{
    const sp_lab_use_t *tool = run->tool;
    sp_status_t status = sp_lab_library_pick(run->stage->library, tool->role, &run->pick, err);
    unsigned port = tool->port;

    if (status == SP_OK) {
        status =
            sp_lab_use_variables(run->stage->variables, &run->pick, tool, &run->variables, err);
    }
    if (status != SP_OK) {
        return status;
    }
    port = port != 0 ? port : run->pick.role->port;
    if (sp_lab_variables_set(&run->variables, "address", address) != SP_OK ||
        sp_lab_variables_set(&run->variables, "port", number_text(run, port != 0 ? port : 53)) !=
            SP_OK ||
        sp_lab_variables_set(&run->variables, "seconds", number_text(run, tool->seconds)) !=
            SP_OK ||
        sp_lab_variables_set(&run->variables, "rate", rate > 0 ? number_text(run, rate) : "") !=
            SP_OK) {
        return sp_fail(err, SP_TOO_LONG, 0, "too many variables");
    }
    (void)snprintf(run->output, sizeof(run->output), "%s/%s.out", run->stage->folder, tool->name);
    (void)snprintf(run->errors, sizeof(run->errors), "%s/%s.err", run->stage->folder, tool->name);
    return SP_OK;
}

static sp_status_t spawn_half(tool_run_t *run, const sp_lab_texts_t *command, unsigned place,
                              bool is_client, sp_process_t *ret_process, sp_error_t *err)
{
    const char **argv = NULL;
    char other[2 * SP_LAB_PATH_MAX + 8];
    sp_spawn_options_t options = {.netns =
                                      sp_topology_netns(run->stage->topology, (sp_place_t)place)};
    sp_status_t status =
        sp_lab_command(&run->pick, command, &run->variables, &run->arena, &argv, err);

    (void)snprintf(other, sizeof(other), "%s.server", run->output);
    if (status != SP_OK) {
        return status;
    }
    options.argv = argv;
    options.output = is_client ? run->output : other;
    options.errors = is_client ? run->errors : other;
    options.cpus = is_client ? sp_lab_generator_cpus() : 0;
    return sp_spawn(&options, ret_process, err);
}

static sp_status_t wait_for(tool_run_t *run, sp_process_t *process, sp_error_t *err)
{
    char line[100];
    char ended[80];
    sp_wait_t how = sp_process_wait(process, (int)(run->tool->seconds * 1000) + EXTRA_MS,
                                    sp_capsule_stop_fd(run->stage->capsule));

    if (how != SP_WAIT_ENDED) {
        sp_process_end(process, SIGKILL, GRACE_MS);
        return sp_fail(err, SP_IO, 0, "%s did not end in time", run->tool->name);
    }
    if (process->status != 0) {
        return sp_fail(err, SP_IO, 0, "%s %s: %s", run->tool->name,
                       sp_process_says(process, ended, sizeof(ended)),
                       sp_lab_file_first_line(run->errors, line, sizeof(line)));
    }
    return SP_OK;
}

/* Until the server half listens, its client is refused, and is started once more. (iperf3 with
 * --json says so in its output only, and ends with 0.) */
static sp_status_t run_client(tool_run_t *run, json_t **ret_json, sp_error_t *err)
{
    sp_process_t client = {.pid = 0};
    sp_str_t text;
    sp_status_t status =
        spawn_half(run, &run->pick.role->command, run->tool->at, true, &client, err);

    if (status == SP_OK) {
        status = wait_for(run, &client, err);
    }
    if (status == SP_OK) {
        status = sp_lab_file_read(run->output, &text, err);
    }
    if (status == SP_OK) {
        status = sp_lab_raw_json(run->pick.role->name, text, ret_json, err);
        sp_lab_file_free(text);
    }
    return status;
}

static sp_status_t run_halves(tool_run_t *run, json_t **ret_json, sp_error_t *err)
{
    sp_process_t server = {.pid = 0};
    const sp_lab_texts_t *command = &run->pick.role->server_command;
    sp_status_t status = SP_OK;
    int attempts = command->count == 0 ? 1 : SERVER_ATTEMPTS;

    if (command->count != 0) {
        status = spawn_half(run, command, run->tool->server_at, false, &server, err);
    }
    if (status == SP_OK) {
        do {
            status = run_client(run, ret_json, err);
        } while (status != SP_OK && --attempts != 0 &&
                 sp_process_wait(&server, 20, sp_capsule_stop_fd(run->stage->capsule)) ==
                     SP_WAIT_TIMEOUT);
    }
    sp_process_end(&server, SIGTERM, GRACE_MS);
    return status;
}

sp_status_t sp_lab_run_tool(const sp_lab_stage_t *stage, const sp_lab_use_t *tool,
                            const char *address, double rate, json_t **ret_json, sp_error_t *err)
{
    tool_run_t run = {.stage = stage, .tool = tool};
    sp_status_t status = SP_OK;

    sp_arena_init(&run.arena, NULL, 0, ARENA_CHUNK);
    status = prepare(&run, tool->address != NULL ? tool->address : address, rate, err);
    if (status == SP_OK) {
        status = run_halves(&run, ret_json, err);
    }
    sp_arena_clear(&run.arena);
    return status;
}

static double field(const json_t *json, const char *name)
{
    return json_number_value(json_object_get(json, name));
}

sp_status_t sp_lab_run_steps(const sp_lab_stage_t *stage, const sp_lab_use_t *steps,
                             const char *address, json_t **ret_json, sp_error_t *err)
{
    json_t *list = json_array();

    for (size_t i = 0; i != steps->rate_count; ++i) {
        json_t *one = NULL;
        sp_status_t status = sp_lab_run_tool(stage, steps, address, steps->rates[i], &one, err);
        double seconds = 0;

        if (status != SP_OK) {
            json_decref(list);
            return status;
        }
        seconds = field(one, "seconds") > 0 ? field(one, "seconds") : steps->seconds;
        (void)json_array_append_new(
            list, json_pack("{s:f, s:f, s:f, s:f, s:f}", "rate", steps->rates[i], "offered_qps",
                            field(one, "sent") / seconds, "answered_qps", field(one, "qps"), "lost",
                            field(one, "lost"), "avg_ms", field(one, "avg_ms")));
        json_decref(one);
    }
    *ret_json = list;
    return SP_OK;
}
