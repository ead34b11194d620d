/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"
#include "cli/settings.h"
#include "serve/server.h"

static const sp_option_t options[] = {
    {"config", 0, "FILE", "configuration file (JSON)"},
    {"listen", 0, "ADDR:PORT", "listen here; may be given more than once"},
    {"resolver", 0, "ADDR[:PORT]", "ask this resolver; may be given more than once"},
    {"zone", 0, "FILE", "answer from this zone file; may be given more than once"},
    {"threads", 0, "N", "worker threads; 0 means one per CPU"},
    {"no-cache", 0, NULL, "ask DNS anew for each request"},
    {"check", 0, NULL, "load everything, report every fault, and exit"},
};

static int run(const sp_arguments_t *arguments)
{
    sp_settings_t settings;
    int result = SP_EXIT_FAILED;

    if (sp_arguments_count(arguments, NULL) != 0) {
        size_t at = 0;

        return sp_usage_error("serve", "unexpected argument '%s'",
                              sp_arguments_next(arguments, NULL, &at));
    }
    if (sp_settings_read(arguments, &settings) != SP_OK) {
        (void)fputs("signpost serve: out of memory\n", stderr);
        return SP_EXIT_FAILED;
    }
    if (!sp_arguments_has(arguments, "check")) {
        result = sp_serve_run(&settings.flags);
    } else {
        result = sp_serve_check(&settings.flags);
        if (result == SP_EXIT_DONE) {
            (void)puts("configuration is good");
        }
    }
    sp_settings_clear(&settings);
    return result;
}

const sp_command_t sp_command_serve = {
    .name = "serve",
    .summary = "run the redirect service",
    .usage = "[--config FILE] [--listen ADDR:PORT]... [--resolver ADDR[:PORT]]...\n"
             "                      [--zone FILE]... [--threads N] [--no-cache] [--check]",
    .about = "Answers HTTP requests with the redirects that DNS says. Runs in the foreground,\n"
             "prints 'ready' once it accepts connections, writes the access log to standard\n"
             "output and messages to standard error. SIGTERM and SIGINT drain, SIGHUP reads\n"
             "configuration, zones and certificates again.\n"
             "\n"
             "Options beat the environment (SIGNPOST_LISTEN, SIGNPOST_RESOLVER,\n"
             "SIGNPOST_CONFIG, SIGNPOST_THREADS), which beats the configuration file, which\n"
             "beats the defaults.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost serve --listen 127.0.0.1:8080 --zone examples/zones/demo.zone\n"
                "  signpost serve --config /etc/signpost/signpost.json --check",
    .failure = "it can't run, for example because a port is in use",
    .run = run,
};
