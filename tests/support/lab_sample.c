/* SPDX-License-Identifier: Apache-2.0 */

/* lab_sample SPEED: prints the made-up result of lab_result.h, for tests that need one as a file.
 */

#include <stdio.h>
#include <stdlib.h>

#include "support/lab_result.h"

int main(int argc, char **argv)
{
    double speed = argc == 2 ? strtod(argv[1], NULL) : 0;
    json_t *result = NULL;
    int status = EXIT_FAILURE;

    if (!(speed > 0)) {
        (void)fputs("usage: lab_sample SPEED\n", stderr);
        return 2;
    }
    result = sp_sample_result(speed);
    if (result != NULL && json_dumpf(result, stdout, JSON_COMPACT) == 0 && fflush(stdout) == 0) {
        status = EXIT_SUCCESS;
    }
    json_decref(result);
    return status;
}
