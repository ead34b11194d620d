/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_SUPPORT_SCRIPTED_DNS_H
#define SIGNPOST_TESTS_SUPPORT_SCRIPTED_DNS_H

/* A DNS server on 127.0.0.1, UDP and TCP on one port found at run time, that does what a script
 * says. It runs in a thread of the test. Whatever goes wrong in it aborts. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef enum sp_scripted_action {
    SP_SCRIPTED_REPLY, /* as the rest of the line says */
    SP_SCRIPTED_DROP,
    SP_SCRIPTED_HOLD,            /* the reply is kept back until sp_scripted_release */
    SP_SCRIPTED_TRUNCATE,        /* TC and no records, over UDP; the reply itself over TCP */
    SP_SCRIPTED_TRUNCATE_ALWAYS, /* over TCP as well, though that makes no sense */
    SP_SCRIPTED_WRONG_ID,
    SP_SCRIPTED_WRONG_NAME, /* the question section names another name */
    SP_SCRIPTED_GARBAGE     /* header and question of a reply, then nonsense */
} sp_scripted_action_t;

/* TXT: `data` is the text (cut into strings of 255 octets); CNAME, NS: a name; SOA: its MINIMUM in
 * decimal. Owner NULL ends a list. */
typedef struct sp_scripted_rr {
    const char *owner;
    uint16_t type;
    uint32_t ttl_s;
    const char *data;
} sp_scripted_rr_t;

/* The n-th question for a name (compared without case; NULL fits all) gets the n-th line that fits
 * it; the last one stands for all that follow. A question without a line is refused. */
typedef struct sp_scripted_line {
    const char *name;
    sp_scripted_action_t action;
    unsigned rcode;
    sp_scripted_rr_t answers[20];
    sp_scripted_rr_t authority[3];
} sp_scripted_line_t;

typedef struct sp_scripted_dns sp_scripted_dns_t;

/* The script is borrowed until the end. */
sp_scripted_dns_t *sp_scripted_start(const sp_scripted_line_t *lines, size_t count);

/* Accepts NULL. */
void sp_scripted_stop(sp_scripted_dns_t *server);

struct sockaddr_storage sp_scripted_address(const sp_scripted_dns_t *server);

/* Questions so far. */
unsigned sp_scripted_udp_count(const sp_scripted_dns_t *server);
unsigned sp_scripted_tcp_count(const sp_scripted_dns_t *server);

/* Sends what was held, and holds nothing from now on. */
void sp_scripted_release(sp_scripted_dns_t *server);

/* Closes the TCP connections that are open, as an idle resolver does, and returns when it is
 * done. */
void sp_scripted_close_tcp(sp_scripted_dns_t *server);

/* From now on nobody listens on the TCP port. */
void sp_scripted_refuse_tcp(sp_scripted_dns_t *server);

/* An address of 127.0.0.1 where nobody listens. */
struct sockaddr_storage sp_scripted_closed_address(void);

#endif
