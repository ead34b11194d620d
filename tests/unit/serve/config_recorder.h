/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_TESTS_CONFIG_RECORDER_H
#define SIGNPOST_TESTS_CONFIG_RECORDER_H

/* Gathers what the configuration's reader reports, one fault a line, as a person would see it. */

#include "serve/config.h"

typedef struct sp_config_recorder {
    char text[32768];
    size_t count;
} sp_config_recorder_t;

/* A sp_config_fault_fn; `arg` is the recorder. */
void sp_config_recorder_add_fault(void *arg, const sp_config_fault_t *fault);

/* Reads `text` as the file "test.json". The result is NULL when it was bad; `recorder` starts anew.
 */
sp_config_t *sp_config_recorder_read(sp_config_recorder_t *recorder, const char *text);

/* Reads a bad text and expects exactly these lines, each ending in \n. */
void sp_config_recorder_expect(const char *text, const char *lines);

#endif
