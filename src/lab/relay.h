/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_RELAY_H
#define SIGNPOST_LAB_RELAY_H

/* A TCP relay in user space, as service proxies were before iptables did their work: every octet is
 * read and written. Where a connection wanted to go is asked of the kernel, which redirected it. */

#include "lab/spawn.h"

/* Connections at the same time; further ones wait in the listen queue. */
#define SP_RELAY_CONNECTIONS_MAX 20000

/* The relay itself: `signpost lab-relay`. Listens on all addresses; writes a line to standard
 * output as soon as it does; returns on SIGTERM or SIGINT (SP_OK) and when it cannot work. */
sp_status_t sp_relay_run(unsigned port, sp_error_t *err);

/* Starts it and waits until it listens. */
sp_status_t sp_relay_spawn(const char *signpost, const sp_netns_t *netns, unsigned port,
                           sp_process_t *ret_process, sp_error_t *err);

#endif
