/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/role.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define HEAD "{\"title\": \"T\", \"kind\": \"dns\", \"program\": \"p\", "
#define COMMAND "\"command\": [\"p\", \"-c\"]"

static sp_lab_role_t *must_read(const char *text)
{
    sp_lab_role_t *role = NULL;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_role_read(sp_str_from(text), "/roles/r", "r", &role, &err), SP_OK, "%s",
                 err.message);
    return role;
}

static void must_refuse(const char *text, const char *words)
{
    sp_lab_role_t *role = NULL;
    sp_error_t err = {.message = ""};

    cr_assert_eq(sp_lab_role_read(sp_str_from(text), "/roles/r", "r", &role, &err), SP_BAD_VALUE,
                 "%s", text);
    cr_expect(strncmp(err.message, "roles/r/role.json:1:", 20) == 0, "%s", err.message);
    cr_expect(strstr(err.message, words) != NULL, "%s", err.message);
}

Test(lab_role, needs_little)
{
    sp_lab_role_t *role = must_read(HEAD COMMAND "}");

    cr_expect_str_eq(role->name, "r");
    cr_expect_str_eq(role->folder, "/roles/r");
    cr_expect_eq(role->kind, SP_LAB_DNS);
    cr_expect_eq(role->command.count, 2);
    cr_expect_eq(role->ready, SP_LAB_READY_ALIVE);
    cr_expect_eq(role->stop_signal, SIGTERM);
    cr_expect_null(role->stand_in);
    sp_lab_role_destroy(role);
}

Test(lab_role, reads_all_that_it_may_say)
{
    sp_lab_role_t *role = must_read(
        HEAD COMMAND ", \"package\": \"a b\", \"install\": \"do it\", \"port\": 8053, "
                     "\"needs\": [\"sh\", \"q\"], \"version\": [\"p\", \"-V\"], \"server\": "
                     "{\"command\": [\"s\"]}, "
                     "\"files\": {\"p.conf\": \"p.conf.in\"}, "
                     "\"parameters\": {\"threads\": 1, \"tls\": \"no\"}, "
                     "\"environment\": {\"A\": \"{{threads}}\"}, \"ready\": {\"unix_http\": "
                     "\"{{dir}}/s\"}, \"stop_signal\": \"INT\", "
                     "\"stand_in\": {\"role\": \"q\", \"parameters\": {\"x\": \"1\"}, \"says\": "
                     "\"Q for P\"}}");

    cr_expect_eq(role->port, 8053);
    cr_expect_eq(role->needs.count, 2);
    cr_expect_str_eq(role->needs.list[1], "q");
    cr_expect_str_eq(role->server_command.list[0], "s");
    cr_expect_str_eq(role->files.list[0].value, "p.conf.in");
    cr_expect_str_eq(role->parameters.list[0].value, "1");
    cr_expect_eq(role->ready, SP_LAB_READY_UNIX);
    cr_expect_eq(role->stop_signal, SIGINT);
    cr_expect_str_eq(role->stand_in, "q");
    cr_expect_str_eq(role->stand_in_parameters.list[0].name, "x");
    cr_expect_str_eq(role->stand_in_says, "Q for P");
    sp_lab_role_destroy(role);
}

Test(lab_role, says_where_the_fault_is)
{
    must_refuse("{}", "'title' is missing");
    must_refuse(HEAD "\"command\": []}", "at least a program");
    must_refuse(HEAD COMMAND ", \"kind2\": 1}", "unknown key 'kind2'");
    must_refuse(HEAD COMMAND ", \"ready\": {}}", "expected one of dns, http and unix_http");
    must_refuse(HEAD COMMAND ", \"ready\": {\"dns\": true, \"http\": true}}", "expected one of");
    must_refuse(HEAD COMMAND ", \"files\": {\"../a\": \"a\"}}", "no file name");
    must_refuse(HEAD COMMAND ", \"files\": {\"a\": \"b/c\"}}", "no file name");
    must_refuse(HEAD COMMAND ", \"port\": 65536}", "from 1 to 65535");
    must_refuse(HEAD COMMAND ", \"stop_signal\": \"HUP\"}", "must be one of TERM, INT, QUIT, KILL");
    must_refuse(HEAD COMMAND ", \"stand_in\": {\"role\": \"q\"}}", "'says' is missing");
}

Test(lab_role, has_so_many_files_and_no_more)
{
    for (int count = SP_LAB_ROLE_FILES_MAX; count != SP_LAB_ROLE_FILES_MAX + 2; ++count) {
        char text[1024] = HEAD COMMAND ", \"files\": {";
        size_t len = strlen(text);

        for (int i = 0; i != count; ++i) {
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\"f%d\": \"f\"",
                                    i == 0 ? "" : ", ", i);
        }
        (void)snprintf(text + len, sizeof(text) - len, "}}");
        if (count == SP_LAB_ROLE_FILES_MAX) {
            sp_lab_role_destroy(must_read(text));
        } else {
            must_refuse(text, "at most 16 files");
        }
    }
}

Test(lab_role, an_unknown_one_is_not_found)
{
    sp_lab_role_t *role = NULL;
    sp_error_t err = {.message = ""};

    cr_expect_eq(sp_lab_role_load("/nowhere", "r", &role, &err), SP_NOT_FOUND);
    cr_expect_eq(sp_lab_role_load("/nowhere", "../r", &role, &err), SP_NOT_FOUND);
}
