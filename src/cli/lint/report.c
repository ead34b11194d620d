/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/lint/report.h"

#include "explain/json.h"

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void sp_lint_print_text(const sp_lint_t *lint, const char *file, FILE *out)
{
    const size_t *by = lint->severities;

    for (size_t i = 0; i != lint->finding_count; ++i) {
        const sp_lint_finding_t *finding = &lint->findings[i];

        (void)fprintf(out, "%s:%zu:%zu: %s: %s [%s]\n    %s\n", file, finding->place.line,
                      finding->place.column, sp_severity_name(finding->severity), finding->message,
                      finding->code, finding->advice);
    }
    (void)fprintf(out, "%s: %zu error%s, %zu warning%s, %zu note%s\n", file, by[SP_SEVERITY_ERROR],
                  plural(by[SP_SEVERITY_ERROR]), by[SP_SEVERITY_WARNING],
                  plural(by[SP_SEVERITY_WARNING]), by[SP_SEVERITY_NOTE],
                  plural(by[SP_SEVERITY_NOTE]));
}

static json_t *finding_json(const sp_lint_finding_t *finding, const char *file)
{
    return json_pack("{so,si,si,ss,ss,so,so,so}", "file", sp_json_str(sp_str_from(file)), "line",
                     (int)finding->place.line, "column", (int)finding->place.column, "severity",
                     sp_severity_name(finding->severity), "code", finding->code, "message",
                     sp_json_str(sp_str_from(finding->message)), "advice",
                     sp_json_str(sp_str_from(finding->advice)), "name", sp_json_str(finding->name));
}

sp_status_t sp_lint_print_json(const sp_lint_t *lint, const char *file, FILE *out)
{
    json_t *findings = json_array();
    json_t *root = NULL;

    for (size_t i = 0; i != lint->finding_count; ++i) {
        if (json_array_append_new(findings, finding_json(&lint->findings[i], file)) != 0) {
            json_decref(findings);
            return SP_NO_MEMORY;
        }
    }
    root = json_pack("{so,si,si,si}", "findings", findings, "errors",
                     (int)lint->severities[SP_SEVERITY_ERROR], "warnings",
                     (int)lint->severities[SP_SEVERITY_WARNING], "notes",
                     (int)lint->severities[SP_SEVERITY_NOTE]);
    return sp_json_print(root, out);
}
