/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_HTTP_REQUEST_HEAD_H
#define SIGNPOST_HTTP_REQUEST_HEAD_H

/* The head of an HTTP/1 request, read once more from the octets on the wire. The library behind us
 * has parsed it already and refused control characters and malformed names, but it lets pass what
 * RFC 9112 wants refused, and it hides some of it: a second Host, bare LF line ends, folded lines,
 * Content-Length beside Transfer-Encoding. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <signpost/rule/outcome.h>

#define SP_HEAD_SIZE_MAX ((size_t)32 * 1024) /* request line and fields, octets */

typedef struct sp_request_head {
    const sp_str_t *hosts; /* values of all Host fields, in order */
    size_t host_count;
    const sp_header_t *headers; /* all other fields, in order */
    size_t header_count;
} sp_request_head_t;

/* `input` begins with a complete head; what follows the empty line is ignored. The slices point
 * into `input`, the arrays live in `arena`. SP_OK, SP_NO_MEMORY, SP_TOO_LONG (over
 * SP_HEAD_SIZE_MAX), or SP_BAD_SYNTAX; the latter two with a sentence in *err. */
sp_status_t sp_request_head_read(sp_str_t input, sp_arena_t *arena, sp_request_head_t *ret_head,
                                 sp_error_t *err);

#endif
