/* SPDX-License-Identifier: Apache-2.0 */

/* Plays every case of a case file against the core: a CTest of its own, which names each case that
 * fails. */

#include <stdio.h>
#include <stdlib.h>

#include "support/case_file.h"

static bool play(const json_t *test_case)
{
    case_result_t result;
    char why[4096] = "no outcome";
    bool agrees = false;

    case_play(test_case, &result);
    agrees = result.outcome != NULL && case_agrees(test_case, result.outcome, why, sizeof(why));
    if (!agrees) {
        printf("FAILED %s: %s\n", json_string_value(json_object_get(test_case, "id")), why);
    }
    case_clear(&result);
    return agrees;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *cases = argc == 2 ? json_load_file(argv[1], 0, &error) : NULL;
    size_t failed = 0;
    size_t count = json_array_size(cases);

    if (count == 0) {
        (void)fprintf(stderr, "usage: cases_test FILE (a JSON array of cases)\n");
        return 2;
    }
    for (size_t i = 0; i != count; ++i) {
        failed += !play(json_array_get(cases, i));
    }
    printf("%zu passed, %zu failed\n", count - failed, failed);
    json_decref(cases);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
