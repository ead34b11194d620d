/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_TICKETS_H
#define SIGNPOST_TLS_TICKETS_H

/* Keys of session tickets (RFC 5077, RFC 8446 4.6.1), shared by all workers, so that a session can
 * go on with any of them. A key makes tickets for SP_TICKET_KEY_S and opens them for as long again;
 * then it is wiped: who steals the process' memory later reads no old session. Nothing is kept
 * beyond the end of the process. */

#include <openssl/ssl.h>
#include <signpost/base/error.h>
#include <stdint.h>

#define SP_TICKET_KEY_S 28800 /* 8 hours; also the longest that a session goes on */

typedef struct sp_tickets sp_tickets_t;

/* SP_OK, SP_NO_MEMORY, or SP_IO when there is no randomness or OpenSSL lacks an algorithm. */
sp_status_t sp_tickets_create(uint64_t now_ms, sp_tickets_t **ret_tickets);
void sp_tickets_destroy(sp_tickets_t *tickets); /* accepts NULL */

/* What OpenSSL asks for (SSL_CTX_set_tlsext_ticket_key_evp_cb), at a given time; safe from any
 * thread. */
int sp_tickets_use(sp_tickets_t *tickets, uint64_t now_ms, unsigned char name[16],
                   unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int is_making);

#endif
