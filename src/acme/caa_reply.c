/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa_reply.h"

#include "dns/wire_message.h"

static sp_status_t fail(sp_caa_reply_t *ret_reply, const char *why)
{
    *ret_reply = (sp_caa_reply_t){.kind = SP_CAA_REPLY_FAILED, .why = why};
    return SP_OK;
}

/* A record that can't be read may say anything: nobody is to issue past it. */
static sp_caa_record_t read_record(sp_str_t data)
{
    sp_caa_record_t record;

    if (!sp_caa_record_read(data, &record)) {
        record = (sp_caa_record_t){.flags = SP_CAA_CRITICAL, .tag = SP_STR(""), .value = data};
    }
    return record;
}

static sp_status_t collect(const sp_wire_message_t *message, sp_arena_t *arena,
                           sp_caa_reply_t *reply)
{
    size_t count = sp_wire_rr_count(message->answers, message->end, SP_TYPE_CAA);
    sp_caa_record_t *records = sp_arena_zalloc(arena, count, sizeof(*records));

    if (records == NULL) {
        return SP_NO_MEMORY;
    }
    for (const sp_wire_rr_t *rr = sp_wire_rr_find(message->answers, message->end, SP_TYPE_CAA);
         rr != NULL; rr = sp_wire_rr_find(rr->next, message->end, SP_TYPE_CAA)) {
        records[reply->count++] = read_record(rr->data);
    }
    reply->kind = SP_CAA_REPLY_RECORDS;
    reply->records = records;
    return SP_OK;
}

/* A SOA says that there is nothing more to find. Without one, the end of the CNAMEs is to be asked
 * for; and who names servers instead of resolving has not said that there are no records. */
static sp_status_t conclude(const sp_wire_message_t *message, sp_arena_t *arena,
                            sp_caa_reply_t *reply)
{
    sp_status_t status = collect(message, arena, reply);

    if (status != SP_OK || reply->count != 0 || message->soa != NULL ||
        message->rcode == SP_RCODE_NXDOMAIN) {
        return status;
    }
    if (message->chain != 0) {
        reply->kind = SP_CAA_REPLY_ALIAS;
        reply->alias = message->end;
    } else if (message->is_referral) {
        return fail(reply, "a referral");
    }
    return SP_OK;
}

static const char *rcode_name(unsigned rcode)
{
    switch (rcode) {
    case 1:
        return "FORMERR";
    case SP_RCODE_SERVFAIL:
        return "SERVFAIL";
    case 4:
        return "NOTIMP";
    case 5:
        return "REFUSED";
    default:
        return "an error";
    }
}

sp_status_t sp_caa_reply_read(sp_str_t message, sp_str_t name, sp_arena_t *arena,
                              sp_caa_reply_t *ret_reply)
{
    sp_wire_message_t read;

    *ret_reply = (sp_caa_reply_t){.kind = SP_CAA_REPLY_FAILED};
    if (sp_wire_message_read(message, name, SP_TYPE_CAA, arena, &read) != SP_OK) {
        return SP_NO_MEMORY;
    }
    switch (read.kind) {
    case SP_MESSAGE_READ:
        return conclude(&read, arena, ret_reply);
    case SP_MESSAGE_TRUNCATED:
        ret_reply->kind = SP_CAA_REPLY_TRUNCATED;
        return SP_OK;
    case SP_MESSAGE_RCODE:
        return fail(ret_reply, rcode_name(read.rcode));
    case SP_MESSAGE_LOOP:
        return fail(ret_reply, "its CNAMEs are a loop");
    case SP_MESSAGE_MALFORMED:
        break;
    }
    return fail(ret_reply, "a malformed reply");
}
