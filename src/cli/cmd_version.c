/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/select.h> /* ares.h wants fd_set */

#include <ares.h>
#include <idn2.h>
#include <openssl/crypto.h>

#include "cli/commands.h"
#include "dns/compat_h2o.h"
#include "explain/json.h"

static const sp_option_t options[] = {
    {"json", 0, NULL, "print a JSON object"},
};

/* A library that signpost runs with. h2o can't be asked, so its version is that which signpost was
 * built with; RE2 has none to tell. */
typedef struct library {
    const char *name;
    const char *version;
} library_t;

static int print_json(const library_t *libraries, size_t count)
{
    json_t *object = json_object();
    json_t *root = NULL;

    for (size_t i = 0; i != count; ++i) {
        if (json_object_set_new(object, libraries[i].name, json_string(libraries[i].version)) !=
            0) {
            json_decref(object);
            object = NULL;
            break;
        }
    }
    if (object != NULL) {
        root = json_pack("{ss,so}", "version", SIGNPOST_VERSION, "libraries", object);
    }
    if (sp_json_print(root, stdout) != SP_OK) {
        (void)fputs("signpost version: the answer can't be written\n", stderr);
        return SP_EXIT_FAILED;
    }
    return SP_EXIT_DONE;
}

static int run(const sp_arguments_t *arguments)
{
    const library_t libraries[] = {
        {"h2o", H2O_VERSION},
        {"c-ares", ares_version(NULL)},
        {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
        {"jansson", jansson_version_str()},
        {"idn2", idn2_check_version(NULL)},
    };

    if (sp_arguments_count(arguments, NULL) != 0) {
        size_t at = 0;

        return sp_usage_error("version", "unexpected argument '%s'",
                              sp_arguments_next(arguments, NULL, &at));
    }
    if (sp_arguments_has(arguments, "json")) {
        return print_json(libraries, SP_COUNT(libraries));
    }
    (void)puts("signpost " SIGNPOST_VERSION);
    for (size_t i = 0; i != SP_COUNT(libraries); ++i) {
        (void)printf("  %-8s %s\n", libraries[i].name, libraries[i].version);
    }
    return SP_EXIT_DONE;
}

const sp_command_t sp_command_version = {
    .name = "version",
    .summary = "print the version, and those of the libraries in use",
    .usage = "[--json]",
    .about = "Prints the version of signpost and of the libraries that it runs with.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost version\n"
                "  signpost version --json",
    .failure = "the answer can't be written",
    .run = run,
};
