/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_OUTLOOK_H
#define SIGNPOST_ACME_OUTLOOK_H

/* What about the certificate of a name: is there one, would one be got, and if not, why. For
 * `explain`. */

#include <jansson.h>

#include "acme/inventory.h"
#include "acme/permission.h"

/* For who has no loop. */
typedef struct sp_outlook_with {
    const sp_acme_settings_t *settings;
    sp_explain_alone_t alone;
    const sp_storage_t *storage; /* NULL: it can't be read */
} sp_outlook_with_t;

/* Judges `name` with lookups of its own, and no cache; returns when it is done. Memory comes from
 * `arena`. SP_OK, SP_NO_MEMORY or SP_IO. */
sp_status_t sp_outlook_run(sp_str_t name, const sp_outlook_with_t *with, sp_arena_t *arena,
                           sp_permission_t *permission, sp_error_t *err);

/* Where certificates are. */
typedef struct sp_outlook_places {
    const char *certificates;    /* tls.certificates: what is valid there is served, and none got */
    const sp_storage_t *storage; /* NULL: it can't be read */
} sp_outlook_places_t;

#define SP_OUTLOOK_TEXT_MAX 640

/* A sentence: "none yet; one would be got: …". */
void sp_outlook_print(const sp_outlook_places_t *places, const sp_permission_t *permission,
                      char text[SP_OUTLOOK_TEXT_MAX]);

/* The same for programs. NULL when memory is out. */
json_t *sp_outlook_json(const sp_outlook_places_t *places, const sp_permission_t *permission);

#endif
