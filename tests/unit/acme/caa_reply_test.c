/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa_reply.h"

#include <criterion/criterion.h>
#include <string.h>

static sp_arena_t arena;

static void create(void)
{
    sp_arena_init(&arena, NULL, 0, 4096);
}

static void destroy(void)
{
    sp_arena_clear(&arena);
}

TestSuite(caa_reply, .init = create, .fini = destroy);

/* A message that is put together piece by piece. */
typedef struct message {
    char text[1024];
    size_t len;
} message_t;

static void put(message_t *message, const char *octets, size_t len)
{
    memcpy(message->text + message->len, octets, len);
    message->len += len;
}

#define PUT(message, literal) put((message), "" literal, sizeof(literal) - 1)
#define NAME "\3www\7example\3com\0"
#define HOST "\4host\7example\3net\0"
#define QUESTION NAME "\1\1\0\1" /* CAA, IN */

static sp_caa_reply_t read(const message_t *message)
{
    sp_caa_reply_t reply;

    cr_assert_eq(sp_caa_reply_read((sp_str_t){message->text, message->len},
                                   SP_STR("www.example.com"), &arena, &reply),
                 SP_OK);
    return reply;
}

Test(caa_reply, brings_the_records_of_the_name)
{
    message_t message = {.len = 0};
    sp_caa_reply_t reply;

    PUT(&message, "\0\1\x81\x80\0\1\0\2\0\0\0\0" QUESTION);
    PUT(&message, "\xc0\x0c\1\1\0\1\0\0\0\x3c\0\x0b\0\5issue"
                  "a.eu");
    PUT(&message, "\3not\7example\3com\0\1\1\0\1\0\0\0\x3c\0\x08\0\5issue;");
    reply = read(&message);
    cr_assert_eq(reply.kind, SP_CAA_REPLY_RECORDS);
    cr_assert_eq(reply.count, 1);
    cr_expect(sp_str_eq(reply.records[0].value, SP_STR("a.eu")));
}

Test(caa_reply, follows_cnames)
{
    message_t message = {.len = 0};
    sp_caa_reply_t reply;

    PUT(&message, "\0\1\x81\x80\0\1\0\2\0\0\0\0" QUESTION);
    PUT(&message, "\xc0\x0c\0\5\0\1\0\0\0\x3c\0\x12" HOST);
    PUT(&message, HOST "\1\1\0\1\0\0\0\x3c\0\x08\0\5issue;");
    reply = read(&message);
    cr_assert_eq(reply.kind, SP_CAA_REPLY_RECORDS);
    cr_expect_eq(reply.count, 1);
}

Test(caa_reply, asks_on_where_a_cname_leads_into_the_dark)
{
    message_t message = {.len = 0};
    sp_caa_reply_t reply;

    PUT(&message, "\0\1\x81\x80\0\1\0\1\0\0\0\0" QUESTION);
    PUT(&message, "\xc0\x0c\0\5\0\1\0\0\0\x3c\0\x12" HOST);
    reply = read(&message);
    cr_assert_eq(reply.kind, SP_CAA_REPLY_ALIAS);
    cr_expect(sp_str_eq(reply.alias, SP_STR("host.example.net")));
}

Test(caa_reply, knows_a_loop)
{
    message_t message = {.len = 0};

    PUT(&message, "\0\1\x81\x80\0\1\0\1\0\0\0\0" QUESTION);
    PUT(&message, "\xc0\x0c\0\5\0\1\0\0\0\x3c\0\2\xc0\x0c");
    cr_expect_eq(read(&message).kind, SP_CAA_REPLY_FAILED);
}

Test(caa_reply, takes_absence_for_no_records)
{
    message_t message = {.len = 0};
    sp_caa_reply_t reply;

    PUT(&message, "\0\1\x81\x83\0\1\0\0\0\0\0\0" QUESTION);
    reply = read(&message);
    cr_expect_eq(reply.kind, SP_CAA_REPLY_RECORDS);
    cr_expect_eq(reply.count, 0);
}

/* To issue on the word of a resolver that resolves nothing would be to issue unasked. */
Test(caa_reply, takes_a_referral_for_no_answer)
{
    message_t message = {.len = 0};

    PUT(&message, "\0\1\x81\x80\0\1\0\0\0\1\0\0" QUESTION);
    PUT(&message, "\3com\0\0\2\0\1\0\0\0\x3c\0\x12" HOST);
    cr_expect_eq(read(&message).kind, SP_CAA_REPLY_FAILED);
    message.text[2] = (char)0x85; /* with authority */
    cr_expect_eq(read(&message).kind, SP_CAA_REPLY_RECORDS);
}

Test(caa_reply, makes_a_record_that_can_not_be_read_critical)
{
    message_t message = {.len = 0};
    sp_caa_reply_t reply;

    PUT(&message, "\0\1\x81\x80\0\1\0\1\0\0\0\0" QUESTION);
    PUT(&message, "\xc0\x0c\1\1\0\1\0\0\0\x3c\0\2\0\5");
    reply = read(&message);
    cr_assert_eq(reply.count, 1);
    cr_expect_eq(reply.records[0].flags, SP_CAA_CRITICAL);
    cr_expect_eq(reply.records[0].tag.len, 0);
}

Test(caa_reply, tells_failures_and_truncation)
{
    message_t message = {.len = 0};

    PUT(&message, "\0\1\x81\x82\0\1\0\0\0\0\0\0" QUESTION);
    cr_expect_eq(read(&message).kind, SP_CAA_REPLY_FAILED);
    cr_expect_str_eq(read(&message).why, "SERVFAIL");
    message.text[3] = (char)0x80;
    message.text[2] = (char)0x83;
    cr_expect_eq(read(&message).kind, SP_CAA_REPLY_TRUNCATED);
}

Test(caa_reply, believes_no_reply_to_another_question)
{
    message_t message = {.len = 0};

    PUT(&message, "\0\1\x81\x80\0\1\0\0\0\0\0\0" NAME "\0\x10\0\1");
    cr_expect_eq(read(&message).kind, SP_CAA_REPLY_FAILED);
    message.len = 0;
    PUT(&message, "\0\1\x81\x80\0\1\0\0\0\0\0\0" HOST "\1\1\0\1");
    cr_expect_eq(read(&message).kind, SP_CAA_REPLY_FAILED);
    message.len = 0;
    PUT(&message, "\0\1\1\0\0\1\0\0\0\0\0\0" QUESTION); /* no reply at all */
    cr_expect_eq(read(&message).kind, SP_CAA_REPLY_FAILED);
}

Test(caa_reply, survives_being_cut_off_anywhere)
{
    message_t message = {.len = 0};
    size_t whole = 0;

    PUT(&message, "\0\1\x81\x80\0\1\0\2\0\0\0\0" QUESTION);
    PUT(&message, "\xc0\x0c\0\5\0\1\0\0\0\x3c\0\x12" HOST);
    PUT(&message, HOST "\1\1\0\1\0\0\0\x3c\0\x08\0\5issue;");
    whole = message.len;
    for (message.len = 0; message.len != whole; ++message.len) {
        cr_expect_eq(read(&message).kind, SP_CAA_REPLY_FAILED, "%zu", message.len);
    }
}
