/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/config_file.h"

#include "serve/config_check.h"
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

static sp_status_t read_into(sp_config_t *config, sp_str_t text, sp_config_faults_t *faults)
{
    sp_config_reader_t reader = {.text = text, .arena = &config->arena, .faults = faults};
    json_error_t error = {.position = 0};
    json_t *json = text.len == 0 ? NULL : json_loadb(text.ptr, text.len, 0, &error);

    if (json == NULL && json_error_code(&error) == json_error_out_of_memory) {
        return SP_NO_MEMORY;
    }
    if (json == NULL) {
        sp_config_add_syntax_error(faults, text, &error);
        return SP_BAD_VALUE;
    }
    sp_config_read_root(&reader, json, config);
    sp_config_find_conflicts(config, add_conflict, &reader);
    json_decref(json);
    if (reader.no_memory) {
        return SP_NO_MEMORY;
    }
    return faults->count == 0 ? SP_OK : SP_BAD_VALUE;
}

static sp_status_t report_too_long(const char *name, sp_config_fault_fn *on_fault, void *arg)
{
    char message[SP_ERROR_MESSAGE_MAX];
    sp_config_fault_t fault = {.source = name, .message = message};

    if (on_fault != NULL &&
        snprintf(message, sizeof(message), "a configuration has at most %d octets",
                 SP_CONFIG_FILE_MAX) > 0) {
        on_fault(arg, &fault);
    }
    return SP_BAD_VALUE;
}

sp_status_t sp_config_read_text(sp_str_t text, const char *name, sp_config_fault_fn *on_fault,
                                void *arg, sp_config_t **ret_config)
{
    sp_config_faults_t faults;
    sp_config_t *config = NULL;
    sp_status_t status;

    if (text.len > SP_CONFIG_FILE_MAX) {
        return report_too_long(name, on_fault, arg);
    }
    status = sp_config_faults_init(&faults);
    if (status == SP_OK) {
        status = sp_config_create_default(&config);
    }
    if (status == SP_OK) {
        status = read_into(config, text, &faults);
        sp_config_faults_report(&faults, text, name, on_fault, arg);
    }
    if (status == SP_OK) {
        *ret_config = config;
        config = NULL;
    }
    sp_config_destroy(config);
    sp_config_faults_clear(&faults);
    return status;
}

static sp_status_t report_unreadable(const char *path, int error, sp_config_fault_fn *on_fault,
                                     void *arg)
{
    char message[SP_ERROR_MESSAGE_MAX];
    sp_config_fault_t fault = {.source = path, .message = message};

    if (on_fault != NULL &&
        snprintf(message, sizeof(message), "can't be read: %s; expected a readable file",
                 strerror(error)) > 0) {
        on_fault(arg, &fault);
    }
    return SP_IO;
}

/* One octet more than is allowed is read, so that sp_config_read_text sees that it is too much. */
sp_status_t sp_config_read_file(const char *path, sp_config_fault_fn *on_fault, void *arg,
                                sp_config_t **ret_config)
{
    sp_status_t status = SP_NO_MEMORY;
    FILE *file = NULL;
    size_t len;
    char *memory = malloc(SP_CONFIG_FILE_MAX + 1);

    if (memory == NULL) {
        goto out;
    }
    file = fopen(path, "rb");
    if (file == NULL) {
        status = report_unreadable(path, errno, on_fault, arg);
        goto out;
    }
    len = fread(memory, 1, SP_CONFIG_FILE_MAX + 1, file);
    if (ferror(file) != 0) {
        status = report_unreadable(path, errno, on_fault, arg);
        goto out;
    }
    status =
        sp_config_read_text((sp_str_t){.ptr = memory, .len = len}, path, on_fault, arg, ret_config);
out:
    if (file != NULL) {
        (void)fclose(file);
    }
    free(memory);
    return status;
}
