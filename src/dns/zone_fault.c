/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/zone_fault.h"

#include <libzscanner/scanner.h>
#include <stdio.h>

#define WORD_SHOWN 40 /* octets of a faulty word that a message quotes */

typedef struct wording {
    int code;
    const char *text;
} wording_t;

static const wording_t wordings[] = {
    {ZS_UNCLOSED_MULTILINE, "the parenthesis of this entry is never closed; expected ')'"},
    {ZS_LEFT_PARENTHESIS, "a second '(' inside parentheses; expected none or a ')' before it"},
    {ZS_RIGHT_PARENTHESIS, "a ')' without '('"},
    {ZS_BAD_PREVIOUS_OWNER,
     "the line begins with a blank, but no owner name came before it; expected OWNER first"},
    {ZS_BAD_OWNER, "the owner is no domain name; expected a name, '@' or '*.NAME'"},
    {ZS_BAD_DNAME_CHAR, "the domain name has an octet or an empty label that no name may have"},
    {ZS_LABEL_OVERFLOW, "a label of the domain name is longer than 63 octets"},
    {ZS_DNAME_OVERFLOW, "the domain name is longer than 255 octets"},
    {ZS_BAD_NUMBER, "expected a number"},
    {ZS_NUMBER32_OVERFLOW, "the number is too big; expected at most 4294967295"},
    {ZS_NUMBER16_OVERFLOW, "the number is too big; expected at most 65535"},
    {ZS_NUMBER8_OVERFLOW, "the number is too big; expected at most 255"},
    {ZS_RDATA_OVERFLOW, "the record is longer than 65535 octets"},
    {ZS_BAD_ADDRESS_CHAR, "expected an IP address"},
    {ZS_BAD_IPV4, "expected an IPv4 address such as 192.0.2.1"},
    {ZS_BAD_IPV6, "expected an IPv6 address such as 2001:db8::1"},
    {ZS_BAD_RDATA, "the data of the record is missing or incomplete"},
    {ZS_BAD_REST, "nothing more may stand here; expected the end of the line"},
    {ZS_TEXT_OVERFLOW, "the text is longer than 255 octets; expected several strings in quotes"},
    {ZS_BAD_TEXT_CHAR,
     "the text has a control character or its quote is not closed on this line; expected \"text\""},
    {ZS_BAD_TEXT, "expected a text in double quotes"},
    {ZS_BAD_DIRECTIVE, "the directive is not known; expected $ORIGIN, $TTL or $INCLUDE"},
    {ZS_BAD_TTL, "expected a time in seconds, or such as 1h or 2d, behind $TTL"},
    {ZS_BAD_ORIGIN, "expected an absolute domain name, with its final dot, behind $ORIGIN"},
    {ZS_BAD_INCLUDE_FILENAME, "expected the name of a file behind $INCLUDE"},
    {ZS_BAD_INCLUDE_ORIGIN,
     "expected an absolute domain name, with its final dot, behind the file name"},
    {ZS_BAD_RDATA_LENGTH, "the length behind \\# does not fit the data"},
};

static const char *words_for(int code)
{
    for (size_t i = 0; i != SP_COUNT(wordings); ++i) {
        if (wordings[i].code == code) {
            return wordings[i].text;
        }
    }
    return zs_strerror(code);
}

static void write_message(sp_str_t word, const char *text, sp_zone_fault_t *ret)
{
    sp_error_t printable; /* what a stranger wrote must not steer a terminal */

    if (word.len > WORD_SHOWN) {
        word = sp_str_slice(word, 0, WORD_SHOWN);
    }
    if (word.len != 0) {
        (void)sp_fail(&printable, SP_BAD_SYNTAX, 0, "'%.*s': %s", (int)word.len, word.ptr, text);
    } else {
        (void)sp_fail(&printable, SP_BAD_SYNTAX, 0, "%s", text);
    }
    (void)snprintf(ret->message, sizeof(ret->message), "%s", printable.message);
}

/* A word where the type should be: the commonest fault, and one that the library takes for a bad
 * number. */
static bool is_bad_type(const sp_zone_entry_t *entry, size_t offset, int code)
{
    return (code == ZS_BAD_NUMBER || code == ZS_UNSUPPORTED_TYPE) && offset >= entry->type &&
           offset <= entry->type_end;
}

/* Directives begin in the first column. */
static bool is_in_directive(sp_str_t text, size_t offset)
{
    size_t start = sp_str_find_last(sp_str_slice(text, 0, offset), '\n');

    start = start == (offset < text.len ? offset : text.len) ? 0 : start + 1;
    return start < text.len && text.ptr[start] == '$';
}

void sp_zone_fault_describe(sp_str_t text, size_t from, size_t offset, int code,
                            sp_zone_fault_t *ret_fault)
{
    sp_zone_entry_t entry = sp_zone_entry_find(text, from);

    ret_fault->offset = offset;
    if (code == ZS_UNCLOSED_MULTILINE || code == ZS_BAD_PREVIOUS_OWNER) {
        ret_fault->offset = entry.start;
        write_message((sp_str_t){0}, words_for(code), ret_fault);
    } else if (is_bad_type(&entry, offset, code)) {
        ret_fault->offset = entry.type;
        write_message(sp_str_slice(text, entry.type, entry.type_end),
                      "neither a TTL nor class IN nor a record type; expected OWNER [TTL] [IN] "
                      "TYPE DATA",
                      ret_fault);
    } else if (code == ZS_BAD_NUMBER && is_in_directive(text, offset)) {
        write_message(sp_zone_word_at(text, offset), words_for(ZS_BAD_TTL), ret_fault);
    } else {
        write_message(sp_zone_word_at(text, offset), words_for(code), ret_fault);
    }
}
