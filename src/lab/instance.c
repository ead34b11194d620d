/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/instance.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/clock.h"
#include "lab/files.h"
#include "lab/probe.h"
#include "lab/zone_writer.h"

#define READY_MS 20000 /* how long a server may take to serve */
#define PROBE_MS 300   /* how long one answer may take */
#define BETWEEN_MS 20  /* between two probes */
#define STOP_GRACE_MS 2000
#define ARENA_CHUNK 16384
#define DEFAULT_PORT 53

/* ---- files ---- */

typedef struct making {
    const sp_lab_stage_t *stage;
    sp_lab_pick_t pick;
    sp_lab_variables_t variables;
    sp_arena_t arena;
    json_t *files; /* name → text, for the result */
} making_t;

static sp_status_t write_file(making_t *making, const char *folder, const sp_lab_parameter_t *file,
                              sp_error_t *err)
{
    char from[2 * SP_LAB_PATH_MAX];
    char to[2 * SP_LAB_PATH_MAX];
    char shown[SP_ERROR_MESSAGE_MAX / 2];
    sp_str_t text;
    sp_buf_t out;
    sp_status_t status = SP_OK;

    (void)snprintf(from, sizeof(from), "%s/%s", making->pick.role->folder, file->value);
    (void)snprintf(to, sizeof(to), "%s/%s", folder, file->name);
    (void)snprintf(shown, sizeof(shown), "roles/%s/%s", making->pick.role->name, file->value);
    status = sp_lab_file_read(from, &text, err);
    if (status != SP_OK) {
        return status;
    }
    sp_buf_init(&out, &making->arena, SP_LAB_TEMPLATE_MAX);
    status = sp_lab_template_fill(text, shown, &making->variables, &out, err);
    sp_lab_file_free(text);
    if (status == SP_OK) {
        status = sp_lab_file_write(to, sp_buf_str(&out), err);
    }
    if (status == SP_OK) {
        (void)json_object_set_new(making->files, file->name,
                                  json_stringn(sp_buf_str(&out).ptr, sp_buf_str(&out).len));
    }
    return status;
}

static sp_status_t write_files(making_t *making, const char *folder, sp_error_t *err)
{
    const sp_lab_parameters_t *files = &making->pick.role->files;
    sp_status_t status = SP_OK;

    sp_lab_file_remove_tree(folder); /* what the last run's server left */
    if (mkdir(folder, 0755) != 0) {
        return sp_fail(err, SP_IO, 0, "%.120s: %s", folder, strerror(errno));
    }
    /* servers that give up root write their own files here */
    if (chmod(folder, 01777) != 0) {
        return sp_fail(err, SP_IO, 0, "%.120s: %s", folder, strerror(errno));
    }
    for (size_t i = 0; status == SP_OK && i != files->count; ++i) {
        status = write_file(making, folder, &files->list[i], err);
    }
    return status;
}

/* ---- what it is ---- */

/* The first line that the version command prints, wherever it prints it. */
static void ask_version(making_t *making, const sp_lab_stage_t *stage, const char *name)
{
    const sp_lab_texts_t *version = &making->pick.role->version;
    const char **argv = NULL;
    char path[2 * SP_LAB_PATH_MAX];
    char line[160] = "";
    sp_process_t process = {.pid = 0};
    sp_spawn_options_t options = {.output = path, .errors = path};

    (void)snprintf(path, sizeof(path), "%s/%s.version", stage->folder, name);
    if (version->count != 0 && sp_lab_command(&making->pick, version, &making->variables,
                                              &making->arena, &argv, NULL) == SP_OK) {
        options.argv = argv;
        if (sp_spawn(&options, &process, NULL) == SP_OK) {
            (void)sp_process_wait(&process, READY_MS, -1);
            sp_process_end(&process, SIGKILL, STOP_GRACE_MS);
            (void)sp_lab_file_first_line(path, line, sizeof(line));
        }
    }
    (void)json_object_set_new(stage->versions, name, json_string(line));
}

static json_t *describe(making_t *making, const sp_lab_instance_t *instance,
                        const char *const *argv)
{
    const sp_lab_role_t *role = making->pick.role;
    json_t *command = json_array();
    json_t *in_place_of = making->pick.in_place_of == NULL
                              ? json_null()
                              : json_string(making->pick.in_place_of->title);

    if (json_object_get(making->stage->versions, role->name) == NULL) {
        ask_version(making, making->stage, role->name);
    }
    for (size_t i = 0; argv[i] != NULL; ++i) {
        (void)json_array_append_new(command, json_string(argv[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:O, s:o, s:O}", "name",
                     instance->use->name, "role", role->name, "title", role->title, "at",
                     sp_place_name((sp_place_t)instance->use->at), "address", instance->address,
                     "port", (int)instance->port, "stand_in_for", in_place_of, "version",
                     json_object_get(making->stage->versions, role->name), "command", command,
                     "files", making->files);
}

/* ---- start and readiness ---- */

static sp_lab_answer_t probe(const sp_lab_stage_t *stage, const sp_lab_instance_t *instance,
                             int timeout_ms)
{
    char host[SP_LAB_HOST_MAX];
    char name[SP_LAB_HOST_MAX + 16];
    struct sockaddr_in server;
    const sp_netns_t *netns = sp_topology_netns(stage->topology, (sp_place_t)instance->use->at);

    if (!sp_lab_address(instance->address, instance->port, &server)) {
        return SP_LAB_ANSWER_NONE;
    }
    switch (instance->role->ready) {
    case SP_LAB_READY_ALIVE:
        return SP_LAB_ANSWER_GOOD;
    case SP_LAB_READY_DNS:
        (void)snprintf(name, sizeof(name), "_redirect.%s", sp_lab_host(0, host));
        return sp_lab_probe_dns(netns, &server, name, timeout_ms);
    case SP_LAB_READY_HTTP:
        return sp_lab_probe_http(netns, &server, sp_lab_host(0, host), timeout_ms);
    case SP_LAB_READY_UNIX:
        return sp_lab_probe_unix(instance->ready_path, timeout_ms);
    }
    return SP_LAB_ANSWER_NONE;
}

/* Why it did not come up: how it ended, and what it said. */
static sp_status_t say_failure(const sp_lab_instance_t *instance, const char *what, sp_error_t *err)
{
    char path[2 * SP_LAB_PATH_MAX];
    char line[100];

    (void)snprintf(path, sizeof(path), "%s/log", instance->folder);
    (void)sp_lab_file_first_line(path, line, sizeof(line));
    return sp_fail(err, SP_IO, 0, "%s (%s) %s%s%s", instance->use->name, instance->role->title,
                   what, line[0] == '\0' ? "" : "; it said: ", line);
}

static sp_status_t wait_until_ready(const sp_lab_stage_t *stage, sp_lab_instance_t *instance,
                                    sp_error_t *err)
{
    int64_t until = sp_clock_ms() + READY_MS;
    char ended[80];

    while (sp_clock_ms() < until) {
        int64_t began = sp_clock_ms();

        if (probe(stage, instance, PROBE_MS) == SP_LAB_ANSWER_GOOD &&
            sp_process_is_alive(&instance->process)) {
            return SP_OK;
        }
        began += BETWEEN_MS;
        began = began > sp_clock_ms() ? began - sp_clock_ms() : 0;
        switch (
            sp_process_wait(&instance->process, (int)began, sp_capsule_stop_fd(stage->capsule))) {
        case SP_WAIT_ENDED:
            return say_failure(instance, sp_process_says(&instance->process, ended, sizeof(ended)),
                               err);
        case SP_WAIT_STOP:
            return sp_fail(err, SP_UNSUPPORTED, 0, "stopped");
        case SP_WAIT_TIMEOUT:
            break;
        }
    }
    return say_failure(instance, "does not serve", err);
}

static sp_status_t environment_of(making_t *making, const char ***ret_environment, sp_error_t *err)
{
    const sp_lab_parameters_t *given = &making->pick.role->environment;
    const char **list = sp_arena_zalloc(&making->arena, given->count + 1, sizeof(*list));

    for (size_t i = 0; list != NULL && i != given->count; ++i) {
        const char *value = sp_lab_fill_text(given->list[i].value, making->pick.role->name,
                                             &making->variables, &making->arena, err);
        sp_buf_t pair;

        if (value == NULL) {
            return SP_BAD_VALUE;
        }
        sp_buf_init(&pair, &making->arena, SP_LAB_PATH_MAX);
        sp_buf_printf(&pair, "%s=%s", given->list[i].name, value);
        list[i] = sp_lab_own_text(&making->arena, sp_buf_str(&pair));
    }
    *ret_environment = list;
    return list == NULL ? sp_fail(err, SP_NO_MEMORY, 0, "out of memory") : SP_OK;
}

static sp_status_t launch(making_t *making, const sp_lab_start_t *start,
                          sp_lab_instance_t *instance, const char *const *argv, sp_error_t *err)
{
    char log[2 * SP_LAB_PATH_MAX];
    const char **environment = NULL;
    sp_spawn_options_t options = {
        .argv = argv,
        .netns = sp_topology_netns(making->stage->topology, (sp_place_t)start->use->at),
        .folder = instance->folder,
        .cgroup = start->cgroup,
        .cpus = start->cpus,
        .output = log,
        .errors = log};
    sp_status_t status = environment_of(making, &environment, err);

    if (status != SP_OK) {
        return status;
    }
    (void)snprintf(log, sizeof(log), "%s/log", instance->folder);
    options.environment = environment;
    return sp_spawn(&options, &instance->process, err);
}

static sp_status_t prepare(making_t *making, const sp_lab_start_t *start,
                           sp_lab_instance_t *instance, sp_error_t *err)
{
    const sp_lab_use_t *use = start->use;
    sp_buf_t port;
    sp_status_t status = sp_lab_library_pick(making->stage->library, use->role, &making->pick, err);

    if (status != SP_OK) {
        return status;
    }
    instance->role = making->pick.role;
    instance->in_place_of = making->pick.in_place_of;
    instance->address = use->address != NULL ? use->address : start->address;
    instance->port = use->port != 0 ? use->port : making->pick.role->port;
    instance->port = instance->port != 0 ? instance->port : DEFAULT_PORT;
    (void)snprintf(instance->folder, sizeof(instance->folder), "%s/%s", making->stage->folder,
                   use->name);
    status =
        sp_lab_use_variables(making->stage->variables, &making->pick, use, &making->variables, err);
    if (status != SP_OK) {
        return status;
    }
    sp_buf_init(&port, &making->arena, 16);
    sp_buf_printf(&port, "%u", instance->port);
    if (sp_lab_variables_set(&making->variables, "dir", instance->folder) != SP_OK ||
        sp_lab_variables_set(&making->variables, "address", instance->address) != SP_OK ||
        sp_lab_variables_set(&making->variables, "port",
                             sp_lab_own_text(&making->arena, sp_buf_str(&port))) != SP_OK) {
        return sp_fail(err, SP_TOO_LONG, 0, "too many variables");
    }
    if (making->pick.role->ready == SP_LAB_READY_UNIX) {
        instance->ready_path =
            sp_lab_fill_text(making->pick.role->ready_path, making->pick.role->name,
                             &making->variables, &making->arena, err);
        if (instance->ready_path == NULL) {
            return SP_BAD_VALUE;
        }
    }
    return write_files(making, instance->folder, err);
}

static sp_status_t check_nobody(const sp_lab_stage_t *stage, const sp_lab_instance_t *instance,
                                sp_error_t *err)
{
    sp_lab_answer_t answer = instance->role->ready == SP_LAB_READY_ALIVE
                                 ? SP_LAB_ANSWER_REFUSED
                                 : probe(stage, instance, PROBE_MS);

    if (answer == SP_LAB_ANSWER_GOOD || answer == SP_LAB_ANSWER_BAD) {
        return sp_fail(err, SP_IO, 0, "something else answers at %s:%u before %s was started",
                       instance->address, instance->port, instance->use->name);
    }
    return SP_OK;
}

sp_status_t sp_lab_instance_start(const sp_lab_stage_t *stage, const sp_lab_start_t *start,
                                  sp_lab_instance_t *ret_instance, json_t **ret_says,
                                  sp_error_t *err)
{
    making_t making = {.stage = stage, .files = json_object()};
    const char **argv = NULL;
    sp_status_t status = SP_OK;

    memset(ret_instance, 0, sizeof(*ret_instance));
    ret_instance->use = start->use;
    sp_arena_init(&making.arena, NULL, 0, ARENA_CHUNK);
    status = prepare(&making, start, ret_instance, err);
    if (status == SP_OK) {
        status = sp_lab_command(&making.pick, &making.pick.role->command, &making.variables,
                                &making.arena, &argv, err);
    }
    if (status == SP_OK) {
        status = check_nobody(stage, ret_instance, err);
    }
    if (status == SP_OK) {
        status = launch(&making, start, ret_instance, argv, err);
    }
    if (status == SP_OK) {
        status = wait_until_ready(stage, ret_instance, err);
    }
    if (status == SP_OK && ret_says != NULL) {
        *ret_says = describe(&making, ret_instance, argv);
    }
    if (status != SP_OK) {
        sp_lab_instance_end(ret_instance);
    }
    ret_instance->ready_path = NULL;
    json_decref(making.files);
    sp_arena_clear(&making.arena);
    return status;
}

void sp_lab_instance_end(sp_lab_instance_t *instance)
{
    if (instance->process.pid != 0) {
        sp_process_end(&instance->process, instance->role->stop_signal, STOP_GRACE_MS);
    }
}

sp_status_t sp_lab_instance_check(const sp_lab_instance_t *instance, sp_error_t *err)
{
    return sp_process_is_alive(&instance->process)
               ? SP_OK
               : say_failure(instance, "has ended by itself", err);
}
