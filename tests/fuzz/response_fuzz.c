/* SPDX-License-Identifier: Apache-2.0 */
/* What a server of any kind sends on a connection, read as the answers to HTTP/1.1 requests. The
 * first octet says into what pieces it is cut: that must not matter. */
#include "load/http1.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ANSWERS_MAX 16

/* What a reader made of the octets. */
typedef struct reading {
    size_t count; /* of answers */
    unsigned status[ANSWERS_MAX];
    size_t locations[ANSWERS_MAX];
    size_t location_len[ANSWERS_MAX];
    bool keep_alive[ANSWERS_MAX];
    size_t used; /* octets of complete answers */
    sp_http1_step_t last;
    bool ended_well;
} reading_t;

static void require(bool fine)
{
    if (!fine) {
        abort();
    }
}

static void note(reading_t *reading, const sp_http1_answer_t *answer)
{
    size_t at = reading->count++;

    require(answer->status >= 200 && answer->status < 600);
    require(answer->location.len == 0 || answer->location_count != 0);
    for (size_t i = 0; i != answer->location.len; ++i) {
        require(answer->location.ptr[i] != '\r' && answer->location.ptr[i] != '\n');
    }
    reading->status[at] = answer->status;
    reading->locations[at] = answer->location_count;
    reading->location_len[at] = answer->location.len;
    reading->keep_alive[at] = answer->keep_alive;
}

/* One piece, in memory of exactly its size; what of it was used. */
static size_t feed(sp_http1_reader_t *reader, sp_str_t piece, reading_t *reading)
{
    char *copy = malloc(piece.len);
    size_t used = 0;

    require(copy != NULL);
    memcpy(copy, piece.ptr, piece.len);
    reading->last = sp_http1_reader_feed(reader, (sp_str_t){copy, piece.len}, &used);
    require(used <= piece.len);
    require(reading->last != SP_HTTP1_MORE || used == piece.len);
    require(reading->last != SP_HTTP1_NO_MEMORY);
    if (reading->last == SP_HTTP1_DONE) {
        note(reading, &reader->answer);
    }
    free(copy);
    return used;
}

static void read_all(sp_str_t octets, size_t piece, reading_t *reading)
{
    sp_http1_reader_t reader = {.place = SP_HTTP1_IN_HEAD};
    size_t at = 0;

    *reading = (reading_t){.count = 0};
    while (at != octets.len && reading->count != ANSWERS_MAX && reading->last != SP_HTTP1_BAD) {
        at += feed(&reader, sp_str_slice(octets, at, at + piece), reading);
        if (reading->last == SP_HTTP1_DONE) {
            reading->used = at;
            sp_http1_reader_restart(&reader);
        }
    }
    reading->ended_well =
        reading->last == SP_HTTP1_MORE && sp_http1_reader_end(&reader) == SP_HTTP1_DONE;
    sp_http1_reader_clear(&reader);
}

static void require_same(const reading_t *a, const reading_t *b)
{
    require(a->count == b->count && a->used == b->used && a->last == b->last &&
            a->ended_well == b->ended_well);
    for (size_t i = 0; i != a->count; ++i) {
        require(a->status[i] == b->status[i] && a->locations[i] == b->locations[i] &&
                a->location_len[i] == b->location_len[i] && a->keep_alive[i] == b->keep_alive[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reading_t whole;
    reading_t cut;

    if (size < 2) {
        return 0;
    }
    read_all((sp_str_t){(const char *)data + 1, size - 1}, size, &whole);
    read_all((sp_str_t){(const char *)data + 1, size - 1}, (size_t)data[0] + 1, &cut);
    require_same(&whole, &cut);
    return 0;
}
