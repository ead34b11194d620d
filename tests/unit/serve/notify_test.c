/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/notify.h"

/* Listens at `address`, has `state` sent there, and expects it to arrive. */
static void expect_arrival(const struct sockaddr_un *address, socklen_t len, const char *name)
{
    char text[64] = "";
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    cr_assert_eq(bind(fd, (const struct sockaddr *)address, len), 0);
    cr_assert_eq(setenv("NOTIFY_SOCKET", name, 1), 0);
    sp_notify("READY=1");
    cr_expect_eq(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT), 7);
    cr_expect_str_eq(text, "READY=1");
    (void)close(fd);
}

Test(notify, reaches_a_socket_in_the_file_system)
{
    char folder[] = "/tmp/notify-XXXXXX";
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
    expect_arrival(&address, sizeof(address), address.sun_path);
    (void)unlink(address.sun_path);
    (void)rmdir(folder);
}

Test(notify, reaches_an_abstract_socket)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int len = snprintf(address.sun_path, sizeof(address.sun_path), "@signpost-%ld", (long)getpid());
    char name[sizeof(address.sun_path)];

    (void)snprintf(name, sizeof(name), "%s", address.sun_path);
    address.sun_path[0] = '\0';
    expect_arrival(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len),
                   name);
}

Test(notify, does_nothing_without_a_manager)
{
    cr_assert_eq(unsetenv("NOTIFY_SOCKET"), 0);
    sp_notify("READY=1");
    cr_assert_eq(setenv("NOTIFY_SOCKET", "nowhere", 1), 0);
    sp_notify("READY=1");
}
