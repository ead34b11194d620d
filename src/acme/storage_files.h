/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_STORAGE_FILES_H
#define SIGNPOST_ACME_STORAGE_FILES_H

/* The inside of sp_storage_t, for storage.c and storage_files.c, which holds what is done with
 * single files and folders. */

#include "acme/storage.h"

struct sp_storage {
    char *path;
    int root; /* of the folder */
};

/* Two folders change places in one step. False where the file system can't. */
bool sp_storage_exchange(int root, const char *a, const char *b);

#endif
