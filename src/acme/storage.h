/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_ACME_STORAGE_H
#define SIGNPOST_ACME_STORAGE_H

/* The folder where certificates on demand live, shared by all processes that name it:
 *
 *     NAME/fullchain.pem  NAME/privkey.pem     what is served
 *     .signpost/account                        for which directory and address it was registered
 *     .signpost/accounts/                      its key
 *     .signpost/orders/NAME/                   an order under way
 *     .signpost/ready/NAME/                    a pair about to take the place of NAME
 *     .signpost/old/NAME/                      a pair that has lost its place
 *     .signpost/challenges/TOKEN               answers of http-01
 *     .signpost/alpn/NAME.crt.pem, .key.pem    certificates of tls-alpn-01
 *     .signpost/failures/NAME                  when it may be tried again (backoff.h)
 *     .signpost/budget                         what was ordered (budget.h)
 *     .signpost/locks/                         who is at it
 *
 * Files have mode 0600 and folders 0700. A file is complete or not there: it is written under
 * another name, synced, and renamed. A pair takes its place as a whole folder. Names are host names
 * in lower case, so none begins with a dot or holds a slash. Functions are safe from any thread. */

#include <signpost/base/arena.h>
#include <signpost/base/error.h>
#include <stdint.h>
#include <time.h>

#define SP_STORAGE_STATE ".signpost"
#define SP_STORAGE_FILE_MAX ((size_t)16 * 1024 * 1024) /* octets of one file that is read */
#define SP_STORAGE_PATH_MAX 4096

typedef struct sp_storage sp_storage_t;

/* `path` is copied. `create`: makes what is missing, and sees whether it can be written to; else
 * a folder that is not there is SP_NOT_FOUND. SP_OK, SP_NO_MEMORY, or SP_IO with a sentence. */
sp_status_t sp_storage_open(const char *path, bool create, sp_storage_t **ret_storage,
                            sp_error_t *err);
void sp_storage_close(sp_storage_t *storage); /* accepts NULL */

/* The path of the folder, absolute. */
const char *sp_storage_path(const sp_storage_t *storage);

/* "PREFIX" + `name`, as a path below the folder: `orders/` + `www.example.com`. `out` holds
 * SP_STORAGE_PATH_MAX octets. */
typedef struct sp_storage_name {
    char text[SP_STORAGE_PATH_MAX];
} sp_storage_name_t;
sp_storage_name_t sp_storage_name(const char *prefix, sp_str_t name, const char *suffix);

/* --- Files: `at` is a path below the folder -------------------------------------------------- */

/* The text is in `arena`. SP_OK, SP_NOT_FOUND, SP_TOO_LONG, SP_NO_MEMORY, SP_IO. */
sp_status_t sp_storage_read(const sp_storage_t *storage, const char *at, sp_arena_t *arena,
                            sp_str_t *ret_text);

/* Complete or not at all. SP_OK, or SP_IO with the system's words. */
sp_status_t sp_storage_write(const sp_storage_t *storage, const char *at, sp_str_t text,
                             sp_error_t *err);

/* What is not there is no error. */
void sp_storage_remove(const sp_storage_t *storage, const char *at);

/* A folder without anything in it: makes it, or empties it. */
sp_status_t sp_storage_empty_folder(const sp_storage_t *storage, const char *at, sp_error_t *err);

/* A folder with the files in it. */
void sp_storage_remove_folder(const sp_storage_t *storage, const char *at);

/* Removes files of a folder that nobody has touched for so long. */
void sp_storage_sweep(const sp_storage_t *storage, const char *at, time_t now, time_t age_s);

/* --- Locks ----------------------------------------------------------------------------------- */

/* Holds off other processes, and others of this one. The descriptor may be given to a child, which
 * then holds the lock with us, and on when we are gone. SP_OK; SP_NOT_FOUND: somebody else has it
 * (not when `wait`); SP_IO. */
sp_status_t sp_storage_lock(const sp_storage_t *storage, const char *at, bool wait, int *ret_fd);

/* Takes the lock's file away, and lets go. */
void sp_storage_unlock(const sp_storage_t *storage, const char *at, int fd);

/* --- Certificates ---------------------------------------------------------------------------- */

/* The pair of `name`. As for sp_storage_read. */
sp_status_t sp_storage_read_pair(const sp_storage_t *storage, sp_str_t name, sp_arena_t *arena,
                                 sp_str_t *ret_chain, sp_str_t *ret_key);

/* Puts a pair in the place of the one that is there, if any; the caller holds the name's lock.
 * SP_OK, or SP_IO with the system's words, and then nothing has changed. */
sp_status_t sp_storage_install(const sp_storage_t *storage, sp_str_t name, sp_str_t chain,
                               sp_str_t key, sp_error_t *err);

/* Is what lies at `name` a folder as sp_storage_install leaves it: the two files of a pair, and
 * nothing else? */
bool sp_storage_is_own(const sp_storage_t *storage, sp_str_t name);

/* SP_OK, SP_NOT_FOUND or SP_IO. */
sp_status_t sp_storage_forget(const sp_storage_t *storage, sp_str_t name);

/* Goes over what lies in the folder `at`, "." for the storage itself, but for what begins with a
 * dot; in no order. NULL: it can't be read. */
typedef struct sp_storage_walk sp_storage_walk_t;
sp_storage_walk_t *sp_storage_walk_begin(const sp_storage_t *storage, const char *at);
bool sp_storage_walk_next(sp_storage_walk_t *walk, char ret_name[256], sp_str_t *ret);
void sp_storage_walk_end(sp_storage_walk_t *walk); /* accepts NULL */

#endif
