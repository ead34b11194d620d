/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_ROLE_H
#define SIGNPOST_LAB_ROLE_H

/* A role is a program that can take part: a server, the application, or a tool that measures. It is
 * a folder with role.json, which says how it is run, and templates of its configuration files. */

#include "lab/experiment.h"

#define SP_LAB_ROLE_FILES_MAX 16

typedef enum sp_lab_kind { SP_LAB_DNS, SP_LAB_APP, SP_LAB_TOOL } sp_lab_kind_t;

/* What shows that it serves. */
typedef enum sp_lab_ready {
    SP_LAB_READY_ALIVE, /* nothing but that it runs */
    SP_LAB_READY_DNS,   /* answers a query at its address */
    SP_LAB_READY_HTTP,  /* answers a request at its address */
    SP_LAB_READY_UNIX   /* answers a request at a unix socket */
} sp_lab_ready_t;

typedef struct sp_lab_role {
    sp_arena_t arena;
    const char *name;   /* of the folder */
    const char *folder; /* its path */
    const char *title;
    unsigned kind; /* sp_lab_kind_t */
    const char *program;
    sp_lab_texts_t needs; /* other programs that its commands call */
    const char *package;  /* Debian's, or NULL */
    const char *install;  /* how to get it otherwise, or NULL */
    unsigned port;        /* 0: 53 */
    sp_lab_texts_t version, command;
    sp_lab_texts_t server_command;  /* of tools with a half that answers; or empty */
    sp_lab_parameters_t files;      /* file in {{dir}} ← template in the folder */
    sp_lab_parameters_t parameters; /* defaults */
    sp_lab_parameters_t environment;
    sp_lab_ready_t ready;
    const char *ready_path; /* of the unix socket, a template */
    int stop_signal;
    /* Who stands in when the program can't be had; NULL: nobody. */
    const char *stand_in;
    sp_lab_parameters_t stand_in_parameters;
    const char *stand_in_says;
} sp_lab_role_t;

/* `folder` and `name` are copied. SP_BAD_VALUE with FILE:LINE:COLUMN in *err, SP_NO_MEMORY. */
sp_status_t sp_lab_role_read(sp_str_t text, const char *folder, const char *name,
                             sp_lab_role_t **ret_role, sp_error_t *err);

/* role.json of FOLDER/NAME. SP_NOT_FOUND when there is no such role. */
sp_status_t sp_lab_role_load(const char *folder, const char *name, sp_lab_role_t **ret_role,
                             sp_error_t *err);
void sp_lab_role_destroy(sp_lab_role_t *role); /* accepts NULL */

#endif
