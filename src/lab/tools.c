/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/tools.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/files.h"

#define ARENA_CHUNK 8192
#define GRACE_MS 1000
#define WARM_CONNECTIONS 64
#define OPTIONS_MAX 40

int sp_lab_generator_cpu(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count < 2 || count > 64 ? -1 : (int)count - 1;
}

uint64_t sp_lab_generator_cpus(void)
{
    int cpu = sp_lab_generator_cpu();

    return cpu < 0 ? 0 : UINT64_C(1) << (unsigned)cpu;
}

/* Words of a command that is put together; numbers are made into texts in the arena. */
typedef struct words {
    sp_arena_t arena;
    const char *list[OPTIONS_MAX];
    size_t count;
} words_t;

static void add(words_t *words, const char *word)
{
    if (words->count + 1 < OPTIONS_MAX) {
        words->list[words->count++] = word;
    }
}

static void add_number(words_t *words, const char *option, double value)
{
    sp_buf_t text;

    sp_buf_init(&text, &words->arena, 64);
    sp_buf_printf(&text, "%.10g", value);
    sp_buf_append_char(&text, '\0');
    add(words, option);
    add(words, text.status == SP_OK ? sp_buf_str(&text).ptr : "0");
}

/* Files that the command sees in others' places. */
typedef struct binds {
    const sp_bind_t *list;
    size_t count;
} binds_t;

static void path_in(const sp_lab_stage_t *stage, const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s", stage->folder, name);
}

/* Starts one of our own commands; what it writes to standard error is kept for messages. */
static sp_status_t start(const sp_lab_stage_t *stage, sp_place_t place, const words_t *words,
                         const binds_t *binds, sp_process_t *ret_process, sp_error_t *err)
{
    char errors[2 * SP_LAB_PATH_MAX];
    sp_spawn_options_t options = {.argv = words->list,
                                  .netns = sp_topology_netns(stage->topology, place),
                                  .cpus = sp_lab_generator_cpus(),
                                  .errors = errors,
                                  .binds = binds->list,
                                  .bind_count = binds->count};

    path_in(stage, "generator.log", errors, sizeof(errors));
    return sp_spawn(&options, ret_process, err);
}

static void add_load(words_t *words, const sp_lab_load_t *load)
{
    if (load->loop == 0) {
        add_number(words, "--rate", load->rate);
        add(words, "--arrivals");
        add(words, load->arrivals == 0 ? "poisson" : "constant");
    } else {
        add(words, "--closed");
    }
    add_number(words, "--connections", load->connections);
    if (load->requests != 0) {
        add_number(words, "--requests", load->requests);
    } else {
        add_number(words, "--duration", load->duration_s);
    }
    add_number(words, "--timeout", load->timeout_s);
    add(words, "--names");
    add(words, load->names);
    add(words, "--http");
    add(words, load->http == 0 ? "1.1" : "2");
    if (load->tls) {
        add(words, "--tls");
    }
    add_number(words, "--threads", load->threads);
    add_number(words, "--seed", load->seed);
}

sp_status_t sp_lab_run_load(const sp_lab_stage_t *stage, const sp_lab_load_t *load,
                            const char *connect, const char *targets, sp_process_t *ret_process,
                            sp_error_t *err)
{
    words_t words = {.list = {stage->library->executable, "load", "--connect", connect},
                     .count = 4};
    char figures[2 * SP_LAB_PATH_MAX];
    sp_status_t status = SP_OK;

    sp_arena_init(&words.arena, NULL, 0, ARENA_CHUNK);
    path_in(stage, "figures.json", figures, sizeof(figures));
    (void)unlink(figures); /* none of an earlier run may be taken for this one's */
    add_load(&words, load);
    add(&words, "--json");
    add(&words, figures);
    add(&words, targets);
    status = start(stage, SP_PLACE_CLIENT, &words, &(binds_t){.list = NULL}, ret_process, err);
    sp_arena_clear(&words.arena);
    return status;
}

sp_status_t sp_lab_run_warm(const sp_lab_stage_t *stage, const sp_lab_load_t *load,
                            const char *connect, const char *targets, unsigned names,
                            sp_error_t *err)
{
    sp_lab_load_t warm = *load;
    sp_process_t process = {.pid = 0};
    sp_status_t status = SP_OK;

    if (load->warm_s <= 0) {
        return SP_OK;
    }
    warm.loop = 1;
    warm.connections = WARM_CONNECTIONS;
    warm.requests = names;
    warm.timeout_s = 2;
    warm.names = "sequential";
    status = sp_lab_run_load(stage, &warm, connect, targets, &process, err);
    if (status == SP_OK && sp_process_wait(&process, (int)(load->warm_s * 3000),
                                           sp_capsule_stop_fd(stage->capsule)) != SP_WAIT_ENDED) {
        sp_process_end(&process, SIGKILL, GRACE_MS);
    }
    return status;
}

/* resolv.conf(5) and nsswitch.conf(5) as this client is to see them. */
static sp_status_t write_resolver_files(const sp_lab_stage_t *stage,
                                        const sp_lab_lookups_t *lookups, const char *resolver,
                                        sp_error_t *err)
{
    char path[2 * SP_LAB_PATH_MAX];
    sp_arena_t arena;
    sp_buf_t text;
    sp_status_t status = SP_OK;

    sp_arena_init(&arena, NULL, 0, ARENA_CHUNK);
    sp_buf_init(&text, &arena, 4096);
    sp_buf_printf(&text, "nameserver %s\n", resolver);
    for (size_t i = 0; i != lookups->search.count; ++i) {
        sp_buf_printf(&text, "%s%s", i == 0 ? "search " : " ", lookups->search.list[i]);
    }
    sp_buf_append(&text, lookups->search.count == 0 ? SP_STR("") : SP_STR("\n"));
    if (lookups->ndots != 0) {
        sp_buf_printf(&text, "options ndots:%u\n", lookups->ndots);
    }
    for (size_t i = 0; i != lookups->options.count; ++i) {
        sp_buf_printf(&text, "options %s\n", lookups->options.list[i]);
    }
    path_in(stage, "resolv.conf", path, sizeof(path));
    status = text.status == SP_OK ? sp_lab_file_write(path, sp_buf_str(&text), err)
                                  : sp_fail(err, text.status, 0, "resolv.conf is too long");
    sp_arena_clear(&arena);
    if (status == SP_OK) {
        path_in(stage, "nsswitch.conf", path, sizeof(path));
        status = sp_lab_file_write(path, SP_STR("hosts: dns\n"), err);
    }
    return status;
}

sp_status_t sp_lab_run_lookups(const sp_lab_stage_t *stage, const sp_lab_lookups_t *lookups,
                               const char *resolver, unsigned names, sp_process_t *ret_process,
                               sp_error_t *err)
{
    words_t words = {.list = {stage->library->executable, "lab-lookups"}, .count = 2};
    char figures[2 * SP_LAB_PATH_MAX];
    char resolv_conf[2 * SP_LAB_PATH_MAX];
    char nsswitch_conf[2 * SP_LAB_PATH_MAX];
    const sp_bind_t files[] = {{resolv_conf, "/etc/resolv.conf"},
                               {nsswitch_conf, "/etc/nsswitch.conf"}};
    const binds_t binds = {.list = files, .count = access("/etc/nsswitch.conf", F_OK) == 0 ? 2 : 1};
    sp_status_t status = write_resolver_files(stage, lookups, resolver, err);

    if (status != SP_OK) {
        return status;
    }
    sp_arena_init(&words.arena, NULL, 0, ARENA_CHUNK);
    path_in(stage, "figures.json", figures, sizeof(figures));
    path_in(stage, "resolv.conf", resolv_conf, sizeof(resolv_conf));
    path_in(stage, "nsswitch.conf", nsswitch_conf, sizeof(nsswitch_conf));
    (void)unlink(figures);
    add_number(&words, "--threads", lookups->concurrency);
    add_number(&words, "--duration", lookups->duration_s);
    add_number(&words, "--names", names);
    if (lookups->names == 0) {
        add(&words, "--absolute");
    }
    add(&words, "--json");
    add(&words, figures);
    status = start(stage, SP_PLACE_POD, &words, &binds, ret_process, err);
    sp_arena_clear(&words.arena);
    return status;
}

sp_status_t sp_lab_take_figures(const sp_lab_stage_t *stage, const sp_process_t *process,
                                json_t **ret_json, sp_error_t *err)
{
    char path[2 * SP_LAB_PATH_MAX];
    char line[100];
    char ended[80];

    path_in(stage, "figures.json", path, sizeof(path));
    if (access(path, R_OK) == 0) {
        return sp_lab_file_read_json(path, ret_json, err);
    }
    path_in(stage, "generator.log", path, sizeof(path));
    return sp_fail(err, SP_IO, 0, "the load generator %s: %s",
                   sp_process_says(process, ended, sizeof(ended)),
                   sp_lab_file_first_line(path, line, sizeof(line)));
}
