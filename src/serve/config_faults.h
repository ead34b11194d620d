/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_SERVE_CONFIG_FAULTS_H
#define SIGNPOST_SERVE_CONFIG_FAULTS_H

/* The faults found in one text, gathered so that all of them can be told in the order of the text.
 */

#include "serve/config.h"

typedef struct sp_config_faults {
    sp_error_t *items; /* SP_CONFIG_FAULTS_MAX of them; NULL when memory was out */
    size_t count;
    bool overflow;
} sp_config_faults_t;

sp_status_t sp_config_faults_init(sp_config_faults_t *faults);
void sp_config_faults_clear(sp_config_faults_t *faults);

void sp_config_faults_add(sp_config_faults_t *faults, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A further fault would only be counted as one too many. */
bool sp_config_faults_are_full(const sp_config_faults_t *faults);

/* Tells all, with line and column in `text`. `on_fault` may be NULL. */
void sp_config_faults_report(sp_config_faults_t *faults, sp_str_t text, const char *source,
                             sp_config_fault_fn *on_fault, void *arg);

#endif
