/* SPDX-License-Identifier: Apache-2.0 */

/* The laboratory starts this; it is not meant for people. */

#include "cli/commands.h"
#include "lab/relay.h"

#define PORT_MAX 65535

static const sp_option_t options[] = {
    {"port", 0, "N", "where to listen, on all addresses"},
};

static int run(const sp_arguments_t *arguments)
{
    uint64_t port = 0;
    sp_error_t err;

    if (!sp_arguments_uint(arguments, "port", PORT_MAX, &port) || port == 0) {
        return sp_usage_error("lab-relay", "--port must be 1 to 65535");
    }
    if (sp_relay_run((unsigned)port, &err) != SP_OK) {
        (void)fprintf(stderr, "signpost lab-relay: %s\n", err.message);
        return SP_EXIT_FAILED;
    }
    return SP_EXIT_DONE;
}

const sp_command_t sp_command_lab_relay = {
    .name = "lab-relay",
    .summary = "relay TCP connections that iptables redirects (for `signpost lab`)",
    .usage = "--port N",
    .about =
        "Accepts TCP connections that iptables REDIRECT sends here, and carries their octets to\n"
        "where they wanted to go. `signpost lab` starts it as a service proxy in user space.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost lab-relay --port 9001\n",
    .failure = "it cannot listen",
    .run = run,
};
