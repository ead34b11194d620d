/* SPDX-License-Identifier: Apache-2.0 */
#include "tls/tickets.h"

#include <criterion/criterion.h>
#include <openssl/evp.h>
#include <string.h>

#define HOURS_8 ((uint64_t)SP_TICKET_KEY_S * 1000)

/* What OpenSSL hands over and gets back. */
typedef struct ticket {
    unsigned char name[16];
    unsigned char iv[EVP_MAX_IV_LENGTH];
} ticket_t;

static int use(sp_tickets_t *tickets, uint64_t now_ms, ticket_t *ticket, int is_making)
{
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *mac_context = EVP_MAC_CTX_new(mac);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int result =
        sp_tickets_use(tickets, now_ms, ticket->name, ticket->iv, cipher, mac_context, is_making);

    if (result > 0) {
        cr_expect_eq(EVP_CIPHER_CTX_get_key_length(cipher), 32);
        cr_expect_eq(EVP_MAC_init(mac_context, NULL, 0, NULL), 1);
    }
    EVP_CIPHER_CTX_free(cipher);
    EVP_MAC_CTX_free(mac_context);
    EVP_MAC_free(mac);
    return result;
}

Test(tickets, open_what_they_made)
{
    sp_tickets_t *tickets = NULL;
    ticket_t ticket = {.name = {0}};
    ticket_t other = {.name = {0}};

    cr_assert_eq(sp_tickets_create(5, &tickets), SP_OK);
    cr_expect_eq(use(tickets, 5, &ticket, 1), 1);
    cr_expect_eq(use(tickets, 5, &ticket, 0), 1);
    cr_expect_eq(use(tickets, 5, &other, 0), 0, "of an unknown key");
    cr_expect_eq(use(tickets, 5, &other, 1), 1);
    cr_expect_neq(memcmp(ticket.iv, other.iv, 16), 0);
    sp_tickets_destroy(tickets);
    sp_tickets_destroy(NULL);
}

Test(tickets, change_their_key_and_still_open_the_old_ones)
{
    sp_tickets_t *tickets = NULL;
    ticket_t ticket = {.name = {0}};
    ticket_t next = {.name = {0}};

    cr_assert_eq(sp_tickets_create(0, &tickets), SP_OK);
    cr_expect_eq(use(tickets, HOURS_8 - 1, &ticket, 1), 1);
    cr_expect_eq(use(tickets, HOURS_8, &next, 1), 1);
    cr_expect_neq(memcmp(ticket.name, next.name, 16), 0);
    cr_expect_eq(use(tickets, 2 * HOURS_8 - 1, &ticket, 0), 2, "to be replaced");
    cr_expect_eq(use(tickets, 2 * HOURS_8, &ticket, 0), 0, "forgotten");
    cr_expect_eq(use(tickets, 2 * HOURS_8, &next, 0), 2);
    sp_tickets_destroy(tickets);
}

Test(tickets, change_their_key_once_though_a_worker_is_late)
{
    sp_tickets_t *tickets = NULL;
    ticket_t ticket = {.name = {0}};
    ticket_t next = {.name = {0}};
    ticket_t late = {.name = {0}};

    cr_assert_eq(sp_tickets_create(1, &tickets), SP_OK);
    cr_expect_eq(use(tickets, HOURS_8, &ticket, 1), 1);
    cr_expect_eq(use(tickets, HOURS_8 + 1, &next, 1), 1);
    cr_expect_neq(memcmp(ticket.name, next.name, 16), 0);
    cr_expect_eq(use(tickets, HOURS_8, &late, 1), 1, "its clock was read a moment before");
    cr_expect_eq(memcmp(late.name, next.name, 16), 0);
    cr_expect_eq(use(tickets, HOURS_8 + 1, &ticket, 0), 2, "the old one still counts");
    sp_tickets_destroy(tickets);
}

Test(tickets, forget_all_after_a_long_silence)
{
    sp_tickets_t *tickets = NULL;
    ticket_t ticket = {.name = {0}};

    cr_assert_eq(sp_tickets_create(0, &tickets), SP_OK);
    cr_expect_eq(use(tickets, 1, &ticket, 1), 1);
    cr_expect_eq(use(tickets, 2 * HOURS_8, &ticket, 0), 0);
    sp_tickets_destroy(tickets);
}
