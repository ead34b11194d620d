/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/once.h"

#include <signal.h>
#include <string.h>

#include "lab/calibrate.h"
#include "lab/clock.h"
#include "lab/measure.h"
#include "lab/tools.h"

#define EXTRA_MS 60000 /* beyond the time that a load may take */
#define GRACE_MS 12000 /* a generator that is asked to end writes down what it has */

static sp_status_t stopped(sp_error_t *err)
{
    return sp_fail(err, SP_IO, 0, "stopped");
}

/* The first time: what runs, and whether the impairments do what they say. */
static sp_status_t describe(const sp_lab_once_t *once, const sp_lab_scene_t *scene, sp_error_t *err)
{
    const sp_lab_setup_t *setup = once->one->setup;
    json_t *list = json_object_get(once->setup, "impairments");

    if (json_array_size(json_object_get(once->setup, "roles")) == 0) {
        (void)json_object_set(once->setup, "roles", scene->roles);
    }
    for (size_t i = 0; i != setup->impairment_count; ++i) {
        json_t *entry = json_array_get(list, i);
        json_t *figures = NULL;

        if (json_object_get(entry, "means") != NULL) {
            continue;
        }
        if (sp_lab_calibrate(scene->topology, setup->impairments, setup->impairment_count, i,
                             &figures, err) != SP_OK) {
            return SP_IO;
        }
        (void)json_object_set_new(entry, "means",
                                  json_string(sp_impairments_means(scene->impairments, i)));
        if (figures != NULL) {
            (void)json_object_set_new(entry, "calibration", figures);
        }
    }
    return SP_OK;
}

/* Waits for the generator, and lets happen what is to happen meanwhile, in order of time. */
static sp_status_t wait_for_load(sp_lab_scene_t *scene, sp_process_t *process, double seconds,
                                 json_t *run, sp_error_t *err)
{
    const sp_lab_setup_t *setup = scene->one->setup;
    int stop = sp_capsule_stop_fd(scene->session->capsule);
    int64_t began = sp_clock_ms();
    json_t *events = json_array();
    sp_wait_t how = SP_WAIT_TIMEOUT;

    for (size_t i = 0; how == SP_WAIT_TIMEOUT && i != setup->event_count; ++i) {
        int64_t due = began + (int64_t)(setup->events[i].at_s * 1000) - sp_clock_ms();
        sp_lab_instance_t *instance = sp_lab_scene_instance(scene, setup->events[i].kill);

        how = sp_process_wait(process, due < 0 ? 0 : (int)due, stop);
        if (how == SP_WAIT_TIMEOUT && instance != NULL) {
            sp_process_end(&instance->process, SIGKILL, 0);
            (void)json_array_append_new(events, json_pack("{s:f, s:s}", "at_s",
                                                          (double)(sp_clock_ms() - began) / 1000,
                                                          "killed", setup->events[i].kill));
        }
    }
    if (setup->event_count != 0) {
        (void)json_object_set(run, "events", events);
    }
    json_decref(events);
    if (how == SP_WAIT_TIMEOUT) {
        how = sp_process_wait(process, (int)(seconds * 1000) + EXTRA_MS, stop);
    }
    if (how == SP_WAIT_ENDED) {
        return SP_OK;
    }
    sp_process_end(process, SIGINT, GRACE_MS);
    return how == SP_WAIT_STOP ? stopped(err)
                               : sp_fail(err, SP_IO, 0, "the load generator did not end in time");
}

/* The application's load, or lookups. */
static sp_status_t measure_load(sp_lab_scene_t *scene, json_t *run, sp_error_t *err)
{
    const sp_lab_case_t *one = scene->one;
    const sp_lab_lookups_t *lookups = &one->setup->lookups;
    sp_process_t process = {.pid = 0};
    double seconds = one->load.duration_s + one->load.timeout_s;
    json_t *figures = NULL;
    sp_status_t status = SP_OK;

    if (lookups->concurrency != 0) {
        seconds = lookups->duration_s;
        status = sp_lab_run_lookups(&scene->stage, lookups, one->setup->resolver,
                                    scene->experiment->names, &process, err);
    } else {
        if (one->load.requests != 0 && one->load.loop == 0) {
            seconds += one->load.requests / one->load.rate;
        } else if (one->load.requests != 0) {
            seconds += one->load.requests / 100.0;
        }
        status = sp_lab_run_load(&scene->stage, &one->load, scene->connect, scene->targets,
                                 &process, err);
    }
    if (status == SP_OK) {
        status = wait_for_load(scene, &process, seconds, run, err);
    }
    if (status == SP_OK) {
        status = sp_lab_take_figures(&scene->stage, &process, &figures, err);
    }
    if (status == SP_OK) {
        (void)json_object_set_new(run, "load", figures);
    }
    sp_process_end(&process, SIGKILL, 0);
    return status;
}

static sp_status_t measure_raw(const sp_lab_scene_t *scene, json_t *run, sp_error_t *err)
{
    const sp_lab_setup_t *setup = scene->one->setup;
    json_t *raw = json_object();
    sp_status_t status = SP_OK;

    for (size_t i = 0; status == SP_OK && i != setup->raw.count; ++i) {
        const sp_lab_use_t *tool = &setup->raw.list[i];
        const sp_lab_role_t *role = NULL;
        json_t *figures = NULL;

        status = sp_lab_library_role(scene->session->library, tool->role, &role, err);
        if (status == SP_OK) {
            status = sp_lab_run_tool(&scene->stage, tool,
                                     role->server_command.count != 0 || setup->resolver == NULL
                                         ? sp_topology_app_address(scene->topology)
                                         : setup->resolver,
                                     0, &figures, err);
        }
        if (status == SP_OK) {
            (void)json_object_set_new(raw, tool->name, figures);
        }
    }
    if (setup->raw.count != 0) {
        (void)json_object_set(run, "raw", raw);
    }
    json_decref(raw);
    return status;
}

static sp_status_t measure_steps(const sp_lab_scene_t *scene, json_t *run, sp_error_t *err)
{
    const sp_lab_setup_t *setup = scene->one->setup;
    const char *address = setup->resolver == NULL ? SP_ADDRESS_UPSTREAM : setup->resolver;
    json_t *steps = NULL;
    sp_status_t status = SP_OK;

    if (setup->steps.role == NULL) {
        return SP_OK;
    }
    status = sp_lab_run_steps(&scene->stage, &setup->steps, address, &steps, err);
    if (status == SP_OK) {
        (void)json_object_set_new(run, "steps", steps);
    }
    return status;
}

/* The counters are about what is measured first; raw figures beside a load come after it. */
static sp_status_t measure(const sp_lab_once_t *once, sp_lab_scene_t *scene, json_t *run,
                           double *ret_foreign, sp_error_t *err)
{
    const sp_lab_setup_t *setup = once->one->setup;
    sp_lab_counts_t before;
    sp_lab_counts_t after;
    bool has_load = sp_lab_setup_serves(setup) || setup->lookups.concurrency != 0;
    sp_status_t status = sp_lab_counts_read(scene, &before, err);

    once->on_step(once->arg, "measuring");
    if (status == SP_OK && has_load) {
        status = measure_load(scene, run, err);
    }
    if (status == SP_OK && !has_load) {
        status = measure_steps(scene, run, err);
    }
    if (status == SP_OK && !has_load) {
        status = measure_raw(scene, run, err);
    }
    if (status == SP_OK) {
        status = sp_lab_counts_read(scene, &after, err);
    }
    if (status == SP_OK) {
        *ret_foreign = sp_lab_counts_put(scene, &before, &after, json_object_get(run, "load"), run);
        status = has_load ? measure_raw(scene, run, err) : SP_OK;
    }
    return status == SP_OK ? sp_lab_scene_check(scene, err) : status;
}

sp_status_t sp_lab_run_once(const sp_lab_once_t *once, json_t *run, double *ret_foreign,
                            sp_error_t *err)
{
    sp_lab_scene_t scene;
    sp_status_t status = SP_OK;

    once->on_step(once->arg, "starting");
    status = sp_lab_scene_up(once->session, once->experiment, once->one, &scene, err);
    if (status == SP_OK) {
        status = sp_lab_scene_impair(&scene, err);
    }
    if (status == SP_OK) {
        once->on_step(once->arg, "calibrating");
        status = describe(once, &scene, err);
    }
    if (status == SP_OK) {
        status = measure(once, &scene, run, ret_foreign, err);
    }
    sp_lab_scene_down(&scene);
    return status;
}
