/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tls/store_state.h"

sp_status_t sp_tls_inbox_create(sp_tls_store_t *store, sp_tls_inbox_t **ret_inbox)
{
    sp_tls_inbox_t *inbox = calloc(1, sizeof(*inbox));

    if (inbox == NULL) {
        return SP_NO_MEMORY;
    }
    inbox->store = store;
    inbox->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (inbox->fd == -1) {
        free(inbox);
        return SP_IO;
    }
    *ret_inbox = inbox;
    return SP_OK;
}

void sp_tls_inbox_destroy(sp_tls_inbox_t *inbox)
{
    if (inbox != NULL) {
        (void)close(inbox->fd);
        free(inbox);
    }
}

int sp_tls_inbox_fd(const sp_tls_inbox_t *inbox)
{
    return inbox->fd;
}

static void link_to(sp_tls_wait_t **list, sp_tls_wait_t *wait)
{
    wait->next = *list;
    wait->link = list;
    if (wait->next != NULL) {
        wait->next->link = &wait->next;
    }
    *list = wait;
}

static void unlink_from(sp_tls_wait_t *wait)
{
    *wait->link = wait->next;
    if (wait->next != NULL) {
        wait->next->link = wait->link;
    }
    wait->link = NULL;
}

void sp_tls_wait_add(sp_tls_inbox_t *inbox, sp_tls_entry_t *entry, sp_tls_wait_t *wait)
{
    wait->inbox = inbox;
    wait->entry = entry;
    wait->is_told = false;
    wait->certificate = NULL;
    link_to(&entry->waits, wait);
}

static void end(sp_tls_wait_t *wait, sp_certificate_t *certificate)
{
    uint64_t one = 1;
    ssize_t len = 0;

    unlink_from(wait);
    wait->entry = NULL;
    wait->certificate = certificate == NULL ? NULL : sp_certificate_retain(certificate);
    link_to(&wait->inbox->done, wait);
    len = write(wait->inbox->fd, &one, sizeof(one));
    (void)len; /* a full counter wakes as well */
}

void sp_tls_wait_end_all(sp_tls_entry_t *entry, sp_certificate_t *certificate)
{
    while (entry->waits != NULL) {
        end(entry->waits, certificate);
    }
}

void sp_tls_wait_end_told(sp_tls_entry_t *entry, sp_certificate_t *certificate)
{
    sp_tls_wait_t *next = NULL;

    for (sp_tls_wait_t *wait = entry->waits; wait != NULL; wait = next) {
        next = wait->next;
        if (wait->is_told) {
            end(wait, certificate);
        }
    }
}

sp_certificate_t *sp_tls_store_cancel(sp_tls_wait_t *wait)
{
    sp_tls_store_t *store = wait->inbox->store;
    sp_certificate_t *certificate = NULL;

    (void)pthread_mutex_lock(&store->lock);
    if (wait->link != NULL) {
        unlink_from(wait);
        certificate = wait->entry == NULL ? wait->certificate
                                          : sp_tls_entry_certificate((sp_tls_entry_t *)wait->entry);
    }
    (void)pthread_mutex_unlock(&store->lock);
    return certificate;
}

static sp_tls_wait_t *take_done(sp_tls_inbox_t *inbox)
{
    sp_tls_wait_t *wait = NULL;

    (void)pthread_mutex_lock(&inbox->store->lock);
    wait = inbox->done;
    if (wait != NULL) {
        unlink_from(wait);
    }
    (void)pthread_mutex_unlock(&inbox->store->lock);
    return wait;
}

void sp_tls_inbox_run(sp_tls_inbox_t *inbox)
{
    uint64_t count = 0;
    ssize_t len = read(inbox->fd, &count, sizeof(count));
    sp_tls_wait_t *wait = NULL;

    (void)len; /* what matters is that it is not readable any more */
    while ((wait = take_done(inbox)) != NULL) {
        wait->on_done(wait, wait->certificate);
    }
}
