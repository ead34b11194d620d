/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/zone_scanner.h"

#include <stdlib.h>
#include <string.h>

#define CLASS_IN 1

/* Takes the place of the folder that the library has set, which is the one we run in. */
static sp_status_t set_folder(zs_scanner_t *zs, const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    size_t len = slash != NULL ? (size_t)(slash - path) + 1 : 2;
    char *folder = malloc(len + 1);

    if (folder == NULL) {
        return SP_NO_MEMORY;
    }
    memcpy(folder, slash != NULL ? path : "./", len);
    folder[len] = '\0';
    free(zs->path);
    zs->path = folder;
    return SP_OK;
}

sp_status_t sp_zone_scanner_init(sp_zone_scanner_t *scanner, sp_str_t text, const char *path,
                                 const char *origin, uint32_t ttl_s, sp_error_t *err)
{
    zs_scanner_t *zs = calloc(1, sizeof(*zs));

    *scanner = (sp_zone_scanner_t){.zs = zs, .text = text};
    if (zs == NULL) {
        return SP_NO_MEMORY;
    }
    if (zs_init(zs, origin, CLASS_IN, ttl_s) != 0) {
        return sp_fail(err, SP_BAD_VALUE, 0, "'%s' is no absolute domain name for an origin",
                       origin);
    }
    if (zs_set_input_string(zs, text.ptr, text.len) != 0) {
        return SP_NO_MEMORY;
    }
    sp_zone_scanner_remember(scanner);
    return set_folder(zs, path);
}

void sp_zone_scanner_clear(sp_zone_scanner_t *scanner)
{
    if (scanner->zs != NULL) {
        zs_deinit(scanner->zs);
    }
    free(scanner->zs);
    scanner->zs = NULL;
}

size_t sp_zone_scanner_offset(const sp_zone_scanner_t *scanner)
{
    const char *at = scanner->zs->input.current;

    /* At its very end the library parses a line feed of its own, elsewhere in memory. */
    if (scanner->zs->input.eof || at < scanner->text.ptr ||
        at > scanner->text.ptr + scanner->text.len) {
        return scanner->text.len;
    }
    return (size_t)(at - scanner->text.ptr);
}

void sp_zone_scanner_remember(sp_zone_scanner_t *scanner)
{
    memcpy(scanner->origin, scanner->zs->zone_origin, sizeof(scanner->origin));
    scanner->origin_length = scanner->zs->zone_origin_length;
}

/* Does the line that ends at `end` begin with $ORIGIN? */
static bool is_origin_line(sp_str_t text, size_t end)
{
    sp_str_t before = sp_str_slice(text, 0, end);
    size_t feed = sp_str_find_last(before, '\n');

    return sp_str_starts_with_nocase(sp_str_skip(before, feed == before.len ? 0 : feed + 1),
                                     SP_STR("$ORIGIN"));
}

sp_status_t sp_zone_scanner_restart(sp_zone_scanner_t *scanner, size_t offset)
{
    zs_scanner_t *zs = scanner->zs;
    uint8_t owner[sizeof(zs->r_owner)];
    uint32_t owner_length = zs->r_owner_length;
    uint32_t ttl_s = zs->default_ttl;
    char *path = zs->path;

    if (!is_origin_line(scanner->text, offset)) {
        sp_zone_scanner_remember(scanner);
    }
    memcpy(owner, zs->r_owner, sizeof(owner));
    zs->path = NULL;
    zs_deinit(zs);
    if (zs_init(zs, ".", CLASS_IN, ttl_s) != 0 ||
        zs_set_input_string(zs, scanner->text.ptr + offset, scanner->text.len - offset) != 0) {
        free(path);
        return SP_NO_MEMORY;
    }
    memcpy(zs->zone_origin, scanner->origin, sizeof(scanner->origin));
    zs->zone_origin_length = scanner->origin_length;
    memcpy(zs->r_owner, owner, sizeof(owner));
    zs->r_owner_length = owner_length;
    free(zs->path);
    zs->path = path;
    return SP_OK;
}
