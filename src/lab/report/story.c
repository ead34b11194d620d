/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/story.h"

#include <signpost/base/octet.h>
#include <stdio.h>
#include <string.h>

json_t *sp_lab_story_experiment(const sp_lab_story_t *story)
{
    return story->views[0].experiment;
}

/* One more impairment: where only its place is another than the last one's, " and between …". */
static sp_lab_label_t add_words(sp_lab_label_t words, const char *last, const char *text)
{
    const char *place = strstr(text, " between ");
    size_t same = place == NULL ? 0 : (size_t)(place - text);

    if (words.text[0] == '\0') {
        return sp_lab_label("%s", text);
    }
    if (place != NULL && strncmp(last, text, same) == 0) {
        return sp_lab_label("%s and%s", words.text, place);
    }
    return sp_lab_label("%s \u00b7 %s", words.text, text);
}

/* What distinguishes it from other groups: what is everywhere does not. */
static sp_lab_label_t group_words(json_t *experiment, json_t *setup)
{
    json_t *impairments = sp_lab_field(setup, "impairments");
    sp_lab_label_t words = {.text = ""};
    const char *last = "";

    if (sp_lab_setup_load(setup)[0] != '\0') {
        words = sp_lab_setup_load_words(experiment, setup);
    }
    for (size_t i = 0; i != json_array_size(impairments); ++i) {
        const char *text = sp_lab_text(json_array_get(impairments, i), "text", "impaired");

        if (!sp_lab_is_everywhere(experiment, text)) {
            words = add_words(words, last, text);
            last = text;
        }
    }
    return words;
}

static void add_entry(sp_lab_story_t *story, size_t view, json_t *setup,
                      const sp_lab_entry_t *first)
{
    const sp_lab_view_t *of = &story->views[view];
    sp_lab_entry_t *entry = &story->entries[story->entry_count++];
    sp_lab_label_t label = sp_lab_setup_label(setup);

    *entry = (sp_lab_entry_t){.experiment = of->experiment,
                              .setup = setup,
                              .view = view,
                              .look = first->look,
                              .label = label,
                              .group = first->group};
    if (of->label[0] != '\0') {
        entry->label = sp_lab_label("%s: %s", of->label, label.text);
    }
}

static bool is_known(const sp_lab_story_t *story, const char *name)
{
    for (size_t i = 0; i != story->entry_count; ++i) {
        if (strcmp(sp_lab_setup_name(story->entries[i].setup), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Each set-up once from every result that has it, in the order of the first that does. */
static void add_entries(sp_lab_story_t *story, size_t view)
{
    json_t *experiment = story->views[view].experiment;

    for (size_t i = 0; i != sp_lab_setup_count(experiment); ++i) {
        json_t *setup = sp_lab_setup_at(experiment, i);
        sp_lab_entry_t first = {.look = sp_lab_setup_look(experiment, setup),
                                .group = group_words(experiment, setup)};

        if (is_known(story, sp_lab_setup_name(setup))) {
            continue;
        }
        for (size_t j = view; j != story->view_count; ++j) {
            json_t *same = sp_lab_setup_find(story->views[j].experiment, sp_lab_setup_name(setup));

            if (same != NULL) {
                add_entry(story, j, same, &first);
            }
        }
    }
}

static bool is_of_group(const sp_lab_entry_t *first, const sp_lab_entry_t *entry)
{
    return strcmp(first->group.text, entry->group.text) == 0;
}

/* Do two entries, in one chart, look the same though they are not the same set-up? */
static bool look_the_same(const sp_lab_entry_t *one, const sp_lab_entry_t *other)
{
    return one->look % SP_LAB_LOOKS == other->look % SP_LAB_LOOKS && is_of_group(one, other) &&
           strcmp(sp_lab_setup_name(one->setup), sp_lab_setup_name(other->setup)) != 0;
}

static bool is_ambiguous(const sp_lab_story_t *story, size_t index)
{
    for (size_t i = 0; i != index; ++i) {
        if (look_the_same(&story->entries[i], &story->entries[index])) {
            return true;
        }
    }
    return false;
}

/* Every set-up that looks like one before it in its group gets the next look that is free, if there
 * is one: with more than SP_LAB_LOOKS the group becomes several charts. */
static void tell_apart(sp_lab_story_t *story)
{
    for (size_t i = 1; i < story->entry_count; ++i) {
        sp_lab_entry_t *entry = &story->entries[i];

        if (strcmp(sp_lab_setup_name(entry->setup), sp_lab_setup_name(entry[-1].setup)) == 0) {
            entry->look = entry[-1].look;
            continue;
        }
        for (size_t j = 0; j != SP_LAB_LOOKS && is_ambiguous(story, i); ++j) {
            ++entry->look;
        }
    }
}

/* Set-ups alike one after another, otherwise in their order. Where there are several groups, each
 * has a name. */
static void bring_groups_together(sp_lab_story_t *story)
{
    sp_lab_entry_t *entries = story->entries;
    bool several = false;

    for (size_t i = 1; i < story->entry_count; ++i) {
        size_t to = i;

        for (size_t j = 0; j != i; ++j) {
            to = is_of_group(&entries[j], &entries[i]) ? j + 1 : to;
        }
        several = several || !is_of_group(&entries[0], &entries[i]);
        if (to != i && is_of_group(&entries[to - 1], &entries[i])) {
            sp_lab_entry_t moved = entries[i];

            memmove(&entries[to + 1], &entries[to], (i - to) * sizeof(*entries));
            entries[to] = moved;
        }
    }
    for (size_t i = 0; several && i != story->entry_count; ++i) {
        if (entries[i].group.text[0] == '\0') {
            entries[i].group = sp_lab_label("Undisturbed");
        }
    }
}

bool sp_lab_story_init(sp_lab_story_t *story, sp_arena_t *arena, const sp_lab_view_t *views,
                       size_t view_count)
{
    size_t total = 0;

    *story = (sp_lab_story_t){.arena = arena, .views = views, .view_count = view_count};
    for (size_t i = 0; i != view_count; ++i) {
        total += sp_lab_setup_count(views[i].experiment);
    }
    story->entries = sp_arena_zalloc(arena, total + 1, sizeof(*story->entries));
    story->part = sp_arena_zalloc(arena, 1, sizeof(*story->part));
    if (story->entries == NULL || story->part == NULL) {
        return false;
    }
    for (size_t i = 0; i != view_count; ++i) {
        add_entries(story, i);
    }
    bring_groups_together(story);
    tell_apart(story);
    return true;
}

void sp_lab_chart_draw(const sp_lab_chart_t *chart, const sp_lab_canvas_t *canvas)
{
    if (chart->xy != NULL) {
        sp_lab_xy_draw(canvas, chart->xy);
    } else {
        sp_lab_bars_draw(canvas, chart->bars);
    }
}

bool sp_lab_story_charts(const sp_lab_story_t *story)
{
    return sp_lab_sweep_charts(story) && sp_lab_steps_charts(story) &&
           sp_lab_scatter_charts(story) && sp_lab_bars_charts(story) &&
           sp_lab_percentile_charts(story) && sp_lab_second_charts(story);
}

static bool begins_group(const sp_lab_story_t *story, size_t index)
{
    for (size_t i = 0; i != index; ++i) {
        if (is_of_group(&story->entries[i], &story->entries[index])) {
            return false;
        }
    }
    return true;
}

/* Parts of about the same size, each of at most SP_LAB_LOOKS entries. */
static bool draw_parts(const sp_lab_story_t *story, sp_lab_group_fn *draw,
                       const sp_lab_entry_t **entries, size_t count)
{
    size_t parts = (count + SP_LAB_LOOKS - 1) / SP_LAB_LOOKS;

    for (size_t i = 0; i != parts; ++i) {
        size_t from = i * count / parts, to = (i + 1) * count / parts;

        ++*story->part;
        if (!draw(story, entries + from, to - from)) {
            return false;
        }
    }
    return true;
}

bool sp_lab_story_groups(const sp_lab_story_t *story, sp_lab_group_fn *draw)
{
    const sp_lab_entry_t **members =
        sp_arena_zalloc(story->arena, story->entry_count + 1, sizeof(const sp_lab_entry_t *));

    *story->part = 0;
    for (size_t i = 0; members != NULL && i != story->entry_count; ++i) {
        size_t count = 0;

        if (!begins_group(story, i)) {
            continue;
        }
        for (size_t j = i; j != story->entry_count; ++j) {
            if (is_of_group(&story->entries[i], &story->entries[j])) {
                members[count++] = &story->entries[j];
            }
        }
        if (!draw_parts(story, draw, members, count)) {
            return false;
        }
    }
    return members != NULL;
}

void sp_lab_story_text(const sp_lab_story_t *story, sp_buf_t *ret_text)
{
    sp_buf_init(ret_text, story->arena, SP_LAB_TEXT_MAX);
}

const char *sp_lab_story_text_end(sp_buf_t *text)
{
    sp_buf_append_char(text, '\0');
    return text->status == SP_OK ? sp_buf_str(text).ptr : NULL;
}

static void append_slug(sp_buf_t *slug, const char *text)
{
    size_t from = slug->len;

    for (; *text != '\0' && slug->len - from < 40; ++text) {
        if (sp_is_alnum(*text)) {
            sp_buf_append_char(slug, *text);
        } else if (slug->len != 0 && slug->ptr[slug->len - 1] != '-') {
            sp_buf_append_char(slug, '-');
        }
    }
}

const char *sp_lab_story_slug(const sp_lab_story_t *story, const char *name, const char *more)
{
    sp_buf_t slug;

    sp_lab_story_text(story, &slug);
    append_slug(&slug, sp_lab_text(sp_lab_story_experiment(story), "id", "experiment"));
    sp_buf_append_char(&slug, '-');
    append_slug(&slug, name);
    if (more[0] != '\0') {
        sp_buf_append_char(&slug, '-');
        append_slug(&slug, more);
    }
    while (slug.status == SP_OK && slug.len > 1 && slug.ptr[slug.len - 1] == '-') {
        --slug.len;
    }
    return sp_lab_story_text_end(&slug);
}

const char *sp_lab_story_part_slug(const sp_lab_story_t *story, const char *name, json_t *setup)
{
    const char *load = sp_lab_setup_load(setup);

    return sp_lab_story_slug(
        story, name, sp_lab_label("%zu%s%s", *story->part, load[0] == '\0' ? "" : "-", load).text);
}
