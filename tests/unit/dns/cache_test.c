/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/cache.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define NOW_MS 1000000U

static const sp_cache_options_t usual = {.enabled = true,
                                         .max_bytes = 1 << 20,
                                         .max_ttl_s = 86400,
                                         .negative_ttl_s = 60,
                                         .failure_ttl_s = 5,
                                         .stale_s = 3600,
                                         .prefetch = true};

static sp_cache_t *make(const sp_cache_options_t *options)
{
    sp_cache_t *cache = NULL;

    cr_assert_eq(sp_cache_create(options, &cache), SP_OK);
    return cache;
}

static void store_parts(sp_cache_t *cache, const char *name, const sp_answer_parts_t *parts)
{
    const sp_answer_t *answer;

    cr_assert_eq(sp_answer_create(parts, &answer), SP_OK);
    sp_cache_store(cache, sp_str_from(name), answer, NOW_MS);
    sp_answer_release(answer);
}

static void store(sp_cache_t *cache, const char *name, uint32_t ttl_s)
{
    sp_str_t text = SP_STR("v=txtv0;to=https://www.example.org{uri};code=301");

    store_parts(cache, name,
                &(sp_answer_parts_t){
                    .kind = SP_ANSWER_TXT, .ttl_s = ttl_s, .texts = &text, .text_count = 1});
}

/* What is left of the TTL, `after_ms` later; 0 when nothing fresh is there. */
static uint32_t left(sp_cache_t *cache, const char *name, uint64_t after_ms)
{
    uint32_t ttl_s = 0;
    const sp_answer_t *answer = sp_cache_find(cache, sp_str_from(name), NOW_MS + after_ms, &ttl_s);

    sp_answer_release(answer);
    return answer != NULL ? ttl_s : 0;
}

Test(cache, keeps_an_answer_for_its_ttl)
{
    sp_cache_t *cache = make(&usual);

    store(cache, "a.example", 300);
    cr_expect_eq(left(cache, "a.example", 0), 300);
    cr_expect_eq(left(cache, "a.example", 1000), 299);
    cr_expect_eq(left(cache, "a.example", 299999), 1);
    cr_expect_eq(left(cache, "a.example", 300000), 0);
    cr_expect_eq(left(cache, "b.example", 0), 0);
    sp_cache_destroy(cache);
}

Test(cache, clamps_the_ttl)
{
    sp_cache_options_t options = usual;
    sp_cache_t *cache;

    options.min_ttl_s = 10;
    options.max_ttl_s = 100;
    cache = make(&options);
    store(cache, "short.example", 0);
    store(cache, "long.example", 5000);
    cr_expect_eq(left(cache, "short.example", 0), 10);
    cr_expect_eq(left(cache, "long.example", 0), 100);
    sp_cache_destroy(cache);
}

Test(cache, keeps_no_answer_whose_ttl_is_zero)
{
    sp_cache_t *cache = make(&usual);

    store(cache, "zero.example", 0);
    cr_expect_eq(left(cache, "zero.example", 0), 0);
    sp_cache_destroy(cache);
}

Test(cache, caps_absences_and_gives_failures_a_time_of_their_own)
{
    sp_cache_t *cache = make(&usual);

    store_parts(cache, "nx", &(sp_answer_parts_t){.kind = SP_ANSWER_NXDOMAIN, .ttl_s = 3600});
    store_parts(cache, "nodata", &(sp_answer_parts_t){.kind = SP_ANSWER_NODATA, .ttl_s = 30});
    store_parts(cache, "servfail",
                &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_SERVFAIL});
    store_parts(cache, "overload",
                &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_OVERLOAD});
    cr_expect_eq(left(cache, "nx", 0), 60);
    cr_expect_eq(left(cache, "nodata", 0), 30);
    cr_expect_eq(left(cache, "servfail", 0), 5);
    cr_expect_eq(left(cache, "overload", 0), 0);
    sp_cache_destroy(cache);
}

Test(cache, replaces_the_answer_of_a_name)
{
    sp_cache_counters_t counters;
    sp_cache_t *cache = make(&usual);

    store(cache, "a.example", 300);
    store(cache, "a.example", 7);
    sp_cache_count(cache, &counters);
    cr_expect_eq(left(cache, "a.example", 0), 7);
    cr_expect_eq(counters.entries, 1);
    sp_cache_destroy(cache);
}

Test(cache, forgets_a_name_on_request)
{
    sp_cache_t *cache = make(&usual);

    store(cache, "a.example", 300);
    cr_expect(sp_cache_remove(cache, SP_STR("a.example")));
    cr_expect_not(sp_cache_remove(cache, SP_STR("a.example")));
    cr_expect_eq(left(cache, "a.example", 0), 0);
    sp_cache_destroy(cache);
}

Test(cache, keeps_nothing_when_it_is_off)
{
    sp_cache_options_t options = usual;
    sp_cache_t *cache;

    options.enabled = false;
    cache = make(&options);
    store(cache, "a.example", 300);
    cr_expect_eq(left(cache, "a.example", 0), 0);
    sp_cache_destroy(cache);
}

static void store_numbered(sp_cache_t *cache, const char *kind, unsigned number)
{
    char name[64];

    cr_assert_gt(snprintf(name, sizeof(name), "_redirect.%s%u.example.com", kind, number), 0);
    store(cache, name, 300);
}

static unsigned count_found(sp_cache_t *cache, const char *kind, unsigned count)
{
    unsigned found = 0;
    char name[64];

    for (unsigned i = 0; i != count; ++i) {
        cr_assert_gt(snprintf(name, sizeof(name), "_redirect.%s%u.example.com", kind, i), 0);
        found += left(cache, name, 0) != 0 ? 1 : 0;
    }
    return found;
}

Test(cache, never_exceeds_its_bound)
{
    sp_cache_options_t options = usual;
    sp_cache_counters_t counters;
    sp_cache_t *cache;

    options.max_bytes = 100000;
    cache = make(&options);
    for (unsigned i = 0; i != 5000; ++i) {
        store_numbered(cache, "host", i);
        sp_cache_count(cache, &counters);
        cr_assert_leq(counters.bytes, 100000);
    }
    cr_expect_gt(counters.entries, 100);
    cr_expect_eq(counters.evictions + counters.entries, 5000);
    sp_cache_destroy(cache);
}

Test(cache, is_not_flushed_by_names_asked_once)
{
    sp_cache_options_t options = usual;
    sp_cache_t *cache;

    options.max_bytes = 100000;
    cache = make(&options);
    for (unsigned i = 0; i != 50; ++i) {
        store_numbered(cache, "good", i);
    }
    for (unsigned round = 0; round != 100; ++round) {
        cr_assert_eq(count_found(cache, "good", 50), 50, "in round %u", round);
        for (unsigned i = 0; i != 50; ++i) {
            store_numbered(cache, "flood", 50 * round + i);
        }
    }
    sp_cache_destroy(cache);
}

Test(cache, does_not_keep_what_is_bigger_than_itself)
{
    static char text[4000];
    sp_str_t slice = {text, sizeof(text)};
    sp_cache_options_t options = usual;
    sp_cache_counters_t counters;
    sp_cache_t *cache;

    memset(text, 'x', sizeof(text));
    options.max_bytes = 3000;
    cache = make(&options);
    store_parts(
        cache, "big",
        &(sp_answer_parts_t){.kind = SP_ANSWER_TXT, .ttl_s = 60, .texts = &slice, .text_count = 1});
    sp_cache_count(cache, &counters);
    cr_expect_eq(counters.entries, 0);
    cr_expect_eq(left(cache, "big", 0), 0);
    sp_cache_destroy(cache);
}

Test(cache, needs_few_octets_for_a_host)
{
    sp_cache_options_t options = usual;
    sp_cache_counters_t counters;
    sp_cache_t *cache;

    options.max_bytes = 64 << 20;
    cache = make(&options);
    for (unsigned i = 0; i != 20000; ++i) {
        store_numbered(cache, "host", i);
    }
    sp_cache_count(cache, &counters);
    cr_assert_eq(counters.entries, 20000);
    cr_expect_leq(counters.bytes / counters.entries, 464, "%lu octets a host",
                  (unsigned long)(counters.bytes / counters.entries));
    sp_cache_destroy(cache);
}

/* What a lookup is told, `after_ms` later; -1: nothing. */
static int state(sp_cache_t *cache, const char *name, uint64_t after_ms)
{
    sp_cached_t cached;

    if (!sp_cache_look(cache, sp_str_from(name), NOW_MS + after_ms, &cached)) {
        return -1;
    }
    sp_answer_release(cached.answer);
    cr_expect_eq(cached.ttl_s == 0,
                 cached.state == SP_CACHED_STALE || cached.state == SP_CACHED_BLOCKED);
    return (int)cached.state;
}

static void store_failure(sp_cache_t *cache, const char *name, sp_failure_t failure,
                          uint64_t after_ms)
{
    const sp_answer_t *answer;

    cr_assert_eq(sp_answer_create(
                     &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = failure}, &answer),
                 SP_OK);
    sp_cache_store(cache, sp_str_from(name), answer, NOW_MS + after_ms);
    sp_answer_release(answer);
}

Test(cache, keeps_what_is_stale_for_as_long_as_it_may_be_of_use)
{
    sp_cache_t *cache = make(&usual);

    store(cache, "a.example", 300);
    cr_expect_eq(state(cache, "a.example", 299999), SP_CACHED_FRESH);
    cr_expect_eq(state(cache, "a.example", 300000), SP_CACHED_STALE);
    cr_expect_eq(state(cache, "a.example", 3899999), SP_CACHED_STALE);
    cr_expect_eq(state(cache, "a.example", 3900000), -1);
    sp_cache_destroy(cache);
}

Test(cache, lets_no_failure_replace_an_answer_of_use)
{
    sp_cache_t *cache = make(&usual);

    store(cache, "a.example", 300);
    store_failure(cache, "a.example", SP_FAILURE_SERVFAIL, 290000);
    cr_expect_eq(state(cache, "a.example", 299000), SP_CACHED_FRESH);
    store_failure(cache, "a.example", SP_FAILURE_SERVFAIL, 301000);
    cr_expect_eq(state(cache, "a.example", 305900), SP_CACHED_BLOCKED);
    cr_expect_eq(state(cache, "a.example", 306000), SP_CACHED_STALE);
    store_failure(cache, "a.example", SP_FAILURE_SERVFAIL, 3900000);
    cr_expect_eq(state(cache, "a.example", 3901000), SP_CACHED_FRESH); /* the failure itself */
    cr_expect_eq(state(cache, "a.example", 3905000), -1);
    sp_cache_destroy(cache);
}

/* Neither the old answer nor the new one may be used stale (RFC 8767, 4 and 5). */
Test(cache, drops_what_a_newer_answer_without_ttl_contradicts)
{
    sp_cache_t *cache = make(&usual);
    sp_str_t other = SP_STR("v=txtv0;to=https://www.example.net");
    const sp_answer_parts_t newer[] = {
        {.kind = SP_ANSWER_TXT, .texts = &other, .text_count = 1},
        {.kind = SP_ANSWER_NODATA},
        {.kind = SP_ANSWER_NXDOMAIN},
    };

    for (size_t i = 0; i != SP_COUNT(newer); ++i) {
        store(cache, "a.example", 300);
        store_parts(cache, "a.example", &newer[i]);
        cr_expect_eq(state(cache, "a.example", 0), -1, "%zu", i);
    }
    sp_cache_destroy(cache);
}

/* In the order of the day; what is not ours does not matter. */
Test(cache, keeps_what_a_newer_answer_without_ttl_confirms)
{
    sp_cache_t *cache = make(&usual);
    const sp_str_t texts[] = {SP_STR("site-verification=1"),
                              SP_STR("v=txtv0;to=https://www.example.org{uri};code=301")};

    store(cache, "a.example", 300);
    store_failure(cache, "a.example", SP_FAILURE_SERVFAIL, 301000);
    cr_expect_eq(state(cache, "a.example", 302000), SP_CACHED_BLOCKED);
    store_parts(cache, "a.example",
                &(sp_answer_parts_t){.kind = SP_ANSWER_TXT, .texts = texts, .text_count = 2});
    cr_expect_eq(left(cache, "a.example", 299000), 1, "its own TTL, and no other");
    cr_expect_eq(state(cache, "a.example", 302000), SP_CACHED_STALE, "to be asked for again");
    cr_expect_eq(state(cache, "a.example", 3899999), SP_CACHED_STALE);
    cr_expect_eq(state(cache, "a.example", 3900000), -1);
    sp_cache_destroy(cache);
}

Test(cache, forgets_silence_when_a_resolver_is_back)
{
    sp_cache_t *cache = make(&usual);
    const sp_answer_t *silence;

    cr_assert_eq(sp_answer_create(
                     &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_TIMEOUT},
                     &silence),
                 SP_OK);
    store(cache, "stale.example", 300);
    store_failure(cache, "stale.example", SP_FAILURE_TIMEOUT, 301000);
    store_failure(cache, "silent.example", SP_FAILURE_TIMEOUT, 301000);
    store_failure(cache, "closed.example", SP_FAILURE_CONNECTION, 301000);
    store_failure(cache, "broken.example", SP_FAILURE_SERVFAIL, 301000);
    cr_expect_eq(state(cache, "stale.example", 302000), SP_CACHED_BLOCKED);
    cr_expect_eq(state(cache, "silent.example", 302000), SP_CACHED_FRESH);
    sp_cache_resolver_is_back(cache, NOW_MS + 302000);
    cr_expect_eq(state(cache, "stale.example", 302001), SP_CACHED_STALE);
    cr_expect_eq(state(cache, "silent.example", 302001), -1);
    cr_expect_eq(state(cache, "closed.example", 302001), -1);
    cr_expect_eq(state(cache, "broken.example", 302001), SP_CACHED_FRESH);
    cr_expect(sp_cache_is_outdated(cache, silence, NOW_MS + 301999));
    cr_expect_not(sp_cache_is_outdated(cache, silence, NOW_MS + 302001));
    sp_answer_release(silence);
    store_failure(cache, "silent.example", SP_FAILURE_TIMEOUT, 303000);
    cr_expect_eq(state(cache, "silent.example", 304000), SP_CACHED_FRESH);
    sp_cache_destroy(cache);
}

Test(cache, has_one_of_many_refresh_what_is_popular)
{
    sp_cache_t *cache = make(&usual);

    store(cache, "a.example", 300);
    store(cache, "rare.example", 300);
    cr_expect_eq(state(cache, "a.example", 1000), SP_CACHED_FRESH);
    cr_expect_eq(state(cache, "a.example", 269000), SP_CACHED_FRESH);
    cr_expect_eq(state(cache, "a.example", 270000), SP_CACHED_REFRESH);
    cr_expect_eq(state(cache, "a.example", 270000), SP_CACHED_FRESH);
    cr_expect_eq(state(cache, "a.example", 274800), SP_CACHED_FRESH);
    cr_expect_eq(state(cache, "a.example", 275000), SP_CACHED_REFRESH);
    store_failure(cache, "a.example", SP_FAILURE_SERVFAIL, 276000);
    cr_expect_eq(state(cache, "a.example", 280000), SP_CACHED_FRESH);
    cr_expect_eq(state(cache, "a.example", 281000), SP_CACHED_REFRESH);
    cr_expect_eq(state(cache, "rare.example", 290000), SP_CACHED_FRESH);
    sp_cache_destroy(cache);
}

Test(cache, refreshes_nothing_ahead_that_lives_for_seconds)
{
    sp_cache_options_t options = usual;
    sp_cache_t *cache = make(&options);

    store(cache, "short.example", 9);
    for (int i = 0; i != 4; ++i) {
        cr_expect_eq(state(cache, "short.example", 8999), SP_CACHED_FRESH);
    }
    sp_cache_destroy(cache);
    options.prefetch = false;
    cache = make(&options);
    store(cache, "a.example", 300);
    for (int i = 0; i != 4; ++i) {
        cr_expect_eq(state(cache, "a.example", 299000), SP_CACHED_FRESH);
    }
    sp_cache_destroy(cache);
}

Test(cache, counts_what_lookups_found)
{
    sp_cache_t *cache = make(&usual);
    sp_cache_counters_t counters;

    store(cache, "a.example", 300);
    (void)state(cache, "a.example", 0);
    (void)state(cache, "a.example", 299000);
    (void)state(cache, "a.example", 300000);
    (void)state(cache, "b.example", 0);
    sp_cache_count(cache, &counters);
    cr_expect_eq(counters.hits, 2);
    cr_expect_eq(counters.refreshes, 1);
    cr_expect_eq(counters.stale, 1);
    cr_expect_eq(counters.misses, 1);
    sp_cache_destroy(cache);
}

/* Ten times as many names as the cache holds, each asked for once, while few are asked for again
 * and again. */
Test(cache, keeps_its_hot_set_through_a_scan_of_ten_times_its_size)
{
    sp_cache_options_t options = usual;
    sp_cache_counters_t counters;
    unsigned holds;
    sp_cache_t *cache;

    options.max_bytes = 4 << 20;
    cache = make(&options);
    for (unsigned i = 0; i != 20000; ++i) {
        store_numbered(cache, "fill", i);
    }
    sp_cache_count(cache, &counters);
    holds = (unsigned)counters.entries;
    cr_assert_gt(counters.evictions, 0);
    for (unsigned i = 0; i != 200; ++i) {
        store_numbered(cache, "hot", i);
    }
    for (unsigned i = 0; i != 10 * holds; ++i) {
        if (i % 1000 == 0) {
            cr_assert_eq(count_found(cache, "hot", 200), 200, "after %u of %u", i, 10 * holds);
        }
        store_numbered(cache, "scan", i);
    }
    cr_expect_eq(count_found(cache, "hot", 200), 200);
    sp_cache_destroy(cache);
}
