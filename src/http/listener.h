/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_LISTENER_H
#define SIGNPOST_HTTP_LISTENER_H

/* Listening sockets of the process: opened at the start, one for each worker (the kernel spreads
 * connections among them), handed out to the workers one by one. */

#include <netinet/in.h>
#include <signpost/base/error.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Kept small on purpose: requests are tiny, and a flood of frames in a large buffer would hold the
 * loop for as long as it takes to read them all. Connections inherit it. */
#define SP_LISTENER_RECEIVE_BUFFER (32 * 1024)

/* What the kernel holds at most of answers that a client does not read. Connections inherit it. */
#define SP_LISTENER_SEND_BUFFER (64 * 1024)

typedef struct sp_listener {
    int *fds; /* -1 where it was handed out */
    size_t count;
    struct sockaddr_storage address; /* as bound: with the port that the kernel chose for port 0 */
    socklen_t address_len;
    dev_t device; /* of the unix socket's file, to know it again */
    ino_t inode;
    bool is_inherited; /* the service manager opened it, and keeps it open */
} sp_listener_t;

/* Opens `count` sockets that listen at `address`: IPv4, IPv6 ([::] takes both families) or unix
 * (a stale socket file is replaced; the workers share one queue). An address that any other socket
 * listens at is refused, also where that one would share it. SP_OK, SP_NO_MEMORY, or SP_IO with
 * the system's words in *err. */
sp_status_t sp_listener_open(const struct sockaddr *address, socklen_t address_len, size_t count,
                             sp_listener_t *ret_listener, sp_error_t *err);

/* The same from a socket that listens already, which the service manager has handed over; `fd`
 * belongs to the listener if it succeeds. All workers share its queue. SP_OK, SP_NO_MEMORY, SP_IO.
 */
sp_status_t sp_listener_inherit_own(int fd, size_t count, sp_listener_t *ret_listener,
                                    sp_error_t *err);

/* From now on no connection begins at this socket: its handshakes go unanswered until the socket
 * is closed, and are refused then. Those that have begun are finished. */
void sp_listener_turn_away(int fd);

/* Removes a unix socket's file, so that nobody new can connect. */
void sp_listener_hide(sp_listener_t *listener);

/* Gives the socket for worker `index` away, once. */
int sp_listener_take(sp_listener_t *listener, size_t index);

/* Closes what was not handed out and removes a unix socket's file. */
void sp_listener_close(sp_listener_t *listener);

/* "127.0.0.1:8080", "[::1]:8080", "unix:/path". */
#define SP_LISTENER_TEXT_MAX 160
void sp_listener_print(const sp_listener_t *listener, char text[SP_LISTENER_TEXT_MAX]);

#endif
