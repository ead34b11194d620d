/* SPDX-License-Identifier: Apache-2.0 */

/* Any octets as the template of a configuration file: filled within its room, or refused with a
 * place that lies in it. */

#include <stdlib.h>
#include <string.h>

#include "lab/template.h"

#define ROOM 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const two[] = {"one", "two"};
    const char *values[] = {two[0], two[1]};
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    sp_lab_variables_t variables = {.count = 0};
    sp_arena_t arena;
    sp_buf_t out;
    sp_error_t err = {.status = SP_OK};
    sp_status_t status = SP_OK;

    sp_arena_init(&arena, NULL, 0, ROOM);
    sp_buf_init(&out, &arena, ROOM);
    require(sp_lab_variables_set(&variables, "a", "value") == SP_OK);
    require(sp_lab_variables_set(&variables, "n", "no") == SP_OK);
    require(sp_lab_variables_set_list(&variables, "l",
                                      (sp_lab_texts_t){.list = values, .count = 2}) == SP_OK);
    require(sp_lab_variables_set_list(&variables, "e",
                                      (sp_lab_texts_t){.list = NULL, .count = 0}) == SP_OK);
    status = sp_lab_template_fill(text, "fuzz.in", &variables, &out, &err);
    require(sp_buf_str(&out).len <= ROOM);
    if (status == SP_BAD_SYNTAX) {
        require(err.offset <= size && strncmp(err.message, "fuzz.in:", 8) == 0);
    }
    if (status == SP_OK && sp_str_search(text, SP_STR("{{")) == size) {
        require(sp_str_eq(text, sp_buf_str(&out))); /* without tags it stays what it is */
    }
    sp_arena_clear(&arena);
    return 0;
}
