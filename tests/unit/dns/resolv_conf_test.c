/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/resolv_conf.h"

#include "dns/resolver_address.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t read_text(const char *text, struct sockaddr_storage *addresses, size_t max)
{
    char path[] = "/tmp/signpost-resolv-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    size_t count = SIZE_MAX;
    sp_status_t status;

    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
    status = sp_resolv_conf_read(path, addresses, max, &count, NULL);
    cr_expect_eq(unlink(path), 0);
    cr_assert_eq(status, SP_OK);
    return count;
}

static void expect_address(const struct sockaddr_storage *address, const char *text)
{
    char printed[SP_RESOLVER_TEXT_MAX];

    sp_resolver_print(address, printed, sizeof(printed));
    cr_expect_str_eq(printed, text);
}

Test(resolv_conf, reads_nameserver_lines_alone)
{
    struct sockaddr_storage addresses[8];

    cr_assert_eq(read_text("# nameserver 192.0.2.9\nsearch example.com\n"
                           "nameserver 192.0.2.1\r\nnameserver\t2001:db8::1  # local\n"
                           "nameserver fe80::1%3\nnameserver nonsense\nnameserver\n"
                           "nameservers 192.0.2.8\n nameserver 192.0.2.7\noptions edns0\n"
                           "nameserver 192.0.2.2",
                           addresses, 8),
                 4);
    expect_address(&addresses[0], "192.0.2.1:53");
    expect_address(&addresses[1], "[2001:db8::1]:53");
    expect_address(&addresses[2], "[fe80::1%3]:53");
    expect_address(&addresses[3], "192.0.2.2:53");
}

Test(resolv_conf, takes_no_more_than_there_is_room_for)
{
    struct sockaddr_storage addresses[2];

    cr_expect_eq(
        read_text("nameserver 1.1.1.1\nnameserver 2.2.2.2\nnameserver 3.3.3.3\n", addresses, 2), 2);
    expect_address(&addresses[1], "2.2.2.2:53");
}

Test(resolv_conf, survives_a_long_line)
{
    static char text[5000];
    struct sockaddr_storage addresses[2];

    cr_assert_gt(snprintf(text, sizeof(text), "nameserver %04000d\nnameserver 192.0.2.1\n", 0), 0);
    cr_expect_eq(read_text(text, addresses, 2), 1);
}

Test(resolv_conf, says_why_a_file_cannot_be_read)
{
    struct sockaddr_storage addresses[2];
    size_t count = 7;
    sp_error_t err = {0};

    cr_expect_eq(sp_resolv_conf_read("/no/such/file", addresses, 2, &count, &err), SP_IO);
    cr_expect_not_null(strstr(err.message, "/no/such/file"));
    cr_expect_eq(count, 7);
}
