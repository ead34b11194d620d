/* SPDX-License-Identifier: Apache-2.0 */
/* A DNS reply of any octets: read, and what it says made into an answer. */
#include "dns/ares_answer.h"
#include "dns/wire_name.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fine)
{
    if (!fine) {
        abort();
    }
}

static void check_parts(const sp_answer_parts_t *parts)
{
    const sp_answer_t *answer = NULL;

    require((parts->kind == SP_ANSWER_TXT) == (parts->text_count != 0));
    require((parts->kind == SP_ANSWER_FAILURE) == (parts->failure != SP_FAILURE_NONE));
    if (sp_answer_create(parts, &answer) == SP_OK) {
        require(answer->text_count == parts->text_count);
        sp_answer_release(answer);
    }
}

/* A name that can be read can be written, and reads the same again. */
static void check_name(const sp_wire_name_t *name)
{
    uint8_t wire[SP_WIRE_NAME_MAX];
    sp_wire_name_t again;
    size_t len = 0;
    size_t at = 0;

    require(sp_wire_name_write(sp_wire_name_str(name), wire, &len));
    require(sp_wire_name_read((sp_str_t){(const char *)wire, len}, &at, &again) && at == len);
    require(sp_str_eq(sp_wire_name_str(name), sp_wire_name_str(&again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t message = {(const char *)data, size};
    sp_wire_name_t asked = {.text = "a.b", .len = 3};
    sp_arena_t arena;
    sp_reply_t reply;
    size_t at = 12;

    if (size > 12 && sp_wire_name_read(message, &at, &asked)) {
        check_name(&asked);
    }
    sp_arena_init(&arena, NULL, 0, 4096);
    if (sp_reply_read(message, sp_wire_name_str(&asked), &arena, &reply) == SP_OK &&
        reply.kind == SP_REPLY_ANSWER) {
        check_parts(&reply.parts);
    }
    sp_arena_clear(&arena);
    return 0;
}
