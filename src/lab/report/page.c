/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/page.h"

#include <signpost/base/octet.h>

#include "lab/report/markup.h"

void sp_lab_put(sp_buf_t *out, const char *html)
{
    sp_buf_append(out, sp_str_from(html));
}

void sp_lab_put_text(sp_buf_t *out, const char *text)
{
    sp_lab_append_text(out, sp_str_from(text));
}

void sp_lab_put_element(sp_buf_t *out, const char *tag, const char *class, const char *text)
{
    if (class[0] == '\0') {
        sp_buf_printf(out, "<%s>", tag);
    } else {
        sp_buf_printf(out, "<%s class=\"%s\">", tag, class);
    }
    sp_lab_put_text(out, text);
    sp_buf_printf(out, "</%s>\n", tag);
}

sp_lab_label_t sp_lab_anchor(json_t *experiment)
{
    sp_lab_label_t anchor = sp_lab_label("%s", sp_lab_text(experiment, "id", "-"));

    for (char *at = anchor.text; *at != '\0'; ++at) {
        *at = sp_is_alnum(*at) ? *at : '-';
    }
    return anchor;
}

/* The page holds each chart for wide and for narrow screens, and its values. */
static void put_figure(sp_buf_t *out, const sp_lab_chart_t *chart)
{
    sp_lab_canvas_t canvas = {.out = out};

    sp_lab_put(out, "<figure><figcaption>");
    if (!chart->aside) {
        sp_lab_put_element(out, "h4", "", chart->title);
    }
    sp_lab_put_element(out, "p", "", chart->caption);
    sp_lab_put(out, "</figcaption>\n");
    sp_lab_chart_draw(chart, &canvas);
    canvas.narrow = true;
    sp_lab_chart_draw(chart, &canvas);
    sp_lab_put(out, "<details><summary>The values as a table</summary>\n");
    sp_buf_append(out, chart->table);
    sp_lab_put(out, "</details></figure>\n");
}

static void put_chart(void *arg, const sp_lab_chart_t *chart)
{
    sp_buf_t *out = arg;

    if (chart->aside) {
        sp_lab_put(out, "<details class=\"fold\"><summary>");
        sp_lab_put_text(out, chart->title);
        sp_lab_put(out, "</summary>\n");
    }
    put_figure(out, chart);
    if (chart->aside) {
        sp_lab_put(out, "</details>\n");
    }
}

static void put_published(sp_buf_t *out, json_t *experiment)
{
    const char *in = sp_lab_text(experiment, "published.in", "");
    json_t *says = sp_lab_field(experiment, "published.says");

    if (in[0] == '\0') {
        return;
    }
    sp_lab_put(out, "<div class=\"published\"><p>Repeats what was published in ");
    sp_lab_put_text(out, in);
    sp_lab_put(out, json_array_size(says) == 0 ? ".</p>" : ", which says:</p><ul>");
    for (size_t i = 0; i != json_array_size(says); ++i) {
        const char *sentence = json_string_value(json_array_get(says, i));

        sp_lab_put_element(out, "li", "", sentence == NULL ? "" : sentence);
    }
    sp_lab_put(out, json_array_size(says) == 0 ? "</div>\n" : "</ul></div>\n");
}

/* Which of the results are of a quick run: each for itself, since they may be held together. */
static void put_quick(sp_buf_t *out, const sp_lab_story_t *story)
{
    size_t quick = 0;

    for (size_t i = 0; i != story->view_count; ++i) {
        quick += sp_lab_flag(story->views[i].experiment, "quick") ? 1 : 0;
    }
    if (quick == 0) {
        return;
    }
    if (quick == story->view_count) {
        sp_lab_put_element(
            out, "p", "dim",
            quick == 1 ? "This was a quick run: fewer set-ups, and shorter than the full one."
                       : "These were quick runs: fewer set-ups, and shorter than the full one.");
        return;
    }
    sp_lab_put(out, "<p class=\"dim\">");
    for (size_t i = 0; i != story->view_count; ++i) {
        bool is_quick = sp_lab_flag(story->views[i].experiment, "quick");

        sp_lab_put(out, i == 0 ? "Result " : " Result ");
        sp_lab_put_text(out, story->views[i].label);
        sp_lab_put(out, is_quick
                            ? " is of a quick run: fewer set-ups, and shorter than the full one."
                            : " is of a full run.");
    }
    sp_lab_put(out, "</p>\n");
}

bool sp_lab_page_experiment(sp_buf_t *out, const sp_lab_story_t *story)
{
    json_t *experiment = sp_lab_story_experiment(story);
    sp_lab_story_t told = *story;

    told.chart = put_chart;
    told.arg = out;
    sp_buf_printf(out, "<section class=\"experiment\" id=\"%s\">\n<h2><span class=\"id\">",
                  sp_lab_anchor(experiment).text);
    sp_lab_put_text(out, sp_lab_text(experiment, "id", ""));
    sp_lab_put(out, "</span>");
    sp_lab_put_text(out, sp_lab_text(experiment, "title", ""));
    sp_lab_put(out, "</h2>\n");
    sp_lab_put_element(out, "p", "question", sp_lab_text(experiment, "question", ""));
    put_quick(out, story);
    put_published(out, experiment);
    if (!sp_lab_page_findings(out, &told)) {
        return false;
    }
    sp_lab_page_changes(out, &told);
    sp_lab_put(out, "<h3>In charts</h3>\n");
    if (!sp_lab_story_charts(&told)) {
        return false;
    }
    sp_lab_page_results(out, &told);
    if (!sp_lab_page_theory(out, &told)) {
        return false;
    }
    sp_lab_page_setups(out, &told);
    sp_lab_page_repetitions(out, &told);
    sp_lab_put(out, "</section>\n");
    return out->status == SP_OK;
}
