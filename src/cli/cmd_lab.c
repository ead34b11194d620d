/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/commands.h"
#include "cli/lab/lab.h"

static const sp_option_t options[] = {
    {"quick", 0, NULL, "run: the short form of the experiments"},
    {"repeat", 0, "N", "run: so many repetitions instead of the experiment's own"},
    {"out", 0, "DIR", "run: where the results go; ./lab-results/TIME-EXPERIMENTS unless given"},
    {"machine-wide", 0, NULL, "run: nf_conntrack_max of the machine may be lowered for a moment"},
    {"lab", 0, "DIR", "list, run: folder with experiments and roles"},
    {NULL, 'o', "FILE", "report: where the page goes; report.html unless given"},
    {"charts", 0, "DIR", "report: write each chart as an SVG file there as well"},
};

static const sp_action_t actions[] = {
    {"list", "lab"},
    {"run", "quick repeat out machine-wide lab"},
    {"report", "o charts"},
};

static int run(const sp_arguments_t *arguments)
{
    size_t at = 0;
    const char *word = sp_arguments_next(arguments, NULL, &at);

    if (word == NULL) {
        return sp_usage_error("lab", "say list, run or report");
    }
    if (strcmp(word, "list") == 0) {
        return sp_cli_lab_list(arguments, at);
    }
    if (strcmp(word, "run") == 0) {
        return sp_cli_lab_run(arguments, at);
    }
    if (strcmp(word, "report") == 0) {
        return sp_cli_lab_report(arguments, at);
    }
    return sp_usage_error("lab", "'%s' is neither list nor run nor report", word);
}

const sp_command_t sp_command_lab = {
    .name = "lab",
    .summary = "measure what DNS does to an application, in a small cluster",
    .usage = "list [EXPERIMENT]...\n"
             "                    run EXPERIMENT... [--quick] [--repeat N] [--out DIR]\n"
             "                    report RESULT... [-o FILE]",
    .about =
        "Builds a small cluster network out of namespaces on this machine, runs the same\n"
        "load over different DNS set-ups, and shows throughput and latency side by side.\n"
        "\n"
        "  list    the experiments: what they ask, what they need and whether it is here,\n"
        "          how long they take\n"
        "  run     builds the network, starts the servers, measures, takes all of it down,\n"
        "          and writes result.json and report.html; needs root\n"
        "  report  a page from one result, or from several side by side; a RESULT is a\n"
        "          result.json or the folder that it is in\n"
        "\n"
        "An EXPERIMENT is a name that 'list' shows, or the path of a .json file. Nothing of a\n"
        "run is left behind, however it ends; Ctrl-C writes what was measured until then.\n"
        "Servers that are not on PATH are also looked for in $SIGNPOST_LAB_PATH and in\n"
        "~/.cache/signpost/lab/bin.",
    .options = options,
    .option_count = SP_COUNT(options),
    .actions = actions,
    .action_count = SP_COUNT(actions),
    .examples = "  signpost lab list\n"
                "  sudo signpost lab run E1 --quick\n"
                "  signpost lab report lab-results/*-E1 -o compared.html",
    .failure = "something is missing, could not be measured, or was interrupted",
    .run = run,
};
