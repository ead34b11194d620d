/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/quantity.h"

#include <criterion/criterion.h>
#include <math.h>

Test(report_quantity, has_three_digits)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{8012.4, "8,012"},
                 {1234567, "1,234,567"},
                 {999.4, "999"},
                 {999.6, "1,000"},
                 {99.94, "99.9"},
                 {99.96, "100"},
                 {9.994, "9.99"},
                 {9.996, "10.0"},
                 {0.37123, "0.37"},
                 {0.0371, "0.037"},
                 {0.001234, "0.0012"},
                 {0, "0"},
                 {-8012.4, "-8,012"},
                 {-123456, "-123,456"},
                 {2, "2"},
                 {12.5, "12.5"},
                 {9e14, "900,000,000,000,000"}};

    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i) {
        cr_expect_str_eq(sp_lab_number_words(cases[i].value).text, cases[i].text, "%g: %s",
                         cases[i].value, sp_lab_number_words(cases[i].value).text);
    }
    cr_expect_str_eq(sp_lab_number_words(NAN).text, "\u2013");
    cr_expect_str_eq(sp_lab_number_words(1e300).text, "1e+300");
}

Test(report_quantity, has_the_unit_that_suits_its_size)
{
    static const struct {
        double value;
        sp_lab_unit_t unit;
        const char *text;
    } cases[] = {{8012, SP_LAB_REQUESTS_S, "8,012 requests/s"},
                 {5.016e6, SP_LAB_US, "5.02 s"},
                 {5016, SP_LAB_MS, "5.02 s"},
                 {370, SP_LAB_US, "0.37 ms"},
                 {85, SP_LAB_US, "85 \u00b5s"},
                 {12.3, SP_LAB_MS, "12.3 ms"},
                 {999.4, SP_LAB_MS, "999 ms"},
                 {999.6, SP_LAB_MS, "1.00 s"},
                 {0, SP_LAB_US, "0 ms"},
                 {0.0396, SP_LAB_SHARE, "3.96 %"},
                 {0, SP_LAB_SHARE, "0 %"},
                 {1, SP_LAB_SHARE, "100 %"},
                 {0.00004, SP_LAB_SHARE, "0.0040 %"},
                 {95.3, SP_LAB_MBIT_S, "95.3 Mbit/s"},
                 {5300, SP_LAB_MBIT_S, "5.30 Gbit/s"},
                 {3145728, SP_LAB_OCTETS, "3 MiB"},
                 {8589934592, SP_LAB_OCTETS, "8 GiB"},
                 {1.04, SP_LAB_QUERIES, "1.04 queries"},
                 {NAN, SP_LAB_REQUESTS_S, "\u2013"}};

    for (size_t i = 0; i != sizeof(cases) / sizeof(cases[0]); ++i) {
        sp_lab_words_t words = sp_lab_quantity(cases[i].value, cases[i].unit);

        cr_expect_str_eq(words.text, cases[i].text, "%s, not %s", words.text, cases[i].text);
    }
}

Test(report_quantity, names_a_common_unit_once)
{
    cr_expect_str_eq(sp_lab_quantity_range(400, 430, SP_LAB_US).text, "0.40 \u2026 0.43 ms");
    cr_expect_str_eq(sp_lab_quantity_range(950, 1020, SP_LAB_MS).text, "950 ms \u2026 1.02 s");
    cr_expect_str_eq(sp_lab_quantity_range(6600, 8040, SP_LAB_REQUESTS_S).text,
                     "6,600 \u2026 8,040");
    cr_expect_str_eq(sp_lab_quantity_range(0.01, 0.02, SP_LAB_SHARE).text, "1 \u2026 2 %");
}

Test(report_quantity, marks_axes_with_no_more_digits_than_needed)
{
    cr_expect_str_eq(sp_lab_tick_words(2000, SP_LAB_REQUESTS_S).text, "2,000");
    cr_expect_str_eq(sp_lab_tick_words(0.5, SP_LAB_PLAIN).text, "0.5");
    cr_expect_str_eq(sp_lab_tick_words(0.999, SP_LAB_SHARE).text, "99.9 %");
    cr_expect_str_eq(sp_lab_tick_words(100, SP_LAB_US).text, "0.1 ms");
    cr_expect_str_eq(sp_lab_tick_words(1e7, SP_LAB_US).text, "10 s");
    cr_expect_str_eq(sp_lab_tick_words(0, SP_LAB_SHARE).text, "0 %");
}
