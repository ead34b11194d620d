/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/process.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "serve/admin/metrics_text.h"

#define US_PER_S UINT64_C(1000000)
#define STAT_MAX 1024

static uint64_t microseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * US_PER_S + (uint64_t)time->tv_usec;
}

static void put_cpu(sp_buf_t *buf)
{
    struct rusage usage = {0};

    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return;
    }
    sp_metric_begin(buf, "process_cpu_seconds_total", SP_METRIC_COUNTER,
                    "User and system CPU time.");
    sp_metric_seconds(buf, "process_cpu_seconds_total",
                      microseconds(&usage.ru_utime) + microseconds(&usage.ru_stime));
}

static void put_files(sp_buf_t *buf)
{
    struct rlimit limit = {0};
    DIR *directory = opendir("/proc/self/fd");
    uint64_t count = 0;

    if (directory != NULL) {
        while (readdir(directory) != NULL) {
            ++count;
        }
        (void)closedir(directory);
        /* "." and "..", and the directory itself */
        sp_metric_single(buf, "process_open_fds", SP_METRIC_GAUGE, "Open file descriptors.",
                         count < 3 ? 0 : count - 3);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        sp_metric_single(buf, "process_max_fds", SP_METRIC_GAUGE,
                         "Most file descriptors that may be open.", (uint64_t)limit.rlim_cur);
    }
}

/* Field `number` of /proc/self/stat (proc(5)), from 3: behind the name, which may hold anything. */
static bool stat_field(sp_str_t stat, unsigned number, uint64_t *ret_value)
{
    size_t end = sp_str_find_last(stat, ')');
    sp_str_t rest = sp_str_skip(stat, end + 2);
    sp_str_t field = {0};

    for (unsigned i = 3; i <= number && rest.ptr != NULL; ++i) {
        field = sp_str_cut(rest, ' ', &rest);
    }
    return sp_str_to_uint(sp_str_trim(field), UINT64_MAX, ret_value);
}

/* Of the clock since the epoch, in microseconds. */
static bool started_us(uint64_t ticks, uint64_t *ret_us)
{
    struct timespec now = {0};
    struct timespec up = {0};
    long per_second = sysconf(_SC_CLK_TCK);
    uint64_t booted_us = 0;

    if (per_second <= 0 || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
        clock_gettime(CLOCK_BOOTTIME, &up) != 0) {
        return false;
    }
    booted_us = (uint64_t)(now.tv_sec - up.tv_sec) * US_PER_S + (uint64_t)(now.tv_nsec / 1000) -
                (uint64_t)(up.tv_nsec / 1000);
    *ret_us = booted_us + ticks * (US_PER_S / (uint64_t)per_second);
    return true;
}

static void put_memory_and_start(sp_buf_t *buf, sp_str_t stat)
{
    long page_size = sysconf(_SC_PAGESIZE);
    uint64_t value = 0;
    uint64_t us = 0;

    if (stat_field(stat, 23, &value)) {
        sp_metric_single(buf, "process_virtual_memory_bytes", SP_METRIC_GAUGE, "Virtual memory.",
                         value);
    }
    if (page_size > 0 && stat_field(stat, 24, &value)) {
        sp_metric_single(buf, "process_resident_memory_bytes", SP_METRIC_GAUGE, "Resident memory.",
                         value * (uint64_t)page_size);
    }
    if (stat_field(stat, 22, &value) && started_us(value, &us)) {
        sp_metric_begin(buf, "process_start_time_seconds", SP_METRIC_GAUGE,
                        "When the process started, in seconds since 1970.");
        sp_metric_seconds(buf, "process_start_time_seconds", us);
    }
}

void sp_process_metrics(sp_buf_t *buf)
{
    char text[STAT_MAX];
    FILE *file = fopen("/proc/self/stat", "re");
    size_t len = 0;

    put_cpu(buf);
    put_files(buf);
    if (file != NULL) {
        len = fread(text, 1, sizeof(text), file);
        (void)fclose(file);
        put_memory_and_start(buf, (sp_str_t){.ptr = text, .len = len});
    }
}
