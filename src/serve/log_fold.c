/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/log_fold.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 16 /* different events at a time; more are not folded */

typedef struct slot {
    char text[SP_LOG_FOLD_TEXT_MAX]; /* ends in NUL; empty: the slot is free */
    sp_log_level_t level;
    uint64_t end_ms;
    uint64_t count;
} slot_t;

struct sp_log_fold {
    pthread_mutex_t lock;
    slot_t slots[SLOTS];
};

sp_status_t sp_log_fold_create(sp_log_fold_t **ret_fold)
{
    sp_log_fold_t *fold = calloc(1, sizeof(*fold));

    if (fold == NULL) {
        return SP_NO_MEMORY;
    }
    if (pthread_mutex_init(&fold->lock, NULL) != 0) {
        free(fold);
        return SP_NO_MEMORY;
    }
    *ret_fold = fold;
    return SP_OK;
}

void sp_log_fold_destroy(sp_log_fold_t *fold)
{
    if (fold != NULL) {
        (void)pthread_mutex_destroy(&fold->lock);
        free(fold);
    }
}

static bool is_of(const slot_t *slot, sp_log_level_t level, const char *text)
{
    return slot->level == level && strncmp(slot->text, text, SP_LOG_FOLD_TEXT_MAX - 1) == 0;
}

/* The slot of that event, else a free one, else NULL. */
static slot_t *find(sp_log_fold_t *fold, sp_log_level_t level, const char *text)
{
    slot_t *free_slot = NULL;

    for (size_t i = 0; i != SLOTS; ++i) {
        slot_t *slot = &fold->slots[i];

        if (slot->text[0] == '\0') {
            free_slot = slot;
        } else if (is_of(slot, level, text)) {
            return slot;
        }
    }
    return free_slot;
}

static bool count(slot_t *slot, sp_log_level_t level, const char *text, uint64_t now_ms)
{
    if (slot->text[0] == '\0' || now_ms >= slot->end_ms) {
        memset(slot, 0, sizeof(*slot));
        memcpy(slot->text, text, strnlen(text, sizeof(slot->text) - 1));
        slot->level = level;
        slot->end_ms = now_ms + SP_LOG_FOLD_MS;
    }
    ++slot->count;
    return slot->count <= SP_LOG_FOLD_BURST;
}

bool sp_log_fold_add(sp_log_fold_t *fold, sp_log_level_t level, const char *text, uint64_t now_ms)
{
    slot_t *slot = NULL;
    bool is_to_be_written = true;

    (void)pthread_mutex_lock(&fold->lock);
    slot = text[0] == '\0' ? NULL : find(fold, level, text);
    if (slot != NULL) {
        is_to_be_written = count(slot, level, text, now_ms);
    }
    (void)pthread_mutex_unlock(&fold->lock);
    return is_to_be_written;
}

/* Takes one event whose time is over out; false when there is none. */
static bool take(sp_log_fold_t *fold, uint64_t now_ms, slot_t *ret_slot)
{
    bool found = false;

    (void)pthread_mutex_lock(&fold->lock);
    for (size_t i = 0; !found && i != SLOTS; ++i) {
        slot_t *slot = &fold->slots[i];

        if (slot->text[0] != '\0' && slot->end_ms <= now_ms) {
            found = true;
            *ret_slot = *slot;
            slot->text[0] = '\0';
        }
    }
    (void)pthread_mutex_unlock(&fold->lock);
    return found;
}

void sp_log_fold_tell(sp_log_fold_t *fold, uint64_t now_ms, sp_log_fold_fn *tell, void *arg)
{
    slot_t slot;

    while (take(fold, now_ms, &slot)) {
        if (slot.count > SP_LOG_FOLD_BURST) {
            tell(arg, slot.level, slot.text, slot.count - SP_LOG_FOLD_BURST);
        }
    }
}
