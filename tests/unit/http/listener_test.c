/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "http/listener.h"

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static sp_status_t open_loopback(uint16_t port, size_t count, sp_listener_t *ret_listener,
                                 sp_error_t *err)
{
    struct sockaddr_in address = loopback(port);

    return sp_listener_open((const struct sockaddr *)&address, sizeof(address), count, ret_listener,
                            err);
}

static uint16_t port_of(const sp_listener_t *listener)
{
    return ntohs(((const struct sockaddr_in *)&listener->address)->sin_port);
}

static bool can_connect(const sp_listener_t *listener)
{
    int fd = socket(listener->address.ss_family, SOCK_STREAM, 0);
    bool connects =
        connect(fd, (const struct sockaddr *)&listener->address, listener->address_len) == 0;

    (void)close(fd);
    return connects;
}

Test(listener, opens_one_socket_for_each_worker_at_the_same_port)
{
    sp_listener_t listener;
    char text[SP_LISTENER_TEXT_MAX];
    char expected[SP_LISTENER_TEXT_MAX];

    cr_assert_eq(open_loopback(0, 3, &listener, NULL), SP_OK);
    cr_expect_neq(port_of(&listener), 0);
    for (size_t i = 0; i != 3; ++i) {
        struct sockaddr_in bound;
        socklen_t len = sizeof(bound);

        cr_assert_eq(getsockname(listener.fds[i], (struct sockaddr *)&bound, &len), 0);
        cr_expect_eq(ntohs(bound.sin_port), port_of(&listener));
    }
    cr_expect(can_connect(&listener));
    sp_listener_print(&listener, text);
    (void)snprintf(expected, sizeof(expected), "127.0.0.1:%u", port_of(&listener));
    cr_expect_str_eq(text, expected);
    sp_listener_close(&listener);
}

Test(listener, refuses_an_address_that_another_server_would_share)
{
    sp_listener_t first;
    sp_listener_t second;
    sp_error_t err = {0};

    cr_assert_eq(open_loopback(0, 1, &first, NULL), SP_OK);
    cr_expect_eq(open_loopback(port_of(&first), 1, &second, &err), SP_IO);
    cr_expect_str_eq(err.message, strerror(EADDRINUSE));
    sp_listener_close(&first);
}

Test(listener, keeps_the_receive_buffer_small)
{
    sp_listener_t listener;
    int size = 0;
    socklen_t len = sizeof(size);

    cr_assert_eq(open_loopback(0, 1, &listener, NULL), SP_OK);
    cr_assert_eq(getsockopt(listener.fds[0], SOL_SOCKET, SO_RCVBUF, &size, &len), 0);
    cr_expect_leq(size, 2 * SP_LISTENER_RECEIVE_BUFFER, "the kernel doubles what it is told");
    sp_listener_close(&listener);
}

Test(listener, closes_only_what_was_not_taken)
{
    sp_listener_t listener;
    int fd = -1;

    cr_assert_eq(open_loopback(0, 2, &listener, NULL), SP_OK);
    fd = sp_listener_take(&listener, 1);
    sp_listener_close(&listener);
    cr_expect_eq(close(fd), 0);
}

Test(listener, takes_both_families_at_the_unspecified_ipv6_address)
{
    struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
    struct sockaddr_in ip4 = loopback(0);
    sp_listener_t listener;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    cr_assert_eq(sp_listener_open((const struct sockaddr *)&any, sizeof(any), 1, &listener, NULL),
                 SP_OK);
    ip4.sin_port = ((const struct sockaddr_in6 *)&listener.address)->sin6_port;
    cr_expect_eq(connect(fd, (const struct sockaddr *)&ip4, sizeof(ip4)), 0);
    (void)close(fd);
    sp_listener_close(&listener);
}

/* A unix socket in a folder of its own. */
static char folder[] = "/tmp/listener-XXXXXX";
static struct sockaddr_un place = {.sun_family = AF_UNIX};

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(place.sun_path, sizeof(place.sun_path), "%s/socket", folder);
}

static void remove_folder(void)
{
    (void)unlink(place.sun_path);
    (void)rmdir(folder);
}

static sp_status_t open_unix(size_t count, sp_listener_t *ret_listener, sp_error_t *err)
{
    return sp_listener_open((const struct sockaddr *)&place, sizeof(place), count, ret_listener,
                            err);
}

TestSuite(unix_listener, .init = make_folder, .fini = remove_folder);

Test(unix_listener, shares_one_socket_and_removes_its_file)
{
    sp_listener_t listener;
    char text[SP_LISTENER_TEXT_MAX];

    cr_assert_eq(open_unix(2, &listener, NULL), SP_OK);
    cr_expect(can_connect(&listener));
    sp_listener_print(&listener, text);
    cr_expect_eq(strncmp(text, "unix:/tmp/", 10), 0);
    sp_listener_close(&listener);
    cr_expect_neq(access(place.sun_path, F_OK), 0);
}

Test(unix_listener, replaces_a_stale_file)
{
    sp_listener_t listener;
    int stale = socket(AF_UNIX, SOCK_STREAM, 0);

    cr_assert_eq(bind(stale, (const struct sockaddr *)&place, sizeof(place)), 0);
    (void)close(stale);
    cr_assert_eq(open_unix(1, &listener, NULL), SP_OK);
    cr_expect(can_connect(&listener));
    sp_listener_close(&listener);
}

Test(unix_listener, leaves_a_living_socket_alone)
{
    sp_listener_t first;
    sp_listener_t second;
    sp_error_t err = {0};

    cr_assert_eq(open_unix(1, &first, NULL), SP_OK);
    cr_expect_eq(open_unix(1, &second, &err), SP_IO);
    cr_expect_str_eq(err.message, strerror(EADDRINUSE));
    cr_expect(can_connect(&first));
    sp_listener_close(&first);
}

Test(unix_listener, leaves_other_files_alone)
{
    sp_listener_t listener;
    sp_error_t err = {0};
    FILE *file = fopen(place.sun_path, "w");

    cr_assert_not_null(file);
    (void)fclose(file);
    cr_expect_eq(open_unix(1, &listener, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "no socket"));
    cr_expect_eq(access(place.sun_path, F_OK), 0);
}
