/* SPDX-License-Identifier: Apache-2.0 */
#include "load/result.h"

#include <stdio.h>

#include "explain/json.h"

#define FORMAT 1
#define NS_PER_SECOND 1e9
#define NS_PER_US 1e3
#define PRECISION 15 /* significant digits: nanoseconds stay exact over hours */

/* Adding to an object or array takes the value over; a NULL one, for want of memory, shows at the
 * end: every writer adds everything and asks once. */
typedef struct writer {
    json_t *object;
    bool failed;
} writer_t;

static void set(writer_t *writer, const char *key, json_t *value)
{
    if (json_object_set_new(writer->object, key, value) != 0) {
        writer->failed = true;
    }
}

static void append(writer_t *writer, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0) {
        writer->failed = true;
    }
}

/* The object, or NULL when something is missing in it. */
static json_t *finish(writer_t *writer)
{
    if (writer->failed) {
        json_decref(writer->object);
        return NULL;
    }
    return writer->object;
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *us(uint64_t ns)
{
    return json_real((double)ns / NS_PER_US);
}

static json_t *names_json(const sp_load_plan_t *plan)
{
    switch (plan->names) {
    case SP_LOAD_UNIFORM:
        return json_string("uniform");
    case SP_LOAD_ZIPF:
        return json_sprintf("zipf:%g", plan->zipf_s);
    case SP_LOAD_SEQUENTIAL:
        return json_string("sequential");
    }
    return NULL;
}

static json_t *plan_json(const sp_load_result_t *result)
{
    const sp_load_plan_t *plan = result->plan;
    bool open = plan->loop == SP_LOAD_OPEN;
    writer_t writer = {.object = json_object()};

    set(&writer, "connect", json_string(result->connect));
    set(&writer, "tls", json_boolean(plan->tls));
    set(&writer, "http", json_string(plan->http == SP_LOAD_HTTP2 ? "2" : "1.1"));
    set(&writer, "keep_alive", json_boolean(plan->keep_alive));
    set(&writer, "loop", json_string(open ? "open" : "closed"));
    set(&writer, "arrivals",
        !open ? json_null()
              : json_string(plan->arrivals == SP_LOAD_POISSON ? "poisson" : "constant"));
    set(&writer, "rate", open ? json_real(plan->rate) : json_null());
    set(&writer, "connections", count(plan->connections));
    set(&writer, "streams", count(plan->streams));
    set(&writer, "threads", count(plan->threads));
    set(&writer, "duration_s",
        plan->duration_ns == 0 ? json_null()
                               : json_real((double)plan->duration_ns / NS_PER_SECOND));
    set(&writer, "requests", plan->requests == 0 ? json_null() : count(plan->requests));
    set(&writer, "timeout_s", json_real((double)plan->timeout_ns / NS_PER_SECOND));
    set(&writer, "names", names_json(plan));
    set(&writer, "seed", count(plan->seed));
    set(&writer, "targets", count(plan->targets->count));
    return finish(&writer);
}

static json_t *requests_json(const sp_load_tally_t *tally)
{
    writer_t writer = {.object = json_object()};
    uint64_t answered = tally->kinds[SP_LOAD_OK] + tally->kinds[SP_LOAD_WRONG_STATUS] +
                        tally->kinds[SP_LOAD_WRONG_LOCATION];

    set(&writer, "due", count(tally->due));
    set(&writer, "sent", count(tally->sent));
    set(&writer, "answered", count(answered));
    for (sp_load_kind_t kind = SP_LOAD_OK; kind != SP_LOAD_KINDS; ++kind) {
        set(&writer, sp_load_kind_name(kind), count(tally->kinds[kind]));
    }
    return finish(&writer);
}

static json_t *statuses_json(const sp_load_tally_t *tally)
{
    writer_t writer = {.object = json_object()};

    for (unsigned status = 0; status != SP_COUNT(tally->statuses); ++status) {
        char key[16];

        if (tally->statuses[status] != 0) {
            (void)snprintf(key, sizeof(key), "%u", status);
            set(&writer, key, count(tally->statuses[status]));
        }
    }
    return finish(&writer);
}

static json_t *buckets_json(const sp_load_histogram_t *histogram)
{
    writer_t writer = {.object = json_array()};

    for (size_t i = 0; i != SP_LOAD_HISTOGRAM_BUCKETS; ++i) {
        uint64_t from = 0;
        uint64_t to = 0;

        if (histogram->buckets[i] != 0) {
            sp_load_histogram_bucket(i, &from, &to);
            append(&writer, writer.object,
                   json_pack("[o,o,o]", us(from), us(to), count(histogram->buckets[i])));
        }
    }
    return finish(&writer);
}

static json_t *times_json(const sp_load_histogram_t *histogram)
{
    static const struct {
        const char *key;
        double q;
    } shares[] = {{"p50_us", 0.5},  {"p90_us", 0.9},     {"p95_us", 0.95},
                  {"p99_us", 0.99}, {"p99_9_us", 0.999}, {"p99_99_us", 0.9999}};
    writer_t writer = {.object = json_object()};

    set(&writer, "count", count(histogram->count));
    set(&writer, "min_us", us(histogram->min_ns));
    set(&writer, "mean_us", json_real(sp_load_histogram_mean_ns(histogram) / NS_PER_US));
    set(&writer, "sd_us", json_real(sp_load_histogram_deviation_ns(histogram) / NS_PER_US));
    for (size_t i = 0; i != SP_COUNT(shares); ++i) {
        set(&writer, shares[i].key, us(sp_load_histogram_quantile(histogram, shares[i].q)));
    }
    set(&writer, "max_us", us(histogram->max_ns));
    set(&writer, "histogram", buckets_json(histogram));
    return finish(&writer);
}

static json_t *second_json(const sp_load_second_t *second, size_t index)
{
    return json_pack("{so,so,so,so,so,so,so,so}", "second", count(index), "due", count(second->due),
                     "ok", count(second->ok), "errors", count(second->errors), "answered",
                     count(second->answered), "p50_us", us(sp_load_second_quantile(second, 0.5)),
                     "p99_us", us(sp_load_second_quantile(second, 0.99)), "max_us",
                     us(second->max_ns));
}

static json_t *series_json(const sp_load_tally_t *tally)
{
    writer_t writer = {.object = json_array()};

    for (size_t i = 0; i != tally->second_count; ++i) {
        append(&writer, writer.object, second_json(&tally->seconds[i], i));
    }
    return finish(&writer);
}

static json_t *wrong_json(const sp_load_result_t *result)
{
    const sp_load_tally_t *tally = result->outcome->tally;
    writer_t writer = {.object = json_array()};

    for (size_t i = 0; i != tally->example_count; ++i) {
        const sp_load_example_t *example = &tally->examples[i];
        const sp_load_target_t *target = &result->plan->targets->list[example->target];
        sp_str_t location = sp_str_from(example->location);
        json_t *expected = json_pack(
            "{so,so}", "status", target->status == 0 ? json_null() : count(target->status),
            "location", target->has_location ? sp_json_str(target->location) : json_null());
        json_t *got = json_pack("{so,so}", "status", count(example->status), "location",
                                location.len == 0 ? json_null() : sp_json_str(location));

        append(&writer, writer.object,
               json_pack("{so,so,so,so}", "host", sp_json_str(target->host), "path",
                         sp_json_str(target->path), "expected", expected, "got", got));
    }
    return finish(&writer);
}

json_t *sp_load_result_json(const sp_load_result_t *result)
{
    const sp_load_outcome_t *outcome = result->outcome;
    const sp_load_tally_t *tally = outcome->tally;
    const char *reason = sp_load_result_reason(result);
    writer_t writer = {.object = json_object()};

    set(&writer, "kind", json_string("signpost-load"));
    set(&writer, "format", count(FORMAT));
    set(&writer, "version", json_string(SIGNPOST_VERSION));
    set(&writer, "started", json_string(outcome->started));
    set(&writer, "plan", plan_json(result));
    set(&writer, "elapsed_s", json_real(outcome->elapsed_s));
    set(&writer, "sending_s", json_real(outcome->sending_s));
    set(&writer, "interrupted", json_boolean(outcome->interrupted));
    set(&writer, "requests", requests_json(tally));
    set(&writer, "reason", reason == NULL ? json_null() : json_string(reason));
    set(&writer, "statuses", statuses_json(tally));
    set(&writer, "throughput_rps", json_real(sp_load_throughput(result)));
    set(&writer, "latency", times_json(&tally->latency));
    set(&writer, "service", times_json(&tally->service));
    set(&writer, "series", series_json(tally));
    set(&writer, "connections",
        json_pack("{so,so}", "opened", count(tally->connections), "resumed",
                  count(tally->resumed)));
    set(&writer, "octets",
        json_pack("{so,so}", "in", count(tally->octets_in), "out", count(tally->octets_out)));
    set(&writer, "generator",
        json_pack("{so,so,so}", "user_s", json_real(outcome->user_s), "system_s",
                  json_real(outcome->system_s), "late_p99_us",
                  json_real(outcome->late_p99_s * NS_PER_SECOND / NS_PER_US)));
    set(&writer, "wrong", wrong_json(result));
    return finish(&writer);
}

/* Each member on a line of its own: a histogram spread over thousands of lines helps nobody. */
static bool print_members(json_t *root, FILE *out)
{
    const char *before = "{";

    for (void *at = json_object_iter(root); at != NULL; at = json_object_iter_next(root, at)) {
        if (fprintf(out, "%s\n\"%s\": ", before, json_object_iter_key(at)) < 0 ||
            json_dumpf(json_object_iter_value(at), out,
                       JSON_ENCODE_ANY | JSON_REAL_PRECISION(PRECISION)) != 0) {
            return false;
        }
        before = ",";
    }
    return fputs("\n}\n", out) != EOF && fflush(out) == 0;
}

sp_status_t sp_load_result_print_json(const sp_load_result_t *result, FILE *out)
{
    json_t *root = sp_load_result_json(result);
    sp_status_t status = SP_OK;

    if (root == NULL) {
        return SP_NO_MEMORY;
    }
    if (!print_members(root, out)) {
        status = SP_IO;
    }
    json_decref(root);
    return status;
}
