/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/access_log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GATHER_MS 2     /* lines that come close together are written together */
#define PATIENCE_MS 100 /* between looks at whether it is time to end */
#define LAST_WORDS_MS 1000

struct sp_access_buffer {
    sp_access_log_t *log;
    pthread_mutex_t lock; /* held for one line or one exchange, never across a system call */
    char *filling;
    size_t len;
    char *writing; /* the writer's, outside the lock */
    uint64_t dropped;
    sp_access_stamp_t stamp; /* the worker's own */
};

struct sp_access_log {
    int fd;
    size_t piece_max; /* octets that one write takes without blocking, once the fd is ready */
    size_t buffer_count;
    pthread_t thread;
    bool has_thread;
    bool is_broken; /* the reader is gone; the writer's own */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool has_lines;
    bool is_ending;
    sp_access_buffer_t buffers[];
};

static void wake_writer(sp_access_log_t *log)
{
    (void)pthread_mutex_lock(&log->lock);
    log->has_lines = true;
    (void)pthread_cond_signal(&log->wake);
    (void)pthread_mutex_unlock(&log->lock);
}

void sp_access_buffer_add(sp_access_buffer_t *buffer, sp_access_format_t format,
                          const sp_report_t *report)
{
    struct timespec now = {0};
    bool was_empty = false;
    size_t len = 0;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    sp_access_stamp_set(&buffer->stamp, format, &now);
    (void)pthread_mutex_lock(&buffer->lock);
    was_empty = buffer->len == 0;
    len = sp_access_line_write(report, &buffer->stamp, buffer->filling + buffer->len,
                               SP_ACCESS_BUFFER_SIZE - buffer->len);
    buffer->len += len;
    buffer->dropped += len == 0;
    (void)pthread_mutex_unlock(&buffer->lock);
    if (was_empty) {
        wake_writer(buffer->log);
    }
}

static uint64_t dropped_of(sp_access_buffer_t *buffer, uint64_t more)
{
    uint64_t dropped = 0;

    (void)pthread_mutex_lock(&buffer->lock);
    buffer->dropped += more;
    dropped = buffer->dropped;
    (void)pthread_mutex_unlock(&buffer->lock);
    return dropped;
}

uint64_t sp_access_log_dropped(sp_access_log_t *log)
{
    uint64_t dropped = 0;

    for (size_t i = 0; i != log->buffer_count; ++i) {
        dropped += dropped_of(&log->buffers[i], 0);
    }
    return dropped;
}

static bool is_ending(sp_access_log_t *log)
{
    bool ending = false;

    (void)pthread_mutex_lock(&log->lock);
    ending = log->is_ending;
    (void)pthread_mutex_unlock(&log->lock);
    return ending;
}

/* False when the reader takes nothing and the end has come. */
static bool wait_until_writable(sp_access_log_t *log)
{
    struct pollfd fd = {.fd = log->fd, .events = POLLOUT};
    int patience = LAST_WORDS_MS / PATIENCE_MS;

    for (;;) {
        int ready = poll(&fd, 1, PATIENCE_MS);

        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return true;
        }
        if (is_ending(log) && --patience <= 0) {
            return false;
        }
    }
}

static bool write_piece(sp_access_log_t *log, const char **at, size_t *left)
{
    size_t len = *left < log->piece_max ? *left : log->piece_max;
    ssize_t written = 0;

    if (!wait_until_writable(log)) {
        return false;
    }
    written = write(log->fd, *at, len);
    if (written < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    *at += written;
    *left -= (size_t)written;
    return true;
}

static uint64_t count_lines(const char *text, size_t len)
{
    uint64_t count = 0;

    for (size_t i = 0; i != len; ++i) {
        count += text[i] == '\n';
    }
    return count;
}

static void write_out(sp_access_log_t *log, sp_access_buffer_t *buffer)
{
    size_t len = 0;
    const char *at = NULL;

    (void)pthread_mutex_lock(&buffer->lock);
    at = buffer->filling;
    len = buffer->len;
    buffer->filling = buffer->writing;
    buffer->len = 0;
    buffer->writing = (char *)(uintptr_t)at;
    (void)pthread_mutex_unlock(&buffer->lock);
    while (len != 0 && !log->is_broken) {
        log->is_broken = !write_piece(log, &at, &len);
    }
    (void)dropped_of(buffer, count_lines(at, len));
}

/* False at the end. */
static bool wait_for_lines(sp_access_log_t *log)
{
    bool ending = false;

    (void)pthread_mutex_lock(&log->lock);
    while (!log->has_lines && !log->is_ending) {
        (void)pthread_cond_wait(&log->wake, &log->lock);
    }
    log->has_lines = false;
    ending = log->is_ending;
    (void)pthread_mutex_unlock(&log->lock);
    return !ending;
}

static void *run(void *arg)
{
    sp_access_log_t *log = arg;
    bool goes_on = true;

    while (goes_on) {
        goes_on = wait_for_lines(log);
        if (goes_on) {
            (void)poll(NULL, 0, GATHER_MS);
        }
        for (size_t i = 0; i != log->buffer_count; ++i) {
            write_out(log, &log->buffers[i]);
        }
    }
    return NULL;
}

static bool init_buffer(sp_access_log_t *log, sp_access_buffer_t *buffer)
{
    buffer->log = log;
    buffer->filling = malloc(SP_ACCESS_BUFFER_SIZE);
    buffer->writing = malloc(SP_ACCESS_BUFFER_SIZE);
    if (buffer->filling == NULL || buffer->writing == NULL ||
        pthread_mutex_init(&buffer->lock, NULL) != 0) {
        free(buffer->filling);
        free(buffer->writing);
        return false;
    }
    return true;
}

/* A pipe that polls as writable takes PIPE_BUF octets (pipe(7)); a file takes everything. */
static size_t piece_max_of(int fd)
{
    struct stat file;

    return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) ? SP_ACCESS_BUFFER_SIZE : PIPE_BUF;
}

sp_status_t sp_access_log_create(int fd, size_t worker_count, sp_access_log_t **ret_log)
{
    sp_access_log_t *log = calloc(1, sizeof(*log) + worker_count * sizeof(log->buffers[0]));

    if (log == NULL) {
        return SP_NO_MEMORY;
    }
    log->fd = fd;
    log->piece_max = piece_max_of(fd);
    if (pthread_mutex_init(&log->lock, NULL) != 0) {
        free(log);
        return SP_NO_MEMORY;
    }
    if (pthread_cond_init(&log->wake, NULL) != 0) {
        (void)pthread_mutex_destroy(&log->lock);
        free(log);
        return SP_NO_MEMORY;
    }
    for (; log->buffer_count != worker_count; ++log->buffer_count) {
        if (!init_buffer(log, &log->buffers[log->buffer_count])) {
            sp_access_log_destroy(log);
            return SP_NO_MEMORY;
        }
    }
    *ret_log = log;
    return SP_OK;
}

sp_status_t sp_access_log_start(sp_access_log_t *log, sp_error_t *err)
{
    int error = pthread_create(&log->thread, NULL, run, log);

    if (error != 0) {
        return sp_fail(err, SP_IO, 0, "cannot start the access log: %s", strerror(error));
    }
    log->has_thread = true;
    return SP_OK;
}

static void end_thread(sp_access_log_t *log)
{
    (void)pthread_mutex_lock(&log->lock);
    log->is_ending = true;
    (void)pthread_cond_signal(&log->wake);
    (void)pthread_mutex_unlock(&log->lock);
    (void)pthread_join(log->thread, NULL);
}

void sp_access_log_destroy(sp_access_log_t *log)
{
    if (log == NULL) {
        return;
    }
    if (log->has_thread) {
        end_thread(log);
    }
    for (size_t i = 0; i != log->buffer_count; ++i) {
        (void)pthread_mutex_destroy(&log->buffers[i].lock);
        free(log->buffers[i].filling);
        free(log->buffers[i].writing);
    }
    (void)pthread_cond_destroy(&log->wake);
    (void)pthread_mutex_destroy(&log->lock);
    free(log);
}

sp_access_buffer_t *sp_access_log_buffer(sp_access_log_t *log, size_t worker)
{
    return &log->buffers[worker];
}
