/* SPDX-License-Identifier: Apache-2.0 */

/* The laboratory's network by hand: a capsule that does what lines on standard input say, for
 * tests. Words are separated by tabs; each line is answered by one: "ok", a tab and what came out
 * (newlines as the octet 0x1f), or "error", a tab and why.
 *
 *   up DATAPATH [REPLICAS]           down                      address
 *   impair KIND WIRE PROTOCOL A B    (kept until `apply`)      apply, clear, counts, means
 *   spawn PLACE QUOTA ARGV…          (QUOTA 0: no group)       run PLACE ARGV…
 *   throttled, cpu, forget           (of the quota's group)    counters PLACE
 *   limit N                          end-processes             quit RESULT
 *
 * The end of standard input, and a request to stop, end it with 130. */

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/capsule.h"
#include "lab/clock.h"
#include "lab/counters.h"
#include "lab/impairment.h"
#include "lab/topology.h"

#define LINE_MAX_LEN 65536
#define WORDS_MAX 64
#define OUTPUT_MAX (1024 * 1024)
#define INTERRUPTED 130
#define NEWLINE '\x1f'

typedef struct driver {
    sp_capsule_t *capsule;
    const char *signpost;
    sp_topology_t *topology;
    sp_impairment_t wanted[SP_IMPAIRMENTS_MAX];
    size_t wanted_count;
    sp_impairments_t *impairments;
    sp_cgroup_t *group;
    int result; /* -1: go on */
    char line[LINE_MAX_LEN];
    size_t line_len;
    char *words[WORDS_MAX + 1];
    size_t word_count;
} driver_t;

static void answer(sp_status_t status, const char *text)
{
    (void)printf("%s\t", status == SP_OK ? "ok" : "error");
    for (; *text != '\0'; ++text) {
        (void)putchar(*text == '\n' ? NEWLINE : *text);
    }
    (void)putchar('\n');
    (void)fflush(stdout);
}

static void answer_error(sp_status_t status, const sp_error_t *err)
{
    answer(status, status == SP_OK ? "" : err->message);
}

/* Missing words are empty. */
static const char *word(const driver_t *driver, size_t n)
{
    return n < driver->word_count ? driver->words[n] : "";
}

static sp_place_t place(const driver_t *driver, size_t n)
{
    sp_place_t found = SP_PLACE_CLIENT;

    if (!sp_place_from_name(sp_str_from(word(driver, n)), &found)) {
        (void)fprintf(stderr, "driver: no place '%s'\n", word(driver, n));
        exit(2);
    }
    return found;
}

static const sp_netns_t *netns(const driver_t *driver, size_t n)
{
    return sp_topology_netns(driver->topology, place(driver, n));
}

static void up(driver_t *driver)
{
    sp_topology_options_t options = {.signpost = driver->signpost};
    int64_t begin = sp_clock_ms();
    char text[32];
    sp_error_t err;
    sp_status_t status;

    if (!sp_datapath_from_name(sp_str_from(word(driver, 1)), &options.datapath)) {
        answer(SP_BAD_VALUE, "no such datapath");
        return;
    }
    options.replicas = (unsigned)strtoul(word(driver, 2), NULL, 10);
    status = sp_topology_up(driver->capsule, &options, &driver->topology, &err);
    if (status != SP_OK) {
        answer_error(status, &err);
        return;
    }
    (void)snprintf(text, sizeof(text), "%" PRId64, sp_clock_ms() - begin);
    answer(SP_OK, text);
}

static void clear(driver_t *driver)
{
    sp_impairments_clear(driver->impairments);
    driver->impairments = NULL;
    driver->wanted_count = 0;
}

static void down(driver_t *driver)
{
    int64_t begin = sp_clock_ms();
    char text[32];

    clear(driver);
    sp_topology_down(driver->topology);
    driver->topology = NULL;
    (void)snprintf(text, sizeof(text), "%" PRId64, sp_clock_ms() - begin);
    answer(SP_OK, text);
}

static void impair(driver_t *driver)
{
    static const char *const kinds[] = {"loss", "delay", "rate", "race", "full"};
    static const char *const protocols[] = {"all", "udp", "tcp"};
    sp_impairment_t *impairment = &driver->wanted[driver->wanted_count];
    char text[SP_IMPAIRMENT_TEXT_MAX];
    double a = strtod(word(driver, 4), NULL);

    memset(impairment, 0, sizeof(*impairment));
    for (size_t i = 0; i != SP_COUNT(kinds); ++i) {
        if (strcmp(kinds[i], word(driver, 1)) == 0) {
            impairment->kind = (sp_impairment_kind_t)i;
        }
    }
    for (size_t i = 0; i != SP_COUNT(protocols); ++i) {
        if (strcmp(protocols[i], word(driver, 3)) == 0) {
            impairment->protocol = (sp_protocol_t)i;
        }
    }
    (void)sp_wire_from_name(sp_str_from(word(driver, 2)), &impairment->wire);
    impairment->percent = a;
    impairment->delay_ms = a;
    impairment->mbit = a;
    impairment->entries = a > 0 ? (unsigned)a : 0;
    impairment->jitter_ms = strtod(word(driver, 5), NULL);
    impairment->seed = 7;
    ++driver->wanted_count;
    answer(SP_OK, sp_impairment_says(impairment, text));
}

static void apply(driver_t *driver)
{
    sp_error_t err;
    sp_status_t status = sp_impairments_apply(driver->topology, driver->signpost, driver->wanted,
                                              driver->wanted_count, &driver->impairments, &err);

    answer_error(status, &err);
}

static void counts(driver_t *driver)
{
    sp_impairment_count_t list[SP_IMPAIRMENT_COUNTS_MAX];
    char text[4096] = "";
    size_t count = 0;
    size_t len = 0;
    sp_error_t err;
    sp_status_t status = sp_impairments_count(driver->impairments, list, &count, &err);

    if (status != SP_OK) {
        answer_error(status, &err);
        return;
    }
    for (size_t i = 0; i != count; ++i) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%zu %s %" PRIu64 " %" PRIu64 "\n",
                                list[i].impairment, sp_place_name(list[i].place), list[i].packets,
                                list[i].overflowed);
    }
    answer(SP_OK, text);
}

static void means(driver_t *driver)
{
    char text[4096] = "";
    size_t len = 0;

    for (size_t i = 0; i != driver->wanted_count; ++i) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n",
                                sp_impairments_means(driver->impairments, i));
    }
    answer(SP_OK, text);
}

static void spawn(driver_t *driver)
{
    double cores = strtod(word(driver, 2), NULL);
    sp_spawn_options_t options = {.argv = (const char *const *)&driver->words[3],
                                  .netns = netns(driver, 1)};
    sp_process_t process = {.pid = 0, .pidfd = -1};
    sp_status_t status = SP_OK;
    sp_error_t err;
    char text[32];

    if (cores > 0 && driver->group == NULL) {
        status = sp_cgroup_create_child(sp_capsule_cgroup(driver->capsule), "limited",
                                        &driver->group, &err);
        status = status == SP_OK ? sp_cgroup_set_quota(driver->group, cores, &err) : status;
    }
    options.cgroup = cores > 0 ? driver->group : NULL;
    if (status == SP_OK) {
        status = sp_spawn(&options, &process, &err);
    }
    if (status != SP_OK) {
        answer_error(status, &err);
        return;
    }
    (void)snprintf(text, sizeof(text), "%ld", (long)process.pid);
    answer(SP_OK, text);
}

static void run(driver_t *driver)
{
    sp_tool_t tool = {.argv = (const char *const *)&driver->words[2],
                      .netns = netns(driver, 1),
                      .timeout_ms = 60000};
    sp_arena_t arena;
    sp_buf_t output;
    sp_error_t err;
    sp_status_t status;

    sp_arena_init(&arena, NULL, 0, 4096);
    sp_buf_init(&output, &arena, OUTPUT_MAX);
    status = sp_tool_run(&tool, &output, &err);
    sp_buf_append_char(&output, '\0');
    answer(status, status == SP_OK ? sp_buf_str(&output).ptr : err.message);
    sp_arena_clear(&arena);
}

static void throttled(driver_t *driver)
{
    sp_cgroup_throttled_t seen = {.periods = 0};
    char text[96];
    sp_error_t err;
    sp_status_t status = sp_cgroup_throttled(driver->group, &seen, &err);

    (void)snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %" PRIu64, seen.periods,
                   seen.throttled, seen.throttled_ns);
    answer(status, status == SP_OK ? text : err.message);
}

/* Of the quota's group and of the whole capsule. */
static void cpu(driver_t *driver)
{
    uint64_t ns[2] = {0, 0};
    char text[64];
    sp_error_t err;
    sp_status_t status = sp_cgroup_cpu_ns(sp_capsule_cgroup(driver->capsule), &ns[1], &err);

    if (status == SP_OK && driver->group != NULL) {
        status = sp_cgroup_cpu_ns(driver->group, &ns[0], &err);
    }
    (void)snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64, ns[0], ns[1]);
    answer(status, status == SP_OK ? text : err.message);
}

static void forget(driver_t *driver)
{
    sp_cgroup_destroy(driver->group);
    driver->group = NULL;
    answer(SP_OK, "");
}

static void counters(driver_t *driver)
{
    sp_net_counters_t seen;
    char text[160] = "";
    sp_error_t err;
    sp_status_t status = sp_net_counters_read(driver->topology, place(driver, 1), &seen, &err);

    if (status == SP_OK) {
        (void)snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                       seen.tcp_retransmitted, seen.udp_receive_errors, seen.conntrack_entries,
                       seen.conntrack_drop);
    }
    answer(status, status == SP_OK ? text : err.message);
}

static void address(driver_t *driver)
{
    answer(SP_OK, sp_topology_app_address(driver->topology));
}

static void limit(driver_t *driver)
{
    sp_error_t err;
    sp_status_t status = sp_capsule_limit_conntrack(
        driver->capsule, (unsigned)strtoul(word(driver, 1), NULL, 10), &err);

    answer_error(status, &err);
}

static void end_processes(driver_t *driver)
{
    sp_capsule_end_processes(driver->capsule);
    answer(SP_OK, "");
}

static void quit(driver_t *driver)
{
    driver->result = (int)strtol(word(driver, 1), NULL, 10);
    answer(SP_OK, "");
}

typedef struct action {
    const char *name;
    void (*run)(driver_t *driver);
} action_t;

static const action_t actions[] = {
    {"up", up},           {"down", down},     {"impair", impair},
    {"apply", apply},     {"counts", counts}, {"means", means},
    {"spawn", spawn},     {"run", run},       {"throttled", throttled},
    {"cpu", cpu},         {"forget", forget}, {"counters", counters},
    {"address", address}, {"limit", limit},   {"end-processes", end_processes},
    {"quit", quit},
};

static void obey(driver_t *driver, char *line)
{
    driver->word_count = 0;
    while (line != NULL && driver->word_count != WORDS_MAX) {
        char *tab = strchr(line, '\t');

        driver->words[driver->word_count++] = line;
        if (tab != NULL) {
            *tab = '\0';
        }
        line = tab == NULL ? NULL : tab + 1;
    }
    driver->words[driver->word_count] = NULL;
    for (size_t i = 0; i != SP_COUNT(actions); ++i) {
        if (strcmp(actions[i].name, driver->words[0]) == 0) {
            actions[i].run(driver);
            return;
        }
    }
    if (strcmp(driver->words[0], "clear") == 0) {
        clear(driver);
        answer(SP_OK, "");
        return;
    }
    answer(SP_BAD_SYNTAX, "no such action");
}

/* Obeys the lines that are complete, keeps the rest. */
static void obey_lines(driver_t *driver)
{
    char *end;

    while (driver->result < 0 && (end = memchr(driver->line, '\n', driver->line_len)) != NULL) {
        size_t len = (size_t)(end - driver->line) + 1;

        *end = '\0';
        obey(driver, driver->line);
        driver->line_len -= len;
        memmove(driver->line, driver->line + len, driver->line_len);
    }
}

static void read_lines(driver_t *driver)
{
    struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = sp_capsule_stop_fd(driver->capsule), .events = POLLIN}};

    while (driver->result < 0) {
        ssize_t got;

        (void)poll(fds, 2, -1);
        if (fds[1].revents != 0) {
            driver->result = INTERRUPTED;
            return;
        }
        got = fds[0].revents == 0 ? 1
                                  : read(STDIN_FILENO, driver->line + driver->line_len,
                                         sizeof(driver->line) - driver->line_len);
        if (got <= 0) {
            driver->result = INTERRUPTED;
        } else if (fds[0].revents != 0) {
            driver->line_len += (size_t)got;
            obey_lines(driver);
        }
    }
}

static int work(sp_capsule_t *capsule, void *arg)
{
    driver_t *driver = arg;

    driver->capsule = capsule;
    answer(SP_OK, sp_cgroup_says(sp_capsule_cgroup(capsule)));
    read_lines(driver);
    clear(driver);
    sp_capsule_end_processes(capsule);
    sp_topology_down(driver->topology);
    sp_cgroup_destroy(driver->group);
    return driver->result;
}

int main(int argc, char **argv)
{
    driver_t *driver = calloc(1, sizeof(*driver));
    int result = 1;
    sp_error_t err;

    if (driver == NULL || argc != 2) {
        (void)fputs("usage: lab_driver SIGNPOST\n", stderr);
        free(driver);
        return 2;
    }
    driver->signpost = argv[1];
    driver->result = -1;
    if (sp_capsule_run(NULL, work, driver, &result, &err) != SP_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
        result = 1;
    }
    free(driver);
    return result;
}
