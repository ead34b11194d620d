/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lab/kernel_file.h"

#define FILE_MAX 65536
#define FOLDER "/proc/thread-self/net/"
#define CONNTRACK_COUNT "/proc/sys/net/netfilter/nf_conntrack_count"

/* The next word, with any blanks before it; empty at the end. */
static sp_str_t next_word(sp_str_t *line)
{
    sp_str_t word = SP_STR("");

    while (line->ptr != NULL && word.len == 0) {
        word = sp_str_cut(*line, ' ', line);
    }
    return word;
}

static bool read_hexadecimal(sp_str_t word, uint64_t *ret_value)
{
    uint64_t value = 0;

    for (size_t i = 0; i != word.len; ++i) {
        int digit = sp_hex_value(word.ptr[i]);

        if (digit < 0 || i == 16) {
            return false;
        }
        value = value << 4U | (uint64_t)digit;
    }
    *ret_value = value;
    return word.len != 0;
}

typedef bool read_value_t(sp_str_t word, uint64_t *ret_value);

static bool read_decimal(sp_str_t word, uint64_t *ret_value)
{
    return sp_str_to_uint(word, UINT64_MAX, ret_value);
}

/* The value below `name`, where one line names the columns and another has their values. */
static bool find_column(sp_str_t names, sp_str_t values, sp_str_t name, read_value_t *read,
                        uint64_t *ret_value)
{
    for (;;) {
        sp_str_t word = next_word(&names);
        sp_str_t value = next_word(&values);

        if (word.len == 0 || value.len == 0) {
            return false;
        }
        if (sp_str_eq(word, name)) {
            return read(value, ret_value);
        }
    }
}

/* Two lines that begin alike: the names, then the values. */
static bool find_snmp(sp_str_t text, sp_str_t protocol, sp_str_t name, uint64_t *ret_value)
{
    sp_str_t names = {NULL, 0};

    while (text.ptr != NULL) {
        sp_str_t line = sp_str_cut(text, '\n', &text);

        if (!sp_str_starts_with(line, protocol)) {
            continue;
        }
        if (names.ptr != NULL) {
            return find_column(names, line, name, read_decimal, ret_value);
        }
        names = line;
    }
    return false;
}

sp_status_t sp_net_counters_parse_snmp(sp_str_t text, sp_net_counters_t *counters, sp_error_t *err)
{
    uint64_t segments = 0;
    uint64_t errors = 0;
    uint64_t in = 0;
    uint64_t out = 0;

    if (!find_snmp(text, SP_STR("Tcp:"), SP_STR("RetransSegs"), &segments) ||
        !find_snmp(text, SP_STR("Udp:"), SP_STR("InErrors"), &errors) ||
        !find_snmp(text, SP_STR("Udp:"), SP_STR("InDatagrams"), &in) ||
        !find_snmp(text, SP_STR("Udp:"), SP_STR("OutDatagrams"), &out)) {
        return sp_fail(err, SP_BAD_SYNTAX, 0,
                       "/proc/net/snmp lacks RetransSegs, InErrors, InDatagrams or OutDatagrams");
    }
    counters->tcp_retransmitted = segments;
    counters->udp_receive_errors = errors;
    counters->udp_in = in;
    counters->udp_out = out;
    return SP_OK;
}

/* Each processor's line counts for itself; `entries` is the same on all and not read here. */
sp_status_t sp_net_counters_parse_conntrack(sp_str_t text, sp_net_counters_t *counters,
                                            sp_error_t *err)
{
    sp_str_t names = sp_str_cut(text, '\n', &text);
    uint64_t drop = 0;
    uint64_t failed = 0;
    uint64_t clash = 0;
    size_t lines = 0;

    while (text.ptr != NULL) {
        sp_str_t line = sp_str_trim(sp_str_cut(text, '\n', &text));
        uint64_t value = 0;

        if (line.len == 0) {
            continue;
        }
        ++lines;
        if (!find_column(names, line, SP_STR("drop"), read_hexadecimal, &value)) {
            return sp_fail(err, SP_BAD_SYNTAX, 0, "/proc/net/stat/nf_conntrack lacks 'drop'");
        }
        drop += value;
        if (!find_column(names, line, SP_STR("insert_failed"), read_hexadecimal, &value)) {
            return sp_fail(err, SP_BAD_SYNTAX, 0,
                           "/proc/net/stat/nf_conntrack lacks 'insert_failed'");
        }
        failed += value;
        /* Older kernels count no clashes: the column had another name and meaning. */
        clash += find_column(names, line, SP_STR("clashres"), read_hexadecimal, &value) ? value : 0;
    }
    if (lines == 0) {
        return sp_fail(err, SP_BAD_SYNTAX, 0, "/proc/net/stat/nf_conntrack is empty");
    }
    counters->conntrack_drop = drop;
    counters->conntrack_insert_failed = failed;
    counters->conntrack_clash_resolve = clash;
    return SP_OK;
}

static bool read_place(const sp_topology_t *topology, sp_place_t place, const char *path,
                       char memory[FILE_MAX], sp_str_t *ret_text)
{
    return sp_kernel_file_read_fd(sp_topology_open(topology, place, path, O_RDONLY), memory,
                                  FILE_MAX, ret_text);
}

/* A place without connection tracking has none of its files; its counters stay zero. */
static sp_status_t read_conntrack(const sp_topology_t *topology, sp_place_t place,
                                  sp_net_counters_t *counters, sp_error_t *err)
{
    char memory[FILE_MAX];
    sp_str_t text;

    if (!read_place(topology, place, FOLDER "stat/nf_conntrack", memory, &text)) {
        return SP_OK;
    }
    if (sp_net_counters_parse_conntrack(text, counters, err) != SP_OK) {
        return SP_BAD_SYNTAX;
    }
    if (read_place(topology, place, CONNTRACK_COUNT, memory, &text)) {
        (void)sp_str_to_uint(sp_str_trim(text), UINT64_MAX, &counters->conntrack_entries);
    }
    return SP_OK;
}

sp_status_t sp_net_counters_read(const sp_topology_t *topology, sp_place_t place,
                                 sp_net_counters_t *ret_counters, sp_error_t *err)
{
    char memory[FILE_MAX];
    sp_str_t text;
    sp_net_counters_t counters;
    sp_status_t status;

    memset(&counters, 0, sizeof(counters));
    if (!read_place(topology, place, FOLDER "snmp", memory, &text)) {
        return sp_fail(err, SP_IO, 0, "/proc/net/snmp: %s", strerror(errno));
    }
    status = sp_net_counters_parse_snmp(text, &counters, err);
    if (status == SP_OK) {
        status = read_conntrack(topology, place, &counters, err);
    }
    if (status == SP_OK) {
        *ret_counters = counters;
    }
    return status;
}
