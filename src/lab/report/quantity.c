/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/report/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LARGEST 9e15 /* beyond, a double holds no whole numbers any more */

const char *sp_lab_unit_name(sp_lab_unit_t unit)
{
    switch (unit) {
    case SP_LAB_REQUESTS_S:
        return "requests/s";
    case SP_LAB_QUERIES_S:
        return "queries/s";
    case SP_LAB_QUERIES:
        return "queries";
    case SP_LAB_ERRORS_S:
        return "errors/s";
    case SP_LAB_CORES:
        return "cores";
    case SP_LAB_PLAIN:
    case SP_LAB_MS:
    case SP_LAB_US:
    case SP_LAB_SHARE:
    case SP_LAB_MBIT_S:
    case SP_LAB_OCTETS:
        return "";
    }
    return "";
}

/* "1234567" → "1,234,567". */
static sp_lab_words_t with_commas(const char *digits)
{
    sp_lab_words_t words = {.text = ""};
    size_t len = strlen(digits), at = 0;

    for (size_t i = 0; i != len && at + 2 < sizeof(words.text); ++i) {
        if (i != 0 && (len - i) % 3 == 0 && digits[i - 1] != '-') {
            words.text[at++] = ',';
        }
        words.text[at++] = digits[i];
    }
    words.text[at] = '\0';
    return words;
}

static sp_lab_words_t fixed(double value, int decimals)
{
    sp_lab_words_t words;

    (void)snprintf(words.text, sizeof(words.text), "%.*f", decimals, value);
    return words;
}

/* Decimals that leave three significant digits; small values keep two. */
static int decimals_for(double size)
{
    if (size >= 99.95) {
        return 0;
    }
    if (size >= 9.995) {
        return 1;
    }
    return size >= 0.0995 ? 2 : (int)ceil(-log10(size)) + 1;
}

sp_lab_words_t sp_lab_number_words(double value)
{
    double size = fabs(value);

    if (isnan(value)) {
        return (sp_lab_words_t){.text = "\u2013"};
    }
    if (size < 1e-9) {
        return (sp_lab_words_t){.text = "0"};
    }
    if (size > LARGEST) {
        sp_lab_words_t words;

        (void)snprintf(words.text, sizeof(words.text), "%.3g", value);
        return words;
    }
    if (fabs(value - round(value)) < 1e-9) {
        return with_commas(fixed(value, 0).text);
    }
    return size >= 999.5 ? with_commas(fixed(value, 0).text) : fixed(value, decimals_for(size));
}

/* Without zeros at the end of the decimals. */
static sp_lab_words_t trimmed(sp_lab_words_t words)
{
    size_t len = strlen(words.text);

    if (strchr(words.text, '.') == NULL) {
        return words;
    }
    while (words.text[len - 1] == '0') {
        --len;
    }
    len -= words.text[len - 1] == '.' ? 1 : 0;
    words.text[len] = '\0';
    return words;
}

typedef struct scaled {
    double value;
    const char *unit;
} scaled_t;

/* The unit that suits the size, where a quantity has several. */
static scaled_t scale(double value, sp_lab_unit_t unit)
{
    if (unit == SP_LAB_SHARE) {
        return (scaled_t){value * 100, "%"};
    }
    if (unit == SP_LAB_MBIT_S) {
        return value < 999.5 ? (scaled_t){value, "Mbit/s"} : (scaled_t){value / 1000, "Gbit/s"};
    }
    if (unit == SP_LAB_OCTETS) {
        return value < 1073741824 ? (scaled_t){value / 1048576, "MiB"}
                                  : (scaled_t){value / 1073741824, "GiB"};
    }
    if (unit == SP_LAB_US) {
        value /= 1000;
    }
    if (unit == SP_LAB_US || unit == SP_LAB_MS) {
        if (value != 0 && value < 0.0995) {
            return (scaled_t){value * 1000, "\u00b5s"};
        }
        return value < 999.5 ? (scaled_t){value, "ms"} : (scaled_t){value / 1000, "s"};
    }
    return (scaled_t){value, sp_lab_unit_name(unit)};
}

static sp_lab_words_t join(sp_lab_words_t number, const char *unit)
{
    size_t len = strlen(number.text);

    if (unit[0] != '\0' && number.text[0] != '\xe2') {
        (void)snprintf(number.text + len, sizeof(number.text) - len, " %s", unit);
    }
    return number;
}

sp_lab_words_t sp_lab_quantity(double value, sp_lab_unit_t unit)
{
    scaled_t scaled = scale(value, unit);

    return join(sp_lab_number_words(scaled.value), scaled.unit);
}

sp_lab_words_t sp_lab_quantity_bare(double value, sp_lab_unit_t unit)
{
    return sp_lab_unit_name(unit)[0] == '\0' ? sp_lab_quantity(value, unit)
                                             : sp_lab_number_words(value);
}

sp_lab_words_t sp_lab_quantity_range(double low, double high, sp_lab_unit_t unit)
{
    scaled_t from = scale(low, unit), to = scale(high, unit);
    bool own = sp_lab_unit_name(unit)[0] == '\0';
    sp_lab_words_t first = sp_lab_quantity_bare(low, unit),
                   second = sp_lab_quantity_bare(high, unit);
    sp_lab_words_t words;

    if (own && strcmp(from.unit, to.unit) == 0) {
        first = sp_lab_number_words(from.value);
    }
    (void)snprintf(words.text, sizeof(words.text), "%.24s \u2026 %.30s", first.text, second.text);
    return words;
}

sp_lab_words_t sp_lab_tick_words(double value, sp_lab_unit_t unit)
{
    scaled_t scaled = scale(value, unit);
    const char *name = sp_lab_unit_name(unit)[0] == '\0' ? scaled.unit : "";
    double size = fabs(scaled.value);
    sp_lab_words_t number;

    if (size >= 999.5 || size < 1e-9) {
        return join(sp_lab_number_words(scaled.value), name);
    }
    (void)snprintf(number.text, sizeof(number.text), "%.6f", scaled.value);
    return join(trimmed(number), name);
}
