/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_INVENTORY_H
#define SIGNPOST_ACME_INVENTORY_H

/* What a storage holds for one name, and when it is to be renewed: after two thirds of its life,
 * and up to a fifteenth of it later, each name at its own time, so that what was got together is
 * not renewed together. */

#include <time.h>

#include "acme/storage.h"

typedef enum sp_inventory_state {
    SP_INVENTORY_VALID,
    SP_INVENTORY_DUE,     /* valid, and to be renewed */
    SP_INVENTORY_EXPIRED, /* or not valid yet */
    SP_INVENTORY_FAULTY,  /* files that are no certificate for the name, with its key */
    SP_INVENTORY_ABSENT
} sp_inventory_state_t;
#define SP_INVENTORY_STATES (SP_INVENTORY_ABSENT + 1)

const char *sp_inventory_state_name(sp_inventory_state_t state); /* "valid" … */

#define SP_INVENTORY_TEXT_MAX 128

typedef struct sp_inventory_item {
    sp_inventory_state_t state;
    time_t not_before; /* these three: where there is a certificate */
    time_t not_after;
    time_t due;
    char issuer[SP_INVENTORY_TEXT_MAX];
    char fault[SP_INVENTORY_TEXT_MAX]; /* FAULTY: in plain words */
} sp_inventory_item_t;

/* When a certificate with this life is to be renewed. */
time_t sp_inventory_due(sp_str_t name, time_t not_before, time_t not_after);

void sp_inventory_look(const sp_storage_t *storage, sp_str_t name, time_t now,
                       sp_inventory_item_t *ret_item);

/* The same of a pair that lies nowhere yet. */
void sp_inventory_judge(sp_str_t name, sp_str_t chain, sp_str_t key, time_t now,
                        sp_inventory_item_t *ret_item);

#endif
