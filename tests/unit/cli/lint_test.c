/* SPDX-License-Identifier: Apache-2.0 */

/* One mistake each; beside it a zone that is like it and good. */

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lint_support.h"

#define GOOD "\"v=txtv0;to=https://www.example.net/\""

Test(lint, is_content_with_a_good_zone)
{
    expect_codes("@ NS ns.example.net.\nwww A 192.0.2.1\n_redirect.www TXT " GOOD, "");
    expect_codes("www TXT \"v=spf1 -all\"", "");
}

Test(lint, tells_faults_of_the_file)
{
    expect_codes("www IN A 192.0.2.300", "zone-syntax");
}

Test(lint, tells_faulty_fields_apart)
{
    expect_codes("_redirect.a TXT \"v=txtv1;to=https://a.example/\"", "bad-version");
    expect_codes("_redirect.a TXT \"v=txtv0;type=hots;to=https://a.example/\"", "bad-type");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://a.example/;code=200\"", "bad-code");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://a.example/;ref=maybe\"", "bad-ref");
    expect_codes("_redirect.a TXT \"v=txtv0;type=gometa;to=https://a.example/;vcs=cvs\"",
                 "bad-vcs");
    expect_codes("_redirect.a TXT \"v=txtv0;type=host\"", "missing-target");
}

Test(lint, refuses_a_record_over_4096_octets)
{
    static char records[8192];
    size_t used = (size_t)snprintf(records, sizeof(records),
                                   "_redirect.a TXT ( \"v=txtv0;to=https:"
                                   "//a.example/;\"");

    for (size_t octets = 32; octets <= 4096; octets += 200) {
        used += (size_t)snprintf(records + used, sizeof(records) - used, " \"");
        (void)memset(records + used, 'x', 200);
        used += 200;
        used += (size_t)snprintf(records + used, sizeof(records) - used, "\"");
    }
    (void)snprintf(records + used, sizeof(records) - used, " )");
    expect_codes(records, "too-long");
}

Test(lint, passes_on_what_the_reader_of_a_record_remarks)
{
    expect_codes("_redirect.a TXT \"v=txtv0;too=x;to=https://a.example/\"", "unknown-key");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://a.example/\\\\;code=301\"",
                 "backslash-in-data");
    expect_codes("_redirect.a TXT \"\\\"v=txtv0;to=https://a.example/\\\"\"", "quotes-in-data");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;to=https://a.example/;re=a(\"", "bad-regex");
    expect_codes("_redirect.a TXT \"v=txtv0;to=a.example/\"", "missing-scheme");
    expect_codes("_redirect.a TXT \"v=txtv0;to=ftp://a.example/\"", "bad-scheme");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https:///path\"", "no-host");
}

Test(lint, knows_that_repositories_have_more_schemes)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=gometa;to=ssh://git.example/a\"", "");
}

Test(lint, sees_strings_that_were_joined_without_a_separator)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=host\" \"code=301\" \";to=https://a.example/\"",
                 "bad-type missing-separator");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://a.example/\" \"code=301\"",
                 "missing-separator");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://a.exa\" \"mple/;\" \"code=301\"", "");
}

Test(lint, sees_hosts_without_a_scheme_in_disguise)
{
    expect_codes("_redirect.a TXT \"v=txtv0;to={host}/x\"", "missing-scheme");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https//b.example/\"", "missing-scheme self-target");
}

Test(lint, checks_the_registry_of_a_container_record)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=dockerv2;to=/images\"", "docker-target");
    expect_codes("_redirect.a TXT \"v=txtv0;type=dockerv2;to=https://r.example/a@sha256:0\"",
                 "docker-target");
    expect_codes("_redirect.a TXT \"v=txtv0;type=dockerv2;to=https://r.example/a:b\"", "");
}

Test(lint, finds_braces_that_are_no_placeholder)
{
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example{pathh}\"", "unknown-placeholder");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example/{a b}\"", "unknown-placeholder");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example{uri}\"", "");
}

Test(lint, takes_groups_of_the_record_above_for_placeholders)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;re=/(?P<x>.*);to=https://b.example/\"\n"
                 "_redirect._.a TXT \"v=txtv0;to=https://b.example/{x}/{$x}\"",
                 "");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;re=/(?P<x>.*);to=https://b.example/\"\n"
                 "_redirect._.a TXT \"v=txtv0;to=https://b.example/{y}\"",
                 "unknown-placeholder");
}

Test(lint, counts_labels)
{
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example/{label3}\"", "");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example/{label4}\"", "bad-label");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example/{labelx}\"", "bad-label");
}

Test(lint, sees_a_visitor_choosing_the_host)
{
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://{?to}\"", "open-redirect");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://{?to}.example/\"", "open-redirect");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example.net:{?port}/\"", "open-redirect");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://x-{?to}.example.net/\"", "");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://{label1}.example.net/{?to}\"", "");
    expect_codes("_redirect.a TXT \"v=txtv0;to={scheme}://b.example.net:{port}{path}\"", "");
}

Test(lint, sees_a_target_that_is_its_own_source)
{
    expect_codes("_redirect.a TXT \"v=txtv0;to=http://a.example.com/x\"", "self-target");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://A.example.com.:443/\"", "self-target-https");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://{host}{uri}\"", "self-target-https");
    expect_codes("_redirect.a TXT \"v=txtv0;to=/elsewhere\"", "self-target");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example.com/\"", "");
}

Test(lint, compares_the_root_of_a_path_record_with_the_root)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;root=http://a.example.com/\"", "self-target");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;to=http://a.example.com\"", "self-target");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;root=http://a.example.com/home\"", "");
}

Test(lint, compares_a_child_with_its_path)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;to=https://b.example/\"\n"
                 "_redirect.y.x.a TXT \"v=txtv0;to=http://a.example.com/x/y\"",
                 "self-target");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;to=https://b.example/\"\n"
                 "_redirect.y.x.a TXT \"v=txtv0;to=http://a.example.com/y/x\"",
                 "");
}

Test(lint, finds_two_records_at_one_name)
{
    expect_codes("_redirect.a TXT " GOOD "\n_redirect.a TXT \"v=txtv0;to=https://b.example/\"",
                 "two-records");
    expect_codes("_redirect.a TXT " GOOD "\n_redirect.a TXT \"something else\"", "");
}

Test(lint, finds_records_where_nobody_looks)
{
    expect_codes("www TXT " GOOD, "missing-prefix");
    expect_codes("_redirect.www TXT \"verification=1\"", "no-redirect-record");
    expect_codes("_redirect.www.example.com TXT " GOOD, "doubled-zone");
}

Test(lint, finds_wildcards_that_swallow_records)
{
    expect_codes("*.w CNAME web.example.net.", "wildcard-cname");
    expect_codes("*.w TXT \"v=spf1 -all\"", "wildcard-txt");
    expect_codes("*.w A 192.0.2.1", "");
}

Test(lint, finds_hosts_that_a_wildcard_stops_answering_for)
{
    expect_codes("*.w A 192.0.2.1\n_redirect.www.w TXT " GOOD, "wildcard-hidden");
    expect_codes("*.w A 192.0.2.1\nwww.w A 192.0.2.1\n_redirect.www.w TXT " GOOD, "");
}

Test(lint, checks_cnames)
{
    expect_codes("_redirect.a CNAME _redirect.b\n_redirect.b CNAME _redirect.a", "cname-loop");
    expect_codes("_redirect.a CNAME _redirect.b", "cname-missing");
    expect_codes("_redirect.a CNAME records.example.net.", "");
    expect_codes("_redirect.a CNAME _redirect.b\n_redirect.b TXT " GOOD, "");
    expect_codes("_redirect.a CNAME records.example.net.\n_redirect.a TXT " GOOD,
                 "cname-beside-data");
}

Test(lint, follows_use)
{
    expect_codes("_redirect.a TXT \"v=txtv0;use=_redirect.b.example.com\"\n_redirect.b TXT " GOOD,
                 "");
    expect_codes("_redirect.a TXT \"v=txtv0;use=_redirect.b.example.net\"", "");
    expect_codes("_redirect.a TXT \"v=txtv0;use=_redirect.b.example.com\"", "use-missing");
    expect_codes("_redirect.a TXT \"v=txtv0;use=_redirect.a.example.com\"", "use-loop");
    expect_codes("_redirect.a TXT \"v=txtv0;use=_redirect.b.example.com\"\n"
                 "_redirect.b TXT \"v=txtv0;type=host\"",
                 "use-faulty missing-target");
    expect_codes("_redirect.a TXT \"v=txtv0;use=b.example.com\"", "bad-use");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;use=_redirect.b.example.net;re=x\"",
                 "use-hides");
}

Test(lint, checks_numbered_records)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;re=record;to=https://b.example/\"",
                 "numbered-missing");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;re=record;to=https://b.example/\"\n"
                 "_redirect.1.a TXT \"v=txtv0;re=x;to=https://b.example/1\"\n"
                 "_redirect.3.a TXT \"v=txtv0;re=y;to=https://b.example/3\"",
                 "numbered-gap");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;re=record;to=https://b.example/\"\n"
                 "_redirect.1.a TXT \"v=txtv0;to=https://b.example/1\"",
                 "numbered-without-re");
}

Test(lint, finds_children_that_nobody_reaches)
{
    expect_codes("_redirect._._.a TXT " GOOD, "orphan-child");
    expect_codes("_redirect.b._.a TXT " GOOD, "orphan-child");
    expect_codes("_redirect.b.a TXT \"v=txtv0;to=https://b.example/{1}\"", "orphan-child");
    expect_codes("_redirect.1.a TXT \"v=txtv0;re=x;to=https://b.example/\"", "orphan-child");
    expect_codes("_redirect._.a TXT " GOOD, "");
}

Test(lint, finds_hosts_that_redirect_in_a_ring)
{
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example.com/\"\n"
                 "_redirect.b TXT \"v=txtv0;to=https://c.example.com/x\"\n"
                 "_redirect.c TXT \"v=txtv0;to=https://a.example.com{uri}\"",
                 "target-ring");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example.com/\"\n"
                 "_redirect.b TXT \"v=txtv0;to=https://c.example.com/x\"",
                 "");
}

static void expect_only_code(const char *text, const char *code)
{
    sp_lint_t lint;

    lint_zone(text, &lint);
    cr_assert_eq(lint.finding_count, 1);
    cr_expect_str_eq(lint.findings[0].code, code);
    sp_lint_clear(&lint);
}

Test(lint, sees_that_the_zone_has_no_name)
{
    expect_only_code("@ SOA ns h 1 2 3 4 5\n_redirect.www TXT " GOOD "\n", "missing-origin");
    expect_only_code("_redirect.www TXT " GOOD "\n", "missing-origin");
}

Test(lint, finds_stars_that_are_no_wildcards)
{
    expect_codes("_redirect.*.w TXT " GOOD, "star-label");
    expect_codes("_redirect.* TXT " GOOD, "star-label");
}

Test(lint, finds_keys_that_the_type_does_not_read)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=gometa;to=https://b.example/;code=301\"",
                 "ignored-key");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example/;vcs=git\"", "ignored-key");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example/;re=x\"", "ignored-key");
    expect_codes("_redirect.a TXT \"v=txtv0;to=https://b.example/;root=https://b.example/\"",
                 "ignored-key");
    expect_codes("_redirect.a TXT \"v=txtv0;type=gometa;to=https://b.example/;vcs=hg\"", "");
}

Test(lint, checks_the_order_of_segments)
{
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;to=https://b.example/;from=/$2/$1\"", "");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;to=https://b.example/;from=/$1/$1\"",
                 "bad-from");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;to=https://b.example/;from=a/b\"",
                 "bad-from");
    expect_codes("_redirect.a TXT \"v=txtv0;type=path;to=https://b.example/;from=/$1;re=x\"",
                 "re-and-from");
}

Test(lint, points_at_the_octet)
{
    expect_place("_redirect.a TXT \"v=txtv0;to=https://a.example/;code=200\"", "bad-code", 4, 53);
    expect_place("_redirect.a TXT v=txtv0\\;to=https://a.example/\\;code=200", "bad-code", 4, 54);
    expect_place(
        "_redirect.a TXT ( \"v=txtv0;\" ; a comment\n  \"code=200;to=https://a.example/\" )",
        "bad-code", 5, 9);
    expect_place("_redirect.a TXT \"v=txtv0;>X=\\065;code=200;to=https://a.example/\"", "bad-code",
                 4, 39);
    expect_place("_redirect.a TXT \"v=txtv0;type=host\"", "missing-target", 4, 35);
}

Test(lint, looks_over_a_record_without_a_name)
{
    sp_lint_t lint;

    sp_lint_init(&lint, sp_str_from(NULL));
    sp_lint_add_text(&lint, SP_STR("v=txtv0;to=https://example.com;code=999"));
    cr_assert_eq(sp_lint_run(&lint), SP_OK);
    cr_assert_eq(lint.finding_count, 1);
    cr_expect_str_eq(lint.findings[0].code, "bad-code");
    cr_expect_eq(lint.findings[0].place.line, 1);
    cr_expect_eq(lint.findings[0].place.column, 37);
    cr_expect_eq(lint.severities[SP_SEVERITY_ERROR], 1);
    sp_lint_clear(&lint);
}

Test(lint, refuses_a_record_that_is_none)
{
    sp_lint_t lint;

    sp_lint_init(&lint, sp_str_from(NULL));
    sp_lint_add_text(&lint, SP_STR("hello"));
    cr_assert_eq(sp_lint_run(&lint), SP_OK);
    cr_assert_eq(lint.finding_count, 1);
    cr_expect_str_eq(lint.findings[0].code, "no-redirect-record");
    sp_lint_clear(&lint);
}
