/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <signpost/base/arena.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "serve/address.h"

#define ADMIN_DEFAULT "127.0.0.1:9180"
#define TIMEOUT_MS 2000 /* for all of it; containers are checked every few seconds */
#define ANSWER_MAX 4096 /* octets; what comes after them is of no interest */

static const sp_option_t options[] = {
    {"admin", 0, "ADDR:PORT", "its admin address, " ADMIN_DEFAULT " unless given"},
    {"ready", 0, NULL, "ask whether it can answer redirects, not whether it runs"},
};

/* One question. */
typedef struct probe {
    const char *path;
    sp_address_t address;
    int fd;
    int64_t until_ms;
    char answer[ANSWER_MAX];
    size_t len;
} probe_t;

static int64_t now_ms(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 0, or an errno. */
static int wait_for(const probe_t *probe, short events)
{
    struct pollfd one = {.fd = probe->fd, .events = events};
    int64_t left = probe->until_ms - now_ms();
    int ready = left <= 0 ? 0 : poll(&one, 1, (int)left);

    if (ready < 0) {
        return errno;
    }
    return ready == 0 ? ETIMEDOUT : 0;
}

/* These three return 0 or an errno. */
static int open_connection(probe_t *probe)
{
    int failure = 0;
    socklen_t len = sizeof(failure);

    probe->fd =
        socket(probe->address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe->fd == -1) {
        return errno;
    }
    if (connect(probe->fd, (const struct sockaddr *)&probe->address.socket,
                probe->address.socket_len) == 0) {
        return 0;
    }
    if (errno != EINPROGRESS) {
        return errno;
    }
    failure = wait_for(probe, POLLOUT);
    if (failure == 0 && getsockopt(probe->fd, SOL_SOCKET, SO_ERROR, &failure, &len) != 0) {
        failure = errno;
    }
    return failure;
}

/* So short a request always fits into an empty send buffer. */
static int ask(const probe_t *probe)
{
    char text[128];
    int len =
        snprintf(text, sizeof(text),
                 "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", probe->path);
    ssize_t sent = send(probe->fd, text, (size_t)len, MSG_NOSIGNAL);

    if (sent < 0) {
        return errno;
    }
    return sent == len ? 0 : EIO;
}

static int read_answer(probe_t *probe)
{
    while (probe->len != sizeof(probe->answer)) {
        int failure = wait_for(probe, POLLIN);
        ssize_t got = 0;

        if (failure != 0) {
            return failure;
        }
        got = recv(probe->fd, probe->answer + probe->len, sizeof(probe->answer) - probe->len, 0);
        if (got < 0 && errno != EAGAIN && errno != EINTR) {
            return errno;
        }
        if (got == 0) {
            break;
        }
        probe->len += got < 0 ? 0 : (size_t)got;
    }
    return 0;
}

static sp_str_t member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value)
               ? (sp_str_t){.ptr = json_string_value(value), .len = json_string_length(value)}
               : SP_STR("");
}

/* What the body of an answer says: "MESSAGE (REASON)". Nothing where it is not the JSON of
 * signpost.
 */
static void print_reason(sp_str_t answer)
{
    const sp_str_t end_of_head = SP_STR("\r\n\r\n");
    sp_str_t body = sp_str_skip(answer, sp_str_search(answer, end_of_head) + end_of_head.len);
    json_t *json = json_loadb(body.ptr, body.len, 0, NULL);
    sp_str_t reason = member(json, "reason");
    sp_str_t message = member(json, "message");
    sp_error_t printable; /* what a stranger wrote must not steer a terminal */

    if (message.len != 0 && reason.len != 0) {
        (void)sp_fail(&printable, SP_BAD_VALUE, 0, ": %.*s (%.*s)", (int)message.len, message.ptr,
                      (int)reason.len, reason.ptr);
        (void)fputs(printable.message, stderr);
    }
    json_decref(json);
}

static int judge(const probe_t *probe)
{
    sp_str_t answer = {.ptr = probe->answer, .len = probe->len};

    if (sp_str_starts_with(answer, SP_STR("HTTP/1.1 200 "))) {
        return SP_EXIT_DONE;
    }
    if (sp_str_starts_with(answer, SP_STR("HTTP/1.1 503 "))) {
        (void)fprintf(stderr, "signpost health: %s%s says no", probe->address.text, probe->path);
        print_reason(answer);
        (void)fputc('\n', stderr);
    } else {
        (void)fprintf(
            stderr, "signpost health: %s does not answer as the admin address of signpost would\n",
            probe->address.text);
    }
    return SP_EXIT_FAILED;
}

static int check(probe_t *probe)
{
    int failure = 0;

    probe->until_ms = now_ms() + TIMEOUT_MS;
    failure = open_connection(probe);
    if (failure == 0) {
        failure = ask(probe);
    }
    if (failure == 0) {
        failure = read_answer(probe);
    }
    if (probe->fd != -1) {
        (void)close(probe->fd);
    }
    if (failure != 0) {
        (void)fprintf(stderr, "signpost health: %s: %s\n", probe->address.text, strerror(failure));
        return SP_EXIT_FAILED;
    }
    return judge(probe);
}

static int run(const sp_arguments_t *arguments)
{
    const char *admin = sp_arguments_value(arguments, "admin");
    probe_t probe = {.path = sp_arguments_has(arguments, "ready") ? "/readyz" : "/healthz",
                     .fd = -1};
    sp_arena_t arena;
    sp_error_t err;
    int result = SP_EXIT_FAILED;

    if (sp_arguments_count(arguments, NULL) != 0) {
        size_t at = 0;

        return sp_usage_error("health", "unexpected argument '%s'",
                              sp_arguments_next(arguments, NULL, &at));
    }
    sp_arena_init(&arena, NULL, 0, 256);
    if (sp_address_parse(sp_str_from(admin == NULL ? ADMIN_DEFAULT : admin), &arena, &probe.address,
                         &err) == SP_OK) {
        result = check(&probe);
    } else {
        result = sp_usage_error("health", "--admin: %s", err.message);
    }
    sp_arena_clear(&arena);
    return result;
}

const sp_command_t sp_command_health = {
    .name = "health",
    .summary = "ask a running signpost how it is",
    .usage = "[--admin ADDR:PORT] [--ready]",
    .about = "Asks the admin endpoint /healthz, or with --ready /readyz, of a signpost on this\n"
             "machine, for service managers and containers without a shell. Prints nothing when\n"
             "all is well, else one line on standard error. Waits two seconds at most.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost health\n"
                "  signpost health --ready --admin '[::1]:9180'",
    .failure = "it is not well, does not answer, or does not run",
    .run = run,
};
