/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/usage.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/kernel_file.h"

#define TEXT_OCTETS 16384

/* Blanks between; false at the end or when it is no number. */
static bool next_number(sp_str_t *rest, uint64_t *ret_number)
{
    sp_str_t word = {.ptr = NULL, .len = 0};

    while (rest->ptr != NULL && word.len == 0) {
        word = sp_str_cut(*rest, ' ', rest);
    }
    return sp_str_to_uint(sp_str_trim(word), UINT64_MAX, ret_number);
}

sp_status_t sp_lab_usage_parse_stat(sp_str_t text, double ticks, sp_lab_machine_usage_t *ret_usage)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
    sp_str_t rest;
    sp_str_t line = sp_str_cut(text, '\n', &rest);
    uint64_t values[FIELDS];

    if (!sp_str_starts_with(line, SP_STR("cpu "))) {
        return SP_BAD_SYNTAX;
    }
    rest = sp_str_skip(line, 4);
    for (size_t i = 0; i != FIELDS; ++i) {
        if (!next_number(&rest, &values[i])) {
            return SP_BAD_SYNTAX;
        }
    }
    *ret_usage = (sp_lab_machine_usage_t){
        .user_s = (double)(values[USER] + values[NICE] + values[SYSTEM]) / ticks,
        .softirq_s = (double)(values[IRQ] + values[SOFTIRQ]) / ticks,
        .steal_s = (double)values[STEAL] / ticks};
    return SP_OK;
}

/* Fields as proc(5) numbers them; the second is the program's name in parentheses, which may hold
 * anything, so that counting begins behind the last one. */
sp_status_t sp_lab_usage_parse_process(sp_str_t text, double ticks,
                                       sp_lab_process_usage_t *ret_usage)
{
    enum { FIRST = 3, GROUP = 5, UTIME = 14, CSTIME = 17, RSS = 24 };
    size_t name_end = sp_str_find_last(text, ')');
    sp_str_t rest = sp_str_skip(text, name_end + 2);
    sp_lab_process_usage_t usage = {.group = 0};

    if (name_end == text.len) {
        return SP_BAD_SYNTAX;
    }
    for (int field = FIRST; field <= RSS; ++field) {
        sp_str_t word = sp_str_cut(rest, ' ', &rest);
        uint64_t number = 0;

        if (rest.ptr == NULL) {
            return SP_BAD_SYNTAX;
        }
        if (!sp_str_to_uint(word, INT64_MAX, &number)) {
            continue; /* the state, or one that is negative and not needed */
        }
        if (field == GROUP) {
            usage.group = (pid_t)number;
        } else if (field >= UTIME && field <= CSTIME) {
            usage.cpu_s += (double)number / ticks;
        } else if (field == RSS) {
            usage.pages = number;
        }
    }
    *ret_usage = usage;
    return SP_OK;
}

static void add_process(const char *pid, double ticks, sp_lab_group_usage_t *groups, size_t count)
{
    char path[64];
    char memory[1024];
    sp_str_t text;
    sp_lab_process_usage_t usage;

    (void)snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    if (!sp_kernel_file_read(path, memory, sizeof(memory), &text) ||
        sp_lab_usage_parse_process(text, ticks, &usage) != SP_OK) {
        return; /* it has ended meanwhile */
    }
    for (size_t i = 0; i != count; ++i) {
        if (groups[i].group == usage.group) {
            groups[i].cpu_s += usage.cpu_s;
            groups[i].memory_bytes += usage.pages * (uint64_t)sysconf(_SC_PAGESIZE);
        }
    }
}

sp_status_t sp_lab_usage_read(sp_lab_group_usage_t *groups, size_t count, sp_error_t *err)
{
    DIR *folder = opendir("/proc");
    double ticks = (double)sysconf(_SC_CLK_TCK);

    if (folder == NULL) {
        return sp_fail(err, SP_IO, 0, "/proc: %s", strerror(errno));
    }
    for (size_t i = 0; i != count; ++i) {
        groups[i].cpu_s = 0;
        groups[i].memory_bytes = 0;
    }
    for (const struct dirent *entry = NULL; (entry = readdir(folder)) != NULL;) {
        if (sp_is_digit(entry->d_name[0])) {
            add_process(entry->d_name, ticks, groups, count);
        }
    }
    (void)closedir(folder); /* only read */
    return SP_OK;
}

sp_status_t sp_lab_machine_usage_read(sp_lab_machine_usage_t *ret_usage, sp_error_t *err)
{
    char memory[TEXT_OCTETS];
    sp_str_t text;

    if (!sp_kernel_file_read("/proc/stat", memory, sizeof(memory), &text) ||
        sp_lab_usage_parse_stat(text, (double)sysconf(_SC_CLK_TCK), ret_usage) != SP_OK) {
        return sp_fail(err, SP_IO, 0, "/proc/stat can't be read");
    }
    return SP_OK;
}
