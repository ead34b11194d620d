/* SPDX-License-Identifier: Apache-2.0 */

/* `type=gometa`: Go import paths (records.md ANS-2). The page is what `go help importpath`
 * describes. */

#include <signpost/base/buf.h>

#include "decide/run.h"

static const sp_values_t no_values = {.numbered = NULL};

static void append_prefix(sp_buf_t *body, const sp_request_t *request)
{
    sp_buf_append_html(body, request->host);
    if (!sp_str_eq(request->path, SP_STR("/"))) {
        sp_buf_append_html(body, request->path);
    }
}

static bool is_on_github(const sp_url_t *url)
{
    return sp_str_eq_nocase(url->authority, SP_STR("github.com"));
}

static sp_str_t import_page(sp_run_t *run, const sp_met_t *met, const sp_target_t *target)
{
    sp_buf_t body;

    sp_buf_init(&body, run->arena, (size_t)32 * SP_LOCATION_MAX);
    sp_buf_append(&body, SP_STR("<!doctype html>\n<html><head><meta charset=\"utf-8\">\n"
                                "<meta name=\"go-import\" content=\""));
    append_prefix(&body, run->request);
    sp_buf_append_char(&body, ' ');
    sp_buf_append_html(&body, met->record->vcs);
    sp_buf_append_char(&body, ' ');
    sp_buf_append_html(&body, target->text);
    sp_buf_append(&body, SP_STR("\">\n"));
    if (is_on_github(&target->url)) {
        sp_buf_append(&body, SP_STR("<meta name=\"go-source\" content=\""));
        append_prefix(&body, run->request);
        sp_buf_append(&body, SP_STR(" _ "));
        sp_buf_append_html(&body, target->text);
        sp_buf_append(&body, SP_STR("/tree/master{/dir} "));
        sp_buf_append_html(&body, target->text);
        sp_buf_append(&body, SP_STR("/blob/master{/dir}/{file}#L{line}\">\n"));
    }
    sp_buf_append(&body, SP_STR("</head><body>go get "));
    append_prefix(&body, run->request);
    sp_buf_append(&body, SP_STR("</body></html>\n"));
    return body.status == SP_OK ? sp_buf_str(&body) : (sp_str_t){.ptr = NULL, .len = 0};
}

static void answer_go(sp_run_t *run, const sp_met_t *met, const sp_level_t *level)
{
    const sp_values_t *values = level == NULL ? &no_values : &level->values;
    sp_target_t target;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_BAD_VALUE;

    if (met->record->to == NULL) {
        (void)sp_fail(&err, SP_BAD_VALUE, 0, "it has no to=, which names the repository");
    } else {
        status = sp_target_finish(
            met->record->to,
            &(sp_expansion_t){.request = run->request, .values = values, .arena = run->arena},
            SP_TARGET_REPOSITORY, &target, &err);
    }
    if (status == SP_OK) {
        sp_str_t body = import_page(run, met, &target);

        if (body.ptr != NULL) {
            sp_page(run, met, SP_STR("text/html; charset=utf-8"), body,
                    (sp_header_t){.name = {.ptr = NULL, .len = 0}});
            return;
        }
        status = SP_NO_MEMORY;
    }
    if (status == SP_NO_MEMORY) {
        sp_run_out_of_memory(run);
        return;
    }
    sp_run_fault(run, met->name, err.message);
    sp_fall_back(run, level);
}

static void answer_people(sp_run_t *run, const sp_met_t *met, const sp_level_t *level)
{
    const sp_record_t *own = met->record;
    const sp_record_t *parent = level == NULL ? NULL : level->met->record;
    const sp_template_t *target = own->website != NULL ? own->website : own->to;
    const sp_met_t *deciding = met;

    if (target == NULL && parent != NULL) {
        target = parent->website != NULL ? parent->website : parent->to;
        deciding = level->met;
    }
    if (target == NULL) {
        sp_run_fault(run, met->name, "it has neither website= nor to=");
    }
    if (target == NULL ||
        !sp_redirect(run, deciding, target, 302, level == NULL ? &no_values : &level->values)) {
        sp_fall_back(run, level);
    }
}

void sp_answer_gometa(sp_run_t *run, const sp_met_t *met, const sp_level_t *level)
{
    sp_str_t go_get = {.ptr = NULL, .len = 0};

    if (sp_query_find(run->request->query, SP_STR("go-get"), run->arena, &go_get) != SP_OK) {
        sp_run_out_of_memory(run);
    } else if (sp_str_eq(go_get, SP_STR("1"))) {
        answer_go(run, met, level);
    } else {
        answer_people(run, met, level);
    }
}
