/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/client.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sp_arena_t arena;

static void begin(sp_buf_t *buf)
{
    sp_arena_init(&arena, NULL, 0, 4096);
    sp_buf_init(buf, &arena, 65536);
}

static bool has(const sp_buf_t *buf, const char *text)
{
    sp_str_t all = sp_buf_str(buf);

    return sp_str_search(all, sp_str_from(text)) != all.len;
}

/* What a shell makes of one variable of the configuration. */
static void expect_output(const sp_buf_t *buf, const char *variable, const char *value, int status)
{
    char path[] = "/tmp/signpost-client-XXXXXX";
    char command[256];
    char line[256] = "";
    FILE *file = fdopen(mkstemp(path), "w");
    FILE *shell = NULL;

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(buf->ptr, 1, buf->len, file), buf->len);
    cr_assert_eq(fclose(file), 0);
    (void)snprintf(command, sizeof(command), "bash -c '. %s; printf %%s \"$%s\"'", path, variable);
    shell = popen(command, "r");
    cr_assert_not_null(shell);
    if (fgets(line, sizeof(line), shell) == NULL) {
        line[0] = '\0'; /* it printed nothing */
    }
    cr_expect_eq(pclose(shell), status);
    cr_expect_eq(unlink(path), 0);
    cr_expect_str_eq(line, value, "%s", variable);
}

static void expect_shell(const sp_buf_t *buf, const char *variable, const char *value)
{
    expect_output(buf, variable, value, 0);
}

Test(client, is_told_what_to_do)
{
    const sp_acme_settings_t settings = {.directory = SP_STR("https://ca.example/dir?a='b'$(c)`d`"),
                                         .email = SP_STR("it's@example.com"),
                                         .ca_file = "/etc/a b.pem",
                                         .eab_kid = SP_STR("kid"),
                                         .eab_hmac_key = SP_STR("a-_9"),
                                         .challenge = SP_ACME_TLS_ALPN_01};
    sp_buf_t buf;

    begin(&buf);
    sp_acme_client_config(&settings, "/var/lib/it's here", "/tmp", &buf);
    cr_assert_eq(buf.status, SP_OK);
    expect_shell(&buf, "CA", "https://ca.example/dir?a='b'$(c)`d`");
    expect_shell(&buf, "CONTACT_EMAIL", "it's@example.com");
    expect_shell(&buf, "CURL_CA_BUNDLE", "/etc/a b.pem");
    expect_shell(&buf, "CHALLENGETYPE", "tls-alpn-01");
    expect_shell(&buf, "WELLKNOWN", "/var/lib/it's here/.signpost/challenges");
    expect_shell(&buf, "EAB_HMAC_KEY", "a-_9");
    sp_arena_clear(&arena);
}

Test(client, does_not_wait_for_ever)
{
    const sp_acme_settings_t settings = {.directory = SP_STR("https://ca.example/dir"),
                                         .challenge = SP_ACME_HTTP_01};
    sp_buf_t buf;

    begin(&buf);
    sp_acme_client_config(&settings, "/s", "/tmp", &buf);
    sp_buf_append(&buf, SP_STR("sleep 9\nMARK=early\n"));
    expect_shell(&buf, "MARK", "early");
    sp_arena_clear(&arena);
    begin(&buf);
    sp_buf_append(&buf, SP_STR("SECONDS=61\ntrap 'printf late' EXIT\n"));
    sp_acme_client_config(&settings, "/s", "/tmp", &buf);
    sp_buf_append(&buf, SP_STR("sleep 9\nMARK=never\n"));
    expect_output(&buf, "MARK", "late", 256);
    sp_arena_clear(&arena);
}

Test(client, is_not_told_what_is_not_set)
{
    const sp_acme_settings_t settings = {.directory = SP_STR("https://ca.example/dir"),
                                         .email = SP_STR(""),
                                         .eab_kid = SP_STR(""),
                                         .challenge = SP_ACME_HTTP_01};
    sp_buf_t buf;

    begin(&buf);
    sp_acme_client_config(&settings, "/s", "/w", &buf);
    cr_expect_not(has(&buf, "CURL_CA_BUNDLE"));
    cr_expect_not(has(&buf, "EAB_"));
    sp_arena_clear(&arena);
}

Test(client, brings_certificates_between_other_lines)
{
    sp_buf_t buf;

    begin(&buf);
    sp_acme_client_chain(SP_STR("# CERT #\n-----BEGIN CERTIFICATE-----\nAA\n-----END "
                                "CERTIFICATE-----\nx\n-----BEGIN CERTIFICATE-----\nBB\n-----END "
                                "CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\ncut off"),
                         &buf);
    cr_expect(sp_str_eq(sp_buf_str(&buf),
                        SP_STR("-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n"
                               "-----BEGIN CERTIFICATE-----\nBB\n-----END CERTIFICATE-----\n")));
    sp_arena_clear(&arena);
}

static void expect_fault(const char *output, const char *fault)
{
    sp_str_t found = sp_acme_client_fault(sp_str_from(output));

    cr_expect(sp_str_eq(found, sp_str_from(fault)), "%.*s", (int)found.len, found.ptr);
}

Test(client, says_what_went_wrong)
{
    expect_fault("", "it said nothing");
    expect_fault(" + one\n + two\n\n", " + two");
    expect_fault(" + one\nERROR: Problem connecting to server (get for x; curl returned with 7)\n",
                 "Problem connecting to server (get for x; curl returned with 7)");
    expect_fault(
        "  + ERROR: An error occurred (Status 429)\n\nDetails:\nHTTP/2 429\n{\n \"type\": "
        "\"urn:ietf:params:acme:error:rateLimited\",\n \"detail\": \"too many orders\"\n}\n",
        "too many orders");
    expect_fault("ERROR: Challenge is invalid! (returned: invalid) (result: "
                 "[\"error\",\"detail\"]\t\"Connection refused\"\n[\"status\"]\t\"invalid\")\n",
                 "Connection refused");
}

Test(client, tells_errors_apart)
{
    cr_expect(sp_acme_client_is_limited(SP_STR("urn:ietf:params:acme:error:rateLimited")));
    cr_expect_not(sp_acme_client_is_limited(SP_STR("rate")));
    cr_expect(sp_acme_client_lacks_account(SP_STR("x acme:error:accountDoesNotExist y")));
    cr_expect(sp_acme_client_lacks_account(SP_STR("x acme:error:unauthorized y")));
    cr_expect_not(sp_acme_client_lacks_account(
        SP_STR(" + Responding to challenge for a.example authorization...\nERROR: Challenge is "
               "invalid! (returned: invalid) (result: "
               "[\"error\",\"type\"]\t\"urn:ietf:params:acme:error:unauthorized\")\n")));
    cr_expect(sp_acme_client_is_to_repeat(SP_STR("x acme:error:badNonce y")));
    cr_expect_not(sp_acme_client_is_to_repeat(SP_STR("")));
}

static bool lacks_directory(const char *output)
{
    return sp_acme_client_lacks_directory(sp_str_from(output), SP_STR("https://ca.example/dir"));
}

Test(client, tells_when_nothing_was_ordered_for_certain)
{
    cr_expect(
        lacks_directory("# INFO: Using main config file x\nERROR: Problem connecting to server "
                        "(get for https://ca.example/dir; curl returned with 7)\n"));
    cr_expect(lacks_directory("  + ERROR: An error occurred while sending get-request to "
                              "https://ca.example/dir (Status 503)\n"));
    cr_expect_not(lacks_directory("ERROR: Problem connecting to server (head for "
                                  "https://ca.example/nonce; curl returned with 7)\n"));
    cr_expect_not(lacks_directory("ERROR: Problem connecting to server (get for "
                                  "https://ca.example/dir/order/1; curl returned with 7)\n"));
    cr_expect_not(lacks_directory(" + Requesting new certificate order from CA...\nERROR: Problem "
                                  "connecting to server (get for https://ca.example/dir; curl "
                                  "returned with 7)\n"));
    cr_expect_not(lacks_directory("ERROR: Problem connecting to server (get for "));
    cr_expect_not(lacks_directory(""));
}
