/* SPDX-License-Identifier: Apache-2.0 */
#include <netinet/in.h>
#include <string.h>

#include "acme/outlook.h"
#include "explain/print_json.h"
#include "explain/request.h"
#include "serve/admin/endpoints.h"
#include "serve/admin/page.h"
#include "serve/admin/query.h"
#include "serve/admin/reply.h"
#include "serve/issuer.h"

#define EXPLAINING_MAX 64 /* calls that wait for DNS at a time */
#define FIELDS_MAX 100    /* header fields of the request to explain */
#define HTML SP_STR("text/html; charset=utf-8")

/* One call; lies in its memory. */
typedef struct asking {
    sp_admin_t *admin;
    sp_call_t *call;
    bool wants_html;
    sp_page_form_t form; /* as given */
    const char *fields[FIELDS_MAX];
    size_t field_count;
    sp_raw_request_t raw;
    sp_upstream_use_t *use;
    sp_explanation_t explanation;
    sp_permission_t permission; /* of its certificate */
    bool has_permission;
    bool is_waiting;
} asking_t;

static void on_gone(void *arg)
{
    asking_t *asking = arg;

    sp_permission_clear(&asking->permission);
    sp_explanation_clear(&asking->explanation);
    asking->admin->explaining -= asking->is_waiting ? 1 : 0;
    if (asking->use != NULL) {
        sp_upstream_leave(asking->use);
    }
}

static void begin_page(asking_t *asking, sp_buf_t *page)
{
    sp_reply_begin(asking->call, page);
    sp_page_begin(page, SP_STR("Explain a URL"));
    sp_page_form(page, &asking->form);
}

static void show_error(asking_t *asking, unsigned status, const char *sentence)
{
    sp_buf_t page;

    if (!asking->wants_html) {
        sp_reply_error(asking->call, status, "%s", sentence);
        return;
    }
    begin_page(asking, &page);
    sp_page_error(&page, sp_str_from(sentence));
    sp_page_end(&page);
    sp_reply_body(asking->call, status, HTML, &page);
}

static const sp_storage_t *storage_of(const asking_t *asking)
{
    sp_issuer_t *issuer = sp_board_issuer(asking->admin->board);

    return issuer == NULL ? NULL : sp_issuer_storage(issuer);
}

static sp_outlook_places_t places_of(const asking_t *asking)
{
    return (sp_outlook_places_t){.certificates =
                                     sp_snapshot_config(asking->use->snapshot)->tls_certificates,
                                 .storage = storage_of(asking)};
}

static void show_json(const asking_t *asking)
{
    const sp_outlook_places_t places = places_of(asking);
    json_t *root = sp_explanation_json(&asking->explanation);

    if (asking->has_permission) {
        (void)json_object_set_new(root, "certificate",
                                  sp_outlook_json(&places, &asking->permission));
    }
    sp_reply_json_own(asking->call, 200, root);
}

static void show(void *arg)
{
    asking_t *asking = arg;
    const sp_outlook_places_t places = places_of(asking);
    char text[SP_OUTLOOK_TEXT_MAX];
    sp_buf_t page;

    if (!asking->wants_html) {
        show_json(asking);
        return;
    }
    begin_page(asking, &page);
    sp_page_explanation(&page, &asking->explanation);
    if (asking->has_permission) {
        sp_outlook_print(&places, &asking->permission, text);
        sp_page_certificate(&page, sp_str_from(text));
    }
    sp_page_end(&page);
    sp_reply_body(asking->call, 200, HTML, &page);
}

/* Each line of the form's field, and each `header=`, is one; the lines are cut in place. */
static bool add_lines(asking_t *asking, sp_str_t lines)
{
    sp_arena_t *arena = sp_call_arena(asking->call);

    while (lines.ptr != NULL) {
        sp_str_t line = sp_str_trim(sp_str_cut(lines, '\n', &lines));
        char *text = NULL;

        if (line.len == 0) {
            continue;
        }
        text = sp_arena_alloc(arena, line.len + 1);
        if (text == NULL || asking->field_count == FIELDS_MAX) {
            return false;
        }
        memcpy(text, line.ptr, line.len);
        text[line.len] = '\0';
        asking->fields[asking->field_count++] = text;
    }
    return true;
}

static bool read_fields(asking_t *asking, sp_str_t query)
{
    sp_arena_t *arena = sp_call_arena(asking->call);
    sp_str_t line = SP_STR("");
    bool is_good = add_lines(asking, asking->form.headers);

    for (size_t i = 0; is_good && line.ptr != NULL; ++i) {
        line = sp_query_value(query, SP_STR("header"), i, arena);
        is_good = add_lines(asking, line);
    }
    return is_good;
}

/* Without blanks around it, ending in NUL. */
static sp_str_t trimmed(sp_str_t text, sp_arena_t *arena)
{
    sp_str_t inner = sp_str_trim(text);
    char *copy = sp_arena_zalloc(arena, inner.len + 1, 1);

    if (copy == NULL || inner.len == 0) {
        return SP_STR("");
    }
    memcpy(copy, inner.ptr, inner.len);
    return (sp_str_t){.ptr = copy, .len = inner.len};
}

static bool has_nul(sp_str_t text)
{
    return sp_str_find(text, '\0') != text.len;
}

/* False when the request has been answered, with what is wrong. */
static bool read_request(asking_t *asking, sp_str_t query)
{
    const sp_page_form_t *form = &asking->form;
    sp_explain_input_t input = {.url = form->url.ptr,
                                .method = form->method.len == 0 ? NULL : form->method.ptr,
                                .fields = asking->fields};
    sp_error_t err = {0};

    if (has_nul(form->url) || has_nul(form->method) || has_nul(form->headers)) {
        show_error(asking, 400, "an octet 0 can stand nowhere in a request");
        return false;
    }
    if (!read_fields(asking, query)) {
        show_error(asking, 400, "too many headers");
        return false;
    }
    input.field_count = asking->field_count;
    if (sp_explain_request(&input, sp_call_arena(asking->call), &asking->raw, &err) != SP_OK) {
        show_error(asking, 400, err.message);
        return false;
    }
    return true;
}

/* As `signpost explain` does: the peer counts as 127.0.0.1. */
static bool trusts_this_machine(const sp_config_t *config)
{
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    return sp_config_trusts(config, (const struct sockaddr *)(const void *)&peer);
}

/* The explanation is there; what about the certificate, where they are got on demand? False: that
 * has still to be waited for. */
static bool judge_certificate(asking_t *asking)
{
    const sp_config_t *config = sp_snapshot_config(asking->use->snapshot);
    const sp_permission_with_t with = {.settings = &config->acme,
                                       .policy = &config->policy,
                                       .lookups = asking->use->lookups,
                                       .caa = asking->use->caa,
                                       .storage = storage_of(asking),
                                       .timeout_ms = config->dns.timeout_ms};

    if (config->acme.storage == NULL || !asking->explanation.readable) {
        return true;
    }
    asking->has_permission = true;
    sp_permission_start(asking->explanation.request.host, &with, sp_call_arena(asking->call), show,
                        asking, &asking->permission);
    return asking->permission.is_done;
}

static void on_explained(void *arg)
{
    asking_t *asking = arg;

    if (judge_certificate(asking)) {
        show(asking);
    }
}

static void begin(asking_t *asking)
{
    bool is_to_wait = true;

    const sp_config_t *config = NULL;
    sp_explain_with_t with = {0};

    if (asking->admin->explaining == EXPLAINING_MAX) {
        show_error(asking, 503, "too many explanations wait for DNS: ask again");
        return;
    }
    asking->use = sp_upstream_enter(asking->admin->upstream);
    config = sp_snapshot_config(asking->use->snapshot);
    with.policy = &config->policy;
    with.lookups = asking->use->lookups;
    with.timeout_ms = config->dns.timeout_ms;
    asking->raw.trusted_peer = trusts_this_machine(config);
    if (sp_explain_start(&asking->raw, &with, sp_call_arena(asking->call), on_explained, asking,
                         &asking->explanation) != SP_OK) {
        show_error(asking, 503, "out of memory");
        return;
    }
    if (asking->explanation.outcome != NULL) {
        is_to_wait = !judge_certificate(asking);
    }
    if (is_to_wait) {
        asking->is_waiting = true;
        ++asking->admin->explaining;
    } else {
        show(asking);
    }
}

static bool wants_json(sp_str_t query, sp_arena_t *arena)
{
    return sp_str_eq(sp_query_value(query, SP_STR("format"), 0, arena), SP_STR("json"));
}

void sp_admin_explain(sp_admin_t *admin, sp_call_t *call)
{
    sp_arena_t *arena = sp_call_arena(call);
    sp_str_t query = sp_call_query(call);
    asking_t *asking = sp_arena_zalloc(arena, 1, sizeof(*asking));
    sp_buf_t page;

    if (asking == NULL) {
        sp_reply_error(call, 503, "out of memory");
        return;
    }
    asking->admin = admin;
    asking->call = call;
    asking->wants_html = sp_reply_wants_html(call) && !wants_json(query, arena);
    asking->form.query = query;
    asking->form.url = trimmed(sp_query_value(query, SP_STR("url"), 0, arena), arena);
    asking->form.method = trimmed(sp_query_value(query, SP_STR("method"), 0, arena), arena);
    asking->form.headers = sp_query_value(query, SP_STR("headers"), 0, arena);
    sp_call_set_on_gone(call, on_gone, asking);
    if (asking->form.url.len != 0) {
        if (read_request(asking, query)) {
            begin(asking);
        }
    } else if (asking->wants_html) {
        begin_page(asking, &page);
        sp_page_end(&page);
        sp_reply_body(call, 200, HTML, &page);
    } else {
        sp_reply_error(call, 400, "give the URL as url=URL");
    }
}
