/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/role.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/experiment_read.h"
#include "lab/files.h"
#include "serve/json_position.h"

#define ARENA_CHUNK 4096
#define PATH_OCTETS 4096

static const char *const kind_words[] = {"dns", "app", "tool", NULL};

static sp_status_t read_pairs(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    return sp_lab_lay_parameters(reader, node, into);
}

/* File names only: nothing is written outside a role's own folder. */
static sp_status_t read_files(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    sp_lab_parameters_t *files = into;
    sp_status_t status = sp_lab_lay_parameters(reader, node, files);

    if (status == SP_OK && files->count > SP_LAB_ROLE_FILES_MAX) {
        return sp_lab_refuse(reader, node.at, "at most %d files are allowed",
                             SP_LAB_ROLE_FILES_MAX);
    }
    for (size_t i = 0; status == SP_OK && i != files->count; ++i) {
        if (!sp_lab_is_name(files->list[i].name) || !sp_lab_is_name(files->list[i].value)) {
            return sp_lab_refuse(reader, node.at, "'%.40s' or '%.40s' is no file name",
                                 files->list[i].name, files->list[i].value);
        }
    }
    return status;
}

static sp_status_t read_command(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_key_t key = {.name = "command", .type = SP_LAB_TEXTS, .offset = 0};
    sp_lab_texts_t *command = into;
    sp_status_t status = sp_lab_read_member(reader, &key, node, command);

    if (status == SP_OK && (command->count == 0 || command->list[0][0] == '\0')) {
        return sp_lab_refuse(reader, node.at, "a command needs at least a program");
    }
    return status;
}

static sp_status_t read_server(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_key_t keys[] = {
        {.name = "command",
         .type = SP_LAB_OTHER,
         .required = true,
         .offset = 0,
         .read = read_command},
    };

    return sp_lab_read_object(reader, node, keys, SP_COUNT(keys), into);
}

#define ROLE(field) offsetof(sp_lab_role_t, field)

static sp_status_t read_stand_in(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_key_t keys[] = {
        {.name = "role", .type = SP_LAB_NAME, .required = true, .offset = ROLE(stand_in)},
        {.name = "parameters",
         .type = SP_LAB_OTHER,
         .offset = ROLE(stand_in_parameters),
         .read = read_pairs},
        {.name = "says", .type = SP_LAB_TEXT, .required = true, .offset = ROLE(stand_in_says)},
    };

    return json_is_null(node.value) ? SP_OK
                                    : sp_lab_read_object(reader, node, keys, SP_COUNT(keys), into);
}

typedef struct ready {
    bool dns, http;
    const char *unix_http;
} ready_t;

static sp_status_t read_ready(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const sp_lab_key_t keys[] = {
        {.name = "dns", .type = SP_LAB_FLAG, .offset = offsetof(ready_t, dns)},
        {.name = "http", .type = SP_LAB_FLAG, .offset = offsetof(ready_t, http)},
        {.name = "unix_http", .type = SP_LAB_TEXT, .offset = offsetof(ready_t, unix_http)},
    };
    sp_lab_role_t *role = into;
    ready_t ready = {.dns = false};
    sp_status_t status = sp_lab_read_object(reader, node, keys, SP_COUNT(keys), &ready);

    if (status != SP_OK) {
        return status;
    }
    if (json_object_size(node.value) != 1) {
        return sp_lab_refuse(reader, node.at, "expected one of dns, http and unix_http");
    }
    role->ready_path = ready.unix_http;
    if (ready.unix_http != NULL) {
        role->ready = SP_LAB_READY_UNIX;
    } else {
        role->ready = ready.dns    ? SP_LAB_READY_DNS
                      : ready.http ? SP_LAB_READY_HTTP
                                   : SP_LAB_READY_ALIVE;
    }
    return SP_OK;
}

static sp_status_t read_signal(sp_lab_reader_t *reader, sp_lab_node_t node, void *into)
{
    static const char *const words[] = {"TERM", "INT", "QUIT", "KILL", NULL};
    static const int signals[] = {SIGTERM, SIGINT, SIGQUIT, SIGKILL};
    static const sp_lab_key_t key = {
        .name = "stop_signal", .type = SP_LAB_WORD, .offset = 0, .words = words};
    unsigned index = 0;
    int *signal_number = into;
    sp_status_t status = sp_lab_read_member(reader, &key, node, &index);

    if (status == SP_OK) {
        *signal_number = signals[index];
    }
    return status;
}

static const sp_lab_key_t keys[] = {
    {.name = "title", .type = SP_LAB_TEXT, .required = true, .offset = ROLE(title)},
    {.name = "kind",
     .type = SP_LAB_WORD,
     .required = true,
     .offset = ROLE(kind),
     .words = kind_words},
    {.name = "program", .type = SP_LAB_TEXT, .required = true, .offset = ROLE(program)},
    {.name = "needs", .type = SP_LAB_TEXTS, .offset = ROLE(needs)},
    {.name = "package", .type = SP_LAB_TEXT, .offset = ROLE(package)},
    {.name = "install", .type = SP_LAB_TEXT, .offset = ROLE(install)},
    {.name = "port", .type = SP_LAB_COUNT, .offset = ROLE(port), .min = 1, .max = 65535},
    {.name = "version", .type = SP_LAB_OTHER, .offset = ROLE(version), .read = read_command},
    {.name = "command",
     .type = SP_LAB_OTHER,
     .required = true,
     .offset = ROLE(command),
     .read = read_command},
    {.name = "server", .type = SP_LAB_OTHER, .offset = ROLE(server_command), .read = read_server},
    {.name = "files", .type = SP_LAB_OTHER, .offset = ROLE(files), .read = read_files},
    {.name = "parameters", .type = SP_LAB_OTHER, .offset = ROLE(parameters), .read = read_pairs},
    {.name = "environment", .type = SP_LAB_OTHER, .offset = ROLE(environment), .read = read_pairs},
    {.name = "ready", .type = SP_LAB_OTHER, .offset = 0, .read = read_ready},
    {.name = "stand_in", .type = SP_LAB_OTHER, .offset = 0, .read = read_stand_in},
    {.name = "stop_signal", .type = SP_LAB_OTHER, .offset = ROLE(stop_signal), .read = read_signal},
};

static sp_status_t copy(sp_arena_t *arena, const char *text, const char **ret_copy)
{
    sp_str_t made = sp_arena_copy(arena, (sp_str_t){.ptr = text, .len = strlen(text) + 1});

    *ret_copy = made.ptr;
    return made.ptr == NULL ? SP_NO_MEMORY : SP_OK;
}

static sp_status_t read_into(sp_lab_role_t *role, sp_str_t text, const char *file, sp_error_t *err)
{
    sp_lab_reader_t reader = {.text = text, .file = file, .arena = &role->arena, .err = err};
    json_t *root = NULL;
    sp_status_t status = sp_lab_reader_parse(&reader, &root);

    if (status == SP_OK) {
        sp_lab_node_t node = {.value = root, .at = sp_json_value_at(text, 0)};

        status = sp_lab_read_object(&reader, node, keys, SP_COUNT(keys), role);
    }
    json_decref(root); /* all texts were copied */
    return status;
}

sp_status_t sp_lab_role_read(sp_str_t text, const char *folder, const char *name,
                             sp_lab_role_t **ret_role, sp_error_t *err)
{
    sp_lab_role_t *role = calloc(1, sizeof(*role));
    char file[SP_ERROR_MESSAGE_MAX / 2];
    sp_status_t status = SP_OK;

    if (role == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    role->stop_signal = SIGTERM;
    sp_arena_init(&role->arena, NULL, 0, ARENA_CHUNK);
    if (copy(&role->arena, name, &role->name) != SP_OK ||
        copy(&role->arena, folder, &role->folder) != SP_OK) {
        sp_lab_role_destroy(role);
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    (void)snprintf(file, sizeof(file), "roles/%s/role.json", name);
    status = read_into(role, text, file, err);
    if (status != SP_OK) {
        sp_lab_role_destroy(role);
        return status;
    }
    *ret_role = role;
    return SP_OK;
}

void sp_lab_role_destroy(sp_lab_role_t *role)
{
    if (role != NULL) {
        sp_arena_clear(&role->arena);
        free(role);
    }
}

sp_status_t sp_lab_role_load(const char *folder, const char *name, sp_lab_role_t **ret_role,
                             sp_error_t *err)
{
    char path[PATH_OCTETS];
    char place[PATH_OCTETS];
    sp_str_t text;
    sp_status_t status = SP_OK;

    if (!sp_lab_is_name(name) ||
        (size_t)snprintf(place, sizeof(place), "%s/%s", folder, name) >= sizeof(place) ||
        (size_t)snprintf(path, sizeof(path), "%s/role.json", place) >= sizeof(path)) {
        return sp_fail(err, SP_NOT_FOUND, 0, "'%.60s' can't be the name of a role", name);
    }
    status = sp_lab_file_read(path, &text, err);
    if (status == SP_IO) {
        return sp_fail(err, SP_NOT_FOUND, 0, "there is no role '%s': %.100s can't be read", name,
                       path);
    }
    if (status != SP_OK) {
        return status;
    }
    status = sp_lab_role_read(text, place, name, ret_role, err);
    sp_lab_file_free(text);
    return status;
}
