/* SPDX-License-Identifier: Apache-2.0 */
#include "load/choice.h"

#include <math.h>
#include <stdlib.h>

#define NS_PER_SECOND 1e9

/* Streams of random numbers of one run: each thread has one of each kind. */
enum { STREAM_CHOICE = 0, STREAM_SCHEDULE = 1, STREAM_KINDS = 2 };

/* One entry of the alias method (Walker; tables as Vose builds them): a slot drawn evenly is taken
 * itself with probability `keep`, else `other` is. */
typedef struct slot {
    double keep;
    size_t other;
} slot_t;

struct sp_load_weights {
    size_t count;
    slot_t slots[];
};

/* Splitmix64: one step, and its output. */
static uint64_t split(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);

    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64U - bits));
}

void sp_load_random_init(sp_load_random_t *random, uint64_t seed, uint64_t stream)
{
    uint64_t seed_state = seed;
    uint64_t stream_state = ~stream;
    uint64_t state = split(&seed_state) + rotate(split(&stream_state), 32);

    for (size_t i = 0; i != SP_COUNT(random->state); ++i) {
        random->state[i] = split(&state);
    }
}

/* Xoshiro256**. */
uint64_t sp_load_random_next(sp_load_random_t *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17U;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

double sp_load_random_unit(sp_load_random_t *random)
{
    return (double)(sp_load_random_next(random) >> 11U) * 0x1.0p-53;
}

/* Sets each slot's weight so that the mean is 1. */
static void fill_weights(const sp_load_plan_t *plan, sp_load_weights_t *weights)
{
    double sum = 0.0;

    for (size_t i = weights->count; i != 0; --i) { /* the small ones first: loses least */
        weights->slots[i - 1].keep = pow((double)i, -plan->zipf_s);
        sum += weights->slots[i - 1].keep;
    }
    for (size_t i = 0; i != weights->count; ++i) {
        weights->slots[i].keep *= (double)weights->count / sum;
        weights->slots[i].other = i;
    }
}

/* Weights are weights no more after this: what a slot below 1 lacks is taken from one above.
 * `pile` has room for all: those below 1 grow from its front, those above from its back. */
static void pair_slots(sp_load_weights_t *weights, size_t *pile)
{
    size_t poor = 0;
    size_t rich = weights->count;

    for (size_t i = 0; i != weights->count; ++i) {
        if (weights->slots[i].keep < 1.0) {
            pile[poor++] = i;
        } else {
            pile[--rich] = i;
        }
    }
    while (poor != 0 && rich != weights->count) {
        slot_t *taker = &weights->slots[pile[--poor]];
        slot_t *giver = &weights->slots[pile[rich]];

        taker->other = pile[rich];
        giver->keep -= 1.0 - taker->keep;
        if (giver->keep < 1.0) {
            pile[poor++] = pile[rich++];
        }
    }
}

sp_status_t sp_load_weights_create(const sp_load_plan_t *plan, sp_load_weights_t **ret_weights)
{
    size_t count = plan->targets->count;
    sp_load_weights_t *weights = NULL;
    size_t *pile = NULL;

    if (plan->names != SP_LOAD_ZIPF) {
        *ret_weights = NULL;
        return SP_OK;
    }
    pile = calloc(count, sizeof(*pile));
    weights = malloc(sizeof(*weights) + count * sizeof(*weights->slots));
    if (weights == NULL || pile == NULL) {
        free(pile);
        free(weights);
        return SP_NO_MEMORY;
    }
    weights->count = count;
    fill_weights(plan, weights);
    pair_slots(weights, pile);
    free(pile);
    *ret_weights = weights;
    return SP_OK;
}

void sp_load_weights_destroy(sp_load_weights_t *weights)
{
    free(weights);
}

void sp_load_choice_init(sp_load_choice_t *choice, const sp_load_plan_t *plan,
                         const sp_load_weights_t *weights, unsigned thread)
{
    *choice = (sp_load_choice_t){.plan = plan,
                                 .weights = weights,
                                 .next = thread % plan->targets->count,
                                 .step = plan->threads % plan->targets->count};
    sp_load_random_init(&choice->random, plan->seed,
                        (uint64_t)thread * STREAM_KINDS + STREAM_CHOICE);
}

static size_t choose_evenly(sp_load_random_t *random, size_t count)
{
    return (size_t)(sp_load_random_unit(random) * (double)count);
}

static size_t choose_in_turn(sp_load_choice_t *choice)
{
    size_t chosen = choice->next;

    choice->next = (choice->next + choice->step) % choice->plan->targets->count;
    return chosen;
}

static size_t choose_weighted(sp_load_choice_t *choice)
{
    size_t drawn = choose_evenly(&choice->random, choice->weights->count);
    const slot_t *slot = &choice->weights->slots[drawn];

    return sp_load_random_unit(&choice->random) < slot->keep ? drawn : slot->other;
}

size_t sp_load_choice_next(sp_load_choice_t *choice)
{
    switch (choice->plan->names) {
    case SP_LOAD_UNIFORM:
        return choose_evenly(&choice->random, choice->plan->targets->count);
    case SP_LOAD_ZIPF:
        return choose_weighted(choice);
    case SP_LOAD_SEQUENTIAL:
        return choose_in_turn(choice);
    }
    return 0;
}

void sp_load_schedule_init(sp_load_schedule_t *schedule, const sp_load_plan_t *plan,
                           unsigned thread)
{
    uint64_t share = plan->requests / plan->threads;

    if (thread < plan->requests % plan->threads) {
        ++share;
    }
    *schedule = (sp_load_schedule_t){.plan = plan,
                                     .mean_gap_ns = NS_PER_SECOND * plan->threads / plan->rate,
                                     .index = thread,
                                     .left = plan->requests == 0 ? UINT64_MAX : share};
    sp_load_random_init(&schedule->random, plan->seed,
                        (uint64_t)thread * STREAM_KINDS + STREAM_SCHEDULE);
}

uint64_t sp_load_schedule_next(sp_load_schedule_t *schedule)
{
    const sp_load_plan_t *plan = schedule->plan;

    switch (plan->arrivals) {
    case SP_LOAD_POISSON:
        schedule->next_ns -=
            log(1.0 - sp_load_random_unit(&schedule->random)) * schedule->mean_gap_ns;
        break;
    case SP_LOAD_CONSTANT: /* from the number, not from the last time: errors do not add up */
        schedule->next_ns = (double)schedule->index * NS_PER_SECOND / plan->rate;
        schedule->index += plan->threads;
        break;
    }
    if (schedule->left == 0 ||
        (plan->duration_ns != 0 && schedule->next_ns >= (double)plan->duration_ns)) {
        schedule->left = 0;
        return UINT64_MAX;
    }
    --schedule->left;
    return (uint64_t)schedule->next_ns;
}
