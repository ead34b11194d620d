/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/table.h"

#include "lab/report/markup.h"

void sp_lab_table_begin(sp_lab_table_t *table, sp_buf_t *out, const char *caption,
                        const char *const *heads)
{
    *table = (sp_lab_table_t){.out = out};
    sp_buf_append(out, SP_STR("<div class=\"table\"><table>"));
    if (caption[0] != '\0') {
        sp_buf_append(out, SP_STR("<caption>"));
        sp_lab_append_text(out, sp_str_from(caption));
        sp_buf_append(out, SP_STR("</caption>"));
    }
    sp_buf_append(out, SP_STR("<thead><tr>"));
    while (heads[table->columns] != NULL && table->columns != SP_LAB_COLUMNS_MAX) {
        sp_buf_append(out, SP_STR("<th scope=\"col\">"));
        sp_lab_append_text(out, sp_str_from(heads[table->columns]));
        sp_buf_append(out, SP_STR("</th>"));
        table->heads[table->columns] = heads[table->columns];
        ++table->columns;
    }
    sp_buf_append(out, SP_STR("</tr></thead>\n<tbody>\n"));
}

static void end_row(sp_lab_table_t *table)
{
    if (table->at != 0) {
        sp_buf_append(table->out, SP_STR("</tr>\n"));
        table->at = 0;
    }
}

void sp_lab_table_group(sp_lab_table_t *table, const char *text)
{
    end_row(table);
    sp_buf_printf(table->out, "<tr class=\"group\"><th colspan=\"%zu\" scope=\"rowgroup\">",
                  table->columns);
    sp_lab_append_text(table->out, sp_str_from(text));
    sp_buf_append(table->out, SP_STR("</th></tr>\n"));
}

void sp_lab_table_row(sp_lab_table_t *table, const char *text)
{
    end_row(table);
    sp_buf_append(table->out, SP_STR("<tr><th scope=\"row\">"));
    sp_lab_append_text(table->out, sp_str_from(text));
    sp_buf_append(table->out, SP_STR("</th>"));
    table->at = 1;
}

void sp_lab_table_cell(sp_lab_table_t *table, const char *text)
{
    sp_lab_table_cell_small(table, text, "");
}

void sp_lab_table_cell_small(sp_lab_table_t *table, const char *text, const char *small)
{
    const char *head = table->at < table->columns ? table->heads[table->at] : "";

    sp_buf_append(table->out, SP_STR("<td data-head=\""));
    sp_lab_append_text(table->out, sp_str_from(head));
    sp_buf_append(table->out, SP_STR("\"><span>"));
    sp_lab_append_text(table->out, sp_str_from(text[0] == '\0' ? "\u2013" : text));
    sp_buf_append(table->out, SP_STR("</span>"));
    if (small[0] != '\0') {
        sp_buf_append(table->out, SP_STR("<small>"));
        sp_lab_append_text(table->out, sp_str_from(small));
        sp_buf_append(table->out, SP_STR("</small>"));
    }
    sp_buf_append(table->out, SP_STR("</td>"));
    ++table->at;
}

void sp_lab_table_note(sp_lab_table_t *table, const char *text)
{
    if (table->at < table->columns) {
        sp_buf_printf(table->out, "<td class=\"note\" colspan=\"%zu\">",
                      table->columns - table->at);
        sp_lab_append_text(table->out, sp_str_from(text));
        sp_buf_append(table->out, SP_STR("</td>"));
        table->at = table->columns;
    }
}

void sp_lab_table_end(sp_lab_table_t *table)
{
    end_row(table);
    sp_buf_append(table->out, SP_STR("</tbody></table></div>\n"));
}
