/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_NFQUEUE_H
#define SIGNPOST_LAB_NFQUEUE_H

/* The kernel's packet queue (nfnetlink_queue), by the netlink messages themselves: packets wait in
 * the kernel, only their numbers come here, and all up to a number are let go at once. Numbers are
 * given in the order of arrival. */

#include <signpost/base/error.h>
#include <sys/types.h>

/* Octets of netlink messages that one read may give. */
#define SP_NFQUEUE_READ_MAX 262144

/* A socket that gets the packets of queue `queue`, up to `room` at a time; what is more gets lost.
 * SP_UNSUPPORTED where the kernel has no such queues. */
sp_status_t sp_nfqueue_open(unsigned queue, unsigned room, int *ret_fd, sp_error_t *err);

/* Goes through messages. For each packet `take` is called. An error that the kernel reports is
 * returned as errno, 0 otherwise; what is not well-formed ends the walk with EBADMSG. */
typedef void sp_nfqueue_take_t(void *arg, uint32_t packet);
int sp_nfqueue_walk(const void *messages, size_t size, sp_nfqueue_take_t *take, void *arg);

/* Lets all packets up to this one go their way. False, and errno. */
bool sp_nfqueue_accept(int fd, unsigned queue, uint32_t last);

#endif
