/* SPDX-License-Identifier: Apache-2.0 */

/* Any octets as a result of the laboratory: either one clear message, or a page whose curves have a
 * place to go: no figure of it is "nan" or "inf"; and it is made of characters that an SVG may
 * have. */

#include <signpost/base/str.h>
#include <signpost/base/utf8.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/report/report.h"
#include "lab/report/result_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* XML 1.0, 2.2; what is drawn within the page is also written as a file of its own. */
static void check_characters(sp_str_t text)
{
    while (text.len != 0) {
        size_t len = sp_utf8_len(text);
        unsigned char first = (unsigned char)text.ptr[0];

        require(len != 0 && first != 0x7f && (first >= 0x20 || first == '\t' || first == '\n'));
        require(!sp_str_starts_with(text, SP_STR("\xef\xbf\xbe")) &&
                !sp_str_starts_with(text, SP_STR("\xef\xbf\xbf")));
        text = sp_str_skip(text, len);
    }
}

/* Coordinates are numbers: they follow these. The raw result, which may hold anything, comes last.
 */
static void check_page(char *page)
{
    char *raw = strstr(page, "<script");

    static const char *const attributes[] = {" d=\"M", " x=\"", " y=\"", " x1=\"", " width=\""};

    require(raw != NULL && strstr(raw, "</html>") != NULL);
    *raw = '\0';
    check_characters(sp_str_from(page));
    for (size_t i = 0; i != SP_COUNT(attributes); ++i) {
        for (const char *at = page; (at = strstr(at, attributes[i])) != NULL; ++at) {
            const char *value = at + strlen(attributes[i]);

            require(*value == '-' || (*value >= '0' && *value <= '9'));
            require(strcspn(value, "ni") >= strcspn(value, "\""));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    sp_lab_report_result_t results[2] = {{.label = "one"}, {.label = "other"}};
    sp_error_t err = {.message = ""};
    char *page = NULL;
    size_t page_size = 0;
    FILE *out = NULL;

    if (sp_lab_result_read_text(text, "fuzz", &results[0].root, &err) != SP_OK) {
        require(strncmp(err.message, "fuzz:", 5) == 0 && strchr(err.message, '\n') == NULL);
        return 0;
    }
    out = open_memstream(&page, &page_size);
    require(out != NULL);
    results[1].root = results[0].root;
    require(sp_lab_report_write(results, 1 + size % 2, out) == SP_OK);
    require(fclose(out) == 0);
    check_page(page);
    free(page);
    json_decref(results[0].root);
    return 0;
}
