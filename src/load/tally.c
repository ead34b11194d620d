/* SPDX-License-Identifier: Apache-2.0 */
#include "load/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signpost/base/arena.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define FIRST_ROOM 64

/* Seconds have 16 buckets a doubling, from 2^10 ns to 2^42 ns; the first takes what is below, the
 * last what is above. */
#define COARSE_SUB_BITS 4U
#define COARSE_FIRST_BIT 10U
#define COARSE_MIDDLE 1.03 /* lower edge → middle of a bucket */

sp_status_t sp_load_tally_create(bool keep_samples, sp_load_tally_t **ret_tally)
{
    sp_load_tally_t *tally = calloc(1, sizeof(*tally));

    if (tally == NULL) {
        return SP_NO_MEMORY;
    }
    tally->keep_samples = keep_samples;
    sp_load_histogram_init(&tally->latency);
    sp_load_histogram_init(&tally->service);
    atomic_init(&tally->live.due, 0);
    atomic_init(&tally->live.ended, 0);
    atomic_init(&tally->live.errors, 0);
    for (size_t i = 0; i != SP_LOAD_SECOND_BUCKETS; ++i) {
        atomic_init(&tally->live.buckets[i], 0);
    }
    *ret_tally = tally;
    return SP_OK;
}

void sp_load_tally_destroy(sp_load_tally_t *tally)
{
    if (tally != NULL) {
        free(tally->seconds);
        free(tally->samples);
        free(tally);
    }
}

/* There is one writer, so no locked instruction is needed. */
static void count_live(atomic_uint_fast64_t *figure)
{
    uint_fast64_t value = atomic_load_explicit(figure, memory_order_relaxed);

    atomic_store_explicit(figure, value + 1, memory_order_relaxed);
}

/* Room for at least `wanted` items; NULL when memory is out, `list` stays valid then. */
static void *grow(void *list, size_t *room, size_t wanted, size_t size)
{
    size_t more = *room < FIRST_ROOM ? FIRST_ROOM : *room;
    size_t bytes = 0;
    void *grown = NULL;

    while (more < wanted) {
        more *= 2;
    }
    if (!sp_array_size(more, size, &bytes)) {
        return NULL;
    }
    grown = realloc(list, bytes);
    if (grown != NULL) {
        *room = more;
    }
    return grown;
}

/* False when memory is out. */
static bool have_seconds(sp_load_tally_t *tally, size_t count)
{
    sp_load_second_t *seconds = tally->seconds;

    if (count > tally->second_room) {
        seconds = grow(seconds, &tally->second_room, count, sizeof(*seconds));
        if (seconds == NULL) {
            tally->out_of_memory = true;
            return false;
        }
        tally->seconds = seconds;
    }
    while (tally->second_count < count) {
        tally->seconds[tally->second_count++] = (sp_load_second_t){.due = 0};
    }
    return true;
}

/* NULL when memory is out. */
static sp_load_second_t *second_at(sp_load_tally_t *tally, uint64_t ns)
{
    uint64_t index = ns / NS_PER_SECOND;

    if (index >= SP_LOAD_SERIES_MAX) {
        index = SP_LOAD_SERIES_MAX - 1;
    }
    return have_seconds(tally, (size_t)index + 1) ? &tally->seconds[index] : NULL;
}

static size_t coarse_bucket(uint64_t ns)
{
    unsigned bit = ns == 0 ? 0 : 63U - (unsigned)__builtin_clzll(ns);
    size_t index = 0;

    if (bit < COARSE_FIRST_BIT) {
        return 0;
    }
    index = ((size_t)(bit - COARSE_FIRST_BIT) << COARSE_SUB_BITS) +
            (size_t)((ns >> (bit - COARSE_SUB_BITS)) & ((1U << COARSE_SUB_BITS) - 1U));
    return index < SP_LOAD_SECOND_BUCKETS ? index : SP_LOAD_SECOND_BUCKETS - 1;
}

static uint64_t coarse_value(size_t index)
{
    uint64_t sub = (index & ((1U << COARSE_SUB_BITS) - 1U)) + (1U << COARSE_SUB_BITS);
    uint64_t shift = COARSE_FIRST_BIT - COARSE_SUB_BITS + (index >> COARSE_SUB_BITS);

    return (uint64_t)((double)(sub << shift) * COARSE_MIDDLE);
}

uint64_t sp_load_second_quantile(const sp_load_second_t *second, double q)
{
    uint64_t count = 0;
    uint64_t seen = 0;
    uint64_t value = 0;

    for (size_t i = 0; i != SP_LOAD_SECOND_BUCKETS; ++i) {
        count += second->buckets[i];
    }
    for (size_t i = 0; i != SP_LOAD_SECOND_BUCKETS && count != 0; ++i) {
        seen += second->buckets[i];
        if (second->buckets[i] != 0 && (double)seen >= q * (double)count) {
            value = coarse_value(i);
            break;
        }
    }
    return value < second->max_ns ? value : second->max_ns;
}

void sp_load_tally_recent(sp_load_tally_t *tally, sp_load_second_t *recent)
{
    for (size_t i = 0; i != SP_LOAD_SECOND_BUCKETS; ++i) {
        uint32_t now = atomic_load_explicit(&tally->live.buckets[i], memory_order_relaxed);

        recent->buckets[i] += now - tally->live.seen[i];
        if (now != tally->live.seen[i] && coarse_value(i) > recent->max_ns) {
            recent->max_ns = coarse_value(i);
        }
        tally->live.seen[i] = now;
    }
}

void sp_load_tally_due(sp_load_tally_t *tally, uint64_t due_ns)
{
    sp_load_second_t *second = second_at(tally, due_ns);

    ++tally->due;
    if (second != NULL) {
        ++second->due;
    }
    count_live(&tally->live.due);
}

static void keep_sample(sp_load_tally_t *tally, const sp_load_end_t *end)
{
    sp_load_end_t *samples = tally->samples;

    if (tally->sample_count == tally->sample_room) {
        samples = grow(samples, &tally->sample_room, tally->sample_count + 1, sizeof(*samples));
        if (samples == NULL) {
            tally->out_of_memory = true;
            return;
        }
        tally->samples = samples;
    }
    tally->samples[tally->sample_count++] = *end;
}

/* Does the time that such a request took, or waited, say how long the server takes? */
static bool has_time(sp_load_kind_t kind)
{
    switch (kind) {
    case SP_LOAD_OK:
    case SP_LOAD_WRONG_STATUS:
    case SP_LOAD_WRONG_LOCATION:
    case SP_LOAD_TIMED_OUT:
    case SP_LOAD_UNFINISHED:
        return true;
    case SP_LOAD_NO_CONNECTION:
    case SP_LOAD_CLOSED_EARLY:
    case SP_LOAD_BAD_ANSWER:
    case SP_LOAD_KINDS:
        return false;
    }
    return false;
}

static uint64_t time_between(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

static void count_times(sp_load_tally_t *tally, sp_load_second_t *second, const sp_load_end_t *end)
{
    uint64_t latency = time_between(end->due_ns, end->end_ns);
    size_t bucket = coarse_bucket(latency);
    atomic_uint_least32_t *live = &tally->live.buckets[bucket];
    uint_least32_t count = atomic_load_explicit(live, memory_order_relaxed);

    atomic_store_explicit(live, count + 1, memory_order_relaxed);
    sp_load_histogram_add(&tally->latency, latency);
    if (end->sent_ns != UINT64_MAX) {
        sp_load_histogram_add(&tally->service, time_between(end->sent_ns, end->end_ns));
    }
    if (second != NULL) {
        ++second->buckets[bucket];
        if (latency > second->max_ns) {
            second->max_ns = latency;
        }
    }
}

/* May move the seconds. */
static void count_answer(sp_load_tally_t *tally, uint64_t end_ns)
{
    sp_load_second_t *second = second_at(tally, end_ns);

    if (second != NULL) {
        ++second->answered;
    }
}

void sp_load_tally_end(sp_load_tally_t *tally, const sp_load_end_t *end)
{
    sp_load_second_t *second = second_at(tally, end->due_ns);

    ++tally->kinds[end->kind];
    if (end->sent_ns != UINT64_MAX) {
        ++tally->sent;
    }
    if (end->status != 0 && end->status < SP_COUNT(tally->statuses)) {
        ++tally->statuses[end->status];
    }
    if (second != NULL) {
        ++*(end->kind == SP_LOAD_OK ? &second->ok : &second->errors);
    }
    if (has_time(end->kind)) {
        count_times(tally, second, end);
    }
    if (end->kind == SP_LOAD_OK) {
        count_answer(tally, end->end_ns);
    }
    if (tally->keep_samples) {
        keep_sample(tally, end);
    }
    if (end->kind != SP_LOAD_OK) {
        count_live(&tally->live.errors);
    }
    count_live(&tally->live.ended);
}

void sp_load_tally_example(sp_load_tally_t *tally, size_t target, unsigned status,
                           sp_str_t location)
{
    sp_load_example_t *example = NULL;

    if (tally->example_count == SP_LOAD_EXAMPLES_MAX) {
        return;
    }
    example = &tally->examples[tally->example_count++];
    *example = (sp_load_example_t){.target = target, .status = status};
    location = sp_str_slice(location, 0, sizeof(example->location) - 1);
    if (location.len != 0) {
        memcpy(example->location, location.ptr, location.len);
    }
}

static void merge_second(sp_load_second_t *into, const sp_load_second_t *from)
{
    into->due += from->due;
    into->ok += from->ok;
    into->errors += from->errors;
    into->answered += from->answered;
    into->max_ns = from->max_ns > into->max_ns ? from->max_ns : into->max_ns;
    for (size_t i = 0; i != SP_LOAD_SECOND_BUCKETS; ++i) {
        into->buckets[i] += from->buckets[i];
    }
}

static void merge_counts(sp_load_tally_t *into, const sp_load_tally_t *from)
{
    for (size_t i = 0; i != SP_LOAD_KINDS; ++i) {
        into->kinds[i] += from->kinds[i];
    }
    for (size_t i = 0; i != SP_COUNT(into->statuses); ++i) {
        into->statuses[i] += from->statuses[i];
    }
    into->due += from->due;
    into->sent += from->sent;
    into->connections += from->connections;
    into->resumed += from->resumed;
    into->octets_in += from->octets_in;
    into->octets_out += from->octets_out;
}

void sp_load_tally_heard(sp_load_tally_t *tally, sp_str_t octets)
{
    sp_str_t first = sp_str_slice(octets, 0, SP_LOAD_FIRST_MAX);

    if (tally->first_len == 0 && first.len != 0) {
        memcpy(tally->first, first.ptr, first.len);
        tally->first_len = first.len;
    }
    tally->octets_in += octets.len;
}

void sp_load_tally_fault(sp_load_tally_t *tally, const char *why)
{
    if (tally->fault[0] == '\0') {
        (void)snprintf(tally->fault, sizeof(tally->fault), "%s", why);
    }
}

static void merge_reasons(sp_load_tally_t *into, const sp_load_tally_t *from)
{
    sp_load_tally_fault(into, from->fault);
    if (into->first_len == 0) {
        memcpy(into->first, from->first, sizeof(into->first));
        into->first_len = from->first_len;
    }
}

void sp_load_tally_merge(sp_load_tally_t *into, const sp_load_tally_t *from)
{
    merge_counts(into, from);
    merge_reasons(into, from);
    sp_load_histogram_merge(&into->latency, &from->latency);
    sp_load_histogram_merge(&into->service, &from->service);
    into->out_of_memory = into->out_of_memory || from->out_of_memory;
    if (have_seconds(into, from->second_count)) {
        for (size_t i = 0; i != from->second_count; ++i) {
            merge_second(&into->seconds[i], &from->seconds[i]);
        }
    }
    for (size_t i = 0; i != from->sample_count; ++i) {
        keep_sample(into, &from->samples[i]);
    }
    for (size_t i = 0; i != from->example_count && into->example_count != SP_LOAD_EXAMPLES_MAX;
         ++i) {
        into->examples[into->example_count++] = from->examples[i];
    }
}

const char *sp_load_kind_name(sp_load_kind_t kind)
{
    switch (kind) {
    case SP_LOAD_OK:
        return "ok";
    case SP_LOAD_WRONG_STATUS:
        return "wrong_status";
    case SP_LOAD_WRONG_LOCATION:
        return "wrong_location";
    case SP_LOAD_NO_CONNECTION:
        return "no_connection";
    case SP_LOAD_CLOSED_EARLY:
        return "closed_early";
    case SP_LOAD_BAD_ANSWER:
        return "bad_answer";
    case SP_LOAD_TIMED_OUT:
        return "timed_out";
    case SP_LOAD_UNFINISHED:
        return "unfinished";
    case SP_LOAD_KINDS:
        break;
    }
    return "unknown";
}
