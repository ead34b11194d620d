/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/load/read_plan.h"

#include <stdlib.h>
#include <string.h>

#include "cli/load/find_server.h"

#define NS_PER_SECOND 1e9
#define RATE_MAX 1e7
#define DURATION_MAX_S 604800.0 /* a week */
#define TIMEOUT_MAX_S 3600.0
#define ZIPF_MAX 10.0
#define REQUESTS_MAX UINT64_C(1000000000000)
#define STREAMS_MAX 1000
#define SEED_MAX INT64_MAX /* JSON numbers hold no more */
#define DECIMAL_MAX 32     /* characters */

#define CONNECTIONS_CLOSED 64
#define CONNECTIONS_OPEN 1000
#define DURATION_S 10
#define TIMEOUT_S 15

/* ---- values ---- */

/* Digits, and a point among them. */
static bool read_decimal(const char *text, double *ret_value)
{
    size_t len = strlen(text);
    char *end = NULL;
    double value = 0.0;

    if (len == 0 || len > DECIMAL_MAX || strspn(text, "0123456789.") != len) {
        return false;
    }
    value = strtod(text, &end);
    if (*end != '\0') {
        return false;
    }
    *ret_value = value;
    return true;
}

/* The option's value, above 0 and up to `max`; *value stays when it was not given. */
static sp_status_t read_number(const sp_arguments_t *arguments, const char *name, double max,
                               double *value, sp_error_t *err)
{
    const char *text = sp_arguments_value(arguments, name);
    double number = 0.0;

    if (text == NULL) {
        return SP_OK;
    }
    if (!read_decimal(text, &number) || number <= 0.0 || number > max) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "--%s must be a number above 0, %.0f at most, not '%s'", name, max, text);
    }
    *value = number;
    return SP_OK;
}

typedef struct range {
    uint64_t min, max;
} range_t;

static sp_status_t read_count(const sp_arguments_t *arguments, const char *name, range_t range,
                              uint64_t *value, sp_error_t *err)
{
    uint64_t number = range.min;

    if (!sp_arguments_has(arguments, name)) {
        return SP_OK;
    }
    if (!sp_arguments_uint(arguments, name, range.max, &number) || number < range.min) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "--%s must be a whole number from %llu to %llu, not '%s'", name,
                       (unsigned long long)range.min, (unsigned long long)range.max,
                       sp_arguments_value(arguments, name));
    }
    *value = number;
    return SP_OK;
}

/* For counts that fit an unsigned. */
static sp_status_t read_small(const sp_arguments_t *arguments, const char *name, unsigned max,
                              unsigned *value, sp_error_t *err)
{
    uint64_t number = *value;
    sp_status_t status = read_count(arguments, name, (range_t){1, max}, &number, err);

    *value = (unsigned)number;
    return status;
}

/* ---- options ---- */

static sp_status_t read_address(const sp_arguments_t *arguments, sp_load_plan_t *plan,
                                sp_error_t *err)
{
    const char *text = sp_arguments_value(arguments, "connect");

    if (text == NULL) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "--connect HOST:PORT is missing: the server that is measured");
    }
    return sp_load_server_find(text, plan, err);
}

static sp_status_t read_protocol(const sp_arguments_t *arguments, sp_load_plan_t *plan,
                                 sp_error_t *err)
{
    const char *http = sp_arguments_value(arguments, "http");

    plan->tls = sp_arguments_has(arguments, "tls");
    plan->keep_alive = !sp_arguments_has(arguments, "no-keep-alive");
    if (http != NULL && strcmp(http, "1.1") != 0 && strcmp(http, "2") != 0) {
        return sp_fail(err, SP_BAD_VALUE, 0, "--http must be 1.1 or 2, not '%s'", http);
    }
    plan->http = http != NULL && http[0] == '2' ? SP_LOAD_HTTP2 : SP_LOAD_HTTP1;
    if (plan->http == SP_LOAD_HTTP2 && !plan->keep_alive) {
        return sp_fail(err, SP_BAD_VALUE, 0, "--no-keep-alive is for HTTP/1.1 only");
    }
    if (plan->http == SP_LOAD_HTTP1 && sp_arguments_has(arguments, "streams")) {
        return sp_fail(err, SP_BAD_VALUE, 0, "--streams needs --http 2");
    }
    plan->streams = 1;
    return read_small(arguments, "streams", STREAMS_MAX, &plan->streams, err);
}

static sp_status_t read_loop(const sp_arguments_t *arguments, sp_load_plan_t *plan, sp_error_t *err)
{
    const char *arrivals = sp_arguments_value(arguments, "arrivals");
    bool open = sp_arguments_has(arguments, "rate");

    if (open && sp_arguments_has(arguments, "closed")) {
        return sp_fail(err, SP_BAD_VALUE, 0, "--rate and --closed exclude each other");
    }
    if (arrivals != NULL && !open) {
        return sp_fail(err, SP_BAD_VALUE, 0, "--arrivals needs --rate");
    }
    if (arrivals != NULL && strcmp(arrivals, "poisson") != 0 && strcmp(arrivals, "constant") != 0) {
        return sp_fail(err, SP_BAD_VALUE, 0, "--arrivals must be poisson or constant, not '%s'",
                       arrivals);
    }
    plan->loop = open ? SP_LOAD_OPEN : SP_LOAD_CLOSED;
    plan->arrivals = arrivals != NULL && arrivals[0] == 'c' ? SP_LOAD_CONSTANT : SP_LOAD_POISSON;
    return read_number(arguments, "rate", RATE_MAX, &plan->rate, err);
}

static sp_status_t read_size(const sp_arguments_t *arguments, sp_load_plan_t *plan, sp_error_t *err)
{
    sp_status_t status = SP_OK;

    plan->connections = plan->loop == SP_LOAD_OPEN ? CONNECTIONS_OPEN : CONNECTIONS_CLOSED;
    plan->threads = 1;
    status = read_small(arguments, "connections", SP_LOAD_CONNECTIONS_MAX, &plan->connections, err);
    if (status == SP_OK) {
        status = read_small(arguments, "threads", SP_LOAD_THREADS_MAX, &plan->threads, err);
    }
    if (status == SP_OK && plan->threads > plan->connections) {
        return sp_fail(err, SP_BAD_VALUE, 0, "%u threads need at least as many connections, not %u",
                       plan->threads, plan->connections);
    }
    return status;
}

/* At least 1, for 0 would mean that there is no limit. */
static uint64_t to_ns(double seconds)
{
    uint64_t ns = (uint64_t)(seconds * NS_PER_SECOND + 0.5);

    return ns == 0 ? 1 : ns;
}

static sp_status_t read_length(const sp_arguments_t *arguments, sp_load_plan_t *plan,
                               sp_error_t *err)
{
    double duration_s = DURATION_S;
    double timeout_s = TIMEOUT_S;
    sp_status_t status =
        read_count(arguments, "requests", (range_t){1, REQUESTS_MAX}, &plan->requests, err);

    if (status == SP_OK) {
        status = read_number(arguments, "duration", DURATION_MAX_S, &duration_s, err);
    }
    if (status == SP_OK) {
        status = read_number(arguments, "timeout", TIMEOUT_MAX_S, &timeout_s, err);
    }
    if (status == SP_OK && plan->requests != 0 && sp_arguments_has(arguments, "duration")) {
        return sp_fail(err, SP_BAD_VALUE, 0, "--duration and --requests exclude each other");
    }
    plan->duration_ns = plan->requests != 0 ? 0 : to_ns(duration_s);
    plan->timeout_ns = to_ns(timeout_s);
    return status;
}

static sp_status_t read_names(const sp_arguments_t *arguments, sp_load_plan_t *plan,
                              sp_error_t *err)
{
    const char *names = sp_arguments_value(arguments, "names");
    sp_str_t zipf = SP_STR("zipf:");

    plan->names = SP_LOAD_UNIFORM;
    if (names == NULL || strcmp(names, "uniform") == 0) {
        return SP_OK;
    }
    if (strcmp(names, "sequential") == 0) {
        plan->names = SP_LOAD_SEQUENTIAL;
        return SP_OK;
    }
    if (sp_str_starts_with(sp_str_from(names), zipf) &&
        read_decimal(names + zipf.len, &plan->zipf_s) && plan->zipf_s > 0.0 &&
        plan->zipf_s <= ZIPF_MAX) {
        plan->names = SP_LOAD_ZIPF;
        return SP_OK;
    }
    return sp_fail(err, SP_BAD_VALUE, 0,
                   "--names must be uniform, sequential, or zipf:S with S above 0 and 10 at most, "
                   "not '%s'",
                   names);
}

sp_status_t sp_load_plan_read(const sp_arguments_t *arguments, sp_load_plan_t *ret_plan,
                              sp_error_t *err)
{
    static sp_status_t (*const readers[])(const sp_arguments_t *, sp_load_plan_t *,
                                          sp_error_t *) = {read_address, read_protocol, read_loop,
                                                           read_size,    read_length,   read_names};
    sp_load_plan_t plan = {.seed = 1, .keep_samples = sp_arguments_has(arguments, "samples")};
    sp_status_t status = read_count(arguments, "seed", (range_t){0, SEED_MAX}, &plan.seed, err);

    for (size_t i = 0; i != SP_COUNT(readers) && status == SP_OK; ++i) {
        status = readers[i](arguments, &plan, err);
    }
    if (status == SP_OK) {
        *ret_plan = plan;
    }
    return status;
}
