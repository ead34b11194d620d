/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_FRONT_WORLD_H
#define SIGNPOST_TESTS_FRONT_WORLD_H

/* A front with its loop, and a zone that it answers from: _redirect.a.example.com leads to
 * https://to.example.net{uri}. Server and client are the same thread. */

#include "dns/zone_client.h"
#include "http/front.h"

#define ANSWER_MAX ((size_t)16384)
#define HOST "Host: a.example.com\r\n"

typedef struct world {
    char folder[32];
    char zone[64];
    h2o_loop_t *loop;
    sp_zones_t *zones;
    sp_policy_t policy;
    sp_service_t service;
    sp_front_t *front;
    struct sockaddr_storage address;
    socklen_t address_len;
    sp_report_t last; /* its slices are gone */
    size_t reports;
} world_t;

extern world_t world;
extern char answer[ANSWER_MAX + 1]; /* what the last exchange brought; ends in NUL */

void create_world(void);
void destroy_world(void);
int connect_client(void);

/* Sends `request` while the loop turns, and reads until `want` answers have begun and the first is
 * complete up to its body (`want` 0: until the server closes). The return value is whether it
 * closed. */
bool exchange(int fd, const char *request, size_t request_len, size_t want);

#endif
