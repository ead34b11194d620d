/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_FILES_H
#define SIGNPOST_LAB_FILES_H

/* Whole files, small ones. */

#include <jansson.h>
#include <signpost/base/error.h>

#define SP_LAB_FILE_MAX ((size_t)64 * 1024 * 1024)

/* Into memory that sp_lab_file_free releases. SP_IO, SP_TOO_LONG, SP_NO_MEMORY. */
sp_status_t sp_lab_file_read(const char *path, sp_str_t *ret_text, sp_error_t *err);
void sp_lab_file_free(sp_str_t text);

/* Makes the file new, with the permissions that the umask leaves. */
sp_status_t sp_lab_file_write(const char *path, sp_str_t text, sp_error_t *err);

/* A JSON file that a program of ours has written. The caller owns *ret_json. */
sp_status_t sp_lab_file_read_json(const char *path, json_t **ret_json, sp_error_t *err);

/* The first line of a file that is not blank, for messages: at most `size` octets with the NUL.
 * Empty when there is none. Returns `line`. */
const char *sp_lab_file_first_line(const char *path, char *line, size_t size);

/* Makes a folder, and those on the way to it; one that is there is good. SP_IO. */
sp_status_t sp_lab_folder_make(const char *path, sp_error_t *err);

/* Removes a folder with all that is in it; links are removed, not followed. Without effect where
 * there is none. */
void sp_lab_file_remove_tree(const char *path);

#endif
