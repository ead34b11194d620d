/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/findings.h"

#include <math.h>
#include <string.h>

#include "lab/report/verdict.h"

json_t *sp_lab_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static bool is_meant(json_t *setup, const char *name, const char *load)
{
    const char *own = sp_lab_setup_name(setup);

    if (load[0] != '\0' && strcmp(sp_lab_setup_load(setup), load) != 0) {
        return false;
    }
    return strcmp(own, name) == 0 || strcmp(sp_lab_text(setup, "base", own), name) == 0;
}

json_t *sp_lab_next_meant(json_t *experiment, const char *name, const char *load, size_t *at)
{
    while (*at < sp_lab_setup_count(experiment)) {
        json_t *setup = sp_lab_setup_at(experiment, (*at)++);

        if (is_meant(setup, name, load)) {
            return setup;
        }
    }
    return NULL;
}

json_t *sp_lab_meant(json_t *experiment, const char *name, const char *load)
{
    size_t at = 0;

    return sp_lab_next_meant(experiment, name, load, &at);
}

static bool has_several_loads(json_t *experiment)
{
    for (size_t i = 1; i < sp_lab_setup_count(experiment); ++i) {
        if (strcmp(sp_lab_setup_load(sp_lab_setup_at(experiment, i)),
                   sp_lab_setup_load(sp_lab_setup_at(experiment, 0))) != 0) {
            return true;
        }
    }
    return false;
}

sp_lab_label_t sp_lab_load_prefix(json_t *experiment, json_t *setup)
{
    sp_lab_label_t words = {.text = ""};

    if (has_several_loads(experiment)) {
        words = sp_lab_setup_load_words(experiment, setup);
        words = sp_lab_label("%s: ", words.text);
    }
    return words;
}

bool sp_lab_may_be_absent(json_t *experiment)
{
    return sp_lab_flag(experiment, "quick");
}

typedef bool judge_t(json_t *experiment, json_t *subject, json_t *verdicts);

static bool judge_all(json_t *experiment, const char *field, judge_t *judge, json_t *verdicts)
{
    json_t *subjects = sp_lab_field(experiment, field);

    for (size_t i = 0; i != json_array_size(subjects); ++i) {
        if (!judge(experiment, json_array_get(subjects, i), verdicts)) {
            return false;
        }
    }
    return true;
}

json_t *sp_lab_verdicts(json_t *experiment)
{
    json_t *verdicts = json_array();

    if (verdicts != NULL &&
        !(judge_all(experiment, "comparisons", sp_lab_judge_comparison, verdicts) &&
          judge_all(experiment, "assertions", sp_lab_judge_assertion, verdicts))) {
        json_decref(verdicts);
        verdicts = NULL;
    }
    return verdicts;
}
