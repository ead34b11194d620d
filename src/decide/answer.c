/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/decide/answer.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The languages that are read, in the order in which they are tried. */
static const sp_dialect_t *const dialects[] = {&sp_dialect_txtv0};

/* One block of memory in the usual case: the object, then its texts and the parsed record. */
typedef struct holder {
    sp_answer_t answer; /* first: a pointer to it is a pointer to the holder */
    atomic_uint references;
    uint32_t bytes;
    sp_arena_chunk_t *chunks; /* what did not fit behind the holder */
    alignas(void *) char memory[];
} holder_t;

static holder_t *holder_of(const sp_answer_t *answer)
{
    /* Readers get a const answer; the count and the final release are the only writes. */
    union {
        const sp_answer_t *constant;
        holder_t *holder;
    } cast = {.constant = answer};

    return cast.holder;
}

/* The parts of a text's templates: each placeholder, and what stands before the first and between
 * two of them. */
static size_t estimate_parts(sp_str_t text)
{
    size_t parts = 1;

    for (size_t i = 0; i != text.len; ++i) {
        bool is_last = i + 1 == text.len || text.ptr[i + 1] == ';' || text.ptr[i + 1] == '{';

        parts += text.ptr[i] == '{' || (text.ptr[i] == '}' && !is_last) ? 1 : 0;
    }
    return parts;
}

/* What texts and record will take, good enough to do without a second block for common records. */
static size_t estimate(const sp_answer_parts_t *parts)
{
    size_t octets = parts->canonical.len + parts->text_count * sizeof(sp_str_t);

    for (size_t i = 0; i != parts->text_count; ++i) {
        octets += parts->texts[i].len;
    }
    if (parts->text_count == 1) {
        octets += sizeof(sp_record_t) + sizeof(sp_template_t) +
                  estimate_parts(parts->texts[0]) * sizeof(sp_template_part_t) + alignof(void *);
    }
    return octets;
}

static const sp_dialect_t *dialect_of(sp_str_t text, bool alone)
{
    for (size_t i = 0; i != SP_COUNT(dialects); ++i) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the table has no empty row */
        if (dialects[i]->claims(text, alone)) {
            return dialects[i];
        }
    }
    return NULL;
}

static sp_status_t set_fault(holder_t *holder, sp_arena_t *arena, const sp_error_t *err)
{
    sp_error_t *fault = sp_arena_alloc(arena, sizeof(*fault));

    if (fault == NULL) {
        return SP_NO_MEMORY;
    }
    *fault = *err;
    holder->answer.finding = SP_FINDING_FAULT;
    holder->answer.fault = fault;
    return SP_OK;
}

static sp_status_t read_record(holder_t *holder, sp_arena_t *arena, const sp_dialect_t *dialect,
                               sp_str_t text)
{
    sp_error_t err = {.status = SP_OK};
    sp_record_t *record = sp_arena_alloc(arena, sizeof(*record));
    sp_status_t status = SP_NO_MEMORY;

    if (record == NULL) {
        return SP_NO_MEMORY;
    }
    status = dialect->parse(text, arena, NULL, NULL, record, &err);
    if (status == SP_NO_MEMORY) {
        return status;
    }
    if (status != SP_OK) {
        return set_fault(holder, arena, &err);
    }
    holder->answer.finding = SP_FINDING_RECORD;
    holder->answer.record = record;
    return SP_OK;
}

/* TXT-2: which of the texts are ours, and what do they amount to? */
static sp_status_t find_record(holder_t *holder, sp_arena_t *arena)
{
    sp_answer_t *answer = &holder->answer;
    const sp_dialect_t *dialect = NULL;
    size_t ours = 0;

    for (size_t i = 0; i != answer->text_count; ++i) {
        const sp_dialect_t *claimed = dialect_of(answer->texts[i], answer->text_count == 1);

        if (claimed != NULL && ours++ == 0) {
            dialect = claimed;
            answer->ours = (uint32_t)i;
        }
    }
    if (ours == 0) {
        return SP_OK;
    }
    if (ours > 1) {
        sp_error_t err;

        (void)sp_fail(&err, SP_BAD_VALUE, 0,
                      "%zu TXT records at this name are redirect records; there must be only one",
                      ours);
        return set_fault(holder, arena, &err);
    }
    return read_record(holder, arena, dialect, answer->texts[answer->ours]);
}

static sp_status_t copy_parts(holder_t *holder, sp_arena_t *arena, const sp_answer_parts_t *parts)
{
    sp_str_t *texts = sp_arena_zalloc(arena, parts->text_count, sizeof(*texts));

    if (texts == NULL) {
        return SP_NO_MEMORY;
    }
    for (size_t i = 0; i != parts->text_count; ++i) {
        texts[i] = sp_arena_copy(arena, parts->texts[i]);
        if (texts[i].ptr == NULL) {
            return SP_NO_MEMORY;
        }
    }
    holder->answer.texts = texts;
    holder->answer.text_count = (uint32_t)parts->text_count;
    holder->answer.canonical = sp_arena_copy(arena, parts->canonical);
    return holder->answer.canonical.ptr == NULL ? SP_NO_MEMORY : SP_OK;
}

static void destroy(holder_t *holder)
{
    if (holder->answer.record != NULL) {
        sp_regex_destroy(holder->answer.record->re);
    }
    sp_arena_clear(&(sp_arena_t){.chunks = holder->chunks});
    free(holder);
}

sp_status_t sp_answer_create(const sp_answer_parts_t *parts, const sp_answer_t **ret_answer)
{
    size_t room = estimate(parts);
    holder_t *holder = calloc(1, sizeof(*holder) + room);
    sp_status_t status = SP_NO_MEMORY;
    sp_arena_t arena;

    if (holder == NULL) {
        return SP_NO_MEMORY;
    }
    holder->answer.kind = parts->kind;
    holder->answer.failure = parts->failure;
    holder->answer.ttl_s = parts->ttl_s;
    holder->answer.finding = SP_FINDING_NOTHING;
    atomic_init(&holder->references, 1);
    sp_arena_init(&arena, holder->memory, room, 256);
    status = copy_parts(holder, &arena, parts);
    if (status == SP_OK) {
        status = find_record(holder, &arena);
    }
    holder->chunks = arena.chunks;
    if (status != SP_OK) {
        destroy(holder);
        return status;
    }
    holder->bytes = (uint32_t)(sizeof(*holder) + room + arena.total);
    *ret_answer = &holder->answer;
    return SP_OK;
}

const sp_answer_t *sp_answer_retain(const sp_answer_t *answer)
{
    atomic_fetch_add_explicit(&holder_of(answer)->references, 1, memory_order_relaxed);
    return answer;
}

void sp_answer_release(const sp_answer_t *answer)
{
    if (answer != NULL &&
        atomic_fetch_sub_explicit(&holder_of(answer)->references, 1, memory_order_acq_rel) == 1) {
        destroy(holder_of(answer));
    }
}

size_t sp_answer_bytes(const sp_answer_t *answer)
{
    size_t regex = answer->record == NULL || answer->record->re == NULL
                       ? 0
                       : sp_regex_bytes(answer->record->re);

    return holder_of(answer)->bytes + regex;
}

const char *sp_failure_name(sp_failure_t failure)
{
    switch (failure) {
    case SP_FAILURE_NONE:
        return "no failure";
    case SP_FAILURE_SERVFAIL:
        return "SERVFAIL";
    case SP_FAILURE_REFUSED:
        return "REFUSED";
    case SP_FAILURE_TIMEOUT:
        return "time-out";
    case SP_FAILURE_CONNECTION:
        return "no resolver reachable";
    case SP_FAILURE_MALFORMED:
        return "malformed reply";
    case SP_FAILURE_OVERLOAD:
        return "too many lookups in flight";
    case SP_FAILURE_NO_RESOLVER:
        return "no resolver configured";
    }
    return "unknown failure";
}

const char *sp_answer_kind_name(sp_answer_kind_t kind)
{
    switch (kind) {
    case SP_ANSWER_TXT:
        return "TXT";
    case SP_ANSWER_NODATA:
        return "NODATA";
    case SP_ANSWER_NXDOMAIN:
        return "NXDOMAIN";
    case SP_ANSWER_FAILURE:
        return "failure";
    }
    return "unknown";
}
