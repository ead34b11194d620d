/* SPDX-License-Identifier: Apache-2.0 */

/* A record's text: its fields, written down again, make the same record. */

#include <signpost/base/buf.h>
#include <signpost/rule/record.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_remark(void *arg, const sp_remark_t *remark)
{
    const sp_str_t *text = arg;

    require(remark->offset <= text->len);
    require(remark->code[0] != '\0' && remark->message[0] != '\0' && remark->advice[0] != '\0');
    for (const char *c = remark->message; *c != '\0'; ++c) {
        require(*c >= 0x20 && *c < 0x7f);
    }
}

/* The fields of `text`, with blanks around each, so that neither a backslash nor quotes come to
 * stand where they mean something. */
static sp_str_t written_again(sp_str_t text, sp_arena_t *arena)
{
    sp_str_t rest = text;
    sp_field_t field;
    sp_buf_t buf;

    sp_buf_init(&buf, arena, SIZE_MAX / 2);
    while (sp_field_next(&rest, &field)) {
        sp_buf_append(&buf, SP_STR(" ; "));
        sp_buf_append(&buf, field.key);
        sp_buf_append(&buf, field.has_equals ? SP_STR(" = ") : SP_STR(""));
        sp_buf_append(&buf, field.value);
    }
    sp_buf_append(&buf, SP_STR(" ; "));
    require(buf.status == SP_OK);
    return sp_buf_str(&buf);
}

static bool same_target(const sp_template_t *a, const sp_template_t *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || sp_str_eq(a->text, b->text));
}

static void require_same_lists(const sp_record_t *a, const sp_record_t *b)
{
    const sp_use_t *use = b->use;
    const sp_record_header_t *header = b->headers;

    for (const sp_use_t *u = a->use; u != NULL; u = u->next) {
        require(use != NULL && sp_str_eq(u->zone, use->zone));
        use = use->next;
    }
    for (const sp_record_header_t *h = a->headers; h != NULL; h = h->next) {
        require(header != NULL && sp_str_eq(h->field.name, header->field.name) &&
                sp_str_eq(h->field.value, header->field.value));
        header = header->next;
    }
    require(use == NULL && header == NULL);
}

static void require_same(const sp_record_t *a, const sp_record_t *b)
{
    require(a->type == b->type && a->code == b->code && a->ref == b->ref);
    require(a->numbered == b->numbered && a->has_re == b->has_re && a->has_from == b->has_from);
    require(a->has_type == b->has_type && (a->re == NULL) == (b->re == NULL));
    require(sp_str_eq(a->from, b->from) && sp_str_eq(a->vcs, b->vcs));
    require(same_target(a->to, b->to) && same_target(a->root, b->root) &&
            same_target(a->website, b->website));
    require_same_lists(a, b);
}

static void check_headers(const sp_record_t *record)
{
    for (const sp_record_header_t *h = record->headers; h != NULL; h = h->next) {
        for (size_t i = 0; i != h->field.value.len; ++i) {
            unsigned char c = (unsigned char)h->field.value.ptr[i];

            require(c == '\t' || (c >= 0x20 && c != 0x7f));
        }
    }
}

static void check_again(sp_str_t given, const sp_record_t *record, sp_arena_t *arena)
{
    sp_str_t text = written_again(record->text, arena);
    sp_record_t again = {.re = NULL};

    if (text.len > SP_RECORD_MAX) {
        return;
    }
    require(sp_dialect_txtv0.parse(text, arena, check_remark, &text, &again, NULL) == SP_OK);
    require_same(record, &again);
    require(sp_dialect_txtv0.claims(given, true) == sp_dialect_txtv0.claims(text, true));
    sp_record_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    sp_arena_t arena;
    sp_record_t record = {.re = NULL};
    sp_error_t err = {.message = ""};
    sp_status_t status = SP_OK;

    sp_arena_init(&arena, NULL, 0, 4096);
    (void)sp_dialect_txtv0.claims(text, false);
    status = sp_dialect_txtv0.parse(text, &arena, check_remark, &text, &record, &err);
    require((status == SP_TOO_LONG) == (size > SP_RECORD_MAX));
    if (status != SP_OK) {
        require(err.status == status && err.offset <= size && err.message[0] != '\0');
    } else {
        check_headers(&record);
        check_again(text, &record, &arena);
    }
    sp_record_clear(&record);
    sp_arena_clear(&arena);
    return 0;
}
