/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_REPORT_QUANTITY_H
#define SIGNPOST_LAB_REPORT_QUANTITY_H

/* Figures as people read them: "8,012 requests/s", "5.02 s", "3.96 %". Three significant digits,
 * and whole numbers from 100 on. */

typedef enum sp_lab_unit {
    SP_LAB_PLAIN, /* a number */
    SP_LAB_REQUESTS_S,
    SP_LAB_QUERIES_S,
    SP_LAB_QUERIES, /* DNS queries for one request */
    SP_LAB_ERRORS_S,
    SP_LAB_MS,
    SP_LAB_US,
    SP_LAB_SHARE, /* 0 … 1, shown in percent */
    SP_LAB_MBIT_S,
    SP_LAB_OCTETS,
    SP_LAB_CORES
} sp_lab_unit_t;

/* A short text by value; its pointer is good until the end of the full expression. */
typedef struct sp_lab_words {
    char text[64];
} sp_lab_words_t;

/* An en dash where the value is NAN. */
sp_lab_words_t sp_lab_number_words(double value);
sp_lab_words_t sp_lab_quantity(double value, sp_lab_unit_t unit);

/* Without the unit, where it does not depend on the size ("8,012"); times always carry theirs. */
sp_lab_words_t sp_lab_quantity_bare(double value, sp_lab_unit_t unit);

/* "0.40 … 0.43 ms", "95.0 ms … 1.02 s": the unit once, where both have the same. */
sp_lab_words_t sp_lab_quantity_range(double low, double high, sp_lab_unit_t unit);

/* Of a tick of an axis: no more digits than needed ("2,000", "0.5", "10 ms", "99.9 %"). */
sp_lab_words_t sp_lab_tick_words(double value, sp_lab_unit_t unit);

/* What follows the figure, without blank; "" where the figure carries it itself. */
const char *sp_lab_unit_name(sp_lab_unit_t unit);

#endif
