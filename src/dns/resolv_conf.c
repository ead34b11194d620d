/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/resolv_conf.h"

#include "dns/resolver_address.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE 1024 /* longer lines are cut: an address is short */

/* The address of a "nameserver ADDRESS" line; empty for every other line. */
static sp_str_t address_of(sp_str_t line)
{
    sp_str_t keyword = SP_STR("nameserver");
    sp_str_t rest = sp_str_skip(line, keyword.len);
    size_t end = 0;

    if (!sp_str_starts_with(line, keyword) || rest.len == 0 || !sp_is_blank(rest.ptr[0])) {
        return (sp_str_t){0};
    }
    rest = sp_str_trim(rest);
    while (end != rest.len && !sp_is_blank(rest.ptr[end])) {
        ++end;
    }
    return sp_str_slice(rest, 0, end);
}

/* The rest of a line that was longer than the buffer. */
static void skip_line(FILE *file, const char *line)
{
    int c = strchr(line, '\n') != NULL ? '\n' : 0;

    while (c != '\n' && c != EOF) {
        c = fgetc(file);
    }
}

sp_status_t sp_resolv_conf_read(const char *path, struct sockaddr_storage *ret_addresses,
                                size_t max, size_t *ret_count, sp_error_t *err)
{
    FILE *file = fopen(path, "re");
    char line[LINE_SIZE];
    size_t count = 0;
    bool failed;

    if (file == NULL) {
        return sp_fail(err, SP_IO, 0, "%s: %s", path, strerror(errno));
    }
    while (count != max && fgets(line, sizeof(line), file) != NULL) {
        sp_str_t address = address_of(sp_str_from(line));

        if (address.len != 0 && sp_resolver_parse(address, &ret_addresses[count], NULL) == SP_OK) {
            ++count;
        }
        skip_line(file, line);
    }
    failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        return sp_fail(err, SP_IO, 0, "%s: cannot be read", path);
    }
    *ret_count = count;
    return SP_OK;
}
