/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_REPORT_H
#define SIGNPOST_HTTP_REPORT_H

/* What there is to tell of a request once it is over: for counters and the access log. */

#include <signpost/rule/outcome.h>
#include <stdint.h>
#include <sys/socket.h>

/* The worst that the request's lookups met. */
typedef enum sp_report_cache {
    SP_REPORT_NO_LOOKUP,
    SP_REPORT_HIT, /* zone files included */
    SP_REPORT_STALE,
    SP_REPORT_MISS
} sp_report_cache_t;

/* Everything is valid during the callback only. */
typedef struct sp_report {
    bool was_answered; /* false: the client left before; then neither kind nor status count */
    sp_outcome_kind_t kind;
    unsigned status;
    sp_str_t method;
    sp_str_t scheme;
    sp_str_t host;   /* that the request is for, without port; as sent where it is none */
    sp_str_t target; /* as sent */
    int version;     /* 0x100, 0x101, 0x200 */
    sp_str_t client; /* address that a trusted proxy named; empty: none */
    const struct sockaddr *peer;
    socklen_t peer_len; /* 0: not known any more */
    sp_str_t location;
    sp_str_t record; /* the DNS name that decided */
    size_t body_len;
    const sp_header_t *headers; /* of the request */
    size_t header_count;
    unsigned lookups;
    sp_report_cache_t cache;
    uint64_t dns_us;     /* spent waiting for DNS */
    uint64_t started_us; /* sp_now_us() */
    uint64_t ended_us;
} sp_report_t;

typedef void sp_report_fn(void *arg, const sp_report_t *report);

#endif
