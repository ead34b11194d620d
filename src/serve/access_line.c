/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/access_line.h"

#include <signpost/base/utf8.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#define BLOCK_SIZE 16 /* octets looked at together */

typedef struct line {
    char *at;
    char *end;
    bool is_full;
} line_t;

static inline void put(line_t *line, sp_str_t text)
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
    char digits[20]; /* the last one first */
    size_t len = 0;

    do {
        digits[len++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if ((size_t)(line->end - line->at) < len) {
        line->is_full = true;
        return;
    }
    while (len != 0) {
        *line->at++ = digits[--len];
    }
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

/* The same as SP_OCTET_PLAIN for all octets, without a branch for each: compilers use vector
 * instructions. */
static bool is_plain_block(const char *block)
{
    unsigned char special = 0;

    for (size_t i = 0; i != BLOCK_SIZE; ++i) {
        unsigned char c = (unsigned char)block[i];

        special |= (unsigned char)((c < ' ') | (c > '~') | (c == '"') | (c == '\\'));
    }
    return special == 0;
}

static size_t plain_prefix(sp_str_t text)
{
    size_t len = 0;

    while (text.len - len >= BLOCK_SIZE && is_plain_block(text.ptr + len)) {
        len += BLOCK_SIZE;
    }
    while (len != text.len && sp_octet_is(text.ptr[len], SP_OCTET_PLAIN)) {
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

static void put_json(line_t *line, sp_str_t text)
{
    put_escaped(line, text, put_json_special);
}

/* A string; null where there is nothing. */
static void put_json_or_null(line_t *line, sp_str_t text)
{
    if (text.len == 0) {
        put(line, SP_STR("null"));
        return;
    }
    put(line, SP_STR("\""));
    put_json(line, text);
    put(line, SP_STR("\""));
}

static void put_ip4(line_t *line, const unsigned char octets[4])
{
    for (size_t i = 0; i != 4; ++i) {
        put(line, i == 0 ? SP_STR("") : SP_STR("."));
        put_uint(line, octets[i]);
    }
}

/* An IPv4 peer of an IPv6 socket shows as IPv4. */
static void put_ip6(line_t *line, const struct in6_addr *address)
{
    char text[INET6_ADDRSTRLEN];

    if (IN6_IS_ADDR_V4MAPPED(address)) {
        put_ip4(line, address->s6_addr + 12);
    } else if (inet_ntop(AF_INET6, address, text, sizeof(text)) != NULL) {
        put(line, sp_str_from(text));
    }
}

/* Without port; nothing when it is not known any more. */
static void put_peer(line_t *line, const sp_report_t *report)
{
    if (report->peer_len == 0) {
        return;
    }
    if (report->peer->sa_family == AF_INET) {
        const struct sockaddr_in *ip4 = (const void *)report->peer;

        put_ip4(line, (const unsigned char *)&ip4->sin_addr);
    } else if (report->peer->sa_family == AF_INET6) {
        const struct sockaddr_in6 *ip6 = (const void *)report->peer;

        put_ip6(line, &ip6->sin6_addr);
    } else if (report->peer->sa_family == AF_UNIX) {
        put(line, SP_STR("unix:"));
    }
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

static sp_str_t outcome_of(const sp_report_t *report)
{
    return report->was_answered ? sp_str_from(sp_outcome_kind_name(report->kind)) : SP_STR("");
}

static unsigned status_of(const sp_report_t *report)
{
    return report->was_answered ? report->status : SP_ACCESS_STATUS_GONE;
}

static void put_clock(line_t *line, const struct tm *utc)
{
    put_padded(line, (unsigned)utc->tm_hour, 2);
    put(line, SP_STR(":"));
    put_padded(line, (unsigned)utc->tm_min, 2);
    put(line, SP_STR(":"));
    put_padded(line, (unsigned)utc->tm_sec, 2);
}

/* RFC 3339, up to the fraction of the second. */
static void put_json_second(line_t *line, const struct tm *utc)
{
    put_padded(line, (unsigned)(utc->tm_year + 1900), 4);
    put(line, SP_STR("-"));
    put_padded(line, (unsigned)(utc->tm_mon + 1), 2);
    put(line, SP_STR("-"));
    put_padded(line, (unsigned)utc->tm_mday, 2);
    put(line, SP_STR("T"));
    put_clock(line, utc);
}

/* As Apache's and nginx's "combined", in UTC. */
static void put_combined_second(line_t *line, const struct tm *utc)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    put_padded(line, (unsigned)utc->tm_mday, 2);
    put(line, SP_STR("/"));
    put(line, (sp_str_t){.ptr = months + (ptrdiff_t)3 * utc->tm_mon, .len = 3});
    put(line, SP_STR("/"));
    put_padded(line, (unsigned)(utc->tm_year + 1900), 4);
    put(line, SP_STR(":"));
    put_clock(line, utc);
    put(line, SP_STR(" +0000"));
}

void sp_access_stamp_set(sp_access_stamp_t *stamp, sp_access_format_t format,
                         const struct timespec *now)
{
    bool is_same = stamp->format == format && stamp->now.tv_sec == now->tv_sec;
    line_t line = {.at = stamp->second, .end = stamp->second + sizeof(stamp->second)};
    struct tm utc = {0};

    stamp->now = *now;
    if (is_same && stamp->len != 0) {
        return;
    }
    (void)gmtime_r(&now->tv_sec, &utc);
    if (format == SP_ACCESS_COMBINED) {
        put_combined_second(&line, &utc);
    } else {
        put_json_second(&line, &utc);
    }
    stamp->format = format;
    stamp->len = (size_t)(line.at - stamp->second);
}

static sp_str_t second_of(const sp_access_stamp_t *stamp)
{
    return (sp_str_t){.ptr = stamp->second, .len = stamp->len};
}

static void write_json(line_t *line, const sp_report_t *report, const sp_access_stamp_t *stamp)
{
    put(line, SP_STR("{\"time\":\""));
    put(line, second_of(stamp));
    put(line, SP_STR("."));
    put_padded(line, (unsigned)(stamp->now.tv_nsec / 1000000), 3);
    put(line, SP_STR("Z\",\"remote\":\""));
    if (report->client.len != 0) {
        put_json(line, report->client);
    } else {
        put_peer(line, report);
    }
    put(line, SP_STR("\",\"method\":\""));
    put_json(line, report->method);
    put(line, SP_STR("\",\"scheme\":\""));
    put_json(line, report->scheme);
    put(line, SP_STR("\",\"host\":\""));
    put_json(line, report->host);
    put(line, SP_STR("\",\"target\":\""));
    put_json(line, report->target);
    put(line, SP_STR("\",\"protocol\":\""));
    put(line, protocol_of(report));
    put(line, SP_STR("\",\"status\":"));
    put_uint(line, status_of(report));
    put(line, SP_STR(",\"location\":"));
    put_json_or_null(line, report->location);
    put(line, SP_STR(",\"outcome\":"));
    put_json_or_null(line, outcome_of(report));
    put(line, SP_STR(",\"record\":"));
    put_json_or_null(line, report->record);
    put(line, SP_STR(",\"lookups\":"));
    put_uint(line, report->lookups);
    put(line, SP_STR(",\"cache\":"));
    put_json_or_null(line, cache_of(report));
    put(line, SP_STR(",\"dns_us\":"));
    put_uint(line, report->dns_us);
    put(line, SP_STR(",\"duration_us\":"));
    put_uint(line, report->ended_us - report->started_us);
    put(line, SP_STR(",\"user_agent\":"));
    put_json_or_null(line, header_of(report, SP_STR("user-agent")));
    put(line, SP_STR(",\"referer\":"));
    put_json_or_null(line, header_of(report, SP_STR("referer")));
    put(line, SP_STR("}\n"));
}

static void put_combined_or_dash(line_t *line, sp_str_t value)
{
    put_escaped(line, value.len == 0 ? SP_STR("-") : value, put_combined_special);
}

static void put_combined_remote(line_t *line, const sp_report_t *report)
{
    const char *begin = line->at;

    if (report->client.len != 0) {
        put_escaped(line, report->client, put_combined_special);
    } else {
        put_peer(line, report);
    }
    put(line, line->at == begin ? SP_STR("-") : SP_STR(""));
}

static void write_combined(line_t *line, const sp_report_t *report, const sp_access_stamp_t *stamp)
{
    put_combined_remote(line, report);
    put(line, SP_STR(" - - ["));
    put(line, second_of(stamp));
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

size_t sp_access_line_write(const sp_report_t *report, const sp_access_stamp_t *stamp, char *memory,
                            size_t size)
{
    line_t line = {.at = memory, .end = memory + size};

    if (stamp->format == SP_ACCESS_COMBINED) {
        write_combined(&line, report, stamp);
    } else {
        write_json(&line, report, stamp);
    }
    return line.is_full ? 0 : (size_t)(line.at - memory);
}
