/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_file.h"

#include "serve/config_check.h"
#include "serve/config_origin.h"
#include "serve/config_read.h"
#include "serve/json_position.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jansson points behind the token that it did not like and quotes it at the end of its message:
 * "… near 'TOKEN'". The place to show is where the token begins. */
static size_t token_start(sp_str_t text, const json_error_t *error)
{
    size_t end = error->position < 0 ? 0 : (size_t)error->position;
    sp_str_t message = sp_str_from(error->text);
    sp_str_t near = SP_STR(" near '");
    size_t at = sp_str_search(message, near);
    sp_str_t token = sp_str_slice(message, at + near.len, message.len - 1);

    end = end > text.len ? text.len : end;
    if (at != message.len && token.len <= end &&
        sp_str_eq(sp_str_slice(text, end - token.len, end), token)) {
        return end - token.len;
    }
    return end;
}

void sp_config_add_syntax_error(sp_config_faults_t *faults, sp_str_t text,
                                const json_error_t *error)
{
    if (sp_json_value_at(text, 0) == text.len) {
        sp_config_faults_add(faults, 0, "the file is empty; expected a JSON object, at least {}");
        return;
    }
    sp_config_faults_add(faults, token_start(text, error), "this is not JSON: %s", error->text);
}

/* The reader and the conflict finder share the text and the faults. */
static void add_conflict(void *arg, const char *pointer, const char *message)
{
    sp_config_reader_t *reader = arg;
    size_t at = 0;

    if (!sp_json_find(reader->text, sp_str_from(pointer), &at)) {
        at = 0; /* the value is not in the file: a default that the file does not go with */
    }
    sp_config_faults_add(reader->faults, at, "%s", message);
}

/* Sets the origin as well. */
static sp_status_t read_into(sp_config_t *config, sp_str_t text, const char *name,
                             sp_config_faults_t *faults)
{
    sp_config_reader_t reader = {.text = text, .arena = &config->arena, .faults = faults};
    json_error_t error = {.position = 0};
    json_t *json = text.len == 0 ? NULL : json_loadb(text.ptr, text.len, 0, &error);

    if (json == NULL && json_error_code(&error) == json_error_out_of_memory) {
        return SP_NO_MEMORY;
    }
    if (json == NULL) {
        sp_config_add_syntax_error(faults, text, &error);
        return sp_config_origin_set(config, name, SP_STR(""), NULL);
    }
    sp_config_read_root(&reader, json, config);
    sp_config_find_conflicts(config, add_conflict, &reader);
    json_decref(json);
    return reader.no_memory ? SP_NO_MEMORY : sp_config_origin_set(config, name, text, faults);
}

/* The text as a whole can't be read. */
static sp_status_t examine_nothing(const char *name, const char *message,
                                   sp_config_fault_fn *on_fault, void *arg,
                                   sp_config_t **ret_config)
{
    sp_config_fault_t fault = {.source = name, .message = message};
    sp_config_t *config = NULL;
    sp_status_t status = sp_config_create_default(&config);

    if (status == SP_OK) {
        status = sp_config_origin_set(config, name, SP_STR(""), NULL);
    }
    if (status != SP_OK) {
        sp_config_destroy(config);
        return status;
    }
    if (on_fault != NULL) {
        on_fault(arg, &fault);
    }
    *ret_config = config;
    return SP_OK;
}

static sp_status_t examine_too_long(const char *name, sp_config_fault_fn *on_fault, void *arg,
                                    sp_config_t **ret_config)
{
    sp_error_t err = {0};
    sp_status_t bad =
        sp_fail(&err, SP_BAD_VALUE, 0, "a configuration has at most %d octets", SP_CONFIG_FILE_MAX);
    sp_status_t status = examine_nothing(name, err.message, on_fault, arg, ret_config);

    return status == SP_OK ? bad : status;
}

/* As sp_config_examine. */
static sp_status_t examine_text(sp_str_t text, const char *name, sp_config_fault_fn *on_fault,
                                void *arg, sp_config_t **ret_config)
{
    sp_config_faults_t faults;
    sp_config_t *config = NULL;
    sp_status_t status;

    if (text.len > SP_CONFIG_FILE_MAX) {
        return examine_too_long(name, on_fault, arg, ret_config);
    }
    status = sp_config_faults_init(&faults);
    if (status == SP_OK) {
        status = sp_config_create_default(&config);
    }
    if (status == SP_OK) {
        status = read_into(config, text, name, &faults);
        sp_config_faults_report(&faults, text, name, on_fault, arg);
    }
    if (status == SP_OK) {
        status = faults.count == 0 ? SP_OK : SP_BAD_VALUE;
        *ret_config = config;
        config = NULL;
    }
    sp_config_destroy(config);
    sp_config_faults_clear(&faults);
    return status;
}

/* What was examined and is good goes to its reader. */
static sp_status_t hand_over(sp_status_t status, sp_config_t *config, sp_config_t **ret_config)
{
    if (status == SP_OK) {
        *ret_config = config;
    } else {
        sp_config_destroy(config);
    }
    return status;
}

sp_status_t sp_config_read_text(sp_str_t text, const char *name, sp_config_fault_fn *on_fault,
                                void *arg, sp_config_t **ret_config)
{
    sp_config_t *config = NULL;
    sp_status_t status = examine_text(text, name, on_fault, arg, &config);

    return hand_over(status, config, ret_config);
}

sp_status_t sp_config_read_file(const char *path, sp_config_fault_fn *on_fault, void *arg,
                                sp_config_t **ret_config)
{
    sp_config_t *config = NULL;
    sp_status_t status = sp_config_examine_file(path, on_fault, arg, &config);

    return hand_over(status, config, ret_config);
}

static sp_status_t examine_unreadable(const char *path, int error, sp_config_fault_fn *on_fault,
                                      void *arg, sp_config_t **ret_config)
{
    sp_error_t err = {0};
    sp_status_t bad =
        sp_fail(&err, SP_IO, 0, "can't be read: %s; expected a readable file", strerror(error));
    sp_status_t status = examine_nothing(path, err.message, on_fault, arg, ret_config);

    return status == SP_OK ? bad : status;
}

/* An empty variable counts as not set: it is the flag. */
static sp_status_t examine_no_name(sp_config_fault_fn *on_fault, void *arg,
                                   sp_config_t **ret_config)
{
    sp_status_t status = examine_nothing("--config", "expected the name of a file, not nothing",
                                         on_fault, arg, ret_config);

    return status == SP_OK ? SP_BAD_VALUE : status;
}

/* One octet more than is allowed is read, so that examine_text sees that it is too much. */
sp_status_t sp_config_examine_file(const char *path, sp_config_fault_fn *on_fault, void *arg,
                                   sp_config_t **ret_config)
{
    sp_status_t status = SP_NO_MEMORY;
    FILE *file = NULL;
    size_t len;
    char *memory = NULL;

    if (path[0] == '\0') {
        return examine_no_name(on_fault, arg, ret_config);
    }
    memory = malloc(SP_CONFIG_FILE_MAX + 1);
    if (memory == NULL) {
        goto out;
    }
    file = fopen(path, "rb");
    if (file == NULL) {
        status = examine_unreadable(path, errno, on_fault, arg, ret_config);
        goto out;
    }
    len = fread(memory, 1, SP_CONFIG_FILE_MAX + 1, file);
    if (ferror(file) != 0) {
        status = examine_unreadable(path, errno, on_fault, arg, ret_config);
        goto out;
    }
    status = examine_text((sp_str_t){.ptr = memory, .len = len}, path, on_fault, arg, ret_config);
out:
    if (file != NULL) {
        (void)fclose(file);
    }
    free(memory);
    return status;
}
