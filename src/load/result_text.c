/* SPDX-License-Identifier: Apache-2.0 */
#include "load/result.h"

#include <inttypes.h>

#define NS_PER_SECOND 1e9
#define NS_PER_MS 1e6
#define NS_PER_US 1e3
#define SHARE_FULL 100.0

typedef struct span {
    char text[24];
} span_t;

/* Three digits or so, with the unit that fits. */
static const char *show_time(double ns, span_t *memory)
{
    if (ns < NS_PER_MS) {
        (void)snprintf(memory->text, sizeof(memory->text), "%.3g us", ns / NS_PER_US);
    } else if (ns < NS_PER_SECOND) {
        (void)snprintf(memory->text, sizeof(memory->text), "%.3g ms", ns / NS_PER_MS);
    } else {
        (void)snprintf(memory->text, sizeof(memory->text), "%.2f s", ns / NS_PER_SECOND);
    }
    return memory->text;
}

static const char *kind_in_words(sp_load_kind_t kind)
{
    switch (kind) {
    case SP_LOAD_OK:
        return "as expected";
    case SP_LOAD_WRONG_STATUS:
        return "with a wrong status";
    case SP_LOAD_WRONG_LOCATION:
        return "with a wrong Location";
    case SP_LOAD_NO_CONNECTION:
        return "without a connection";
    case SP_LOAD_CLOSED_EARLY:
        return "cut off by the server";
    case SP_LOAD_BAD_ANSWER:
        return "answered with something that is no HTTP";
    case SP_LOAD_TIMED_OUT:
        return "not answered in time";
    case SP_LOAD_UNFINISHED:
        return "unfinished when the run was stopped";
    case SP_LOAD_KINDS:
        break;
    }
    return "";
}

static void print_plan(const sp_load_result_t *result, FILE *out)
{
    const sp_load_plan_t *plan = result->plan;

    (void)fprintf(out, "%s, HTTP/%s%s, ", result->connect,
                  plan->http == SP_LOAD_HTTP2 ? "2" : "1.1", plan->tls ? " over TLS" : "");
    if (plan->loop == SP_LOAD_OPEN) {
        (void)fprintf(out, "open loop at %g/s (%s), at most %u connections", plan->rate,
                      plan->arrivals == SP_LOAD_POISSON ? "Poisson" : "constant",
                      plan->connections);
    } else {
        (void)fprintf(out, "closed loop, %u connections", plan->connections);
    }
    if (plan->streams > 1) {
        (void)fprintf(out, " of %u streams", plan->streams);
    }
    (void)fprintf(out, "%s, %zu target%s\n", plan->keep_alive ? "" : ", one for each request",
                  plan->targets->count, plan->targets->count == 1 ? "" : "s");
}

static void print_kinds(const sp_load_tally_t *tally, FILE *out)
{
    (void)fprintf(out, "requests    %" PRIu64 "\n", tally->due);
    for (sp_load_kind_t kind = SP_LOAD_OK; kind != SP_LOAD_KINDS; ++kind) {
        if (tally->kinds[kind] != 0) {
            (void)fprintf(out, "            %" PRIu64 " %s (%.4g %%)\n", tally->kinds[kind],
                          kind_in_words(kind),
                          SHARE_FULL * (double)tally->kinds[kind] / (double)tally->due);
        }
    }
}

static void print_statuses(const sp_load_tally_t *tally, FILE *out)
{
    const char *before = "statuses    ";

    for (size_t status = 0; status != SP_COUNT(tally->statuses); ++status) {
        if (tally->statuses[status] != 0) {
            (void)fprintf(out, "%s%zu: %" PRIu64, before, status, tally->statuses[status]);
            before = ", ";
        }
    }
    if (before[0] == ',') {
        (void)fputc('\n', out);
    }
}

static void print_times(const char *name, const char *what, const sp_load_histogram_t *histogram,
                        FILE *out)
{
    static const struct {
        const char *name;
        double q;
    } shares[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1.0}};
    span_t text;

    if (histogram->count == 0) {
        return;
    }
    (void)fprintf(out, "%-12smean %s", name,
                  show_time(sp_load_histogram_mean_ns(histogram), &text));
    for (size_t i = 0; i != SP_COUNT(shares); ++i) {
        (void)fprintf(out, ", %s %s", shares[i].name,
                      show_time((double)sp_load_histogram_quantile(histogram, shares[i].q), &text));
    }
    (void)fprintf(out, "\n            (%s)\n", what);
}

static int shown(sp_str_t text)
{
    return text.len < SP_LOAD_EXAMPLE_TEXT_MAX ? (int)text.len : SP_LOAD_EXAMPLE_TEXT_MAX;
}

/* Neither a server nor a file may steer the terminal. */
static void print_answer(FILE *out, const char *word, unsigned status, sp_str_t location)
{
    char line[SP_LOAD_EXAMPLE_TEXT_MAX + 64];
    char code[16] = "below 400";

    if (status != 0) {
        (void)snprintf(code, sizeof(code), "%u", status);
    }
    (void)snprintf(line, sizeof(line), "%s %s%s%.*s", word, code,
                   location.ptr == NULL ? ""
                   : location.len == 0  ? " without Location"
                                        : " to ",
                   shown(location), location.ptr == NULL ? "" : location.ptr);
    sp_make_printable(line);
    (void)fprintf(out, "            %s\n", line);
}

static void print_wrong(const sp_load_result_t *result, FILE *out)
{
    const sp_load_tally_t *tally = result->outcome->tally;

    for (size_t i = 0; i != tally->example_count; ++i) {
        const sp_load_example_t *example = &tally->examples[i];
        const sp_load_target_t *target = &result->plan->targets->list[example->target];
        sp_str_t expected = target->location;

        if (!target->has_location) {
            expected.ptr = NULL;
        }
        (void)fprintf(out, "%s%.*s%.*s\n", i == 0 ? "wrong       " : "            ",
                      shown(target->host), target->host.ptr, shown(target->path), target->path.ptr);
        print_answer(out, "  expected", target->status, expected);
        print_answer(out, "  got", example->status, sp_str_from(example->location));
    }
}

void sp_load_result_print_text(const sp_load_result_t *result, FILE *out)
{
    const sp_load_outcome_t *outcome = result->outcome;
    const sp_load_tally_t *tally = outcome->tally;
    const char *reason = sp_load_result_reason(result);
    span_t late;

    print_plan(result, out);
    if (outcome->interrupted) {
        (void)fputs("interrupted: this is what there was until then\n", out);
    }
    print_kinds(tally, out);
    if (reason != NULL) {
        (void)fprintf(out, "reason      %s\n", reason);
    }
    print_statuses(tally, out);
    (void)fprintf(out, "rate        %.1f/s as expected; %.2f s of sending, %.2f s in all\n",
                  sp_load_throughput(result), outcome->sending_s, outcome->elapsed_s);
    if (result->plan->loop == SP_LOAD_OPEN) {
        print_times("latency", "from the time at which a request was due", &tally->latency, out);
    }
    print_times("service", "from the time at which a request was sent", &tally->service, out);
    (void)fprintf(out, "generator   %" PRIu64 " connections opened, %.2f s of CPU, %s late (p99)\n",
                  tally->connections, outcome->user_s + outcome->system_s,
                  show_time(outcome->late_p99_s * NS_PER_SECOND, &late));
    if (tally->out_of_memory) {
        (void)fputs("            memory ran out: seconds or samples are missing\n", out);
    }
    print_wrong(result, out);
}
