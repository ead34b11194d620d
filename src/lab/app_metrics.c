/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/app_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/probe.h"

#define REPLY_OCTETS ((size_t)512 * 1024)
#define TIMEOUT_MS 5000

/* The value of a label in `{transport="udp",rcode="NOERROR"}`; empty when it is not there. */
static sp_str_t label(sp_str_t labels, sp_str_t name)
{
    size_t at = sp_str_search(labels, name);
    sp_str_t rest = sp_str_skip(labels, at + name.len);

    if (at == labels.len || !sp_str_starts_with(rest, SP_STR("=\""))) {
        return (sp_str_t){.ptr = "", .len = 0};
    }
    return sp_str_cut(sp_str_skip(rest, 2), '"', &rest);
}

static double number(sp_str_t text)
{
    char digits[32];

    (void)snprintf(digits, sizeof(digits), "%.*s", (int)(text.len > 31 ? 31 : text.len), text.ptr);
    return strtod(digits, NULL);
}

static void add_query(sp_lab_app_metrics_t *metrics, sp_str_t labels, double value)
{
    sp_lab_query_kind_t *kind = &metrics->queries[metrics->query_count];
    sp_str_t transport = label(labels, SP_STR("transport"));
    sp_str_t rcode = label(labels, SP_STR("rcode"));

    if (metrics->query_count == SP_LAB_QUERY_KINDS_MAX) {
        return;
    }
    (void)snprintf(kind->transport, sizeof(kind->transport), "%.*s", (int)transport.len,
                   transport.ptr);
    (void)snprintf(kind->rcode, sizeof(kind->rcode), "%.*s", (int)rcode.len, rcode.ptr);
    kind->count = value;
    ++metrics->query_count;
}

static void take_line(sp_lab_app_metrics_t *metrics, sp_str_t line)
{
    sp_str_t value = sp_str_skip(line, sp_str_find_last(line, ' ') + 1);
    sp_str_t name = sp_str_slice(line, 0, sp_str_find(line, ' '));
    sp_str_t labels = sp_str_skip(name, sp_str_find(name, '{'));

    name = sp_str_slice(name, 0, sp_str_find(name, '{'));
    if (sp_str_eq(name, SP_STR("signpost_dns_queries_total"))) {
        add_query(metrics, labels, number(value));
    } else if (sp_str_eq(name, SP_STR("signpost_dns_hedges_total"))) {
        metrics->hedges = number(value);
    } else if (sp_str_eq(name, SP_STR("signpost_lookups_total")) &&
               sp_str_eq(label(labels, SP_STR("result")), SP_STR("miss"))) {
        metrics->lookups = number(value);
    }
}

void sp_lab_app_metrics_parse(sp_str_t text, sp_lab_app_metrics_t *ret_metrics)
{
    memset(ret_metrics, 0, sizeof(*ret_metrics));
    for (sp_str_t rest = text; rest.ptr != NULL;) {
        sp_str_t line = sp_str_trim(sp_str_cut(rest, '\n', &rest));

        if (line.len != 0 && line.ptr[0] != '#') {
            take_line(ret_metrics, line);
        }
    }
}

sp_status_t sp_lab_app_metrics_read(const char *socket_path, sp_lab_app_metrics_t *ret_metrics,
                                    sp_error_t *err)
{
    char *reply = malloc(REPLY_OCTETS);
    sp_str_t text;
    sp_status_t status = SP_NO_MEMORY;

    if (reply == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    status = sp_lab_http_get_unix(socket_path, "/metrics", TIMEOUT_MS,
                                  (sp_lab_room_t){.ptr = reply, .size = REPLY_OCTETS}, &text);
    if (status != SP_OK) {
        (void)sp_fail(err, SP_IO, 0, "signpost's metrics can't be read at %.100s", socket_path);
    } else {
        sp_lab_app_metrics_parse(text, ret_metrics);
    }
    free(reply);
    return status;
}

static double count_before(const sp_lab_app_metrics_t *before, const sp_lab_query_kind_t *kind)
{
    for (size_t i = 0; i != before->query_count; ++i) {
        if (strcmp(before->queries[i].transport, kind->transport) == 0 &&
            strcmp(before->queries[i].rcode, kind->rcode) == 0) {
            return before->queries[i].count;
        }
    }
    return 0;
}

json_t *sp_lab_app_metrics_json(const sp_lab_app_metrics_t *before,
                                const sp_lab_app_metrics_t *after, double requests)
{
    json_t *queries = json_array();
    json_t *json = NULL;
    double total = 0;

    for (size_t i = 0; i != after->query_count; ++i) {
        const sp_lab_query_kind_t *kind = &after->queries[i];
        double count = kind->count - count_before(before, kind);

        if (count > 0) {
            total += count;
            (void)json_array_append_new(queries,
                                        json_pack("{s:s, s:s, s:f}", "transport", kind->transport,
                                                  "rcode", kind->rcode, "count", count));
        }
    }
    json = json_pack("{s:o, s:f, s:f}", "queries", queries, "lookups",
                     after->lookups - before->lookups, "hedges", after->hedges - before->hedges);
    if (json != NULL && requests > 0) {
        (void)json_object_set_new(json, "queries_per_request", json_real(total / requests));
    }
    return json;
}
