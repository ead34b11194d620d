/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_HTTP1_H
#define SIGNPOST_LOAD_HTTP1_H

/* Reads the answer to one GET off a connection, octets as they come (RFC 9112). Does no I/O.
 * Strict: what a careful client would not rely on is no answer. Nothing of a body is kept, so it
 * may be of any length. */

#include <signpost/base/str.h>

#define SP_HTTP1_HEAD_MAX ((size_t)65536) /* octets of one head; of all trailers */
#define SP_HTTP1_INTERIM_MAX 16           /* answers of class 1xx before the real one */
#define SP_HTTP1_CHUNK_LINE_MAX 1024      /* a chunk's size and its extensions */

typedef enum sp_http1_step {
    SP_HTTP1_MORE, /* not complete yet */
    SP_HTTP1_DONE,
    SP_HTTP1_BAD,      /* this is not HTTP */
    SP_HTTP1_NO_MEMORY /* for a head that came in pieces */
} sp_http1_step_t;

typedef enum sp_http1_framing {
    SP_HTTP1_NO_BODY,
    SP_HTTP1_LENGTH,
    SP_HTTP1_CHUNKED,
    SP_HTTP1_UNTIL_CLOSE
} sp_http1_framing_t;

typedef struct sp_http1_answer {
    unsigned status;       /* 200 … 599 */
    size_t location_count; /* how many fields of that name */
    sp_str_t location;     /* of the first one */
    sp_http1_framing_t framing;
    uint64_t length; /* of the body, where `framing` is LENGTH */
    bool keep_alive; /* another request may be sent on the connection */
} sp_http1_answer_t;

/* Reads a whole head, the empty line at its end included. False when it is none. The answer's texts
 * point into `head`. Interim answers (1xx) are read as well; status 101 is none that was asked for.
 */
bool sp_http1_head_read(sp_str_t head, sp_http1_answer_t *ret_answer);

typedef enum sp_http1_place {
    SP_HTTP1_IN_HEAD,
    SP_HTTP1_IN_LENGTH,
    SP_HTTP1_IN_REST, /* of the connection */
    SP_HTTP1_IN_CHUNK_LINE,
    SP_HTTP1_IN_CHUNK,
    SP_HTTP1_IN_CHUNK_END,
    SP_HTTP1_IN_TRAILER,
    SP_HTTP1_AT_END
} sp_http1_place_t;

typedef struct sp_http1_reader {
    sp_http1_place_t place;
    sp_http1_answer_t answer;
    unsigned interim;
    uint64_t left; /* of the body or chunk */
    size_t line;   /* octets of a chunk's line or of the trailers so far */
    unsigned digits;
    char previous; /* octet of a chunk's line or of the trailers */
    bool blank;    /* the trailer line has nothing in it so far */
    char *kept;    /* a head that came in pieces; later the Location */
    size_t kept_len, kept_room;
} sp_http1_reader_t;

/* All zero is ready for the first answer. */
void sp_http1_reader_clear(sp_http1_reader_t *reader);

/* Ready for the next answer. */
void sp_http1_reader_restart(sp_http1_reader_t *reader);

/* Takes octets; *ret_used says how many belong to this answer: all of them while the step is MORE.
 * On DONE, reader->answer is complete; its Location is valid until the next call, as long as
 * `octets` is. */
sp_http1_step_t sp_http1_reader_feed(sp_http1_reader_t *reader, sp_str_t octets, size_t *ret_used);

/* The server has closed: DONE when that is how the answer ends, else MORE: it was cut off. */
sp_http1_step_t sp_http1_reader_end(sp_http1_reader_t *reader);

#endif
