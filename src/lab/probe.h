/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_PROBE_H
#define SIGNPOST_LAB_PROBE_H

/* Does a server answer? Single questions from any of the places. */

#include <netinet/in.h>
#include <signpost/base/error.h>

#include "lab/spawn.h"

/* A socket in another network namespace (NULL: the caller's). -1 and errno. Close-on-exec,
 * non-blocking. Only for processes with one thread. */
int sp_lab_socket(const sp_netns_t *netns, int domain, int type);

/* False for what is no IPv4 address. */
bool sp_lab_address(const char *address, unsigned port, struct sockaddr_in *ret_address);

typedef enum sp_lab_answer {
    SP_LAB_ANSWER_NONE,    /* within the time */
    SP_LAB_ANSWER_REFUSED, /* nobody listens there */
    SP_LAB_ANSWER_BAD,     /* something came that is not what was hoped for */
    SP_LAB_ANSWER_GOOD
} sp_lab_answer_t;

/* A TXT query for `name` by UDP. Good: NOERROR with at least one record. */
sp_lab_answer_t sp_lab_probe_dns(const sp_netns_t *netns, const struct sockaddr_in *server,
                                 const char *name, int timeout_ms);

/* A GET for `host` by TCP. Good: anything that is HTTP. */
sp_lab_answer_t sp_lab_probe_http(const sp_netns_t *netns, const struct sockaddr_in *server,
                                  const char *host, int timeout_ms);
sp_lab_answer_t sp_lab_probe_unix(const char *path, int timeout_ms);

/* Fetches a page from a unix socket; *ret_body lies in the room. SP_OK for a status 200. */
typedef struct sp_lab_room {
    char *ptr;
    size_t size;
} sp_lab_room_t;
sp_status_t sp_lab_http_get_unix(const char *path, const char *target, int timeout_ms,
                                 sp_lab_room_t room, sp_str_t *ret_body);

/* The pure parts: the query's octets (0 when it does not fit), and what an answer to it says. */
size_t sp_lab_dns_query(const char *name, unsigned id, unsigned char *octets, size_t size);
sp_lab_answer_t sp_lab_dns_answer(const unsigned char *octets, size_t len, unsigned id);

#endif
