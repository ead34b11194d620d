/* SPDX-License-Identifier: Apache-2.0 */
/* A zone file of any octets: every record and fault has a place inside the text. */
#include "dns/wire_name.h"
#include "dns/zone_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct seen {
    size_t lines;
    size_t octets;
    size_t faults;
} seen_t;

static void require(bool fine)
{
    if (!fine) {
        abort();
    }
}

static void check_place(const seen_t *seen, size_t line, size_t column)
{
    require(line >= 1 && line <= seen->lines + 1);
    require(column >= 1 && column <= seen->octets + 2);
}

static void on_record(void *arg, const sp_zone_record_t *record)
{
    uint8_t wire[SP_WIRE_NAME_MAX];
    size_t len = 0;

    check_place(arg, record->line, record->column);
    require(sp_wire_name_write(record->owner, wire, &len));
    for (size_t i = 0; i != record->string_count; ++i) {
        require(record->strings[i].len <= 255);
    }
}

static void on_fault(void *arg, size_t line, size_t column, const char *message)
{
    seen_t *seen = arg;

    check_place(seen, line, column);
    require(message[0] != '\0');
    seen->faults += 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    seen_t seen = {.lines = 1, .octets = size};
    sp_status_t status;

    for (size_t i = 0; i != size; ++i) {
        seen.lines += data[i] == '\n' ? 1 : 0;
    }
    status = sp_zone_text_read((sp_str_t){(const char *)data, size}, "example.com.", on_record,
                               on_fault, &seen, NULL);
    require((status == SP_BAD_SYNTAX) == (seen.faults != 0));
    return 0;
}
