/* SPDX-License-Identifier: Apache-2.0 */
#include "config_recorder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void add_line(sp_config_recorder_t *recorder, sp_str_t line)
{
    size_t used = strlen(recorder->text);

    cr_assert_lt(line.len + 1, sizeof(recorder->text) - used, "the recorder is too small");
    (void)snprintf(recorder->text + used, sizeof(recorder->text) - used, "%.*s\n", (int)line.len,
                   line.ptr);
    ++recorder->count;
}

void sp_config_recorder_add_fault(void *arg, const sp_config_fault_t *fault)
{
    sp_arena_t arena;
    sp_buf_t buf;

    sp_arena_init(&arena, NULL, 0, 512);
    sp_buf_init(&buf, &arena, 4096);
    sp_buf_append(&buf, sp_str_from(fault->source));
    if (fault->line != 0) {
        sp_buf_printf(&buf, ":%zu:%zu", fault->line, fault->column);
    }
    sp_buf_printf(&buf, ": %s", fault->message);
    cr_assert_eq(buf.status, SP_OK);
    add_line(arg, sp_buf_str(&buf));
    sp_arena_clear(&arena);
}

sp_config_t *sp_config_recorder_read(sp_config_recorder_t *recorder, const char *text)
{
    sp_config_t *config = NULL;
    sp_status_t status;

    *recorder = (sp_config_recorder_t){.count = 0};
    status = sp_config_read_text(sp_str_from(text), "test.json", sp_config_recorder_add_fault,
                                 recorder, &config);
    cr_expect_eq(status == SP_OK, config != NULL, "a result exactly on success: %s", text);
    cr_expect_eq(status == SP_OK, recorder->count == 0, "faults exactly on failure: %s", text);
    return config;
}

void sp_config_recorder_expect(const char *text, const char *lines)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = sp_config_recorder_read(&recorder, text);

    cr_expect_null(config, "must be refused: %s", text);
    cr_expect_str_eq(recorder.text, lines);
    sp_config_destroy(config);
}
