/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/template.h"

#include <stdio.h>
#include <string.h>

#include "serve/json_position.h"

typedef enum kind { VALUE, ITEM, LIST, IF, UNLESS, CLOSE } kind_t;

typedef struct tag {
    kind_t kind;
    sp_str_t name;
    size_t at;  /* of its first brace */
    size_t end; /* behind its last */
} tag_t;

/* A block that is open. */
typedef struct block {
    tag_t tag;
    bool skipped;                 /* what it holds does not appear */
    size_t body;                  /* where a repetition begins */
    const sp_lab_texts_t *values; /* of a list; NULL otherwise */
    size_t index;
} block_t;

typedef struct filler {
    sp_str_t text;
    const char *file;
    const sp_lab_variables_t *variables;
    sp_buf_t *out;
    sp_error_t *err;
    block_t blocks[SP_LAB_TEMPLATE_DEPTH];
    size_t depth;
} filler_t;

static sp_lab_variable_t *find_place(sp_lab_variables_t *variables, const char *name)
{
    for (size_t i = 0; i != variables->count; ++i) {
        if (strcmp(variables->list[i].name, name) == 0) {
            return &variables->list[i];
        }
    }
    return variables->count == SP_LAB_VARIABLES_MAX ? NULL : &variables->list[variables->count++];
}

sp_status_t sp_lab_variables_set(sp_lab_variables_t *variables, const char *name, const char *value)
{
    sp_lab_variable_t *variable = find_place(variables, name);

    if (variable == NULL) {
        return SP_TOO_LONG;
    }
    variable->name = name;
    variable->one[0] = value;
    variable->values = (sp_lab_texts_t){.list = NULL, .count = 1};
    return SP_OK;
}

sp_status_t sp_lab_variables_set_list(sp_lab_variables_t *variables, const char *name,
                                      sp_lab_texts_t values)
{
    sp_lab_variable_t *variable = find_place(variables, name);

    if (variable == NULL) {
        return SP_TOO_LONG;
    }
    variable->name = name;
    variable->values = values;
    return SP_OK;
}

static const char *value_of(const sp_lab_variable_t *variable, size_t index)
{
    return variable->values.list == NULL ? variable->one[index] : variable->values.list[index];
}

static const sp_lab_variable_t *find(const filler_t *filler, sp_str_t name)
{
    for (size_t i = 0; i != filler->variables->count; ++i) {
        if (sp_str_eq(name, sp_str_from(filler->variables->list[i].name))) {
            return &filler->variables->list[i];
        }
    }
    return NULL;
}

static sp_status_t refuse(filler_t *filler, size_t at, const char *what, sp_str_t name)
{
    sp_json_place_t place = sp_json_place(filler->text, at);

    return sp_fail(filler->err, SP_BAD_SYNTAX, at, "%s:%zu:%zu: %s '%.*s'", filler->file,
                   place.line, place.column, what, (int)(name.len > 60 ? 60 : name.len), name.ptr);
}

static bool is_word(sp_str_t text)
{
    for (size_t i = 0; i != text.len; ++i) {
        if (!sp_is_alnum(text.ptr[i]) && text.ptr[i] != '_') {
            return false;
        }
    }
    return text.len != 0;
}

/* The tag whose braces begin at `at`. */
static sp_status_t read_tag(filler_t *filler, size_t at, tag_t *ret_tag)
{
    static const struct {
        char sign;
        kind_t kind;
    } signs[] = {{'#', LIST}, {'?', IF}, {'^', UNLESS}, {'/', CLOSE}};
    sp_str_t inner = sp_str_skip(filler->text, at + 2);
    size_t len = sp_str_search(inner, SP_STR("}}"));
    tag_t tag = {.kind = VALUE, .at = at, .end = at + 2 + len + 2};

    if (len == inner.len) {
        return refuse(filler, at,
                      "a tag that is never closed:", sp_str_slice(filler->text, at, at + 20));
    }
    inner.len = len;
    tag.name = inner;
    for (size_t i = 0; i != SP_COUNT(signs); ++i) {
        if (inner.len != 0 && inner.ptr[0] == signs[i].sign) {
            tag.kind = signs[i].kind;
            tag.name = sp_str_skip(inner, 1);
        }
    }
    if (sp_str_eq(inner, SP_STR("."))) {
        tag.kind = ITEM;
    } else if (!is_word(tag.name)) {
        return refuse(filler, at, "expected a name between the braces, not", tag.name);
    }
    *ret_tag = tag;
    return SP_OK;
}

static bool is_skipped(const filler_t *filler)
{
    return filler->depth != 0 && filler->blocks[filler->depth - 1].skipped;
}

/* Neither empty nor "no". */
static bool holds(const sp_lab_variable_t *variable)
{
    const char *value = NULL;

    if (variable == NULL || variable->values.count == 0) {
        return false;
    }
    value = value_of(variable, 0);
    return value[0] != '\0' && strcmp(value, "no") != 0;
}

/* A tag that is alone on its line takes the line with it. Returns where the text goes on. */
static size_t behind_line(const filler_t *filler, const tag_t *tag)
{
    sp_str_t text = filler->text;
    size_t from = tag->at;
    size_t to = tag->end;

    while (from != 0 && (text.ptr[from - 1] == ' ' || text.ptr[from - 1] == '\t')) {
        --from;
    }
    while (to < text.len && (text.ptr[to] == ' ' || text.ptr[to] == '\t')) {
        ++to;
    }
    if ((from == 0 || text.ptr[from - 1] == '\n') && to < text.len && text.ptr[to] == '\n') {
        return to + 1;
    }
    return tag->end;
}

/* How much of the text before such a tag belongs to its line. */
static size_t indent_before(const filler_t *filler, const tag_t *tag)
{
    size_t from = tag->at;

    if (behind_line(filler, tag) == tag->end) {
        return 0;
    }
    while (from != 0 && filler->text.ptr[from - 1] != '\n') {
        --from;
    }
    return tag->at - from;
}

static sp_status_t open_block(filler_t *filler, const tag_t *tag, size_t *at)
{
    const sp_lab_variable_t *variable = find(filler, tag->name);
    block_t block = {.tag = *tag, .skipped = is_skipped(filler), .body = behind_line(filler, tag)};

    if (filler->depth == SP_LAB_TEMPLATE_DEPTH) {
        return refuse(filler, tag->at, "blocks are nested too deep at", tag->name);
    }
    if (tag->kind == LIST) {
        if (variable == NULL) {
            return refuse(filler, tag->at, "no list has the name", tag->name);
        }
        block.values = &variable->values;
        block.skipped = block.skipped || variable->values.count == 0;
    } else {
        block.skipped = block.skipped || holds(variable) != (tag->kind == IF);
    }
    filler->blocks[filler->depth++] = block;
    *at = block.body;
    return SP_OK;
}

static sp_status_t close_block(filler_t *filler, const tag_t *tag, size_t *at)
{
    block_t *block = NULL;

    if (filler->depth == 0 || !sp_str_eq(filler->blocks[filler->depth - 1].tag.name, tag->name)) {
        return refuse(filler, tag->at, "nothing is open that could be closed here:", tag->name);
    }
    block = &filler->blocks[filler->depth - 1];
    if (!block->skipped && block->values != NULL && ++block->index < block->values->count) {
        *at = block->body;
        return SP_OK;
    }
    --filler->depth;
    *at = behind_line(filler, tag);
    return SP_OK;
}

static sp_status_t put_value(filler_t *filler, const tag_t *tag)
{
    const sp_lab_variable_t *variable = find(filler, tag->name);

    if (variable == NULL) {
        return refuse(filler, tag->at, "nothing has the name", tag->name);
    }
    for (size_t i = 0; i != variable->values.count; ++i) {
        sp_buf_append(filler->out, i == 0 ? SP_STR("") : SP_STR(" "));
        sp_buf_append(filler->out, sp_str_from(value_of(variable, i)));
    }
    return SP_OK;
}

/* The value of the innermost list. */
static sp_status_t put_item(filler_t *filler, const tag_t *tag)
{
    for (size_t i = filler->depth; i-- != 0;) {
        const block_t *block = &filler->blocks[i];

        if (block->values != NULL) {
            const sp_lab_variable_t *variable = find(filler, block->tag.name);

            sp_buf_append(filler->out, sp_str_from(value_of(variable, block->index)));
            return SP_OK;
        }
    }
    return refuse(filler, tag->at, "outside a list there is no", SP_STR("{{.}}"));
}

static sp_status_t take_tag(filler_t *filler, const tag_t *tag, size_t *at)
{
    *at = tag->end;
    switch (tag->kind) {
    case VALUE:
        return is_skipped(filler) ? SP_OK : put_value(filler, tag);
    case ITEM:
        return is_skipped(filler) ? SP_OK : put_item(filler, tag);
    case LIST:
    case IF:
    case UNLESS:
        return open_block(filler, tag, at);
    case CLOSE:
        return close_block(filler, tag, at);
    }
    return SP_OK;
}

static sp_status_t fill(filler_t *filler)
{
    size_t at = 0;

    while (at < filler->text.len && filler->out->status == SP_OK) {
        size_t next = at + sp_str_search(sp_str_skip(filler->text, at), SP_STR("{{"));
        tag_t tag = {.at = next, .end = next};
        size_t indent = 0;
        sp_status_t status = SP_OK;

        if (next < filler->text.len) {
            status = read_tag(filler, next, &tag);
            indent = status == SP_OK && tag.kind != VALUE && tag.kind != ITEM
                         ? indent_before(filler, &tag)
                         : 0;
        }
        if (status == SP_OK && !is_skipped(filler)) {
            sp_buf_append(filler->out, sp_str_slice(filler->text, at, next - indent));
        }
        if (next == filler->text.len) {
            break;
        }
        if (status == SP_OK) {
            status = take_tag(filler, &tag, &at);
        }
        if (status != SP_OK) {
            return status;
        }
    }
    if (filler->out->status == SP_OK && filler->depth != 0) {
        const tag_t *open = &filler->blocks[filler->depth - 1].tag;

        return refuse(filler, open->at, "a block that is never closed:", open->name);
    }
    return filler->out->status;
}

sp_status_t sp_lab_template_fill(sp_str_t text, const char *file,
                                 const sp_lab_variables_t *variables, sp_buf_t *out,
                                 sp_error_t *err)
{
    filler_t filler = {.text = text, .file = file, .variables = variables, .out = out, .err = err};
    sp_status_t status = fill(&filler);

    if (status == SP_NO_MEMORY || status == SP_TOO_LONG) {
        return sp_fail(err, status, 0, "%s: %s", file,
                       status == SP_NO_MEMORY ? "out of memory" : "what comes out is too long");
    }
    return status;
}
