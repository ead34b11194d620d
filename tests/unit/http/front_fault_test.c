/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "front_world.h"
#include "support/failing_alloc.h"

TestSuite(front_fault, .init = create_world, .fini = destroy_world);

static bool starts_with(const char *start)
{
    return strncmp(answer, start, strlen(start)) == 0;
}

/* A head so large that the request's first memory does not hold it. */
static const char *large_request(void)
{
    static char text[16384];
    size_t len = (size_t)snprintf(text, sizeof(text), "GET /");

    memset(text + len, 'x', 6000);
    (void)snprintf(text + len + 6000, sizeof(text) - len - 6000, " HTTP/1.1\r\n%s", HOST);
    for (int i = 0; i != 80; ++i) {
        strcat(text, "X: y\r\n");
    }
    return strcat(text, "\r\n");
}

/* Whichever allocation fails, the client gets its redirect, a 503, or a closed connection; and the
 * front goes on. */
static void sweep(const char *request)
{
    bool failed = true;
    size_t refused = 0;

    for (size_t n = 1; failed; ++n) {
        int fd = connect_client();
        bool closed = false;

        cr_assert_lt(n, 1000, "the sweep ends");
        sp_alloc_fail_at(n);
        closed = exchange(fd, request, strlen(request), 1);
        failed = sp_alloc_stop();
        cr_expect(closed || starts_with("HTTP/1.1 302 ") || starts_with("HTTP/1.1 503 "),
                  "allocation %zu: %s", n, answer);
        refused += !starts_with("HTTP/1.1 302 ");
        (void)close(fd);
    }
    cr_expect(starts_with("HTTP/1.1 302 "), "without a failure: %s", answer);
    cr_expect_gt(refused, 0, "some failure shows");
}

Test(front_fault, survives_each_failing_allocation)
{
    sweep("GET / HTTP/1.1\r\n" HOST "\r\n");
}

Test(front_fault, survives_each_failing_allocation_of_a_large_request)
{
    sweep(large_request());
}
