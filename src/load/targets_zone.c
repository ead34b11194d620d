/* SPDX-License-Identifier: Apache-2.0 */
#include "load/targets.h"

#include <stdlib.h>
#include <string.h>

#include <signpost/base/buf.h>
#include <signpost/decide/decision.h>
#include <signpost/decide/lookup_names.h>

#include "dns/name_map.h"
#include "dns/wire_name.h"
#include "dns/zone_client.h"
#include "dns/zone_file.h"

/* A name tells where a record is, not which requests reach it. So requests are guessed and decided:
 * one that had to read the record on its way to an answer is what was looked for. Guesses go from
 * the shortest host with the longest path to the name itself as host. */

#define ARENA_CHUNK 65536
#define SCRATCH 16384
#define LABELS_MAX 128
#define RR_TXT 16
#define RR_CNAME 5
#define PREFIX SP_STR("_redirect.")

/* An owner of the zone, in the order of the file. */
typedef struct owner {
    sp_name_node_t node;
    struct owner *next;
    char text[];
} owner_t;

typedef struct maker {
    sp_arena_t names;
    sp_name_map_t map;
    owner_t *first;
    owner_t **last;
    size_t owner_count;
    sp_zones_t *zones;
    const sp_answer_t *unknown; /* for what the zone does not cover */
    sp_policy_t policy;
    bool https;
    bool out_of_memory;
    sp_load_targets_t targets;
} maker_t;

/* ---- the owners ---- */

static void add_owner(void *arg, const sp_zone_record_t *record)
{
    maker_t *maker = arg;
    bool wanted = sp_str_starts_with(record->owner, PREFIX) ||
                  sp_str_starts_with(record->owner, SP_STR("*."));
    owner_t *owner = NULL;

    if (!wanted || (record->type != RR_TXT && record->type != RR_CNAME) ||
        sp_name_map_find(&maker->map, record->owner) != NULL) {
        return;
    }
    owner = sp_arena_zalloc(&maker->names, 1, sizeof(*owner) + record->owner.len);
    if (owner == NULL) {
        maker->out_of_memory = true;
        return;
    }
    sp_name_node_init(&owner->node, offsetof(owner_t, text), record->owner);
    sp_name_map_insert(&maker->map, &owner->node);
    *maker->last = owner;
    maker->last = &owner->next;
    maker->owner_count += 1;
}

/* ---- one guess ---- */

typedef struct guess {
    sp_str_t host;
    sp_str_t path;
    sp_str_t name; /* whose record must have been read */
    bool registry; /* the path asks whether the host is a container registry */
} guess_t;

static const sp_answer_t *ask(const maker_t *maker, sp_str_t name)
{
    const sp_answer_t *answer = NULL;

    if (sp_zones_answer(maker->zones, name, &answer) != SP_OK) {
        return sp_answer_retain(maker->unknown);
    }
    /* A chain of CNAMEs that leaves the zone: a server may ask elsewhere. */
    if (answer->canonical.len != 0 && !sp_zones_covers(maker->zones, answer->canonical)) {
        sp_answer_release(answer);
        return sp_answer_retain(maker->unknown);
    }
    return answer;
}

/* Was the record at the guess's name found: for a path, behind a record that looks into paths? Else
 * the path did not matter. */
static bool was_read(const sp_trace_t *trace, const guess_t *guess)
{
    bool looks_into_paths = guess->path.len == 1;

    for (size_t i = 0; i != trace->count; ++i) {
        const sp_trace_entry_t *entry = &trace->entries[i];

        if (entry->kind != SP_TRACE_LOOKUP || entry->answer == NULL ||
            entry->answer->finding != SP_FINDING_RECORD) {
            continue;
        }
        if (sp_str_eq(entry->name, guess->name)) {
            return looks_into_paths || guess->registry;
        }
        looks_into_paths = looks_into_paths || entry->answer->record->type == SP_TYPE_PATH;
    }
    return false;
}

static bool keep_target(maker_t *maker, const guess_t *guess, const sp_outcome_t *outcome)
{
    sp_load_target_t *target = &maker->targets.list[maker->targets.count];

    *target =
        (sp_load_target_t){.host = sp_arena_copy(&maker->targets.arena, guess->host),
                           .path = sp_arena_copy(&maker->targets.arena, guess->path),
                           .status = outcome->status,
                           .has_location = true,
                           .location = sp_arena_copy(&maker->targets.arena, outcome->location)};
    if (target->host.ptr == NULL || target->path.ptr == NULL || target->location.ptr == NULL) {
        maker->out_of_memory = true;
        return false;
    }
    maker->targets.count += 1;
    return true;
}

/* True when the request reads the record and gets an answer that is no failure; the target is added
 * then. */
static bool try_guess(maker_t *maker, const guess_t *guess, sp_arena_t *arena)
{
    const sp_raw_request_t raw = {.method = SP_STR("GET"),
                                  .target = guess->path,
                                  .scheme = maker->https ? SP_STR("https") : SP_STR("http"),
                                  .hosts = &guess->host,
                                  .host_count = 1};
    sp_request_t request;
    sp_decision_t *decision = NULL;
    bool fits = false;

    if (sp_request_read(&raw, arena, &request, NULL) != SP_OK) {
        return false;
    }
    decision = sp_decision_create(&request, &maker->policy, arena);
    maker->out_of_memory = maker->out_of_memory || decision == NULL;
    if (decision == NULL) {
        return false;
    }
    while (sp_decision_step(decision) == SP_STEP_LOOKUP) {
        const sp_answer_t *answer = ask(maker, sp_decision_name(decision));

        sp_decision_answer(decision, answer);
        sp_answer_release(answer);
    }
    if (sp_decision_outcome(decision)->status < 400 &&
        was_read(sp_decision_trace(decision), guess)) {
        fits = keep_target(maker, guess, sp_decision_outcome(decision));
    }
    sp_decision_destroy(decision);
    return fits;
}

/* ---- guesses ---- */

typedef struct labels {
    sp_str_t list[LABELS_MAX];
    size_t count;
} labels_t;

static void split(sp_str_t name, labels_t *ret_labels)
{
    ret_labels->count = 0;
    for (sp_str_t rest = name; rest.ptr != NULL && ret_labels->count != LABELS_MAX;) {
        ret_labels->list[ret_labels->count++] = sp_str_cut(rest, '.', &rest);
    }
}

static sp_str_t concrete(sp_str_t label)
{
    return sp_str_eq(label, SP_STR("_")) || sp_str_eq(label, SP_STR("*")) ? SP_STR("w1") : label;
}

/* A name without its first label. */
static sp_str_t parent_of(sp_str_t name)
{
    return sp_str_skip(name, sp_str_find(name, '.') + 1);
}

static sp_str_t host_from(const labels_t *labels, size_t first, sp_arena_t *arena)
{
    sp_buf_t host;

    sp_buf_init(&host, arena, SP_WIRE_NAME_MAX * 4);
    for (size_t i = first; i != labels->count; ++i) {
        if (i != first) {
            sp_buf_append_char(&host, '.');
        }
        sp_buf_append(&host, i == first ? concrete(labels->list[i]) : labels->list[i]);
    }
    return sp_buf_str(&host);
}

/* The first `count` labels as segments: backwards, or as they stand, for records with `from`. */
static sp_str_t path_from(const labels_t *labels, size_t count, bool as_they_stand,
                          sp_arena_t *arena)
{
    sp_buf_t path;

    sp_buf_init(&path, arena, SP_WIRE_NAME_MAX * 4);
    for (size_t i = 0; i != count; ++i) {
        sp_buf_append_char(&path, '/');
        sp_buf_append(&path, concrete(labels->list[as_they_stand ? i : count - 1 - i]));
    }
    if (count == 0) {
        sp_buf_append_char(&path, '/');
    }
    return sp_buf_str(&path);
}

/* The last `count` labels of the name are the host. */
static bool try_split(maker_t *maker, const labels_t *labels, size_t count, sp_str_t name)
{
    char memory[SCRATCH];
    sp_arena_t arena;
    guess_t guess = {.name = name};
    size_t segments = labels->count - count;
    bool fits = false;

    sp_arena_init(&arena, memory, sizeof(memory), SCRATCH);
    guess.host = host_from(labels, segments, &arena);
    guess.path = path_from(labels, segments, false, &arena);
    fits = try_guess(maker, &guess, &arena);
    if (!fits && segments > 1) {
        guess.path = path_from(labels, segments, true, &arena);
        fits = try_guess(maker, &guess, &arena);
    }
    if (!fits && segments == 0) {
        guess.path = SP_STR("/v2/");
        guess.registry = true;
        fits = try_guess(maker, &guess, &arena);
    }
    sp_arena_clear(&arena);
    return fits;
}

/* `_redirect.NUMBER.ZONE` of a record with `re=record`: only its expression says what fits. */
static bool is_numbered(const maker_t *maker, sp_str_t zone)
{
    char memory[SCRATCH];
    sp_arena_t arena;
    const sp_answer_t *answer = NULL;
    uint64_t number = 0;
    bool numbered = false;

    if (!sp_str_to_uint(sp_str_slice(zone, 0, sp_str_find(zone, '.')), UINT16_MAX, &number)) {
        return false;
    }
    sp_arena_init(&arena, memory, sizeof(memory), SCRATCH);
    answer = ask(maker, sp_lookup_name_of_zone(parent_of(zone), false, &arena));
    numbered = answer->finding == SP_FINDING_RECORD && answer->record->numbered;
    sp_answer_release(answer);
    sp_arena_clear(&arena);
    return numbered;
}

static bool find_request(maker_t *maker, sp_str_t name, sp_str_t zone)
{
    labels_t labels;

    if (is_numbered(maker, zone)) {
        return false;
    }
    split(zone, &labels);
    for (size_t count = 1; count <= labels.count; ++count) {
        if (try_split(maker, &labels, count, name)) {
            return true;
        }
    }
    return false;
}

/* `*.ZONE` answers for `_redirect.w1.ZONE`. */
static bool find_wildcard_request(maker_t *maker, sp_str_t owner)
{
    char memory[SP_WIRE_NAME_MAX * 4 + 16];
    sp_arena_t arena;
    labels_t labels;
    sp_str_t host;
    sp_str_t name;
    bool fits = false;

    sp_arena_init(&arena, memory, sizeof(memory), SCRATCH);
    split(owner, &labels);
    host = host_from(&labels, 0, &arena);
    name = sp_lookup_name_of_zone(host, false, &arena);
    if (name.ptr != NULL) {
        fits = try_split(maker, &labels, labels.count, name);
    }
    sp_arena_clear(&arena);
    return fits;
}

static void make_target(maker_t *maker, const owner_t *owner)
{
    sp_str_t name = sp_name_node_str(&owner->node);

    if (!sp_str_starts_with(name, PREFIX)) {
        (void)find_wildcard_request(maker, name); /* may be about anything but redirects */
        return;
    }
    if (!find_request(maker, name, sp_str_skip(name, PREFIX.len))) {
        if (maker->targets.skipped == 0) {
            maker->targets.first_skipped = sp_arena_copy(&maker->targets.arena, name);
        }
        maker->targets.skipped += 1;
    }
}

/* ---- the whole ---- */

static sp_status_t read_zone(maker_t *maker, const char *path, sp_error_t *err)
{
    const sp_answer_parts_t unknown = {.kind = SP_ANSWER_FAILURE,
                                       .failure = SP_FAILURE_NO_RESOLVER};
    sp_name_key_t key;
    sp_status_t status = sp_zones_load(&path, 1, NULL, NULL, &maker->zones, err);

    if (status != SP_OK) {
        return status;
    }
    status = sp_name_key_make(&key);
    if (status == SP_OK) {
        status = sp_name_map_init(&maker->map, &key);
    }
    if (status == SP_OK) {
        status = sp_answer_create(&unknown, &maker->unknown);
    }
    if (status != SP_OK) {
        return sp_fail(err, status, 0, "%s",
                       status == SP_IO ? "the system has no random octets" : "out of memory");
    }
    return sp_zone_file_read(path, NULL, add_owner, NULL, maker, err);
}

static sp_status_t make_targets(maker_t *maker, const char *path, sp_error_t *err)
{
    maker->targets.list = calloc(maker->owner_count + 1, sizeof(*maker->targets.list));
    if (maker->targets.list == NULL) {
        maker->out_of_memory = true;
    }
    for (const owner_t *owner = maker->first; owner != NULL && !maker->out_of_memory;
         owner = owner->next) {
        make_target(maker, owner);
    }
    if (maker->out_of_memory) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    if (maker->targets.count == 0) {
        return sp_fail(err, SP_BAD_VALUE, 0,
                       "%s: no _redirect record in it that a request could be made for", path);
    }
    return SP_OK;
}

static void clear(maker_t *maker)
{
    sp_answer_release(maker->unknown);
    sp_zones_destroy(maker->zones);
    sp_name_map_clear(&maker->map);
    sp_arena_clear(&maker->names);
    sp_load_targets_clear(&maker->targets);
}

sp_status_t sp_load_targets_from_zone(const char *path, bool https, sp_load_targets_t *ret_targets,
                                      sp_error_t *err)
{
    maker_t maker = {.https = https};
    sp_status_t status = SP_OK;

    maker.last = &maker.first;
    sp_policy_init(&maker.policy);
    sp_arena_init(&maker.names, NULL, 0, ARENA_CHUNK);
    sp_arena_init(&maker.targets.arena, NULL, 0, ARENA_CHUNK);
    status = read_zone(&maker, path, err);
    if (status == SP_OK) {
        status = make_targets(&maker, path, err);
    }
    if (status == SP_OK) {
        *ret_targets = maker.targets;
        maker.targets = (sp_load_targets_t){.count = 0};
    }
    clear(&maker);
    return status;
}
