/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/scene.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lab/certificate.h"
#include "lab/tools.h"
#include "lab/warm.h"
#include "lab/zone_writer.h"

#define ARENA_CHUNK 4096
#define QUERIES_SEED 1
#define APP_PORT 8080
#define WARM_TTL_S 10

/* ---- files that all servers read ---- */

typedef struct common_files {
    char zone[SP_LAB_PATH_MAX + 64], targets[SP_LAB_PATH_MAX + 64], queries[SP_LAB_PATH_MAX + 64];
    char certificate[SP_LAB_PATH_MAX + 64], key[SP_LAB_PATH_MAX + 64];
} common_files_t;

static bool exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0;
}

/* Each is made once in an invocation: names tell what is in them. */
static sp_status_t write_common(const sp_lab_scene_t *scene, common_files_t *files, sp_error_t *err)
{
    const char *folder = scene->session->folder;
    sp_lab_zone_t zone = {.names = scene->experiment->names, .ttl_s = scene->one->setup->ttl_s};
    sp_status_t status = SP_OK;

    (void)snprintf(files->zone, sizeof(files->zone), "%s/zone-%u-%u", folder, zone.names,
                   zone.ttl_s);
    (void)snprintf(files->targets, sizeof(files->targets), "%s/targets-%u", folder, zone.names);
    (void)snprintf(files->queries, sizeof(files->queries), "%s/queries-%u", folder, zone.names);
    (void)snprintf(files->certificate, sizeof(files->certificate), "%s/certificate.pem", folder);
    (void)snprintf(files->key, sizeof(files->key), "%s/key.pem", folder);
    if (!exists(files->zone)) {
        status = sp_lab_zone_write(&zone, files->zone, err);
    }
    if (status == SP_OK && !exists(files->targets)) {
        status = sp_lab_targets_write(&zone, files->targets, err);
    }
    if (status == SP_OK && !exists(files->queries)) {
        status = sp_lab_queries_write(&zone, QUERIES_SEED, files->queries, err);
    }
    if (status == SP_OK && !exists(files->key)) {
        status = sp_lab_certificate_write(files->certificate, files->key, err);
    }
    return status;
}

static const char *keep(sp_lab_scene_t *scene, const char *text)
{
    sp_str_t copy = sp_arena_copy(&scene->arena, (sp_str_t){.ptr = text, .len = strlen(text) + 1});

    return copy.ptr;
}

static const char *keep_number(sp_lab_scene_t *scene, unsigned value)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%u", value);
    return keep(scene, text);
}

static unsigned app_port(const sp_lab_scene_t *scene)
{
    const sp_lab_use_t *app = &scene->one->setup->app;
    const sp_lab_role_t *role = NULL;

    if (app->port != 0) {
        return app->port;
    }
    if (app->role != NULL &&
        sp_lab_library_role(scene->session->library, app->role, &role, NULL) == SP_OK &&
        role->port != 0) {
        return role->port;
    }
    return APP_PORT;
}

static sp_status_t set_variables(sp_lab_scene_t *scene, sp_error_t *err)
{
    const sp_lab_setup_t *setup = scene->one->setup;
    common_files_t files = {.zone = ""};
    sp_status_t status = write_common(scene, &files, err);
    const char *app_address = sp_topology_app_address(scene->topology);
    const struct {
        const char *name, *value;
    } texts[] = {
        {"zone", SP_LAB_ZONE},
        {"zone_file", keep(scene, files.zone)},
        {"queries", keep(scene, files.queries)},
        {"certificate", keep(scene, files.certificate)},
        {"key", keep(scene, files.key)},
        {"names", keep_number(scene, scene->experiment->names)},
        {"signpost", scene->session->library->executable},
        {"roles", scene->session->library->roles_folder},
        {"app_address", app_address},
        {"app_port", keep_number(scene, app_port(scene))},
        {"resolver", setup->resolver == NULL ? "" : setup->resolver},
    };
    static const sp_lab_texts_t nobody = {.list = NULL, .count = 0};

    if (status != SP_OK) {
        return status;
    }
    for (size_t i = 0; i != SP_COUNT(texts); ++i) {
        if (texts[i].value == NULL) {
            return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
        }
        if (sp_lab_variables_set(&scene->variables, texts[i].name, texts[i].value) != SP_OK) {
            return sp_fail(err, SP_TOO_LONG, 0, "too many variables");
        }
    }
    if (sp_lab_variables_set_list(&scene->variables, "forward", nobody) != SP_OK) {
        return sp_fail(err, SP_TOO_LONG, 0, "too many variables");
    }
    (void)snprintf(scene->targets, sizeof(scene->targets), "%.*s", SP_LAB_PATH_MAX - 1,
                   files.targets);
    (void)snprintf(scene->connect, sizeof(scene->connect), "%s:%u", app_address, app_port(scene));
    return SP_OK;
}

/* ---- servers ---- */

static sp_status_t start_one(sp_lab_scene_t *scene, const sp_lab_start_t *start, sp_error_t *err)
{
    sp_lab_instance_t *instance = &scene->instances[scene->instance_count];
    json_t *says = NULL;
    sp_status_t status = sp_lab_instance_start(&scene->stage, start, instance, &says, err);

    if (status == SP_OK) {
        ++scene->instance_count;
        (void)json_array_append_new(scene->roles, says);
    }
    return status;
}

/* A control group of its own, where its processor time is limited. */
static sp_status_t make_app_group(sp_lab_scene_t *scene, sp_error_t *err)
{
    double quota = scene->one->setup->cpu_quota;
    sp_status_t status = SP_OK;

    if (quota <= 0) {
        return SP_OK;
    }
    status = sp_cgroup_create_child(sp_capsule_cgroup(scene->session->capsule), "app",
                                    &scene->app_group, err);
    return status == SP_OK ? sp_cgroup_set_quota(scene->app_group, quota, err) : status;
}

static sp_status_t start_app(sp_lab_scene_t *scene, sp_error_t *err)
{
    const sp_lab_setup_t *setup = scene->one->setup;
    sp_lab_start_t start = {.use = &scene->app_use,
                            .address = sp_topology_app_address(scene->topology)};
    sp_status_t status = SP_OK;

    if (!sp_lab_setup_serves(setup)) {
        return SP_OK;
    }
    scene->app_use = setup->app;
    if (setup->app.forward.count == 0) {
        scene->resolver[0] = setup->resolver;
        scene->app_use.forward = (sp_lab_texts_t){.list = scene->resolver, .count = 1};
    }
    status = make_app_group(scene, err);
    start.cgroup = scene->app_group;
    if (status == SP_OK) {
        status = start_one(scene, &start, err);
    }
    if (status == SP_OK) {
        scene->app = &scene->instances[scene->instance_count - 1];
    }
    return status;
}

static sp_status_t start_all(sp_lab_scene_t *scene, sp_error_t *err)
{
    const sp_lab_uses_t *roles = &scene->one->setup->roles;
    sp_status_t status = SP_OK;

    for (size_t i = 0; status == SP_OK && i != roles->count; ++i) {
        sp_lab_start_t start = {.use = &roles->list[i]};

        status = start_one(scene, &start, err);
    }
    return status == SP_OK ? start_app(scene, err) : status;
}

static sp_status_t check_allowed(const sp_lab_session_t *session, const sp_lab_setup_t *setup,
                                 sp_error_t *err)
{
    for (size_t i = 0; i != setup->impairment_count; ++i) {
        if (setup->impairments[i].kind == SP_IMPAIRMENT_CONNTRACK_FULL && !session->machine_wide) {
            return sp_fail(err, SP_UNSUPPORTED, 0,
                           "it lowers nf_conntrack_max of the whole machine for a moment: allow "
                           "that with --machine-wide");
        }
    }
    return SP_OK;
}

sp_status_t sp_lab_scene_up(sp_lab_session_t *session, const sp_lab_experiment_t *experiment,
                            const sp_lab_case_t *one, sp_lab_scene_t *scene, sp_error_t *err)
{
    sp_topology_options_t options = {.datapath = (sp_datapath_t)one->setup->datapath,
                                     .signpost = session->library->executable};
    sp_status_t status = SP_OK;

    memset(scene, 0, sizeof(*scene));
    scene->session = session;
    scene->experiment = experiment;
    scene->one = one;
    scene->roles = json_array();
    sp_arena_init(&scene->arena, NULL, 0, ARENA_CHUNK);
    status = check_allowed(session, one->setup, err);
    if (status == SP_OK) {
        status = sp_topology_up(session->capsule, &options, &scene->topology, err);
    }
    if (status != SP_OK) {
        return status;
    }
    (void)snprintf(scene->folder, sizeof(scene->folder), "%.*s/run", SP_LAB_PATH_MAX - 8,
                   session->folder);
    if (mkdir(scene->folder, 0755) != 0 && errno != EEXIST) {
        return sp_fail(err, SP_IO, 0, "%.120s: %s", scene->folder, strerror(errno));
    }
    scene->stage = (sp_lab_stage_t){.capsule = session->capsule,
                                    .library = session->library,
                                    .topology = scene->topology,
                                    .variables = &scene->variables,
                                    .folder = scene->folder,
                                    .versions = session->versions};
    status = set_variables(scene, err);
    return status == SP_OK ? start_all(scene, err) : status;
}

/* Servers in the order in which they were started, those that others ask before those that ask.
 * What lives shorter than this takes would be in its last second when the application asks for it,
 * and then it does not keep it. */
static sp_status_t warm_up(const sp_lab_scene_t *scene, sp_error_t *err)
{
    const sp_lab_load_t *load = &scene->one->load;
    sp_status_t status = SP_OK;

    if (load->warm_s <= 0) {
        return SP_OK;
    }
    for (size_t i = 0; status == SP_OK && i != scene->instance_count; ++i) {
        const sp_lab_instance_t *instance = &scene->instances[i];
        unsigned answered = 0;
        sp_lab_warm_t warm = {.netns =
                                  sp_topology_netns(scene->topology, (sp_place_t)instance->use->at),
                              .address = instance->address,
                              .port = instance->port,
                              .names = scene->experiment->names,
                              .limit_ms = (int)(load->warm_s * 1000)};

        if (instance->role->ready == SP_LAB_READY_DNS && scene->one->setup->ttl_s >= WARM_TTL_S) {
            status = sp_lab_warm_dns(&warm, &answered, err);
        }
    }
    if (status == SP_OK && scene->app != NULL) {
        status = sp_lab_run_warm(&scene->stage, load, scene->connect, scene->targets,
                                 scene->experiment->names, err);
    }
    return status;
}

sp_status_t sp_lab_scene_impair(sp_lab_scene_t *scene, sp_error_t *err)
{
    const sp_lab_setup_t *setup = scene->one->setup;
    sp_status_t status = warm_up(scene, err);

    if (status != SP_OK || setup->impairment_count == 0) {
        return status;
    }
    return sp_impairments_apply(scene->topology, scene->session->library->executable,
                                setup->impairments, setup->impairment_count, &scene->impairments,
                                err);
}

sp_status_t sp_lab_scene_check(const sp_lab_scene_t *scene, sp_error_t *err)
{
    for (size_t i = 0; i != scene->instance_count; ++i) {
        const sp_lab_instance_t *instance = &scene->instances[i];

        if (instance->process.pid != 0 && /* 0: an event has ended it */
            sp_lab_instance_check(instance, err) != SP_OK) {
            return SP_IO;
        }
    }
    return SP_OK;
}

sp_lab_instance_t *sp_lab_scene_instance(sp_lab_scene_t *scene, const char *name)
{
    for (size_t i = 0; i != scene->instance_count; ++i) {
        if (strcmp(scene->instances[i].use->name, name) == 0) {
            return &scene->instances[i];
        }
    }
    return NULL;
}

void sp_lab_scene_down(sp_lab_scene_t *scene)
{
    sp_impairments_clear(scene->impairments);
    for (size_t i = scene->instance_count; i-- != 0;) {
        sp_lab_instance_end(&scene->instances[i]);
    }
    sp_capsule_end_processes(scene->session->capsule);
    sp_cgroup_destroy(scene->app_group);
    sp_topology_down(scene->topology);
    json_decref(scene->roles);
    sp_arena_clear(&scene->arena);
}
