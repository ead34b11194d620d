/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_EXPLAIN_PRINT_JSON_H
#define SIGNPOST_EXPLAIN_PRINT_JSON_H

/* An explanation for programs. */

#include <jansson.h>

#include "explain/run.h"

/* {"request": {"method", "scheme", "host", "port", "path", "query"},
 *  "lookups": [{"name", "result": "record" | "absent" | "fault" | "failure",
 *               "kind": "TXT" | "NODATA" | "NXDOMAIN" | the name of a failure, "ttl", "cname" or
 *               null, "texts": [...], "record": {"type", "code", "fields": {...}} or null,
 *               "fault": {"offset", "message"} or null,
 *               "source": "zone" | "cache" | "stale" | "resolver", "us"}],
 *  "notes": [...],
 *  "decision": {"status", "location" or null, "outcome", "record" or null, "reason",
 *               "headers": {...}},
 *  "lookup_count": n}
 * "fields" holds the last value of each key, and for "use" the list of all. For a request that got
 * 400 "request" has what was given. NULL when memory is out; else the caller's to give up. */
json_t *sp_explanation_json(const sp_explanation_t *explanation);

/* "record", "absent", "fault" or "failure". */
const char *sp_explain_result_name(const sp_answer_t *answer);

#endif
