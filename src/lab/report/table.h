/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_TABLE_H
#define SIGNPOST_LAB_REPORT_TABLE_H

/* Tables of the page. On narrow screens each row becomes a card whose cells carry the name of their
 * column, so that no table is wider than the screen. */

#include <signpost/base/buf.h>

#define SP_LAB_COLUMNS_MAX 16

typedef struct sp_lab_table {
    sp_buf_t *out;
    const char *heads[SP_LAB_COLUMNS_MAX];
    size_t columns, at;
} sp_lab_table_t;

/* `heads` ends in NULL; its texts are borrowed until the end. `caption` may be "". */
void sp_lab_table_begin(sp_lab_table_t *table, sp_buf_t *out, const char *caption,
                        const char *const *heads);

/* A heading over the rows that follow. */
void sp_lab_table_group(sp_lab_table_t *table, const char *text);

/* A new row, headed by `text`. */
void sp_lab_table_row(sp_lab_table_t *table, const char *text);

/* The next cell of the row; empty ones show a dash. */
void sp_lab_table_cell(sp_lab_table_t *table, const char *text);

/* The same with a second line in small print, "" for none. */
void sp_lab_table_cell_small(sp_lab_table_t *table, const char *text, const char *small);

/* A sentence in place of all cells that the row still lacks. */
void sp_lab_table_note(sp_lab_table_t *table, const char *text);

void sp_lab_table_end(sp_lab_table_t *table);

#endif
