/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/report.h"

#include <errno.h>
#include <string.h>

#include "lab/report/page.h"
#include "lab/report/result_file.h"

#define PAGE_MAX ((size_t)64 * 1024 * 1024) /* of one experiment, its raw figures apart */
#define CHUNK ((size_t)256 * 1024)
#define PATH_OCTETS 4096

typedef sp_status_t tell_fn(void *arg, const sp_lab_story_t *story);

static json_t *experiment_with(json_t *root, const char *id)
{
    json_t *experiments = sp_lab_field(root, "experiments");

    for (size_t i = 0; i != json_array_size(experiments); ++i) {
        if (strcmp(sp_lab_text(json_array_get(experiments, i), "id", ""), id) == 0) {
            return json_array_get(experiments, i);
        }
    }
    return NULL;
}

/* Experiments that earlier results had were told with them. */
static bool was_told(const sp_lab_report_result_t *results, size_t before, const char *id)
{
    for (size_t i = 0; i != before; ++i) {
        if (experiment_with(results[i].root, id) != NULL) {
            return true;
        }
    }
    return false;
}

/* The experiment of `id` in every result from `first` on that has it. */
static sp_status_t tell_one(const sp_lab_report_result_t *results, size_t first, size_t count,
                            const char *id, tell_fn *tell, void *arg)
{
    static const char *const letters[SP_LAB_VIEWS_MAX] = {"A", "B", "C", "D", "E", "F", "G", "H"};
    sp_lab_view_t views[SP_LAB_VIEWS_MAX];
    size_t view_count = 0;
    sp_arena_t arena;
    sp_lab_story_t story;
    sp_status_t status = SP_NO_MEMORY;

    for (size_t i = first; i != count; ++i) {
        json_t *experiment = experiment_with(results[i].root, id);

        if (experiment != NULL) {
            views[view_count++] =
                (sp_lab_view_t){.label = count > 1 ? letters[i] : "", .experiment = experiment};
        }
    }
    sp_arena_init(&arena, NULL, 0, CHUNK);
    if (sp_lab_story_init(&story, &arena, views, view_count)) {
        status = tell(arg, &story);
    }
    sp_arena_clear(&arena);
    return status;
}

static sp_status_t tell_all(const sp_lab_report_result_t *results, size_t count, tell_fn *tell,
                            void *arg)
{
    for (size_t i = 0; i != count; ++i) {
        json_t *experiments = sp_lab_field(results[i].root, "experiments");

        for (size_t j = 0; j != json_array_size(experiments); ++j) {
            const char *id = sp_lab_text(json_array_get(experiments, j), "id", "");
            sp_status_t status = SP_OK;

            if (!was_told(results, i, id) &&
                experiment_with(results[i].root, id) == json_array_get(experiments, j)) {
                status = tell_one(results, i, count, id, tell, arg);
            }
            if (status != SP_OK) {
                return status;
            }
        }
    }
    return SP_OK;
}

static sp_status_t flush(sp_buf_t *page, FILE *out)
{
    sp_str_t text = sp_buf_str(page);

    if (page->status != SP_OK) {
        return page->status;
    }
    return fwrite(text.ptr, 1, text.len, out) == text.len ? SP_OK : SP_IO;
}

static sp_status_t write_experiment(void *arg, const sp_lab_story_t *story)
{
    FILE *out = arg;
    sp_buf_t page;

    sp_buf_init(&page, story->arena, PAGE_MAX);
    if (!sp_lab_page_experiment(&page, story)) {
        return page.status == SP_OK ? SP_NO_MEMORY : page.status;
    }
    return flush(&page, out);
}

/* JSON within HTML: a '<' occurs in texts alone, where it can be written as an escape, so that
 * nothing in it ends the element. */
static int put_json(const char *text, size_t size, void *arg)
{
    FILE *out = arg;

    while (size != 0) {
        const char *found = memchr(text, '<', size);
        size_t plain = found == NULL ? size : (size_t)(found - text);

        if (fwrite(text, 1, plain, out) != plain ||
            (found != NULL && fputs("\\u003c", out) == EOF)) {
            return -1;
        }
        text += plain + (found == NULL ? 0 : 1);
        size -= plain + (found == NULL ? 0 : 1);
    }
    return 0;
}

/* Twelve digits are more than anything here was measured to. */
static sp_status_t write_raw(const sp_lab_report_result_t *results, size_t count, FILE *out)
{
    for (size_t i = 0; i != count; ++i) {
        if (fprintf(out, "<script type=\"application/json\" id=\"result-%zu\">", i + 1) < 0 ||
            json_dump_callback(results[i].root, put_json, out,
                               JSON_COMPACT | JSON_REAL_PRECISION(12)) != 0 ||
            fputs("</script>\n", out) == EOF) {
            return SP_IO;
        }
    }
    return SP_OK;
}

static sp_status_t write_head(const sp_lab_report_result_t *results, size_t count, FILE *out)
{
    sp_arena_t arena;
    sp_buf_t page;
    sp_status_t status;

    sp_arena_init(&arena, NULL, 0, CHUNK);
    sp_buf_init(&page, &arena, PAGE_MAX);
    sp_lab_page_head(&page, results, count);
    status = flush(&page, out);
    sp_arena_clear(&arena);
    return status;
}

sp_status_t sp_lab_report_write(const sp_lab_report_result_t *results, size_t count, FILE *out)
{
    sp_status_t status = count > SP_LAB_VIEWS_MAX ? SP_TOO_LONG : write_head(results, count, out);

    if (status == SP_OK) {
        status = tell_all(results, count, write_experiment, out);
    }
    if (status == SP_OK &&
        fputs("</main>\n<footer><p>The raw results are part of this file, as JSON in the elements "
              "<code>script#result-1</code> and so on.</p></footer>\n",
              out) == EOF) {
        status = SP_IO;
    }
    if (status == SP_OK) {
        status = write_raw(results, count, out);
    }
    if (status == SP_OK && (fputs("</body>\n</html>\n", out) == EOF || fflush(out) != 0)) {
        status = SP_IO;
    }
    return status;
}

typedef struct saving {
    const char *directory;
    sp_error_t *err;
    sp_arena_t *arena;
    sp_status_t status;
} saving_t;

static sp_status_t save_text(saving_t *saving, const char *slug, sp_str_t text)
{
    char path[PATH_OCTETS];
    FILE *file = NULL;
    bool written = false;

    if (snprintf(path, sizeof(path), "%s/%s.svg", saving->directory, slug) >= (int)sizeof(path)) {
        return sp_fail(saving->err, SP_TOO_LONG, 0, "%.100s: the path is too long",
                       saving->directory);
    }
    file = fopen(path, "we");
    if (file == NULL) {
        return sp_fail(saving->err, SP_IO, 0, "%.140s: %s", path, strerror(errno));
    }
    written = fwrite(text.ptr, 1, text.len, file) == text.len;
    if (fclose(file) != 0 || !written) {
        return sp_fail(saving->err, SP_IO, 0, "%.140s: can't be written", path);
    }
    return SP_OK;
}

static void save_chart(void *arg, const sp_lab_chart_t *chart)
{
    saving_t *saving = arg;
    sp_buf_t text;
    sp_lab_canvas_t canvas = {.out = &text, .alone = true};

    if (saving->status != SP_OK) {
        return;
    }
    sp_buf_init(&text, saving->arena, SP_LAB_TEXT_MAX * 4);
    sp_lab_chart_draw(chart, &canvas);
    saving->status = text.status == SP_OK ? save_text(saving, chart->slug, sp_buf_str(&text))
                                          : sp_fail(saving->err, text.status, 0, "%.100s: %s",
                                                    chart->slug, sp_status_name(text.status));
}

static sp_status_t save_experiment(void *arg, const sp_lab_story_t *story)
{
    saving_t *saving = arg;
    sp_lab_story_t told = *story;

    told.chart = save_chart;
    told.arg = saving;
    saving->arena = story->arena;
    if (!sp_lab_story_charts(&told)) {
        return sp_fail(saving->err, SP_NO_MEMORY, 0, "%s", sp_status_name(SP_NO_MEMORY));
    }
    return saving->status;
}

sp_status_t sp_lab_report_charts(const sp_lab_report_result_t *results, size_t count,
                                 const char *directory, sp_error_t *err)
{
    saving_t saving = {.directory = directory, .err = err, .status = SP_OK};

    if (count > SP_LAB_VIEWS_MAX) {
        return sp_fail(err, SP_TOO_LONG, 0, "at most %d results can stand side by side",
                       SP_LAB_VIEWS_MAX);
    }
    return tell_all(results, count, save_experiment, &saving);
}
