/* SPDX-License-Identifier: Apache-2.0 */
#include <netinet/in.h>
#include <stdlib.h>

#include <unistd.h>

#include "acme/outlook.h"
#include "cli/commands.h"
#include "cli/explain/print_text.h"
#include "cli/settings.h"
#include "explain/json.h"
#include "explain/print_json.h"
#include "explain/request.h"
#include "serve/snapshot.h"

#define ARENA_CHUNK 16384

static const sp_option_t options[] = {
    {"config", 0, "FILE", "configuration file (JSON)"},
    {"resolver", 0, "ADDR[:PORT]", "ask this resolver; may be given more than once"},
    {"zone", 0, "FILE", "answer from this zone file; may be given more than once"},
    {NULL, 'H', "'Name: value'", "a header of the request; may be given more than once"},
    {NULL, 'X', "METHOD", "the request's method, GET unless given"},
    {"json", 0, NULL, "print a JSON object"},
};

/* What one run of the command holds; all of it is released in the end. */
typedef struct session {
    const sp_arguments_t *arguments;
    sp_settings_t settings;
    sp_snapshot_t *snapshot;
    sp_arena_t arena;
    sp_raw_request_t raw;
    sp_explanation_t explanation;
    sp_storage_t *storage; /* NULL: none, or it can't be read */
    sp_permission_t permission;
} session_t;

static int fail(int result, const char *message)
{
    (void)fprintf(stderr, "signpost explain: %s\n", message);
    return result;
}

/* Configuration, zones and resolvers, as the daemon takes them. */
static int load(session_t *session)
{
    const sp_log_t log = {.level = SP_LOG_ERROR};
    sp_status_t status = SP_OK;

    if (sp_settings_read(session->arguments, &session->settings) != SP_OK) {
        return fail(SP_EXIT_FAILED, "out of memory");
    }
    status = sp_snapshot_load(&session->settings.flags, &log, NULL, &session->snapshot);
    if (status != SP_OK) {
        return status == SP_NO_MEMORY ? SP_EXIT_FAILED : SP_EXIT_USAGE;
    }
    return SP_EXIT_DONE;
}

/* The peer counts as 127.0.0.1, so that forwarding headers are believed where a proxy on this
 * machine would be. */
static bool trusts_this_machine(const sp_config_t *config)
{
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    union {
        const struct sockaddr_in *in;
        const struct sockaddr *any;
    } address = {.in = &peer};

    return sp_config_trusts(config, address.any);
}

static int read_request(session_t *session)
{
    const sp_arguments_t *arguments = session->arguments;
    size_t count = sp_arguments_count(arguments, "H");
    const char **fields = sp_arena_zalloc(&session->arena, count + 1, sizeof(*fields));
    size_t at = 0;
    const char *url = sp_arguments_next(arguments, NULL, &at);
    sp_explain_input_t input;
    sp_error_t err = {.status = SP_OK};

    if (fields == NULL) {
        return fail(SP_EXIT_FAILED, "out of memory");
    }
    if (sp_arguments_count(arguments, NULL) != 1) {
        return sp_usage_error("explain", url == NULL ? "give a URL" : "give one URL only");
    }
    at = 0;
    for (size_t i = 0; i != count; ++i) {
        fields[i] = sp_arguments_next(arguments, "H", &at);
    }
    input = (sp_explain_input_t){.url = url,
                                 .method = sp_arguments_value(arguments, "X"),
                                 .fields = fields,
                                 .field_count = count};
    if (sp_explain_request(&input, &session->arena, &session->raw, &err) != SP_OK) {
        return sp_usage_error("explain", "%s", err.message);
    }
    return SP_EXIT_DONE;
}

static bool wants_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return isatty(STDOUT_FILENO) != 0 && (no_color == NULL || no_color[0] == '\0') &&
           (terminal == NULL || !sp_str_eq(sp_str_from(terminal), SP_STR("dumb")));
}

/* What about the certificate, where they are got on demand. */
static sp_status_t judge_certificate(session_t *session, sp_error_t *err)
{
    const sp_config_t *config = sp_snapshot_config(session->snapshot);
    const sp_outlook_with_t with = {.settings = &config->acme,
                                    .alone = {.policy = &config->policy,
                                              .dns = sp_snapshot_dns(session->snapshot),
                                              .zones = sp_snapshot_zones(session->snapshot),
                                              .timeout_ms = config->dns.timeout_ms},
                                    .storage = session->storage};

    return sp_outlook_run(session->explanation.request.host, &with, &session->arena,
                          &session->permission, err);
}

static sp_status_t print(const session_t *session, bool has_certificate)
{
    const sp_outlook_places_t places = {.certificates =
                                            sp_snapshot_config(session->snapshot)->tls_certificates,
                                        .storage = session->storage};
    char text[SP_OUTLOOK_TEXT_MAX];
    json_t *root = NULL;

    if (sp_arguments_has(session->arguments, "json")) {
        root = sp_explanation_json(&session->explanation);
        if (has_certificate) {
            (void)json_object_set_new(root, "certificate",
                                      sp_outlook_json(&places, &session->permission));
        }
        return sp_json_print(root, stdout);
    }
    if (sp_explain_print_text(&session->explanation, wants_colour(), stdout) != SP_OK) {
        return SP_IO;
    }
    if (has_certificate) {
        sp_outlook_print(&places, &session->permission, text);
        (void)printf("\ncertificate: %s\n", text);
    }
    return SP_OK;
}

static int explain(session_t *session)
{
    const sp_config_t *config = sp_snapshot_config(session->snapshot);
    const sp_explain_alone_t alone = {.policy = &config->policy,
                                      .dns = sp_snapshot_dns(session->snapshot),
                                      .zones = sp_snapshot_zones(session->snapshot),
                                      .timeout_ms = config->dns.timeout_ms};
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;
    bool has_certificate = false;

    session->raw.trusted_peer = trusts_this_machine(config);
    status = sp_explain_run(&session->raw, &alone, &session->arena, &session->explanation, &err);
    if (status != SP_OK) {
        return fail(SP_EXIT_FAILED, err.message);
    }
    has_certificate = config->acme.storage != NULL && session->explanation.readable;
    if (has_certificate) {
        /* Whoever may not read it is told what can be told without. */
        (void)sp_storage_open(config->acme.storage, false, &session->storage, NULL);
        status = judge_certificate(session, &err);
    }
    if (status != SP_OK) {
        return fail(SP_EXIT_FAILED, err.message);
    }
    if (print(session, has_certificate) != SP_OK) {
        return fail(SP_EXIT_FAILED, "the answer can't be written");
    }
    return session->explanation.outcome->status < 400 ? SP_EXIT_DONE : SP_EXIT_FAILED;
}

static int run(const sp_arguments_t *arguments)
{
    session_t session = {.arguments = arguments};
    int result = SP_EXIT_DONE;

    sp_arena_init(&session.arena, NULL, 0, ARENA_CHUNK);
    result = read_request(&session);
    if (result == SP_EXIT_DONE) {
        result = load(&session);
    }
    if (result == SP_EXIT_DONE) {
        result = explain(&session);
    }
    sp_explanation_clear(&session.explanation);
    sp_storage_close(session.storage);
    sp_snapshot_release(session.snapshot);
    sp_settings_clear(&session.settings);
    sp_arena_clear(&session.arena);
    return result;
}

const sp_command_t sp_command_explain = {
    .name = "explain",
    .summary = "show how one URL is answered, and why",
    .usage = "[--config FILE] [--resolver ADDR[:PORT]]... [--zone FILE]...\n"
             "                        [-H 'Name: value']... [-X METHOD] [--json] URL",
    .about = "Decides one request as the service would, and shows each DNS name that is asked,\n"
             "what came back, the record as it is read, and the answer. A URL without scheme is\n"
             "http. A header Host replaces the URL's; the peer counts as 127.0.0.1, so that\n"
             "X-Forwarded headers are believed where 'trusted_proxies' has it.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost explain --zone examples/zones/demo.zone http://www.example.com/\n"
                "  signpost explain --resolver 127.0.0.1:5353 --json https://example.com/docs",
    .failure = "no redirect and no page: the answer's status is 400 or above",
    .run = run,
};
