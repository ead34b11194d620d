/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_LIST_H
#define SIGNPOST_LOAD_LIST_H

/* Rings of things that carry their own links. Adding and taking out cost the same few stores
 * however many there are. */

#include <stdbool.h>
#include <stddef.h>

typedef struct sp_load_link {
    struct sp_load_link *previous, *next; /* NULL: in no list */
    void *owner;                          /* what carries the link; NULL for the list's own */
} sp_load_link_t;

static inline void sp_load_list_init(sp_load_link_t *list)
{
    *list = (sp_load_link_t){.previous = list, .next = list, .owner = NULL};
}

/* At the end. It is in no list yet, and its owner is set. */
static inline void sp_load_list_add(sp_load_link_t *list, sp_load_link_t *link)
{
    link->previous = list->previous;
    link->next = list;
    list->previous->next = link;
    list->previous = link;
}

/* Nothing happens when it is in no list. */
static inline void sp_load_list_remove(sp_load_link_t *link)
{
    if (link->next != NULL) {
        link->previous->next = link->next;
        link->next->previous = link->previous;
        link->previous = NULL;
        link->next = NULL;
    }
}

/* The owner of the first; NULL: it is empty. */
static inline void *sp_load_list_first(const sp_load_link_t *list)
{
    return list->next->owner;
}

#endif
