/* SPDX-License-Identifier: Apache-2.0 */
/* A list of requests of any octets: what is read can be written again and reads the same, and fits
 * into a request without breaking it; an error has a place inside the text. */
#include "load/targets.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fine)
{
    if (!fine) {
        abort();
    }
}

/* Nothing in it ends a request line or a header field. */
static void check_text(sp_str_t text)
{
    require(sp_str_find(text, '\r') == text.len);
    require(sp_str_find(text, '\n') == text.len);
    require(sp_str_find(text, '\0') == text.len);
    require(sp_str_find(text, '\t') == text.len);
}

static void check_target(const sp_load_target_t *target)
{
    require(target->host.len != 0 && target->path.len != 0 && target->path.ptr[0] == '/');
    require(sp_str_find(target->host, ' ') == target->host.len);
    require(sp_str_find(target->path, ' ') == target->path.len);
    require(target->status == 0 || (target->status >= 200 && target->status <= 599));
    require(target->has_location || target->location.len == 0);
    check_text(target->host);
    check_text(target->path);
    check_text(target->location);
}

static void print(const sp_load_targets_t *targets, FILE *out)
{
    for (size_t i = 0; i != targets->count; ++i) {
        const sp_load_target_t *target = &targets->list[i];

        (void)fprintf(out, "%.*s\t%.*s\t", (int)target->host.len, target->host.ptr,
                      (int)target->path.len, target->path.ptr);
        if (target->status != 0) {
            (void)fprintf(out, "%u", target->status);
        }
        if (target->has_location) {
            (void)fprintf(out, "\t%.*s", (int)target->location.len, target->location.ptr);
        }
        (void)fputc('\n', out);
    }
}

static void check_same(const sp_load_targets_t *one, const sp_load_targets_t *other)
{
    require(one->count == other->count);
    for (size_t i = 0; i != one->count; ++i) {
        const sp_load_target_t *a = &one->list[i];
        const sp_load_target_t *b = &other->list[i];

        require(sp_str_eq(a->host, b->host) && sp_str_eq(a->path, b->path));
        require(a->status == b->status && a->has_location == b->has_location);
        require(sp_str_eq(a->location, b->location));
    }
}

static void read_again(const sp_load_targets_t *targets)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    sp_load_targets_t again = {.count = 0};

    require(out != NULL);
    print(targets, out);
    require(fclose(out) == 0);
    require(sp_load_targets_parse((sp_str_t){text, len}, &again, NULL) == SP_OK);
    check_same(targets, &again);
    sp_load_targets_clear(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_load_targets_t targets = {.count = 0};
    sp_error_t err = {.message = ""};
    sp_status_t status =
        sp_load_targets_parse((sp_str_t){(const char *)data, size}, &targets, &err);

    if (status != SP_OK) {
        require(status == SP_BAD_SYNTAX && err.offset <= size && err.message[0] != '\0');
        return 0;
    }
    require(targets.count != 0);
    for (size_t i = 0; i != targets.count; ++i) {
        check_target(&targets.list[i]);
    }
    read_again(&targets);
    sp_load_targets_clear(&targets);
    return 0;
}
