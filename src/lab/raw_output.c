/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/raw_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number behind a text, anywhere in the output. */
static bool find_number(sp_str_t text, const char *before, double *ret_number)
{
    sp_str_t needle = sp_str_from(before);
    size_t at = sp_str_search(text, needle);
    sp_str_t rest = sp_str_trim(sp_str_skip(text, at + needle.len));
    char digits[32];
    char *end = NULL;

    if (at == text.len) {
        return false;
    }
    (void)snprintf(digits, sizeof(digits), "%.*s", (int)(rest.len > 31 ? 31 : rest.len), rest.ptr);
    *ret_number = strtod(digits, &end);
    return end != digits;
}

sp_status_t sp_lab_dnsperf_parse(sp_str_t text, sp_lab_dnsperf_t *ret_figures, sp_error_t *err)
{
    sp_lab_dnsperf_t figures = {.sent = 0};
    const struct {
        const char *before;
        double *number;
        double factor; /* seconds → milliseconds */
    } lines[] = {
        {"Queries sent:", &figures.sent, 1},
        {"Queries completed:", &figures.completed, 1},
        {"Queries lost:", &figures.lost, 1},
        {"Run time (s):", &figures.seconds, 1},
        {"Queries per second:", &figures.qps, 1},
        {"Average Latency (s):", &figures.avg_ms, 1000},
        {"(min ", &figures.min_ms, 1000},
        {", max ", &figures.max_ms, 1000},
        {"Latency StdDev (s):", &figures.sd_ms, 1000},
    };
    sp_str_t statistics = sp_str_skip(text, sp_str_search(text, SP_STR("Statistics:")));

    for (size_t i = 0; i != SP_COUNT(lines); ++i) {
        if (!find_number(statistics, lines[i].before, lines[i].number)) {
            /* with no answer at all it prints no latency */
            if (i > 4 && figures.completed == 0) {
                continue;
            }
            return sp_fail(err, SP_BAD_SYNTAX, 0, "dnsperf printed no '%s'", lines[i].before);
        }
        *lines[i].number *= lines[i].factor;
    }
    *ret_figures = figures;
    return SP_OK;
}

static double number_at(const json_t *json, const char *first, const char *second,
                        const char *third)
{
    const json_t *value =
        json_object_get(json_object_get(json_object_get(json, first), second), third);

    return json_is_number(value) ? json_number_value(value) : -1;
}

sp_status_t sp_lab_iperf3_parse(sp_str_t text, sp_lab_iperf3_t *ret_figures, sp_error_t *err)
{
    json_error_t error;
    json_t *json = text.len == 0 ? NULL : json_loadb(text.ptr, text.len, 0, &error);
    double bits = number_at(json, "end", "sum_received", "bits_per_second");
    double retransmits = number_at(json, "end", "sum_sent", "retransmits");
    const json_t *reason = json_object_get(json, "error");
    sp_status_t status = SP_OK;

    if (bits < 0) {
        status = sp_fail(err, SP_BAD_SYNTAX, 0, "iperf3 gave no rate: %.120s",
                         json_is_string(reason) ? json_string_value(reason) : "no JSON");
    } else {
        *ret_figures = (sp_lab_iperf3_t){.mbit_s = bits / 1e6,
                                         .retransmits = retransmits < 0 ? 0 : retransmits};
    }
    json_decref(json);
    return status;
}

static sp_status_t own(json_t *json, json_t **ret_json, sp_error_t *err)
{
    *ret_json = json;
    return json == NULL ? sp_fail(err, SP_NO_MEMORY, 0, "out of memory") : SP_OK;
}

sp_status_t sp_lab_raw_json(const char *role, sp_str_t text, json_t **ret_json, sp_error_t *err)
{
    sp_lab_dnsperf_t dnsperf = {.sent = 0};
    sp_lab_iperf3_t iperf3 = {.mbit_s = 0};
    sp_status_t status = SP_OK;

    if (strcmp(role, "dnsperf") == 0) {
        status = sp_lab_dnsperf_parse(text, &dnsperf, err);
        return status != SP_OK
                   ? status
                   : own(json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "sent", dnsperf.sent,
                                   "lost", dnsperf.lost, "seconds", dnsperf.seconds, "qps",
                                   dnsperf.qps, "avg_ms", dnsperf.avg_ms, "min_ms", dnsperf.min_ms,
                                   "max_ms", dnsperf.max_ms, "sd_ms", dnsperf.sd_ms),
                         ret_json, err);
    }
    if (strcmp(role, "iperf3") == 0) {
        status = sp_lab_iperf3_parse(text, &iperf3, err);
        return status != SP_OK ? status
                               : own(json_pack("{s:f, s:f}", "mbit_s", iperf3.mbit_s, "retransmits",
                                               iperf3.retransmits),
                                     ret_json, err);
    }
    return sp_fail(err, SP_UNSUPPORTED, 0, "what '%.60s' prints can't be read here", role);
}
