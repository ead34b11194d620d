/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_EXPLAIN_PRINT_H
#define SIGNPOST_CLI_EXPLAIN_PRINT_H

/* An explanation for people, and for programs. */

#include <stdio.h>

#include "cli/explain/run.h"

/* `colour`: with the escape sequences of a terminal (ECMA-48). */
sp_status_t sp_explain_print_text(const sp_explanation_t *explanation, bool colour, FILE *out);

/* {"request": {"method", "scheme", "host", "port", "path", "query"},
 *  "lookups": [{"name", "result": "record" | "absent" | "fault" | "failure",
 *               "kind": "TXT" | "NODATA" | "NXDOMAIN" | the name of a failure, "ttl", "cname" or
 *               null, "texts": [...], "record": {"type", "code", "fields": {...}} or null,
 *               "fault": {"offset", "message"} or null, "source": "zone" | "resolver", "us",
 *               "meaning"}],
 *  "notes": [...],
 *  "decision": {"status", "location" or null, "outcome", "record" or null, "reason",
 *               "headers": {...}},
 *  "lookup_count": n}
 * "fields" holds the last value of each key, and for "use" the list of all. For a request that got
 * 400 "request" has what was given. SP_OK, SP_NO_MEMORY or SP_IO. */
sp_status_t sp_explain_print_json(const sp_explanation_t *explanation, FILE *out);

#endif
