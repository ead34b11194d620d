/* SPDX-License-Identifier: Apache-2.0 */
#include "http/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static sp_status_t fail(sp_error_t *err, int error)
{
    return sp_fail(err, SP_IO, 0, "%s", strerror(error));
}

static bool set_flag(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}

/* A non-blocking socket that is closed on exec; -1 with errno. */
static int create_socket(sa_family_t family)
{
    int fd = socket(family, SOCK_STREAM, 0);

    if (fd == -1) {
        return -1;
    }
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) == -1 || fcntl(fd, F_SETFL, O_NONBLOCK) == -1) {
        int error = errno;

        (void)close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* Options that hold for the probe as well as for the real sockets. */
static bool set_inet_options(int fd, sa_family_t family)
{
    return set_flag(fd, SOL_SOCKET, SO_REUSEADDR, 1) &&
           (family != AF_INET6 || set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0));
}

static bool limit_buffers(int fd)
{
    return set_flag(fd, SOL_SOCKET, SO_RCVBUF, SP_LISTENER_RECEIVE_BUFFER) &&
           set_flag(fd, SOL_SOCKET, SO_SNDBUF, SP_LISTENER_SEND_BUFFER);
}

/* Binds `fd` and learns the port. */
static bool bind_to(int fd, sp_listener_t *listener)
{
    socklen_t len = sizeof(listener->address);

    return bind(fd, (const struct sockaddr *)&listener->address, listener->address_len) == 0 &&
           getsockname(fd, (struct sockaddr *)&listener->address, &len) == 0;
}

/* Sockets with SO_REUSEPORT share an address with those of other processes of the same user: two
 * servers would then take turns. A socket without it finds out that the address is taken. */
static sp_status_t probe(sp_listener_t *listener, sp_error_t *err)
{
    int fd = create_socket(listener->address.ss_family);
    int error = 0;

    if (fd == -1 || !set_inet_options(fd, listener->address.ss_family) || !bind_to(fd, listener) ||
        listen(fd, 1) != 0) {
        error = errno;
    }
    if (fd != -1) {
        (void)close(fd);
    }
    return error == 0 ? SP_OK : fail(err, error);
}

static sp_status_t open_inet(sp_listener_t *listener, size_t index, sp_error_t *err)
{
    int fd = create_socket(listener->address.ss_family);

    if (fd == -1) {
        return fail(err, errno);
    }
    listener->fds[index] = fd;
    if (!set_inet_options(fd, listener->address.ss_family) ||
        !set_flag(fd, SOL_SOCKET, SO_REUSEPORT, 1) || !limit_buffers(fd) ||
        !bind_to(fd, listener) || listen(fd, SOMAXCONN) != 0) {
        return fail(err, errno);
    }
    return SP_OK;
}

/* [::] on a machine without IPv6 means what it means elsewhere: every address there is. */
static void avoid_missing_ipv6(sp_listener_t *listener)
{
    const struct sockaddr_in6 *any6 = (const struct sockaddr_in6 *)&listener->address;
    struct sockaddr_in any4 = {.sin_family = AF_INET};
    int fd = -1;

    if (listener->address.ss_family != AF_INET6 || !IN6_IS_ADDR_UNSPECIFIED(&any6->sin6_addr)) {
        return;
    }
    fd = create_socket(AF_INET6);
    if (fd != -1) {
        (void)close(fd);
        return;
    }
    if (errno == EAFNOSUPPORT) {
        any4.sin_port = any6->sin6_port;
        any4.sin_addr.s_addr = htonl(INADDR_ANY);
        memcpy(&listener->address, &any4, sizeof(any4));
        listener->address_len = sizeof(any4);
    }
}

static sp_status_t open_all_inet(sp_listener_t *listener, sp_error_t *err)
{
    sp_status_t status = SP_OK;

    avoid_missing_ipv6(listener);
    status = probe(listener, err);
    for (size_t i = 0; status == SP_OK && i != listener->count; ++i) {
        status = open_inet(listener, i, err);
    }
    return status;
}

static const char *path_of(const sp_listener_t *listener)
{
    return ((const struct sockaddr_un *)&listener->address)->sun_path;
}

/* Removes a socket file that nobody listens at any more. */
static sp_status_t remove_stale(const sp_listener_t *listener, sp_error_t *err)
{
    struct stat file;
    int fd = -1;
    int error = 0;

    if (lstat(path_of(listener), &file) != 0) {
        return errno == ENOENT ? SP_OK : fail(err, errno);
    }
    if (!S_ISSOCK(file.st_mode)) {
        return sp_fail(err, SP_IO, 0, "a file that is no socket is in the way");
    }
    fd = create_socket(AF_UNIX);
    if (fd == -1) {
        return fail(err, errno);
    }
    if (connect(fd, (const struct sockaddr *)&listener->address, listener->address_len) == 0 ||
        errno == EAGAIN) {
        error = EADDRINUSE;
    } else if (errno != ECONNREFUSED || unlink(path_of(listener)) != 0) {
        error = errno;
    }
    (void)close(fd);
    return error == 0 ? SP_OK : fail(err, error);
}

static sp_status_t open_unix(sp_listener_t *listener, sp_error_t *err)
{
    struct stat file;
    int fd = create_socket(AF_UNIX);

    if (fd == -1) {
        return fail(err, errno);
    }
    listener->fds[0] = fd;
    if (bind(fd, (const struct sockaddr *)&listener->address, listener->address_len) != 0) {
        return fail(err, errno);
    }
    if (lstat(path_of(listener), &file) == 0) {
        listener->device = file.st_dev;
        listener->inode = file.st_ino;
    }
    return listen(fd, SOMAXCONN) == 0 ? SP_OK : fail(err, errno);
}

/* All workers wait at one socket. */
static sp_status_t share_first(sp_listener_t *listener, sp_error_t *err)
{
    for (size_t i = 1; i != listener->count; ++i) {
        listener->fds[i] = fcntl(listener->fds[0], F_DUPFD_CLOEXEC, 0);
        if (listener->fds[i] == -1) {
            return fail(err, errno);
        }
    }
    return SP_OK;
}

static sp_status_t open_all_unix(sp_listener_t *listener, sp_error_t *err)
{
    sp_status_t status = remove_stale(listener, err);

    if (status == SP_OK) {
        status = open_unix(listener, err);
    }
    return status == SP_OK ? share_first(listener, err) : status;
}

static sp_status_t make_room(sp_listener_t *listener, sp_error_t *err)
{
    listener->fds = calloc(listener->count, sizeof(*listener->fds));
    if (listener->fds == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "%s", strerror(ENOMEM));
    }
    for (size_t i = 0; i != listener->count; ++i) {
        listener->fds[i] = -1;
    }
    return SP_OK;
}

sp_status_t sp_listener_open(const struct sockaddr *address, socklen_t address_len, size_t count,
                             sp_listener_t *ret_listener, sp_error_t *err)
{
    sp_listener_t listener = {.count = count, .address_len = address_len};
    sp_status_t status = make_room(&listener, err);

    if (status != SP_OK) {
        return status;
    }
    memcpy(&listener.address, address, address_len);
    status = address->sa_family == AF_UNIX ? open_all_unix(&listener, err)
                                           : open_all_inet(&listener, err);
    if (status != SP_OK) {
        sp_listener_close(&listener);
        return status;
    }
    *ret_listener = listener;
    return SP_OK;
}

/* Buffers are a matter of TCP; a unix socket takes them as well. */
static sp_status_t adopt(sp_listener_t *listener, int fd, sp_error_t *err)
{
    listener->address_len = sizeof(listener->address);
    if (getsockname(fd, (struct sockaddr *)&listener->address, &listener->address_len) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) == -1 || fcntl(fd, F_SETFL, O_NONBLOCK) == -1 ||
        !limit_buffers(fd)) {
        return fail(err, errno);
    }
    listener->fds[0] = fd;
    return share_first(listener, err);
}

sp_status_t sp_listener_inherit_own(int fd, size_t count, sp_listener_t *ret_listener,
                                    sp_error_t *err)
{
    sp_listener_t listener = {.count = count, .is_inherited = true};
    sp_status_t status = make_room(&listener, err);

    if (status != SP_OK) {
        return status;
    }
    status = adopt(&listener, fd, err);
    if (status != SP_OK) {
        listener.fds[0] = -1; /* goes on belonging to the caller */
        sp_listener_close(&listener);
        return status;
    }
    *ret_listener = listener;
    return SP_OK;
}

void sp_listener_turn_away(int fd)
{
    /* The 14th octet of a TCP header holds the flags; what begins a connection has SYN (2) without
     * ACK (16). Such segments are dropped, all others kept whole. */
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),          BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 0, 1), BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    };
    struct sock_fprog program = {.len = SP_COUNT(steps), .filter = steps};

    /* Where it fails, a client that comes at the very last moment is reset. */
    (void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

int sp_listener_take(sp_listener_t *listener, size_t index)
{
    int fd = listener->fds[index];

    listener->fds[index] = -1;
    return fd;
}

/* Another process may have put its own socket there in the meantime. */
static void remove_own_file(const sp_listener_t *listener)
{
    struct stat file;

    if (listener->inode != 0 && lstat(path_of(listener), &file) == 0 &&
        file.st_dev == listener->device && file.st_ino == listener->inode) {
        (void)unlink(path_of(listener));
    }
}

void sp_listener_hide(sp_listener_t *listener)
{
    if (listener->address.ss_family == AF_UNIX && !listener->is_inherited) {
        remove_own_file(listener);
    }
}

void sp_listener_close(sp_listener_t *listener)
{
    sp_listener_hide(listener);
    for (size_t i = 0; listener->fds != NULL && i != listener->count; ++i) {
        if (listener->fds[i] != -1) {
            (void)close(listener->fds[i]);
        }
    }
    free(listener->fds);
    *listener = (sp_listener_t){0};
}

void sp_listener_print(const sp_listener_t *listener, char text[SP_LISTENER_TEXT_MAX])
{
    char host[INET6_ADDRSTRLEN] = "";

    if (listener->address.ss_family == AF_UNIX) {
        (void)snprintf(text, SP_LISTENER_TEXT_MAX, "unix:%s", path_of(listener));
    } else if (listener->address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *)&listener->address;

        (void)inet_ntop(AF_INET6, &ip6->sin6_addr, host, sizeof(host));
        (void)snprintf(text, SP_LISTENER_TEXT_MAX, "[%s]:%u", host, ntohs(ip6->sin6_port));
    } else {
        const struct sockaddr_in *ip4 = (const struct sockaddr_in *)&listener->address;

        (void)inet_ntop(AF_INET, &ip4->sin_addr, host, sizeof(host));
        (void)snprintf(text, SP_LISTENER_TEXT_MAX, "%s:%u", host, ntohs(ip4->sin_port));
    }
}
