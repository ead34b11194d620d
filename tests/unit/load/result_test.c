/* SPDX-License-Identifier: Apache-2.0 */
#include "load/result.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

/* A run of its own making: 10 requests a second for 3 seconds, 20 ms each, but for a few. */
typedef struct fixture {
    sp_load_target_t list[2];
    sp_load_targets_t targets;
    sp_load_plan_t plan;
    sp_load_outcome_t outcome;
    sp_load_result_t result;
} fixture_t;

static void add(fixture_t *fixture, sp_load_kind_t kind, uint64_t due_ns, uint64_t took_ns)
{
    const sp_load_end_t end = {.kind = kind,
                               .status = kind == SP_LOAD_OK ? 302 : 0,
                               .due_ns = due_ns,
                               .sent_ns = kind == SP_LOAD_UNFINISHED ? UINT64_MAX : due_ns,
                               .end_ns = due_ns + took_ns};

    sp_load_tally_due(fixture->outcome.tally, due_ns);
    sp_load_tally_end(fixture->outcome.tally, &end);
}

static void init(fixture_t *fixture)
{
    *fixture = (fixture_t){
        .list = {{.host = SP_STR("a.example"), .path = SP_STR("/x"), .status = 301},
                 {.host = SP_STR("b.example"),
                  .path = SP_STR("/"),
                  .has_location = true,
                  .location = SP_STR("https://b.example.net/")}},
        .plan = {.loop = SP_LOAD_OPEN,
                 .rate = 10.0,
                 .connections = 5,
                 .streams = 1,
                 .threads = 2,
                 .keep_alive = true,
                 .duration_ns = 3 * SECOND,
                 .timeout_ns = 1500 * MS,
                 .names = SP_LOAD_ZIPF,
                 .zipf_s = 1.25,
                 .seed = 99},
        .outcome = {.sending_s = 2.9,
                    .elapsed_s = 4.5,
                    .user_s = 0.25,
                    .system_s = 0.5,
                    .late_p99_s = 1e-5,
                    .started = "2026-01-02T03:04:05Z"},
    };
    fixture->targets = (sp_load_targets_t){.list = fixture->list, .count = 2};
    fixture->plan.targets = &fixture->targets;
    fixture->result = (sp_load_result_t){
        .plan = &fixture->plan, .outcome = &fixture->outcome, .connect = "127.0.0.1:80"};
    cr_assert_eq(sp_load_tally_create(true, &fixture->outcome.tally), SP_OK);
    for (uint64_t i = 0; i != 27; ++i) {
        add(fixture, SP_LOAD_OK, i * 100 * MS, 20 * MS);
    }
    add(fixture, SP_LOAD_OK, 2700 * MS, 800 * MS);
    add(fixture, SP_LOAD_TIMED_OUT, 2800 * MS, 1500 * MS);
    add(fixture, SP_LOAD_UNFINISHED, 2900 * MS, 1600 * MS);
}

static json_t *read_json(fixture_t *fixture)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    json_t *root = NULL;

    cr_assert_not_null(out);
    cr_assert_eq(sp_load_result_print_json(&fixture->result, out), SP_OK);
    cr_assert_eq(fclose(out), 0);
    root = json_loadb(text, len, 0, NULL);
    cr_assert_not_null(root, "%s", text);
    free(text);
    return root;
}

/* The number at a path such as "requests.ok"; NaN-free: fails when there is none. */
static double number_at(const json_t *root, const char *path)
{
    char copy[64];
    char *rest = copy;
    const json_t *value = root;

    cr_assert_lt(strlen(path), sizeof(copy));
    (void)strcpy(copy, path);
    for (char *key = NULL; (key = strtok_r(rest, ".", &rest)) != NULL;) {
        value = json_object_get(value, key);
    }
    cr_assert(json_is_number(value), "%s", path);
    return json_number_value(value);
}

Test(load_result, has_everything_in_its_json)
{
    fixture_t fixture;
    json_t *root = NULL;
    static const struct {
        const char *path;
        double value;
    } numbers[] = {
        {"format", 1},
        {"elapsed_s", 4.5},
        {"sending_s", 2.9},
        {"plan.rate", 10},
        {"plan.connections", 5},
        {"plan.streams", 1},
        {"plan.threads", 2},
        {"plan.duration_s", 3},
        {"plan.timeout_s", 1.5},
        {"plan.seed", 99},
        {"plan.targets", 2},
        {"requests.due", 30},
        {"requests.sent", 29},
        {"requests.answered", 28},
        {"requests.ok", 28},
        {"requests.wrong_status", 0},
        {"requests.wrong_location", 0},
        {"requests.no_connection", 0},
        {"requests.closed_early", 0},
        {"requests.bad_answer", 0},
        {"requests.timed_out", 1},
        {"requests.unfinished", 1},
        {"statuses.302", 28},
        {"throughput_rps", 9},
        {"latency.count", 30},
        {"latency.min_us", 20000},
        {"latency.max_us", 1600000},
        {"latency.p99_99_us", 1600000},
        {"service.count", 29},
        {"service.max_us", 1500000},
        {"connections.opened", 0},
        {"connections.resumed", 0},
        {"octets.in", 0},
        {"octets.out", 0},
        {"generator.user_s", 0.25},
        {"generator.system_s", 0.5},
        {"generator.late_p99_us", 10},
    };

    init(&fixture);
    root = read_json(&fixture);
    for (size_t i = 0; i != SP_COUNT(numbers); ++i) {
        cr_expect_float_eq(number_at(root, numbers[i].path), numbers[i].value, 1e-6, "%s: %g",
                           numbers[i].path, number_at(root, numbers[i].path));
    }
    cr_expect_str_eq(json_string_value(json_object_get(root, "kind")), "signpost-load");
    cr_expect_str_eq(json_string_value(json_object_get(root, "started")), "2026-01-02T03:04:05Z");
    cr_expect(json_is_false(json_object_get(root, "interrupted")));
    cr_expect_str_eq(json_string_value(json_object_get(json_object_get(root, "plan"), "names")),
                     "zipf:1.25");
    cr_expect(json_is_null(json_object_get(json_object_get(root, "plan"), "requests")));
    cr_expect_eq(json_array_size(json_object_get(root, "series")), 4);
    cr_expect_eq(json_array_size(json_object_get(root, "wrong")), 0);
    json_decref(root);
    sp_load_tally_destroy(fixture.outcome.tally);
}

/* What a reader computes from the buckets is what the percentiles say. */
Test(load_result, has_buckets_that_agree_with_its_percentiles)
{
    fixture_t fixture;
    json_t *root = NULL;
    const json_t *latency = NULL;
    const json_t *bucket = NULL;
    size_t i = 0;
    double seen = 0.0;
    double p50 = -1.0;

    init(&fixture);
    root = read_json(&fixture);
    latency = json_object_get(root, "latency");
    json_array_foreach(json_object_get(latency, "histogram"), i, bucket)
    {
        double from = json_number_value(json_array_get(bucket, 0));
        double to = json_number_value(json_array_get(bucket, 1));

        cr_expect_lt(from, to);
        cr_expect_leq(to - from, from / 128 + 1e-6);
        seen += json_number_value(json_array_get(bucket, 2));
        if (p50 < 0.0 && seen >= 15.0) {
            p50 = from;
        }
    }
    cr_expect_float_eq(seen, 30.0, 1e-9);
    cr_expect_float_eq(number_at(latency, "p50_us") / p50, 1.0, 0.008);
    json_decref(root);
    sp_load_tally_destroy(fixture.outcome.tally);
}

Test(load_result, says_null_for_what_a_closed_loop_does_not_have)
{
    fixture_t fixture;
    json_t *root = NULL;
    const json_t *plan = NULL;

    init(&fixture);
    fixture.plan.loop = SP_LOAD_CLOSED;
    fixture.plan.duration_ns = 0;
    fixture.plan.requests = 30;
    root = read_json(&fixture);
    plan = json_object_get(root, "plan");
    cr_expect(json_is_null(json_object_get(plan, "rate")));
    cr_expect(json_is_null(json_object_get(plan, "arrivals")));
    cr_expect(json_is_null(json_object_get(plan, "duration_s")));
    cr_expect_float_eq(number_at(plan, "requests"), 30.0, 1e-9);
    json_decref(root);
    sp_load_tally_destroy(fixture.outcome.tally);
}

Test(load_result, shows_what_was_expected_and_what_came)
{
    fixture_t fixture;
    json_t *root = NULL;
    char *text = NULL;

    init(&fixture);
    sp_load_tally_example(fixture.outcome.tally, 0, 302, SP_STR("https://x\xff\x1b/"));
    sp_load_tally_example(fixture.outcome.tally, 1, 404, SP_STR(""));
    root = read_json(&fixture);
    text = json_dumps(json_object_get(root, "wrong"), JSON_COMPACT);
    cr_expect_str_eq(text,
                     "[{\"host\":\"a.example\",\"path\":\"/x\",\"expected\":{\"status\":301,"
                     "\"location\":null},\"got\":{\"status\":302,\"location\":"
                     "\"https://x\\\\xff\\\\x1b/\"}},"
                     "{\"host\":\"b.example\",\"path\":\"/\",\"expected\":{\"status\":null,"
                     "\"location\":\"https://b.example.net/\"},\"got\":{\"status\":404,"
                     "\"location\":null}}]",
                     "%s", text);
    free(text);
    json_decref(root);
    sp_load_tally_destroy(fixture.outcome.tally);
}

Test(load_result, counts_whole_seconds_for_the_throughput)
{
    fixture_t fixture;

    init(&fixture);
    cr_expect_float_eq(sp_load_throughput(&fixture.result), 27.0 / 3, 1e-9);
    fixture.outcome.interrupted = true; /* then what was planned does not count */
    cr_expect_float_eq(sp_load_throughput(&fixture.result), 20.0 / 2, 1e-9);
    fixture.outcome.interrupted = false;
    fixture.plan.duration_ns = 0;
    cr_expect_float_eq(sp_load_throughput(&fixture.result), 20.0 / 2, 1e-9);
    fixture.outcome.sending_s = 0.9;
    cr_expect_float_eq(sp_load_throughput(&fixture.result), 28.0 / 4.5, 1e-9);
    fixture.outcome.elapsed_s = 0.0;
    cr_expect_float_eq(sp_load_throughput(&fixture.result), 0.0, 1e-9);
    sp_load_tally_destroy(fixture.outcome.tally);
}

static char *print_text(const fixture_t *fixture)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    cr_assert_not_null(out);
    sp_load_result_print_text(&fixture->result, out);
    cr_assert_eq(fclose(out), 0);
    return text;
}

static void expect_reason(const fixture_t *fixture, sp_str_t first, const char *words)
{
    sp_load_tally_t *tally = fixture->outcome.tally;
    const char *reason = NULL;

    tally->first_len = 0;
    sp_load_tally_heard(tally, first);
    sp_load_tally_heard(tally, SP_STR("later"));
    reason = sp_load_result_reason(&fixture->result);
    if (words == NULL) {
        cr_expect_null(reason, "%s", reason);
    } else {
        cr_assert_not_null(reason, "%s", words);
        cr_expect_not_null(strstr(reason, words), "%s", reason);
    }
}

Test(load_result, tells_why_from_what_the_server_said_first)
{
    fixture_t fixture;
    char *text = NULL;

    init(&fixture);
    expect_reason(&fixture, SP_STR("\x15\x03\x01"), NULL); /* nothing failed */
    add(&fixture, SP_LOAD_BAD_ANSWER, 2900 * MS, 0);
    expect_reason(&fixture, SP_STR("\x15\x03\x01"), "give --tls");
    expect_reason(&fixture, SP_STR("\x16\x03"), "give --tls");
    expect_reason(&fixture, SP_STR("\x15"), NULL);
    expect_reason(&fixture, SP_STR("\0\0\x12\x04\0\0\0\0\0"), "give --http 2");
    expect_reason(&fixture, SP_STR("HTTP/1.1 302 Found"), NULL);
    fixture.plan.http = SP_LOAD_HTTP2;
    expect_reason(&fixture, SP_STR("HTTP/1.1 302 Found"), "leave out --http 2");
    expect_reason(&fixture, SP_STR("\0\0\x12\x04\0\0\0\0\0"), NULL);
    fixture.plan.tls = true;
    expect_reason(&fixture, SP_STR("HTTP/1.1 302 Found"), NULL);
    sp_load_tally_fault(fixture.outcome.tally, "the first");
    sp_load_tally_fault(fixture.outcome.tally, "the second");
    expect_reason(&fixture, SP_STR("HTTP/1.1 302 Found"), "the first");
    text = print_text(&fixture);
    cr_expect_not_null(strstr(text, "\nreason      the first\n"), "%s", text);
    free(text);
    sp_load_tally_destroy(fixture.outcome.tally);
}

Test(load_result, takes_silence_for_a_missing_tls)
{
    fixture_t fixture;
    sp_load_tally_t *other = NULL;

    init(&fixture);
    add(&fixture, SP_LOAD_CLOSED_EARLY, 2900 * MS, 0);
    cr_assert_not_null(sp_load_result_reason(&fixture.result));
    cr_expect_not_null(strstr(sp_load_result_reason(&fixture.result), "is --tls missing?"));
    cr_assert_eq(sp_load_tally_create(false, &other), SP_OK);
    sp_load_tally_heard(other, SP_STR("HTTP/1.1 200 OK"));
    sp_load_tally_merge(fixture.outcome.tally, other);
    cr_expect_null(sp_load_result_reason(&fixture.result));
    sp_load_tally_fault(other, "of another thread");
    sp_load_tally_merge(fixture.outcome.tally, other);
    cr_expect_str_eq(sp_load_result_reason(&fixture.result), "of another thread");
    sp_load_tally_destroy(other);
    sp_load_tally_destroy(fixture.outcome.tally);
}

Test(load_result, fits_a_screen_as_text)
{
    fixture_t fixture;
    char *text = NULL;
    static const char *const words[] = {
        "open loop at 10/s (Poisson)",
        "28 as expected (93.33 %)",
        "1 not answered in time",
        "1 unfinished when the run was stopped",
        "302: 28",
        "rate        9.0/s as expected",
        "p50 20 ms",
        "max 1.60 s",
        "expected 301\n",
        "got 302 to https://x?/",
        "expected below 400 to https",
        "got 404 without Location",
    };

    init(&fixture);
    sp_load_tally_example(fixture.outcome.tally, 0, 302, SP_STR("https://x\x1b/"));
    sp_load_tally_example(fixture.outcome.tally, 1, 404, SP_STR(""));
    text = print_text(&fixture);
    for (size_t i = 0; i != SP_COUNT(words); ++i) {
        cr_expect_not_null(strstr(text, words[i]), "%s is not in:\n%s", words[i], text);
    }
    free(text);
    sp_load_tally_destroy(fixture.outcome.tally);
}

Test(load_result, prints_each_sample)
{
    fixture_t fixture;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    size_t lines = 0;

    cr_assert_not_null(out);
    init(&fixture);
    cr_assert_eq(sp_load_samples_print(fixture.outcome.tally, out), SP_OK);
    cr_assert_eq(fclose(out), 0);
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; ++at) {
        ++lines;
    }
    cr_expect_eq(lines, 31);
    cr_expect(sp_str_starts_with(sp_str_from(text), SP_STR("due_us\tsent_us\tend_us\tkind\tstatus\n"
                                                           "0.000\t0.000\t20000.000\tok\t302\n")),
              "%s", text);
    cr_expect_not_null(strstr(text, "\n2800000.000\t2800000.000\t4300000.000\ttimed_out\t0\n"));
    cr_expect_not_null(strstr(text, "\n2900000.000\t\t4500000.000\tunfinished\t0\n"));
    free(text);
    sp_load_tally_destroy(fixture.outcome.tally);
}

Test(load_result, says_when_it_can_not_be_written)
{
    fixture_t fixture;
    FILE *full = fopen("/dev/full", "w");

    cr_assert_not_null(full);
    init(&fixture);
    cr_expect_eq(sp_load_result_print_json(&fixture.result, full), SP_IO);
    cr_expect_eq(sp_load_samples_print(fixture.outcome.tally, full), SP_IO);
    (void)fclose(full);
    sp_load_tally_destroy(fixture.outcome.tally);
}

static char *show_line(sp_load_line_t *line, const sp_load_progress_t *progress)
{
    char *text = NULL;
    size_t len = 0;

    line->out = open_memstream(&text, &len);
    cr_assert_not_null(line->out);
    sp_load_line_show(line, progress);
    sp_load_line_end(line);
    cr_assert_eq(fclose(line->out), 0);
    return text;
}

Test(load_progress, tells_rate_times_errors_and_what_is_left)
{
    fixture_t fixture;
    sp_load_line_t line = {.last_s = 0.5};
    sp_load_progress_t progress = {
        .elapsed_s = 1.0, .due = 60, .ended = 55, .errors = 1, .recent_ended = 20};
    char *text = NULL;

    init(&fixture);
    line.plan = &fixture.plan;
    sp_load_tally_recent(fixture.outcome.tally, &progress.recent);
    text = show_line(&line, &progress);
    cr_expect(sp_str_starts_with(sp_str_from(text), SP_STR("40/s, p50 ")), "%s", text);
    cr_expect_not_null(strstr(text, ", 1 error, 2 s left\n"), "%s", text);
    free(text);
    fixture.plan.duration_ns = 0;
    fixture.plan.requests = 90;
    text = show_line(&line, &progress);
    cr_expect_not_null(strstr(text, ", 0 s left\n"), "%s", text);
    free(text);
    progress.draining = true;
    line.same_line = true;
    text = show_line(&line, &progress);
    cr_expect_not_null(strstr(text, ", waiting for 5\033[K"), "%s", text);
    free(text);
    sp_load_tally_destroy(fixture.outcome.tally);
}
