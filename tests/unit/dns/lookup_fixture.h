/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_UNIT_DNS_LOOKUP_FIXTURE_H
#define SIGNPOST_TESTS_UNIT_DNS_LOOKUP_FIXTURE_H

/* A lookup service on a loop of its own, and lookups that remember what they were told. */

#include "dns/stats.h"
#include "support/scripted_dns.h"

typedef struct fixture {
    h2o_loop_t *loop;
    sp_lookups_t *lookups;
    sp_dns_options_t options;
    sp_dns_stats_t stats;
    const sp_zones_t *zones;
    sp_cache_t *cache;
} fixture_t;

/* What one lookup came to. */
typedef struct asked {
    fixture_t *fixture;
    unsigned calls;            /* of the callback */
    bool at_once;              /* answered by sp_lookup_start itself */
    const sp_answer_t *answer; /* a reference; NULL while it waits */
    sp_source_t source;
    uint32_t ttl_s;
    sp_lookup_t *lookup;
    void (*then)(struct asked *asked); /* called from the callback, may be NULL */
    void *arg;
} asked_t;

/* Options for tests: tries come 60 ms apart. The service itself is made by fixture_open. */
void fixture_init(fixture_t *fixture);
void fixture_add_resolver(fixture_t *fixture, struct sockaddr_storage address);
void fixture_open(fixture_t *fixture);
void fixture_close(fixture_t *fixture);

/* Starts a lookup that may take `timeout_ms`. */
void ask(fixture_t *fixture, const char *name, unsigned timeout_ms, asked_t *ret_asked);

/* Runs the loop until there is an answer; a test fails that waits longer than ten seconds. */
void await(const asked_t *asked);

/* Both of them, with five seconds. */
void ask_and_await(fixture_t *fixture, const char *name, asked_t *ret_asked);

/* One turn of the loop, which waits for an event for at most 20 ms. */
void turn(fixture_t *fixture);

/* Queries over both transports that have ended, however they did. */
uint64_t count_ended(const fixture_t *fixture);

void release(asked_t *asked);

bool is_text(const sp_answer_t *answer, const char *text);
bool is_failure(const sp_answer_t *answer, sp_failure_t failure);

#endif
