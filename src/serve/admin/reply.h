/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_ADMIN_REPLY_H
#define SIGNPOST_SERVE_ADMIN_REPLY_H

/* Answers of the admin endpoints. Each ends the call. */

#include <jansson.h>
#include <signpost/base/buf.h>

#include "http/endpoints.h"

#define SP_REPLY_MAX ((size_t)4 * 1024 * 1024) /* octets of a body */

/* An empty text in the memory of the call, for a body. */
void sp_reply_begin(sp_call_t *call, sp_buf_t *ret_body);

/* `body` was written to completely, or it failed: then the answer is 503. `type` is the value of
 * Content-Type; what is HTML gets a strict Content-Security-Policy. */
void sp_reply_body(sp_call_t *call, unsigned status, sp_str_t type, const sp_buf_t *body);

/* Gives `root` up; NULL is 503. */
void sp_reply_json_own(sp_call_t *call, unsigned status, json_t *root);

/* {"error": "sentence"} */
void sp_reply_error(sp_call_t *call, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 204 */
void sp_reply_nothing(sp_call_t *call);

/* 405; `allow` is the value of Allow. */
void sp_reply_not_allowed(sp_call_t *call, sp_str_t allow);

/* Is a page for a person wanted, rather than JSON? */
bool sp_reply_wants_html(const sp_call_t *call);

#endif
