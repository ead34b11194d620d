/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_CLI_READ_FILE_H
#define SIGNPOST_CLI_READ_FILE_H

#include <signpost/base/error.h>

/* Reads a whole file, standard input when `path` is NULL, into memory that sp_file_free releases.
 * SP_OK, SP_NO_MEMORY, SP_TOO_LONG over 64 MiB, or SP_IO with the reason. */
sp_status_t sp_file_read(const char *path, sp_str_t *ret_text, sp_error_t *err);
void sp_file_free(sp_str_t text);

#endif
