/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_ZONE_CLIENT_H
#define SIGNPOST_DNS_ZONE_CLIENT_H

/* The TXT records of some zone files, answered from memory as an authoritative server would
 * (RFC 1034, 4.3.2, with the wildcards of RFC 4592). Every answer is compiled when the files are
 * read; the set is immutable afterwards and shared by all threads.
 *
 * What a file covers: everything at and below the name of its SOA record, without what it delegates
 * by NS records further down. A file without SOA covers, for each of its owner names, everything at
 * and below the domain that is left without the leading labels that begin with '_' or are '*':
 * `_redirect.example.com` alone makes the file speak for all of example.com. */

#include "dns/lookup.h"

/* `line` 0: the file as a whole. */
typedef void sp_zones_fault_fn(void *arg, const char *path, size_t line, size_t column,
                               const char *message);

/* All files are read, and each fault told, even when one is bad; `on_fault` may be NULL. SP_OK,
 * SP_BAD_SYNTAX when a file has faults, SP_IO when one can't be read, SP_NO_MEMORY; *err tells the
 * first thing that went wrong, with path and line. */
sp_status_t sp_zones_load(const char *const *paths, size_t count, sp_zones_fault_fn *on_fault,
                          void *arg, sp_zones_t **ret_zones, sp_error_t *err);

/* Accepts NULL. */
void sp_zones_destroy(sp_zones_t *zones);

/* Is the name inside a loaded zone, and not delegated away? */
bool sp_zones_covers(const sp_zones_t *zones, sp_str_t name);

/* SP_OK: *ret_answer is a reference that the caller releases. SP_NOT_FOUND: the name is not
 * covered. A chain of CNAMEs is followed inside the zones, 16 steps at most, and one that is longer
 * or a loop gives SP_FAILURE_SERVFAIL. One that leaves the zones ends as SP_ANSWER_NODATA whose
 * `canonical` is not covered: who has a resolver asks it for that name. */
sp_status_t sp_zones_answer(const sp_zones_t *zones, sp_str_t name, const sp_answer_t **ret_answer);

#endif
