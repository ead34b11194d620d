/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/activation.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_FD 3

static bool read_number(const char *name, uint64_t max, uint64_t *ret_number)
{
    const char *text = getenv(name);

    return text != NULL && sp_str_to_uint(sp_str_from(text), max, ret_number);
}

static int option(int fd, int name)
{
    int value = 0;
    socklen_t len = sizeof(value);

    return getsockopt(fd, SOL_SOCKET, name, &value, &len) == 0 ? value : -1;
}

static sp_status_t check_socket(int fd, sp_error_t *err)
{
    if (option(fd, SO_TYPE) != SOCK_STREAM || option(fd, SO_ACCEPTCONN) != 1 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) == -1) {
        return sp_fail(err, SP_IO, 0,
                       "descriptor %d from the service manager is no listening stream socket", fd);
    }
    return SP_OK;
}

sp_status_t sp_activation_read(sp_activation_t *ret_activation, sp_error_t *err)
{
    sp_activation_t activation = {0};
    uint64_t pid = 0;
    uint64_t count = 0;
    bool is_ours = read_number("LISTEN_PID", INT32_MAX, &pid) && pid == (uint64_t)getpid();
    bool is_good = read_number("LISTEN_FDS", SP_ACTIVATION_MAX, &count);
    sp_status_t status = SP_OK;

    if (is_ours && !is_good) {
        return sp_fail(err, SP_IO, 0, "LISTEN_FDS must be a number from 0 to %d",
                       SP_ACTIVATION_MAX);
    }
    (void)unsetenv("LISTEN_PID");
    (void)unsetenv("LISTEN_FDS");
    (void)unsetenv("LISTEN_FDNAMES");
    activation.count = is_ours ? (size_t)count : 0;
    for (size_t i = 0; status == SP_OK && i != activation.count; ++i) {
        activation.fds[i] = FIRST_FD + (int)i;
        status = check_socket(activation.fds[i], err);
    }
    if (status == SP_OK) {
        *ret_activation = activation;
    }
    return status;
}

static bool is_same_ipv6(const struct sockaddr_in6 *a, const struct sockaddr_in6 *b)
{
    return a->sin6_port == b->sin6_port && a->sin6_scope_id == b->sin6_scope_id &&
           memcmp(&a->sin6_addr, &b->sin6_addr, sizeof(a->sin6_addr)) == 0;
}

static bool is_same(const struct sockaddr *a, const struct sockaddr *b)
{
    if (a->sa_family != b->sa_family) {
        return false;
    }
    if (a->sa_family == AF_INET) {
        const struct sockaddr_in *in_a = (const struct sockaddr_in *)(const void *)a;
        const struct sockaddr_in *in_b = (const struct sockaddr_in *)(const void *)b;

        return in_a->sin_port == in_b->sin_port && in_a->sin_addr.s_addr == in_b->sin_addr.s_addr;
    }
    if (a->sa_family == AF_INET6) {
        return is_same_ipv6((const struct sockaddr_in6 *)(const void *)a,
                            (const struct sockaddr_in6 *)(const void *)b);
    }
    return a->sa_family == AF_UNIX &&
           strcmp(((const struct sockaddr_un *)(const void *)a)->sun_path,
                  ((const struct sockaddr_un *)(const void *)b)->sun_path) == 0;
}

int sp_activation_take(sp_activation_t *activation, const struct sockaddr *address)
{
    for (size_t i = 0; i != activation->count; ++i) {
        struct sockaddr_storage own = {0};
        socklen_t len = sizeof(own) - 1; /* a path may come without its NUL */
        int fd = activation->fds[i];

        if (fd != -1 && getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
            is_same((const struct sockaddr *)&own, address)) {
            activation->fds[i] = -1;
            return fd;
        }
    }
    return -1;
}

int sp_activation_rest(const sp_activation_t *activation)
{
    for (size_t i = 0; i != activation->count; ++i) {
        if (activation->fds[i] != -1) {
            return activation->fds[i];
        }
    }
    return -1;
}

void sp_activation_close(sp_activation_t *activation)
{
    for (size_t i = 0; i != activation->count; ++i) {
        if (activation->fds[i] != -1) {
            (void)close(activation->fds[i]);
            activation->fds[i] = -1;
        }
    }
}
