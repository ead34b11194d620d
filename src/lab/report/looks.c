/* SPDX-License-Identifier: Apache-2.0 */

/* What set-ups have in common: impairments, and how they look in charts. */

#include <string.h>

#include "lab/report/setups.h"

static bool has_impairment(json_t *setup, const char *text)
{
    json_t *impairments = sp_lab_field(setup, "impairments");

    for (size_t i = 0; i != json_array_size(impairments); ++i) {
        if (strcmp(sp_lab_text(json_array_get(impairments, i), "text", ""), text) == 0) {
            return true;
        }
    }
    return false;
}

/* Does `setup` have every impairment of `other`? */
static bool has_all_impairments(json_t *setup, json_t *other)
{
    json_t *impairments = sp_lab_field(other, "impairments");

    for (size_t i = 0; i != json_array_size(impairments); ++i) {
        if (!has_impairment(setup, sp_lab_text(json_array_get(impairments, i), "text", ""))) {
            return false;
        }
    }
    return true;
}

bool sp_lab_is_everywhere(json_t *experiment, const char *impairment)
{
    for (size_t i = 0; i != sp_lab_setup_count(experiment); ++i) {
        json_t *setup = sp_lab_setup_at(experiment, i);

        if (sp_lab_setup_why_not(setup) == NULL && !has_impairment(setup, impairment)) {
            return false;
        }
    }
    return sp_lab_setup_count(experiment) > 1;
}

static const char *base_of(json_t *setup)
{
    return sp_lab_text(setup, "base", sp_lab_setup_name(setup));
}

/* Is `other` the set-up that `setup` varies by impairments, as "coredns-loss" does "coredns"? */
static bool is_variant(json_t *setup, json_t *other)
{
    size_t len = strlen(base_of(other));

    return strncmp(base_of(setup), base_of(other), len) == 0 && base_of(setup)[len] == '-' &&
           !(has_all_impairments(setup, other) && has_all_impairments(other, setup));
}

/* What set-ups of one look have in common: the series, or the name of the plainest of them. */
static const char *stem_of(json_t *experiment, json_t *setup)
{
    const char *stem = sp_lab_text(setup, "series", NULL);
    size_t longest = 0;

    if (stem != NULL) {
        return stem;
    }
    stem = base_of(setup);
    for (size_t i = 0; i != sp_lab_setup_count(experiment); ++i) {
        json_t *other = sp_lab_setup_at(experiment, i);

        if (is_variant(setup, other) && strlen(base_of(other)) > longest) {
            stem = base_of(other);
            longest = strlen(stem);
        }
    }
    return stem;
}

size_t sp_lab_setup_look(json_t *experiment, json_t *setup)
{
    const char *stem = stem_of(experiment, setup), *seen[SP_LAB_SETUPS_MAX];
    size_t look = 0;

    for (size_t i = 0; i != sp_lab_setup_count(experiment) && look != SP_LAB_SETUPS_MAX; ++i) {
        const char *other = stem_of(experiment, sp_lab_setup_at(experiment, i));
        bool known = false;

        if (strcmp(other, stem) == 0) {
            break;
        }
        for (size_t j = 0; j != look; ++j) {
            known = known || strcmp(seen[j], other) == 0;
        }
        if (!known) {
            seen[look++] = other;
        }
    }
    return look;
}
