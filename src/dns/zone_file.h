/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ZONE_FILE_H
#define SIGNPOST_DNS_ZONE_FILE_H

/* RFC 1035 master files, read record by record through libzscanner. */

#include <signpost/base/error.h>

/* One record. Everything is valid during the callback only. */
typedef struct sp_zone_record {
    sp_str_t owner; /* lower case, no final dot, "*" first label for wildcards; text form, escapes
                       as \DDD */
    uint16_t type;  /* numeric RR type: 16 TXT, 5 CNAME, 6 SOA, … */
    uint32_t ttl_s;
    const sp_str_t *strings; /* TXT: its character-strings, raw octets */
    size_t string_count;
    sp_str_t target;        /* CNAME, NS: the name it points to, lower case, no final dot */
    uint32_t soa_minimum_s; /* SOA */
    size_t line;            /* where the record begins in the file, from 1 */
    size_t column; /* of the record data, from 1; where parentheses put that on a later line, of the
                      type, or of the owner */
} sp_zone_record_t;

typedef void sp_zone_record_fn(void *arg, const sp_zone_record_t *record);

/* A fault of the file: reading goes on behind it where that is possible. What an $INCLUDE brings,
 * records and faults, has the place of the $INCLUDE; the message of a fault names the other file.
 */
typedef void sp_zone_fault_fn(void *arg, size_t line, size_t column, const char *message);

/* `origin` is used until the file sets its own with $ORIGIN; "." when NULL. SP_OK when nothing was
 * wrong, SP_BAD_SYNTAX when at least one fault was reported, SP_IO (message in *err) when the file
 * can't be read, SP_NO_MEMORY. */
sp_status_t sp_zone_file_read(const char *path, const char *origin, sp_zone_record_fn *on_record,
                              sp_zone_fault_fn *on_fault, void *arg, sp_error_t *err);

/* The same for a text in memory. */
sp_status_t sp_zone_text_read(sp_str_t text, const char *origin, sp_zone_record_fn *on_record,
                              sp_zone_fault_fn *on_fault, void *arg, sp_error_t *err);

#endif
