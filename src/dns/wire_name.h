/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_DNS_WIRE_NAME_H
#define SIGNPOST_DNS_WIRE_NAME_H

/* Domain names between their forms. The text form used throughout this folder is lower case, has
 * no final dot (the root is the empty text), and writes a dot inside a label, a backslash and every
 * octet outside visible ASCII as \DDD. Two names are equal exactly when their texts are. */

#include <signpost/base/str.h>

#define SP_WIRE_NAME_MAX 255
#define SP_NAME_TEXT_MAX 1024 /* each of 255 octets may take four characters */

typedef struct sp_wire_name {
    char text[SP_NAME_TEXT_MAX];
    size_t len;
} sp_wire_name_t;

sp_str_t sp_wire_name_str(const sp_wire_name_t *name);

/* Reads the name at *at of a DNS message, following compression pointers (RFC 1035, 4.1.4), and
 * moves *at behind it. False when it is cut off, too long, or points anywhere but backwards. */
bool sp_wire_name_read(sp_str_t message, size_t *at, sp_wire_name_t *ret_name);

/* The wire form of a text; false when no name looks like that. `ret_wire` holds SP_WIRE_NAME_MAX
 * octets. */
bool sp_wire_name_write(sp_str_t text, uint8_t *ret_wire, size_t *ret_len);

/* The name without its first label; the empty text for a name of one label. */
sp_str_t sp_name_parent(sp_str_t name);

/* Is `name` the same as `apex`, or below it? */
bool sp_name_is_within(sp_str_t name, sp_str_t apex);

#endif
