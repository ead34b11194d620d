/* SPDX-License-Identifier: Apache-2.0 */

/* What came out, in sentences: findings, and what theory says. */

#include <string.h>

#include "lab/report/findings.h"
#include "lab/report/page.h"

typedef struct tone {
    const char *class, *word;
} tone_t;

/* Of a finding: does it agree with what was published? */
static tone_t tone_of_finding(json_t *verdict)
{
    json_t *agrees = sp_lab_field(verdict, "agrees");

    if (json_is_true(agrees)) {
        return (tone_t){"good", "\u2713 Agrees with the publication"};
    }
    if (json_is_false(agrees)) {
        return (tone_t){"bad", "\u2717 Disagrees with the publication"};
    }
    return (tone_t){"open", "\u25cb Undecided"};
}

static tone_t tone_of_assertion(json_t *verdict)
{
    json_t *holds = sp_lab_field(verdict, "holds");

    if (json_is_true(holds)) {
        return (tone_t){"good", "\u2713 Holds"};
    }
    if (json_is_false(holds)) {
        return (tone_t){"bad", "\u2717 Does not hold"};
    }
    return (tone_t){"open", "\u25cb Not measured"};
}

static void put_verdict(sp_buf_t *out, json_t *verdict, bool assertion)
{
    tone_t tone = assertion ? tone_of_assertion(verdict) : tone_of_finding(verdict);
    const char *claim = sp_lab_text(verdict, "claim", "");

    if (!assertion && claim[0] == '\0') {
        tone.word = "";
    }
    sp_buf_printf(out, "<li class=\"%s\">", tone.class);
    sp_lab_put_element(out, "p", "", sp_lab_text(verdict, "text", ""));
    if (claim[0] != '\0' || tone.word[0] != '\0') {
        sp_lab_put(out, "<p class=\"claim\"><span class=\"verdict\">");
        sp_lab_put_text(out, tone.word);
        sp_lab_put(out, "</span>");
        if (claim[0] != '\0') {
            sp_lab_put(out, assertion ? " \u00b7 " : ": \u201c");
            sp_lab_put_text(out, claim);
            sp_lab_put(out, assertion ? "" : "\u201d");
        }
        sp_lab_put(out, "</p>");
    }
    sp_lab_put(out, "</li>\n");
}

static bool is_assertion(json_t *verdict)
{
    return strcmp(sp_lab_text(verdict, "kind", ""), "assertion") == 0;
}

static void put_list(sp_buf_t *out, const sp_lab_view_t *view, json_t *verdicts, bool assertions)
{
    size_t count = 0, unmeasured = 0;

    if (view->label[0] != '\0') {
        sp_buf_append(out, SP_STR("<h4>Result "));
        sp_lab_put_text(out, view->label);
        sp_lab_put(out, "</h4>\n");
    }
    sp_lab_put(out, "<ul class=\"findings\">\n");
    for (size_t i = 0; i != json_array_size(verdicts); ++i) {
        json_t *verdict = json_array_get(verdicts, i);

        if (is_assertion(verdict) != assertions) {
            continue;
        }
        ++count;
        if (sp_lab_flag(verdict, "unmeasured")) {
            ++unmeasured;
        } else {
            put_verdict(out, verdict, assertions);
        }
    }
    if (unmeasured != 0) {
        sp_lab_put(out, "<li class=\"open\"><p>");
        sp_buf_printf(out, SP_LAB_UNMEASURED, unmeasured, count);
        sp_lab_put(out, ".</p></li>\n");
    }
    sp_lab_put(out, "</ul>\n");
}

static bool has_any(json_t *verdicts, bool assertions)
{
    for (size_t i = 0; i != json_array_size(verdicts); ++i) {
        if (is_assertion(json_array_get(verdicts, i)) == assertions) {
            return true;
        }
    }
    return false;
}

/* Under `heading`, which shows only when there is something. */
static bool put_all(sp_buf_t *out, const sp_lab_story_t *story, bool assertions,
                    const char *heading)
{
    bool headed = heading[0] == '\0';

    for (size_t i = 0; i != story->view_count; ++i) {
        json_t *verdicts = sp_lab_verdicts(story->views[i].experiment);

        if (verdicts == NULL) {
            return false;
        }
        if (has_any(verdicts, assertions)) {
            if (!headed) {
                sp_lab_put_element(out, "h3", "", heading);
                headed = true;
            }
            put_list(out, &story->views[i], verdicts, assertions);
        }
        json_decref(verdicts);
    }
    return true;
}

bool sp_lab_page_findings(sp_buf_t *out, const sp_lab_story_t *story)
{
    return put_all(out, story, false, "What came out");
}

bool sp_lab_page_theory(sp_buf_t *out, const sp_lab_story_t *story)
{
    json_t *theory = sp_lab_field(sp_lab_story_experiment(story), "theory");

    if (json_array_size(theory) == 0) {
        return put_all(out, story, true, "Held against theory");
    }
    sp_lab_put_element(out, "h3", "", "Held against theory");
    for (size_t i = 0; i != json_array_size(theory); ++i) {
        const char *sentence = json_string_value(json_array_get(theory, i));

        sp_lab_put_element(out, "p", "", sentence == NULL ? "" : sentence);
    }
    return put_all(out, story, true, "");
}
