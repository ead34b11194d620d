/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/access_line.h"

#include <signpost/base/utf8.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#define ADDRESS_TEXT_MAX 64

typedef struct line {
    char *at;
    char *end;
    bool is_full;
} line_t;

static void put(line_t *line, sp_str_t text)
{
    if ((size_t)(line->end - line->at) < text.len) {
        line->is_full = true;
        return;
    }
    memcpy(line->at, text.ptr, text.len);
    line->at += text.len;
}

static void put_uint(line_t *line, uint64_t value)
{
    char digits[20];
    size_t len = 0;

    do {
        digits[sizeof(digits) - ++len] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put(line, (sp_str_t){.ptr = digits + sizeof(digits) - len, .len = len});
}

/* `width` digits, zeros in front. */
static void put_padded(line_t *line, unsigned value, size_t width)
{
    char digits[10];

    for (size_t i = width; i != 0; --i) {
        digits[i - 1] = (char)('0' + value % 10);
        value /= 10;
    }
    put(line, (sp_str_t){.ptr = digits, .len = width});
}

static void put_hex(line_t *line, sp_str_t prefix, unsigned char octet)
{
    static const char digits[] = "0123456789abcdef";
    char text[2] = {digits[octet >> 4], digits[octet & 15]};

    put(line, prefix);
    put(line, (sp_str_t){.ptr = text, .len = sizeof(text)});
}

static bool is_plain(char c)
{
    return (unsigned char)c >= ' ' && (unsigned char)c < 0x7f && c != '"' && c != '\\';
}

static size_t plain_prefix(sp_str_t text)
{
    size_t len = 0;

    while (len != text.len && is_plain(text.ptr[len])) {
        ++len;
    }
    return len;
}

/* RFC 8259, section 7; what is no UTF-8 becomes U+FFFD. */
static size_t put_json_special(line_t *line, sp_str_t text)
{
    unsigned char octet = (unsigned char)text.ptr[0];
    size_t len = 0;

    if (octet == '"' || octet == '\\') {
        put(line, SP_STR("\\"));
        put(line, sp_str_slice(text, 0, 1));
        return 1;
    }
    if (octet < ' ' || octet == 0x7f) {
        put_hex(line, SP_STR("\\u00"), octet);
        return 1;
    }
    len = sp_utf8_len(text);
    put(line, len == 0 ? SP_STR("\xef\xbf\xbd") : sp_str_slice(text, 0, len));
    return len == 0 ? 1 : len;
}

static size_t put_combined_special(line_t *line, sp_str_t text)
{
    put_hex(line, SP_STR("\\x"), (unsigned char)text.ptr[0]);
    return 1;
}

static void put_escaped(line_t *line, sp_str_t text, size_t (*put_special)(line_t *, sp_str_t))
{
    text = sp_str_slice(text, 0, SP_ACCESS_FIELD_MAX);
    while (text.len != 0) {
        size_t plain = plain_prefix(text);

        put(line, sp_str_slice(text, 0, plain));
        text = sp_str_skip(text, plain);
        if (text.len != 0) {
            text = sp_str_skip(text, put_special(line, text));
        }
    }
}

static void put_json(line_t *line, sp_str_t key, sp_str_t value)
{
    put(line, key);
    put(line, SP_STR("\""));
    put_escaped(line, value, put_json_special);
    put(line, SP_STR("\""));
}

/* null where there is nothing. */
static void put_json_or_null(line_t *line, sp_str_t key, sp_str_t value)
{
    if (value.len == 0) {
        put(line, key);
        put(line, SP_STR("null"));
        return;
    }
    put_json(line, key, value);
}

static sp_str_t print_ip4(const unsigned char octets[4], char text[ADDRESS_TEXT_MAX])
{
    line_t line = {.at = text, .end = text + ADDRESS_TEXT_MAX};

    for (size_t i = 0; i != 4; ++i) {
        put(&line, i == 0 ? SP_STR("") : SP_STR("."));
        put_uint(&line, octets[i]);
    }
    return (sp_str_t){.ptr = text, .len = (size_t)(line.at - text)};
}

/* Without port; an IPv4 peer of an IPv6 socket shows as IPv4. */
static sp_str_t print_peer(const sp_report_t *report, char text[ADDRESS_TEXT_MAX])
{
    if (report->peer_len != 0 && report->peer->sa_family == AF_INET) {
        const struct sockaddr_in *ip4 = (const void *)report->peer;

        return print_ip4((const unsigned char *)&ip4->sin_addr, text);
    }
    if (report->peer_len != 0 && report->peer->sa_family == AF_INET6) {
        const struct sockaddr_in6 *ip6 = (const void *)report->peer;

        if (IN6_IS_ADDR_V4MAPPED(&ip6->sin6_addr)) {
            return print_ip4(ip6->sin6_addr.s6_addr + 12, text);
        }
        if (inet_ntop(AF_INET6, &ip6->sin6_addr, text, ADDRESS_TEXT_MAX) != NULL) {
            return sp_str_from(text);
        }
    }
    return report->peer_len != 0 && report->peer->sa_family == AF_UNIX ? SP_STR("unix:")
                                                                       : SP_STR("");
}

static sp_str_t remote_of(const sp_report_t *report, char text[ADDRESS_TEXT_MAX])
{
    return report->client.len != 0 ? report->client : print_peer(report, text);
}

static sp_str_t header_of(const sp_report_t *report, sp_str_t name)
{
    for (size_t i = 0; i != report->header_count; ++i) {
        if (sp_str_eq_nocase(report->headers[i].name, name)) {
            return report->headers[i].value;
        }
    }
    return SP_STR("");
}

static sp_str_t protocol_of(const sp_report_t *report)
{
    if (report->version >= 0x200) {
        return SP_STR("HTTP/2");
    }
    return report->version == 0x100 ? SP_STR("HTTP/1.0") : SP_STR("HTTP/1.1");
}

static sp_str_t cache_of(const sp_report_t *report)
{
    switch (report->cache) {
    case SP_REPORT_NO_LOOKUP:
        break;
    case SP_REPORT_HIT:
        return SP_STR("hit");
    case SP_REPORT_STALE:
        return SP_STR("stale");
    case SP_REPORT_MISS:
        return SP_STR("miss");
    }
    return SP_STR("");
}

static unsigned status_of(const sp_report_t *report)
{
    return report->was_answered ? report->status : SP_ACCESS_STATUS_GONE;
}

/* RFC 3339 with milliseconds. */
static void put_time(line_t *line, const struct timespec *now)
{
    struct tm utc = {0};

    (void)gmtime_r(&now->tv_sec, &utc);
    put_padded(line, (unsigned)(utc.tm_year + 1900), 4);
    put(line, SP_STR("-"));
    put_padded(line, (unsigned)(utc.tm_mon + 1), 2);
    put(line, SP_STR("-"));
    put_padded(line, (unsigned)utc.tm_mday, 2);
    put(line, SP_STR("T"));
    put_padded(line, (unsigned)utc.tm_hour, 2);
    put(line, SP_STR(":"));
    put_padded(line, (unsigned)utc.tm_min, 2);
    put(line, SP_STR(":"));
    put_padded(line, (unsigned)utc.tm_sec, 2);
    put(line, SP_STR("."));
    put_padded(line, (unsigned)(now->tv_nsec / 1000000), 3);
    put(line, SP_STR("Z"));
}

static void write_json(line_t *line, const sp_report_t *report, const struct timespec *now)
{
    char address[ADDRESS_TEXT_MAX];
    sp_str_t outcome =
        report->was_answered ? sp_str_from(sp_outcome_kind_name(report->kind)) : SP_STR("");

    put(line, SP_STR("{\"time\":\""));
    put_time(line, now);
    put_json(line, SP_STR("\",\"remote\":"), remote_of(report, address));
    put_json(line, SP_STR(",\"method\":"), report->method);
    put_json(line, SP_STR(",\"scheme\":"), report->scheme);
    put_json(line, SP_STR(",\"host\":"), report->host);
    put_json(line, SP_STR(",\"target\":"), report->target);
    put_json(line, SP_STR(",\"protocol\":"), protocol_of(report));
    put(line, SP_STR(",\"status\":"));
    put_uint(line, status_of(report));
    put_json_or_null(line, SP_STR(",\"location\":"), report->location);
    put_json_or_null(line, SP_STR(",\"outcome\":"), outcome);
    put_json_or_null(line, SP_STR(",\"record\":"), report->record);
    put(line, SP_STR(",\"lookups\":"));
    put_uint(line, report->lookups);
    put_json_or_null(line, SP_STR(",\"cache\":"), cache_of(report));
    put(line, SP_STR(",\"dns_us\":"));
    put_uint(line, report->dns_us);
    put(line, SP_STR(",\"duration_us\":"));
    put_uint(line, report->ended_us - report->started_us);
    put_json_or_null(line, SP_STR(",\"user_agent\":"), header_of(report, SP_STR("user-agent")));
    put_json_or_null(line, SP_STR(",\"referer\":"), header_of(report, SP_STR("referer")));
    put(line, SP_STR("}\n"));
}

static void put_combined_or_dash(line_t *line, sp_str_t value)
{
    put_escaped(line, value.len == 0 ? SP_STR("-") : value, put_combined_special);
}

/* As Apache's and nginx's "combined", in UTC. */
static void put_combined_time(line_t *line, const struct timespec *now)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm utc = {0};

    (void)gmtime_r(&now->tv_sec, &utc);
    put_padded(line, (unsigned)utc.tm_mday, 2);
    put(line, SP_STR("/"));
    put(line, (sp_str_t){.ptr = months + (ptrdiff_t)3 * utc.tm_mon, .len = 3});
    put(line, SP_STR("/"));
    put_padded(line, (unsigned)(utc.tm_year + 1900), 4);
    put(line, SP_STR(":"));
    put_padded(line, (unsigned)utc.tm_hour, 2);
    put(line, SP_STR(":"));
    put_padded(line, (unsigned)utc.tm_min, 2);
    put(line, SP_STR(":"));
    put_padded(line, (unsigned)utc.tm_sec, 2);
    put(line, SP_STR(" +0000"));
}

static void write_combined(line_t *line, const sp_report_t *report, const struct timespec *now)
{
    char address[ADDRESS_TEXT_MAX];

    put_combined_or_dash(line, remote_of(report, address));
    put(line, SP_STR(" - - ["));
    put_combined_time(line, now);
    put(line, SP_STR("] \""));
    put_escaped(line, report->method, put_combined_special);
    put(line, SP_STR(" "));
    put_escaped(line, report->target, put_combined_special);
    put(line, SP_STR(" "));
    put(line, protocol_of(report));
    put(line, SP_STR("\" "));
    put_uint(line, status_of(report));
    put(line, SP_STR(" "));
    put_uint(line, report->body_len);
    put(line, SP_STR(" \""));
    put_combined_or_dash(line, header_of(report, SP_STR("referer")));
    put(line, SP_STR("\" \""));
    put_combined_or_dash(line, header_of(report, SP_STR("user-agent")));
    put(line, SP_STR("\"\n"));
}

size_t sp_access_line_write(const sp_report_t *report, const struct timespec *now,
                            sp_access_format_t format, char *memory, size_t size)
{
    line_t line = {.at = memory, .end = memory + size};

    if (format == SP_ACCESS_COMBINED) {
        write_combined(&line, report, now);
    } else {
        write_json(&line, report, now);
    }
    return line.is_full ? 0 : (size_t)(line.at - memory);
}
