/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config.h"

#include "config_recorder.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The environment of a test: set before loading. Each Criterion test is a process of its own. */
static const char *variables[4][2];
static char file_path[] = "/tmp/signpost-config-XXXXXX";

static char *environment(const char *name)
{
    static char value[200];

    for (size_t i = 0; i != SP_COUNT(variables); ++i) {
        if (variables[i][0] != NULL && strcmp(variables[i][0], name) == 0) {
            (void)snprintf(value, sizeof(value), "%s", variables[i][1]);
            return value;
        }
    }
    return NULL;
}

static void write_file(const char *text)
{
    int fd = mkstemp(file_path);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    cr_assert_eq(close(fd), 0);
}

static void remove_file(void)
{
    (void)unlink(file_path); /* many tests have none */
}

TestSuite(config_load, .fini = remove_file);

static const char file_text[] =
    "{\"listen\": [{\"address\": \"127.0.0.1:1001\", \"tls\": true}], \"threads\": 1,"
    "\"dns\": {\"resolvers\": [\"192.0.2.1\"], \"zones\": [\"file.zone\"]}}";

static sp_config_t *load(const sp_config_flags_t *flags)
{
    sp_config_recorder_t recorder = {.count = 0};
    sp_config_t *config = NULL;

    cr_assert_eq(sp_config_load(flags, sp_config_recorder_add_fault, &recorder, &config), SP_OK,
                 "%s", recorder.text);
    return config;
}

static void expect_faults(const sp_config_flags_t *flags, sp_status_t status, const char *lines)
{
    sp_config_recorder_t recorder = {.count = 0};
    sp_config_t *config = NULL;

    cr_expect_eq(sp_config_load(flags, sp_config_recorder_add_fault, &recorder, &config), status);
    cr_expect_null(config);
    cr_expect_str_eq(recorder.text, lines);
}

static void expect_resolver(const sp_config_t *config, size_t index, uint32_t address)
{
    struct sockaddr_in in;

    cr_assert_lt(index, config->dns.options.resolver_count);
    memcpy(&in, &config->dns.options.resolvers[index], sizeof(in));
    cr_expect_eq(ntohl(in.sin_addr.s_addr), address);
}

Test(config_load, gives_the_defaults_when_nothing_is_said)
{
    sp_config_flags_t flags = {.environment = environment};
    sp_config_t *config = load(&flags);

    cr_expect_str_eq(config->listen[0].address.text, "[::]:8080");
    sp_config_destroy(config);
}

Test(config_load, lets_the_file_beat_the_defaults)
{
    sp_config_flags_t flags = {.file = file_path, .environment = environment};
    sp_config_t *config;

    write_file(file_text);
    config = load(&flags);
    cr_expect_str_eq(config->listen[0].address.text, "127.0.0.1:1001");
    cr_expect_eq(config->threads, 1);
    expect_resolver(config, 0, 0xc0000201);
    sp_config_destroy(config);
}

Test(config_load, lets_the_environment_beat_the_file)
{
    sp_config_flags_t flags = {.environment = environment};
    sp_config_t *config;

    write_file(file_text);
    variables[0][0] = "SIGNPOST_CONFIG";
    variables[0][1] = file_path;
    variables[1][0] = "SIGNPOST_LISTEN";
    variables[1][1] = "127.0.0.1:1002, [::1]:1003";
    variables[2][0] = "SIGNPOST_RESOLVER";
    variables[2][1] = "192.0.2.2";
    variables[3][0] = "SIGNPOST_THREADS";
    variables[3][1] = "2";
    config = load(&flags);
    cr_assert_eq(config->listen_count, 2);
    cr_expect_str_eq(config->listen[0].address.text, "127.0.0.1:1002");
    cr_expect_not(config->listen[0].tls);
    cr_expect_str_eq(config->listen[1].address.text, "[::1]:1003");
    cr_expect_eq(config->dns.options.resolver_count, 1);
    expect_resolver(config, 0, 0xc0000202);
    cr_expect_eq(config->threads, 2);
    cr_expect_str_eq(config->dns.zones[0], "file.zone");
    sp_config_destroy(config);
}

Test(config_load, lets_flags_beat_the_environment)
{
    const char *listen[] = {"127.0.0.1:1004"};
    const char *resolvers[] = {"192.0.2.3", "192.0.2.4"};
    const char *zones[] = {"a.zone", "b.zone"};
    sp_config_flags_t flags = {.file = file_path,
                               .listen = listen,
                               .listen_count = 1,
                               .resolvers = resolvers,
                               .resolver_count = 2,
                               .zones = zones,
                               .zone_count = 2,
                               .threads = "3",
                               .no_cache = true,
                               .environment = environment};
    sp_config_t *config;

    write_file(file_text);
    variables[0][0] = "SIGNPOST_CONFIG";
    variables[0][1] = "/nonexistent/other.json";
    variables[1][0] = "SIGNPOST_LISTEN";
    variables[1][1] = "bad";
    variables[2][0] = "SIGNPOST_RESOLVER";
    variables[2][1] = "bad";
    variables[3][0] = "SIGNPOST_THREADS";
    variables[3][1] = "bad";
    config = load(&flags);
    cr_assert_eq(config->listen_count, 1);
    cr_expect_str_eq(config->listen[0].address.text, "127.0.0.1:1004");
    expect_resolver(config, 0, 0xc0000203);
    expect_resolver(config, 1, 0xc0000204);
    cr_assert_eq(config->dns.zone_count, 2, "flags replace the file's zones");
    cr_expect_str_eq(config->dns.zones[0], "a.zone");
    cr_expect_str_eq(config->dns.zones[1], "b.zone");
    cr_expect_eq(config->threads, 3);
    cr_expect_not(config->cache.enabled);
    sp_config_destroy(config);
}

Test(config_load, takes_an_empty_variable_as_not_set)
{
    sp_config_flags_t flags = {.environment = environment};
    sp_config_t *config;

    variables[0][0] = "SIGNPOST_CONFIG";
    variables[0][1] = "";
    variables[1][0] = "SIGNPOST_LISTEN";
    variables[1][1] = "";
    variables[3][0] = "SIGNPOST_THREADS";
    variables[3][1] = "";
    config = load(&flags);
    cr_expect_str_eq(config->listen[0].address.text, "[::]:8080");
    sp_config_destroy(config);
}

Test(config_load, tells_the_faults_of_all_sources_at_once)
{
    const char *resolvers[] = {"dns.example.com"};
    sp_config_flags_t flags = {.file = file_path,
                               .resolvers = resolvers,
                               .resolver_count = 1,
                               .threads = "1025",
                               .environment = environment};
    char lines[1000];

    write_file("{\"threads\": true}");
    variables[1][0] = "SIGNPOST_LISTEN";
    variables[1][1] = "127.0.0.1:80,,localhost:80";
    (void)snprintf(
        lines, sizeof(lines),
        "%s:1:13: threads must be an integer from 0 to 1024, not true\n"
        "SIGNPOST_LISTEN: '' is no place to listen at; expected IPv4:port, [IPv6]:port or "
        "unix:/path\n"
        "SIGNPOST_LISTEN: 'localhost' is no IPv4 or IPv6 address; host names are not looked up "
        "here\n"
        "--resolver: 'dns.example.com' is no resolver address: it is neither IPv4 nor IPv6; "
        "expected ADDRESS, IPv4:PORT or [IPv6]:PORT\n"
        "--threads: '1025' is no number of threads; expected 0 to 1024\n",
        file_path);
    expect_faults(&flags, SP_BAD_VALUE, lines);
}

Test(config_load, says_why_a_file_can_not_be_read)
{
    sp_config_flags_t missing = {.file = "/nonexistent/signpost.json"};
    sp_config_flags_t folder = {.file = "/"};

    expect_faults(&missing, SP_IO,
                  "/nonexistent/signpost.json: can't be read: No such file or directory; expected "
                  "a readable file\n");
    expect_faults(&folder, SP_IO, "/: can't be read: Is a directory; expected a readable file\n");
}

Test(config_load, reads_no_more_of_a_file_than_its_limit)
{
    sp_config_flags_t flags = {.file = "/dev/zero"};

    expect_faults(&flags, SP_BAD_VALUE, "/dev/zero: a configuration has at most 1048576 octets\n");
}

Test(config_load, holds_flags_to_the_same_limits)
{
    const char *resolvers[SP_RESOLVERS_MAX + 1];
    sp_config_flags_t flags = {.resolvers = resolvers, .resolver_count = SP_RESOLVERS_MAX};

    for (size_t i = 0; i != SP_COUNT(resolvers); ++i) {
        resolvers[i] = "127.0.0.1";
    }
    sp_config_destroy(load(&flags));
    flags.resolver_count = SP_RESOLVERS_MAX + 1;
    expect_faults(&flags, SP_BAD_VALUE, "--resolver: at most 8 can be given, not 9\n");
}

Test(config_load, finds_a_listener_that_is_given_twice_or_is_the_admin_address)
{
    const char *twice[] = {"127.0.0.1:80", "127.0.0.1:80"};
    const char *admin[] = {"127.0.0.1:9180"};
    sp_config_flags_t flags = {.listen = twice, .listen_count = 2};

    expect_faults(&flags, SP_BAD_VALUE,
                  "--listen: 127.0.0.1:80 is listened at already; expected each place once\n");
    write_file("{\"admin\": {\"address\": \"127.0.0.1:9180\"}}");
    flags = (sp_config_flags_t){.file = file_path, .listen = admin, .listen_count = 1};
    expect_faults(&flags, SP_BAD_VALUE,
                  "--listen: the admin endpoints must have an address of their own, not that of a "
                  "public listener\n");
}

Test(config_load, refuses_an_empty_zone_path)
{
    const char *zones[] = {""};
    sp_config_flags_t flags = {.zones = zones, .zone_count = 1};

    expect_faults(&flags, SP_BAD_VALUE, "--zone: expected a path of 1 to 4095 octets\n");
}
