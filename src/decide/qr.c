/* SPDX-License-Identifier: Apache-2.0 */

/* QR codes of requested URLs (records.md ANS-4). */

#include <signpost/base/buf.h>

#include "decide/run.h"

/* The requested URL without its parameter `qr`; false when it has none. */
static bool url_to_draw(sp_run_t *run, sp_buf_t *url)
{
    const sp_request_t *request = run->request;
    sp_str_t rest = request->query;
    sp_str_t parameter;
    sp_str_t name;
    bool found = false;
    char separator = '?';

    sp_buf_append(url, request->scheme);
    sp_buf_append(url, SP_STR("://"));
    sp_buf_append(url, request->host);
    if (request->port.len != 0) {
        sp_buf_append_char(url, ':');
        sp_buf_append(url, request->port);
    }
    sp_url_append(url, request->path, SP_OCTETS_SENT);
    while (sp_query_next(&rest, &parameter, &name)) {
        if (sp_query_name_is(name, SP_STR("qr"))) {
            found = true;
            continue;
        }
        sp_buf_append_char(url, separator);
        sp_url_append(url, parameter, SP_OCTETS_SENT);
        separator = '&';
    }
    return found;
}

bool sp_answer_qr(sp_run_t *run)
{
    sp_buf_t url;
    sp_str_t png = {.ptr = NULL, .len = 0};
    sp_status_t status = SP_OK;

    if (!run->policy->qr.enabled || !run->request->has_query) {
        return false;
    }
    sp_buf_init(&url, run->arena, SP_LOCATION_MAX);
    if (!url_to_draw(run, &url)) {
        return false;
    }
    status = url.status == SP_OK ? sp_qr_draw(sp_buf_str(&url), &run->policy->qr, run->arena, &png)
                                 : url.status;
    if (status == SP_NO_MEMORY) {
        sp_run_out_of_memory(run);
    } else if (status != SP_OK) {
        sp_refuse(run, SP_OUTCOME_BAD_REQUEST, 400, "The URL is too long for a QR code.");
    } else {
        sp_page(run, NULL, SP_STR("image/png"), png,
                (sp_header_t){.name = {.ptr = NULL, .len = 0}});
    }
    return true;
}
