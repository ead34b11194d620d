/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LOAD_TARGETS_H
#define SIGNPOST_LOAD_TARGETS_H

/* The list of requests that a run chooses from, and the answer that each must get.
 *
 * As text, one request a line: host, path, status, Location, separated by tabs; status and Location
 * may be missing. An empty status is any below 400; an empty Location, with the tab before it,
 * means that there must be none. Empty lines and lines that begin with '#' are passed over. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <signpost/base/str.h>

#define SP_LOAD_TARGETS_MAX 1000000
#define SP_LOAD_TARGET_LINE_MAX 65536 /* octets, line end not counted */
#define SP_LOAD_TARGET_HOST_MAX 320   /* octets; no name with a port is that long */

typedef struct sp_load_target {
    sp_str_t host;     /* as it goes into Host or :authority */
    sp_str_t path;     /* begins with '/', query included */
    unsigned status;   /* 0: any below 400 */
    bool has_location; /* the answer's Location must be `location` octet for octet, or there must be
                          none when that is empty */
    sp_str_t location;
} sp_load_target_t;

typedef struct sp_load_targets {
    sp_load_target_t *list;
    size_t count;           /* at least 1 */
    size_t skipped;         /* redirect records of a zone that no request was found for */
    sp_str_t first_skipped; /* the name of one */
    char *text;             /* what was read from a file, and */
    sp_arena_t arena;       /* what was made: all texts are in one of them */
} sp_load_targets_t;

/* From a text file, standard input when `path` is "-". SP_OK; SP_BAD_SYNTAX with
 * `FILE:LINE:COLUMN: …` in *err; SP_TOO_LONG over 1 GiB; SP_IO; SP_NO_MEMORY. */
sp_status_t sp_load_targets_read(const char *path, sp_load_targets_t *ret_targets, sp_error_t *err);

/* From a text in memory, which the targets borrow. SP_OK, SP_NO_MEMORY, or SP_BAD_SYNTAX with an
 * offset and a sentence. */
sp_status_t sp_load_targets_parse(sp_str_t text, sp_load_targets_t *ret_targets, sp_error_t *err);

/* From the `_redirect` records of a zone file: one request for each name, the expected answer
 * worked out by deciding it as a server would that has nothing but this zone and default settings.
 * A name below a record of type path is that record's host with a path; any other is a host. What
 * is a wildcard becomes `w1`. `https`: as a request over TLS. */
sp_status_t sp_load_targets_from_zone(const char *path, bool https, sp_load_targets_t *ret_targets,
                                      sp_error_t *err);

/* All zero is nothing to clear. */
void sp_load_targets_clear(sp_load_targets_t *targets);

#endif
