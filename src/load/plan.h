/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_PLAN_H
#define SIGNPOST_LOAD_PLAN_H

/* What a run of the load generator does. Read once, immutable afterwards, shared by the threads. */

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "load/targets.h"

#define SP_LOAD_CONNECTIONS_MAX 100000
#define SP_LOAD_THREADS_MAX 256

typedef enum sp_load_http { SP_LOAD_HTTP1, SP_LOAD_HTTP2 } sp_load_http_t;

/* Open loop: requests are due at times of their own, whatever the server does. Closed loop: each
 * connection sends when it has its answer. */
typedef enum sp_load_loop { SP_LOAD_OPEN, SP_LOAD_CLOSED } sp_load_loop_t;

typedef enum sp_load_arrivals { SP_LOAD_POISSON, SP_LOAD_CONSTANT } sp_load_arrivals_t;

typedef enum sp_load_names {
    SP_LOAD_UNIFORM,
    SP_LOAD_ZIPF, /* the i-th target, from 1, weighs 1 / i^s */
    SP_LOAD_SEQUENTIAL
} sp_load_names_t;

typedef struct sp_load_plan {
    struct sockaddr_storage address; /* of the server; the targets' hosts are never looked up */
    socklen_t address_len;
    bool tls; /* SNI is the target's host; certificates are not verified */
    sp_load_http_t http;
    bool keep_alive; /* false: a connection for each request, HTTP/1.1 only */
    sp_load_loop_t loop;
    sp_load_arrivals_t arrivals; /* open loop */
    double rate;                 /* open loop: requests a second of all threads together */
    unsigned connections;        /* of all threads together; open loop: at most so many */
    unsigned streams;            /* HTTP/2: requests under way on one connection, at most */
    unsigned threads;
    uint64_t duration_ns; /* how long requests become due; 0: until `requests` are sent */
    uint64_t requests;    /* 0: until the duration is over */
    uint64_t timeout_ns;  /* of one request from its sending; also how long is waited in the end */
    sp_load_names_t names;
    double zipf_s;
    uint64_t seed;
    const sp_load_targets_t *targets;
    bool keep_samples; /* each latency is kept, for `--samples` */
} sp_load_plan_t;

#endif
