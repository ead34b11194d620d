/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_PAGE_H
#define SIGNPOST_LAB_REPORT_PAGE_H

/* Parts of the report's page. Everything that comes from a result is escaped here. */

#include "lab/report/report.h"

/* The style sheet, that of charts included. */
void sp_lab_put_style(sp_buf_t *out);

/* Appends HTML as it is, and text escaped. */
void sp_lab_put(sp_buf_t *out, const char *html);
void sp_lab_put_text(sp_buf_t *out, const char *text);

/* <TAG CLASS>text</TAG>; class "" for none. */
void sp_lab_put_element(sp_buf_t *out, const char *tag, const char *class, const char *text);

/* An experiment goes by its id, as an anchor: what is no letter or digit becomes '-'. */
sp_lab_label_t sp_lab_anchor(json_t *experiment);

/* Up to <main>: what was run, on which machine, how to read it, what is in it. */
void sp_lab_page_head(sp_buf_t *out, const sp_lab_report_result_t *results, size_t count);

/* One experiment. False when memory is out. */
bool sp_lab_page_experiment(sp_buf_t *out, const sp_lab_story_t *story);

bool sp_lab_page_findings(sp_buf_t *out, const sp_lab_story_t *story);
bool sp_lab_page_theory(sp_buf_t *out, const sp_lab_story_t *story);

/* All figures of all set-ups. */
void sp_lab_page_results(sp_buf_t *out, const sp_lab_story_t *story);

/* What changed between several results. */
void sp_lab_page_changes(sp_buf_t *out, const sp_lab_story_t *story);

/* How it was measured: set-ups, their servers and configurations, every repetition. */
void sp_lab_page_setups(sp_buf_t *out, const sp_lab_story_t *story);
void sp_lab_page_repetitions(sp_buf_t *out, const sp_lab_story_t *story);

#endif
