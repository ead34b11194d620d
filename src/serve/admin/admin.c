/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/admin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "serve/admin/router.h"
#include "serve/admin/state.h"

static void on_wake(h2o_socket_t *socket, const char *err)
{
    sp_admin_t *admin = socket->data;
    uint64_t count = 0;
    ssize_t len = read(admin->wake_fd, &count, sizeof(count));

    (void)len; /* it is time to end: the loop's condition sees why */
    (void)err;
}

/* In the loop's own thread: the library keeps memory for each. */
static void clear_loop(sp_admin_t *admin)
{
    if (admin->wake != NULL) {
        h2o_socket_close(admin->wake);
    }
    sp_endpoints_destroy(admin->endpoints);
    sp_upstream_destroy(admin->upstream);
    if (admin->loop != NULL) {
        (void)h2o_evloop_run(admin->loop, 0);
        h2o_evloop_destroy(admin->loop);
    }
    admin->wake = NULL;
    admin->endpoints = NULL;
    admin->upstream = NULL;
    admin->loop = NULL;
}

static void *run(void *arg)
{
    sp_admin_t *admin = arg;

    while (!atomic_load(&admin->is_to_end)) {
        (void)h2o_evloop_run(admin->loop, INT32_MAX);
        sp_upstream_sweep(admin->upstream);
    }
    clear_loop(admin);
    return NULL;
}

static sp_status_t create_wake(sp_admin_t *admin, sp_error_t *err)
{
    int loop_fd = -1;

    admin->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    /* The loop closes its descriptor when it ends; ours stays for those who still call. */
    if (admin->wake_fd != -1) {
        loop_fd = fcntl(admin->wake_fd, F_DUPFD_CLOEXEC, 0);
    }
    if (loop_fd == -1) {
        return sp_fail(err, SP_IO, 0, "eventfd: %s", strerror(errno));
    }
    admin->wake = h2o_evloop_socket_create(admin->loop, loop_fd, H2O_SOCKET_FLAG_DONT_READ);
    admin->wake->data = admin;
    h2o_socket_read_start(admin->wake, on_wake);
    return SP_OK;
}

static sp_status_t create_parts(sp_admin_t *admin, const sp_address_t *address, sp_error_t *err)
{
    sp_status_t status = sp_listener_open((const struct sockaddr *)&address->socket,
                                          address->socket_len, 1, &admin->listener, err);

    if (status != SP_OK) {
        return status;
    }
    status = create_wake(admin, err);
    if (status == SP_OK) {
        status = sp_upstream_create(admin->loop, admin->board, &admin->upstream, err);
    }
    if (status == SP_OK) {
        status = sp_endpoints_create(admin->loop, sp_admin_dispatch, admin, &admin->endpoints);
    }
    if (status == SP_OK) {
        sp_endpoints_listen_own(admin->endpoints, sp_listener_take(&admin->listener, 0));
    }
    return status;
}

static sp_status_t start_thread(sp_admin_t *admin, sp_error_t *err)
{
    int error = pthread_create(&admin->thread, NULL, run, admin);

    if (error != 0) {
        return sp_fail(err, SP_IO, 0, "cannot start the admin listener: %s", strerror(error));
    }
    admin->has_thread = true;
    return SP_OK;
}

sp_status_t sp_admin_create(const sp_address_t *address, sp_board_t *board, sp_admin_t **ret_admin,
                            sp_error_t *err)
{
    sp_admin_t *admin = calloc(1, sizeof(*admin));
    sp_status_t status = SP_OK;

    if (admin == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    admin->board = board;
    admin->wake_fd = -1;
    admin->loop = h2o_evloop_create();
    status = create_parts(admin, address, err);
    if (status == SP_OK) {
        status = start_thread(admin, err);
    }
    if (status != SP_OK) {
        sp_admin_destroy(admin);
        return status;
    }
    *ret_admin = admin;
    return SP_OK;
}

void sp_admin_destroy(sp_admin_t *admin)
{
    uint64_t one = 1;

    if (admin == NULL) {
        return;
    }
    atomic_store(&admin->is_to_end, true);
    if (admin->has_thread) {
        ssize_t len = write(admin->wake_fd, &one, sizeof(one));

        (void)len; /* a full counter wakes as well */
        (void)pthread_join(admin->thread, NULL);
    } else {
        clear_loop(admin);
    }
    sp_listener_close(&admin->listener);
    if (admin->wake_fd != -1) {
        (void)close(admin->wake_fd);
    }
    free(admin);
}

void sp_admin_print(const sp_admin_t *admin, char text[SP_LISTENER_TEXT_MAX])
{
    sp_listener_print(&admin->listener, text);
}
