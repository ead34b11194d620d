/* SPDX-License-Identifier: Apache-2.0 */
#include "config_recorder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 4096

/* The configuration with these keys in `tls.acme`; NULL where it has faults, told in *recorder. */
static sp_config_t *read_acme(const char *keys, sp_config_recorder_t *recorder)
{
    char text[TEXT_MAX + 128];

    (void)snprintf(
        text, sizeof(text),
        "{\"tls\": {\"acme\": {%s}}, \"listen\": [{\"address\": \"[::]:80\"}, {\"address\": "
        "\"[::]:443\", \"tls\": true}]}",
        keys);
    return sp_config_recorder_read(recorder, text);
}

static void expect_fault(const char *keys, const char *fault)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = read_acme(keys, &recorder);

    cr_expect_null(config, "%s", keys);
    cr_expect_not_null(strstr(recorder.text, fault), "%s: %s", keys, recorder.text);
    sp_config_destroy(config);
}

Test(config_acme, is_off_unless_it_is_given)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = sp_config_recorder_read(&recorder, "{}");

    cr_assert_not_null(config);
    cr_expect_null(config->acme.storage);
    sp_config_destroy(config);
}

Test(config_acme, has_defaults)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = read_acme("\"storage\": \"/s\"", &recorder);

    cr_assert_not_null(config, "%s", recorder.text);
    cr_expect_str_eq(config->acme.storage, "/s");
    cr_expect(sp_str_eq(config->acme.directory, SP_STR(SP_ACME_LETS_ENCRYPT)));
    cr_expect_eq(config->acme.challenge, SP_ACME_HTTP_01);
    cr_expect_eq(config->acme.per_domain_per_week, 20);
    cr_expect_eq(config->acme.per_hour, 60);
    cr_expect_eq(config->acme.caa_identity_count, 0);
    sp_config_destroy(config);
}

Test(config_acme, reads_every_key)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = read_acme(
        "\"storage\": \"/s\", \"directory\": \"https://ca.example:14000/dir\", \"email\": "
        "\"a@b.example\", \"ca_file\": \"/c\", \"challenge\": \"tls-alpn-01\", \"eab\": {\"kid\": "
        "\"k\", \"hmac_key\": \"YQ-_\"}, \"per_domain_per_week\": 0, \"per_hour\": 100000, "
        "\"caa_identities\": [\"CA.example\", \"other.example\"]",
        &recorder);

    cr_assert_not_null(config, "%s", recorder.text);
    cr_expect(sp_str_eq(config->acme.directory, SP_STR("https://ca.example:14000/dir")));
    cr_expect(sp_str_eq(config->acme.email, SP_STR("a@b.example")));
    cr_expect_str_eq(config->acme.ca_file, "/c");
    cr_expect_eq(config->acme.challenge, SP_ACME_TLS_ALPN_01);
    cr_expect(sp_str_eq(config->acme.eab_kid, SP_STR("k")));
    cr_expect(sp_str_eq(config->acme.eab_hmac_key, SP_STR("YQ-_")));
    cr_expect_eq(config->acme.per_domain_per_week, 0);
    cr_expect_eq(config->acme.per_hour, 100000);
    cr_assert_eq(config->acme.caa_identity_count, 2);
    cr_expect(sp_str_eq(config->acme.caa_identities[0], SP_STR("ca.example")));
    sp_config_destroy(config);
}

Test(config_acme, says_what_is_wrong)
{
    expect_fault("", "1:18: tls.acme needs the key \"storage\"");
    expect_fault("\"storage\": \"\"", "tls.acme.storage: expected a path");
    expect_fault("\"storage\": \"/s\", \"directory\": \"http://ca.example/\"",
                 "tls.acme.directory: expected an https URL");
    expect_fault("\"storage\": \"/s\", \"email\": \"nobody\"",
                 "tls.acme.email: expected one address");
    expect_fault("\"storage\": \"/s\", \"email\": \"a@b\\\"c\"",
                 "tls.acme.email: expected one address");
    expect_fault("\"storage\": \"/s\", \"challenge\": \"dns-01\"", "http-01 or tls-alpn-01");
    expect_fault("\"storage\": \"/s\", \"per_hour\": 100001", "tls.acme.per_hour must be");
    expect_fault("\"storage\": \"/s\", \"per_hour\": -1", "tls.acme.per_hour must be");
    expect_fault("\"storage\": \"/s\", \"eab\": {\"kid\": \"k\"}",
                 "tls.acme.eab needs the key \"hmac_key\"");
    expect_fault("\"storage\": \"/s\", \"eab\": {\"kid\": \"k\", \"hmac_key\": \"a b\"}",
                 "tls.acme.eab.hmac_key: expected what the authority has given");
    expect_fault("\"storage\": \"/s\", \"caa_identities\": [\"127.0.0.1\"]",
                 "tls.acme.caa_identities[0]: expected a host name");
    expect_fault("\"storage\": \"/s\", \"storag\": 1", "did you mean \"storage\"");
}

Test(config_acme, wants_a_listener_that_can_answer)
{
    sp_config_recorder_expect(
        "{\"tls\": {\"acme\": {\"storage\": \"/s\"}},"
        "\"listen\": [{\"address\": \"[::]:443\", \"tls\": true}]}",
        "test.json:1:18: the challenge http-01 is answered on a listener without TLS; expected one "
        "in listen\n");
    sp_config_recorder_expect(
        "{\"tls\": {\"acme\": {\"storage\": \"/s\", \"challenge\": \"tls-alpn-01\"}}}",
        "test.json:1:18: the challenge tls-alpn-01 is answered on a listener with TLS; expected "
        "one "
        "in listen\n");
}

Test(config_acme, never_repeats_a_secret)
{
    sp_config_recorder_t recorder;
    sp_config_t *config = read_acme(
        "\"storage\": \"/s\", \"eab\": {\"kid\": \"k\", \"hmac_key\": \"top secret\"}", &recorder);

    cr_assert_null(config);
    cr_expect_null(strstr(recorder.text, "top"));
}

/* At the limit, and one beyond. */
Test(config_acme, limits_the_directory)
{
    char keys[TEXT_MAX];
    char path[SP_ACME_DIRECTORY_MAX];
    sp_config_recorder_t recorder;
    sp_config_t *config = NULL;
    int rest = SP_ACME_DIRECTORY_MAX - (int)strlen("https://a.b/");

    memset(path, 'p', sizeof(path));
    (void)snprintf(keys, sizeof(keys), "\"storage\": \"/s\", \"directory\": \"https://a.b/%.*s\"",
                   rest, path);
    config = read_acme(keys, &recorder);
    cr_expect_not_null(config, "%s", recorder.text);
    sp_config_destroy(config);
    (void)snprintf(keys, sizeof(keys), "\"storage\": \"/s\", \"directory\": \"https://a.b/%.*s\"",
                   rest + 1, path);
    expect_fault(keys, "at most 180 octets");
}
