/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_LIBRARY_H
#define SIGNPOST_LAB_LIBRARY_H

/* The folder with experiments/ and roles/: what there is, and whether this machine can run it. */

#include "lab/role.h"

#define SP_LAB_PATH_MAX 4096
#define SP_LAB_LIBRARY_ROLES_MAX 64
#define SP_LAB_LIBRARY_EXPERIMENTS_MAX 64

typedef struct sp_lab_library {
    char folder[SP_LAB_PATH_MAX];
    char roles_folder[SP_LAB_PATH_MAX + 8];
    char program_folders[2 * SP_LAB_PATH_MAX];      /* besides PATH, with ':' between */
    char executable[SP_LAB_PATH_MAX];               /* this program */
    sp_lab_role_t *roles[SP_LAB_LIBRARY_ROLES_MAX]; /* read so far */
    size_t role_count;
} sp_lab_library_t;

/* `given` by the user, or NULL: beside the executable as installed, in the source tree that it was
 * built in, or in the one that is worked in. SP_NOT_FOUND with advice. */
sp_status_t sp_lab_library_open(const char *given, sp_lab_library_t *ret_library, sp_error_t *err);
void sp_lab_library_clear(sp_lab_library_t *library);

/* Names of the experiments in order, as the files are called without ".json"; the caller frees the
 * list with sp_lab_names_clear. */
typedef struct sp_lab_names {
    char *list[SP_LAB_LIBRARY_EXPERIMENTS_MAX];
    size_t count;
} sp_lab_names_t;
sp_status_t sp_lab_library_experiments(const sp_lab_library_t *library, sp_lab_names_t *ret_names,
                                       sp_error_t *err);
void sp_lab_names_clear(sp_lab_names_t *names);

/* Whether it can be asked for, be it there or not: a name as files are called, or a path that ends
 * in ".json". */
bool sp_lab_library_can_name(const char *name);

/* By such a name (letters in either case), or by the path of a file that ends in ".json". */
sp_status_t sp_lab_library_experiment(const sp_lab_library_t *library, const char *name,
                                      sp_lab_experiment_t **ret_experiment, sp_error_t *err);

/* Kept by the library. SP_NOT_FOUND when there is no such role. */
sp_status_t sp_lab_library_role(sp_lab_library_t *library, const char *name,
                                const sp_lab_role_t **ret_role, sp_error_t *err);

/* The role that does the work: the one that is asked for, or its stand-in. */
typedef struct sp_lab_pick {
    const sp_lab_role_t *role;
    const sp_lab_role_t *in_place_of; /* NULL: it is the one that was asked for */
    char program[SP_LAB_PATH_MAX];    /* its path */
} sp_lab_pick_t;

/* SP_NOT_FOUND when neither can be had; the message says how to install it. */
sp_status_t sp_lab_library_pick(sp_lab_library_t *library, const char *name,
                                sp_lab_pick_t *ret_pick, sp_error_t *err);

#endif
