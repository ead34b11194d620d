/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/lab/lab.h"
#include "lab/files.h"
#include "lab/report/result_file.h"
#include "lab/run.h"

#define RESULTS_MAX 16

/* A folder stands for the result in it. */
static void result_path(const char *given, char *path, size_t size)
{
    struct stat about;
    bool is_folder = stat(given, &about) == 0 && S_ISDIR(about.st_mode);

    (void)snprintf(path, size, "%s%s", given, is_folder ? "/" SP_LAB_RESULT_NAME : "");
}

static int print_page(const sp_lab_report_result_t *results, size_t count, const char *out)
{
    FILE *file = fopen(out, "w");
    char message[SP_ERROR_MESSAGE_MAX];
    sp_status_t status = SP_OK;

    if (file == NULL) {
        (void)snprintf(message, sizeof(message), "%.120s: %s", out, strerror(errno));
        return sp_cli_lab_fail(SP_EXIT_FAILED, message);
    }
    status = sp_lab_report_write(results, count, file);
    if (fclose(file) != 0 || status != SP_OK) {
        (void)snprintf(message, sizeof(message), "%.120s can't be written: %s", out,
                       status == SP_TOO_LONG    ? "too many results or too long texts"
                       : status == SP_NO_MEMORY ? "out of memory"
                                                : strerror(errno));
        return sp_cli_lab_fail(SP_EXIT_FAILED, message);
    }
    return SP_EXIT_DONE;
}

int sp_cli_lab_write_report(const char *const *results, size_t count, const char *out,
                            const char *charts)
{
    sp_lab_report_result_t read[RESULTS_MAX] = {{.label = NULL}};
    char path[SP_LAB_PATH_MAX + 16];
    sp_error_t err = {.message = ""};
    int result = SP_EXIT_DONE;

    for (size_t i = 0; result == SP_EXIT_DONE && i != count; ++i) {
        read[i].label = results[i];
        result_path(results[i], path, sizeof(path));
        if (sp_lab_result_read(path, &read[i].root, &err) != SP_OK) {
            result = sp_cli_lab_fail(sp_cli_lab_status(&err), err.message);
        }
    }
    if (result == SP_EXIT_DONE) {
        result = print_page(read, count, out);
    }
    if (result == SP_EXIT_DONE && charts != NULL &&
        (sp_lab_folder_make(charts, &err) != SP_OK ||
         sp_lab_report_charts(read, count, charts, &err) != SP_OK)) {
        result = sp_cli_lab_fail(SP_EXIT_FAILED, err.message);
    }
    for (size_t i = 0; i != count; ++i) {
        json_decref(read[i].root);
    }
    return result;
}

int sp_cli_lab_report(const sp_arguments_t *arguments, size_t at)
{
    const char *results[RESULTS_MAX];
    const char *out = sp_arguments_value(arguments, "o");
    size_t count = 0;

    for (const char *word = NULL; (word = sp_arguments_next(arguments, NULL, &at)) != NULL;) {
        if (count == RESULTS_MAX) {
            return sp_usage_error("lab", "at most %d results side by side", RESULTS_MAX);
        }
        results[count++] = word;
    }
    if (count == 0) {
        return sp_usage_error("lab", "say which results: result.json, or the folder that it is in");
    }
    return sp_cli_lab_write_report(results, count, out == NULL ? "report.html" : out,
                                   sp_arguments_value(arguments, "charts"));
}
