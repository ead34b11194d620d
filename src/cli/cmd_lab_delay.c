/* SPDX-License-Identifier: Apache-2.0 */

/* The laboratory starts this; it is not meant for people. */

#include "cli/commands.h"
#include "lab/delay.h"

#define QUEUE_MAX 65535
#define DELAY_US_MAX 60000000

static const sp_option_t options[] = {
    {"queue", 0, "N", "the NFQUEUE that packets come from"},
    {"delay-us", 0, "N", "microseconds that a packet is kept"},
    {"jitter-us", 0, "N", "give or take so many, evenly distributed"},
    {"seed", 0, "N", "of the jitter"},
};

static int run(const sp_arguments_t *arguments)
{
    sp_delay_options_t delay = {.queue = 0};
    uint64_t queue = 0;
    sp_error_t err;

    if (!sp_arguments_uint(arguments, "queue", QUEUE_MAX, &queue) ||
        !sp_arguments_uint(arguments, "delay-us", DELAY_US_MAX, &delay.delay_us) ||
        !sp_arguments_uint(arguments, "jitter-us", delay.delay_us, &delay.jitter_us) ||
        !sp_arguments_uint(arguments, "seed", UINT64_MAX, &delay.seed)) {
        return sp_usage_error("lab-delay", "--queue must be 0 to 65535, --delay-us 0 to 60000000, "
                                           "--jitter-us at most that, --seed a number");
    }
    delay.queue = (unsigned)queue;
    if (sp_delay_run(&delay, &err) != SP_OK) {
        (void)fprintf(stderr, "signpost lab-delay: %s\n", err.message);
        return SP_EXIT_FAILED;
    }
    return SP_EXIT_DONE;
}

const sp_command_t sp_command_lab_delay = {
    .name = "lab-delay",
    .summary = "delay packets that iptables sends to NFQUEUE (for `signpost lab`)",
    .usage = "--queue N --delay-us N [--jitter-us N] [--seed N]",
    .about =
        "Keeps the packets of an NFQUEUE for a time, in their order. `signpost lab` starts it\n"
        "where the kernel has no netem.",
    .options = options,
    .option_count = SP_COUNT(options),
    .examples = "  signpost lab-delay --queue 0 --delay-us 5000\n",
    .failure = "the queue cannot be had",
    .run = run,
};
