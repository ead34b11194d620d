/* SPDX-License-Identifier: Apache-2.0 */
/* A DNS reply of any octets to a question for CAA records, and what they say. */
#include "acme/caa_reply.h"
#include "dns/wire_name.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fine)
{
    if (!fine) {
        abort();
    }
}

static void evaluate(const sp_caa_reply_t *reply)
{
    const sp_str_t name = SP_STR("ca.example.net");
    const sp_caa_asker_t asker = {.identities = &name,
                                  .identity_count = 1,
                                  .method = SP_STR("http-01"),
                                  .account_uri = SP_STR("u")};
    const sp_caa_asker_t nobody = {.method = SP_STR("http-01")};
    sp_caa_verdict_t verdict = sp_caa_evaluate(reply->records, reply->count, &asker);

    /* Nobody is never allowed more than somebody. */
    require(verdict == SP_CAA_ALLOWED ||
            sp_caa_evaluate(reply->records, reply->count, &nobody) != SP_CAA_ALLOWED);
    require(reply->count != 0 || verdict == SP_CAA_ALLOWED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t message = {(const char *)data, size};
    sp_wire_name_t asked = {.text = "a.b", .len = 3};
    sp_arena_t arena;
    sp_caa_reply_t reply;
    size_t at = 12;

    if (size > 12) {
        (void)sp_wire_name_read(message, &at, &asked);
    }
    sp_arena_init(&arena, NULL, 0, 4096);
    if (sp_caa_reply_read(message, sp_wire_name_str(&asked), &arena, &reply) == SP_OK) {
        require((reply.kind == SP_CAA_REPLY_FAILED) == (reply.why != NULL));
        require(reply.kind == SP_CAA_REPLY_RECORDS || reply.count == 0);
        if (reply.kind == SP_CAA_REPLY_RECORDS) {
            evaluate(&reply);
        }
    }
    sp_arena_clear(&arena);
    return 0;
}
