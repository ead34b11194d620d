/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/admin/router.h"

#include "serve/admin/endpoints.h"
#include "serve/admin/page.h"
#include "serve/admin/reply.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

static void show_index(sp_admin_t *admin, sp_call_t *call);
static void show_style(sp_admin_t *admin, sp_call_t *call);

static const sp_admin_route_t routes[] = {
    {TEXT("/"), show_index, NULL, TEXT(""), TEXT("")},
    {TEXT("/style.css"), show_style, NULL, TEXT(""), TEXT("")},
    {TEXT("/healthz"), sp_admin_health, NULL, TEXT("GET /healthz"),
     TEXT("200 while the process runs")},
    {TEXT("/readyz"), sp_admin_readiness, NULL, TEXT("GET /readyz"),
     TEXT("200 when redirects can be answered, else 503 and why")},
    {TEXT("/metrics"), sp_admin_metrics, NULL, TEXT("GET /metrics"),
     TEXT("counters, in Prometheus' text format")},
    {TEXT("/explain"), sp_admin_explain, NULL, TEXT("GET /explain?url=URL"),
     TEXT("how one URL is answered, and why; also method=METHOD, header=NAME: VALUE, format=json")},
    {TEXT("/cache"), sp_admin_cache, sp_admin_forget, TEXT("GET /cache"),
     TEXT("what the cache holds, in figures")},
    {TEXT("/certificates"), sp_admin_certificates, NULL, TEXT("GET /certificates"),
     TEXT("certificates that clients have asked for, the last used first")},
    {TEXT("/ask"), sp_admin_ask, NULL, TEXT("GET /ask?domain=NAME"),
     TEXT("200 when a certificate may be got for a name, else 403 and why")},
    {TEXT("/config"), sp_admin_config, NULL, TEXT("GET /config"),
     TEXT("the configuration in force")},
};

/* What the table has no row for. */
static const sp_admin_route_t more_usage[] = {
    {TEXT("/cache"), NULL, NULL, TEXT("DELETE /cache?name=NAME"), TEXT("forgets one DNS name")},
    {TEXT("/cache"), NULL, NULL, TEXT("DELETE /cache?host=HOST"),
     TEXT("forgets the names that decide for a host; also path=PATH")},
};

const sp_admin_route_t *sp_admin_route(sp_str_t path)
{
    for (size_t i = 0; i != SP_COUNT(routes); ++i) {
        if (sp_str_eq(routes[i].path, path)) {
            return &routes[i];
        }
    }
    return NULL;
}

sp_admin_fn *sp_admin_route_method(const sp_admin_route_t *route, sp_str_t method)
{
    if (sp_str_eq(method, SP_STR("GET")) || sp_str_eq(method, SP_STR("HEAD"))) {
        return route->get;
    }
    return sp_str_eq(method, SP_STR("DELETE")) ? route->remove : NULL;
}

sp_str_t sp_admin_route_allow(const sp_admin_route_t *route)
{
    return route->remove == NULL ? SP_STR("GET, HEAD") : SP_STR("GET, HEAD, DELETE");
}

static json_t *usage_json(void)
{
    json_t *object = json_object();

    for (size_t i = 0; i != SP_COUNT(routes) + SP_COUNT(more_usage); ++i) {
        const sp_admin_route_t *route =
            i < SP_COUNT(routes) ? &routes[i] : &more_usage[i - SP_COUNT(routes)];

        if (route->usage.len != 0) {
            (void)json_object_set_new(object, route->usage.ptr,
                                      json_stringn(route->summary.ptr, route->summary.len));
        }
    }
    return object;
}

static void show_index_page(sp_call_t *call)
{
    sp_buf_t page;

    sp_reply_begin(call, &page);
    sp_page_begin(&page, SP_STR("signpost"));
    sp_page_form(&page, NULL);
    sp_buf_append(&page, SP_STR("<h2>Endpoints</h2>\n<dl class=endpoints>\n"));
    for (size_t i = 0; i != SP_COUNT(routes) + SP_COUNT(more_usage); ++i) {
        const sp_admin_route_t *route =
            i < SP_COUNT(routes) ? &routes[i] : &more_usage[i - SP_COUNT(routes)];

        if (route->usage.len == 0) {
            continue;
        }
        sp_buf_append(&page, SP_STR("<dt>"));
        if (route->get != NULL) {
            sp_buf_append(&page, SP_STR("<a href=\""));
            sp_buf_append_html(&page, route->path);
            sp_buf_append(&page, SP_STR("\">"));
        }
        sp_buf_append_html(&page, route->usage);
        sp_buf_append(&page, route->get != NULL ? SP_STR("</a></dt><dd>") : SP_STR("</dt><dd>"));
        sp_buf_append_html(&page, route->summary);
        sp_buf_append(&page, SP_STR("</dd>\n"));
    }
    sp_buf_append(&page, SP_STR("</dl>\n"));
    sp_page_end(&page);
    sp_reply_body(call, 200, SP_STR("text/html; charset=utf-8"), &page);
}

static void show_index(sp_admin_t *admin, sp_call_t *call)
{
    (void)admin;
    if (sp_reply_wants_html(call)) {
        show_index_page(call);
    } else {
        sp_reply_json_own(call, 200, json_pack("{so}", "endpoints", usage_json()));
    }
}

static void show_style(sp_admin_t *admin, sp_call_t *call)
{
    sp_buf_t style;

    (void)admin;
    sp_reply_begin(call, &style);
    sp_buf_append(&style, sp_page_style());
    sp_reply_body(call, 200, SP_STR("text/css; charset=utf-8"), &style);
}

void sp_admin_dispatch(void *arg, sp_call_t *call)
{
    const sp_admin_route_t *route = sp_admin_route(sp_call_path(call));
    sp_admin_fn *handle = NULL;

    if (route == NULL) {
        sp_reply_json_own(
            call, 404,
            json_pack("{ss,so}", "error", "there is no such endpoint", "endpoints", usage_json()));
        return;
    }
    handle = sp_admin_route_method(route, sp_call_method(call));
    if (handle == NULL) {
        sp_reply_not_allowed(call, sp_admin_route_allow(route));
        return;
    }
    handle(arg, call);
}
