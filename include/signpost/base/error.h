/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_BASE_ERROR_H
#define SIGNPOST_BASE_ERROR_H

/* One status type for the whole project. A reader of text also fills a sp_error_t: where in its
 * input the fault lies (octets from the start) and what was expected, as a sentence for a person.
 */

#include <signpost/base/str.h>
#include <stddef.h>

typedef enum sp_status {
    SP_OK = 0,
    SP_NO_MEMORY,
    SP_BAD_SYNTAX, /* the text does not have the required shape */
    SP_BAD_VALUE,  /* well-formed, but not a value that is allowed there */
    SP_TOO_LONG,   /* over a limit */
    SP_NOT_FOUND,
    SP_UNSUPPORTED,
    SP_IO /* the operating system refused; the message says what */
} sp_status_t;

#define SP_ERROR_MESSAGE_MAX 200

typedef struct sp_error {
    sp_status_t status;
    size_t offset;
    char message[SP_ERROR_MESSAGE_MAX]; /* ends in NUL; what is not printable ASCII shows as ? */
} sp_error_t;

const char *sp_status_name(sp_status_t status);

/* Fills *err (which may be NULL) and returns `status`, so that a reader can end with it. */
sp_status_t sp_fail(sp_error_t *err, sp_status_t status, size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes '?' for what is not printable ASCII in a message that ends in NUL: nothing that a stranger
 * wrote may steer a terminal or break a line. */
void sp_make_printable(char *message);

#endif
