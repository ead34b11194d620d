/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TLS_FOLDER_H
#define SIGNPOST_TLS_FOLDER_H

/* The files of one name's certificate (store.h says which), read whole. These functions wait for
 * the disk. */

#include <stdint.h>

#include "tls/certificate.h"

#define SP_TLS_FOLDER_PATH_MAX ((size_t)4096)

/* "ROOT/FOLDER"; false when it is too long. */
bool sp_tls_folder_path(const char *root, sp_str_t folder, char out[SP_TLS_FOLDER_PATH_MAX]);

/* A number that is another one when a file of the folder is written or replaced; 0: there is no
 * such folder, or no certificate in it. */
uint64_t sp_tls_folder_look(const char *root, sp_str_t folder);

/* *ret_mark: what sp_tls_folder_look said of exactly these files; 0 where it is worth another try
 * though nothing changes. Written in any case. SP_NOT_FOUND: as above; SP_IO; or what
 * sp_certificate_read says. */
sp_status_t sp_tls_folder_read(const char *root, sp_str_t folder, uint64_t *ret_mark,
                               sp_certificate_t **ret_certificate, sp_error_t *err);

#endif
