/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNPOST_LAB_EXPERIMENT_H
#define SIGNPOST_LAB_EXPERIMENT_H

/* An experiment as its file says it: what is asked, which set-ups are compared, under which load,
 * how often. Read once, immutable afterwards; all of it lives as long as the experiment. */

#include "lab/impairment.h"
#include "lab/json_reader.h"

#define SP_LAB_EXPERIMENT_SETUPS_MAX 64
#define SP_LAB_ROLES_MAX 24 /* at work in one set-up */
#define SP_LAB_RATES_MAX 64
#define SP_LAB_LISTED_MAX 16 /* raw tools, loads, events of one set-up */

typedef struct sp_lab_parameter {
    const char *name, *value;
} sp_lab_parameter_t;

typedef struct sp_lab_parameters {
    const sp_lab_parameter_t *list;
    size_t count;
} sp_lab_parameters_t;

/* A role at work: which, where, and how. */
typedef struct sp_lab_use {
    const char *name; /* of this instance: the role's unless given */
    const char *role;
    unsigned at;            /* sp_place_t */
    const char *address;    /* NULL: the tool's or application's usual one */
    unsigned port;          /* 0: the role's usual one */
    sp_lab_texts_t forward; /* resolvers that it asks */
    sp_lab_parameters_t parameters;
    /* Of tools only. */
    double seconds;
    unsigned server_at; /* sp_place_t: where the tool's server half runs */
    double *rates;      /* steps: queries a second that are offered, one after the other */
    size_t rate_count;
} sp_lab_use_t;

typedef struct sp_lab_uses {
    sp_lab_use_t *list;
    size_t count;
} sp_lab_uses_t;

typedef struct sp_lab_load {
    const char *name;  /* where there are several; NULL otherwise */
    unsigned loop;     /* 0: open, 1: closed */
    unsigned arrivals; /* 0: poisson, 1: constant */
    double rate;       /* open loop: requests a second */
    unsigned connections;
    double duration_s;
    unsigned requests; /* 0: as many as the duration gives */
    double warm_s;     /* before the measurement, over all names in turn, without impairments */
    double timeout_s;
    const char *names;
    unsigned http; /* 0: 1.1, 1: 2 */
    bool tls;
    unsigned threads;
    unsigned seed;
} sp_lab_load_t;

/* In HTTP's place: a resolver client with the options of resolv.conf(5). */
typedef struct sp_lab_lookups {
    unsigned concurrency; /* 0: none are made */
    double duration_s;
    double over_ms; /* which lookups count as slow */
    sp_lab_texts_t search;
    unsigned ndots; /* 0: not given */
    sp_lab_texts_t options;
    unsigned names; /* 0: absolute, 1: relative */
} sp_lab_lookups_t;

/* Something that happens during the measurement. */
typedef struct sp_lab_event {
    double at_s;
    const char *kill; /* an instance */
} sp_lab_event_t;

typedef struct sp_lab_setup {
    const char *name, *title, *says;
    const char *series; /* and step: place in a sweep; NULL, NAN: none */
    double step;
    unsigned datapath; /* sp_datapath_t */
    const char *resolver;
    bool common_roles;
    sp_lab_uses_t roles; /* the common ones come first */
    sp_impairment_t *impairments;
    size_t impairment_count;
    bool has_app;
    sp_lab_use_t app;
    double cpu_quota; /* of the application, in processors; 0: none */
    unsigned ttl_s;
    sp_lab_texts_t loads; /* names; empty: all */
    sp_lab_uses_t raw;
    sp_lab_use_t steps; /* role NULL: none */
    sp_lab_lookups_t lookups;
    sp_lab_event_t *events;
    size_t event_count;
    bool expect_errors;
    /* What is laid over the experiment's; read last. */
    sp_lab_node_t app_over, load_over;
} sp_lab_setup_t;

/* A set-up under one of the loads: what is run, and repeated. */
typedef struct sp_lab_case {
    const char *name; /* "SETUP/LOAD", or the set-up's where there is one load */
    const sp_lab_setup_t *setup;
    const char *load_name; /* NULL where there is one load */
    sp_lab_load_t load;
} sp_lab_case_t;

typedef struct sp_lab_cases {
    sp_lab_case_t *list;
    size_t count;
    unsigned repetitions;
} sp_lab_cases_t;

typedef struct sp_lab_experiment {
    sp_arena_t arena;
    json_t *root;
    const char *id, *title, *question;
    const json_t *published, *comparisons, *assertions, *theory, *charts; /* or NULL; borrowed */
    const char *step_title;
    unsigned names, ttl_s;
    bool has_app;
    sp_lab_setup_t *setups;
    size_t setup_count;
    sp_lab_cases_t full, quick;
} sp_lab_experiment_t;

/* `file` is for messages. SP_BAD_VALUE with FILE:LINE:COLUMN in *err, SP_NO_MEMORY. */
sp_status_t sp_lab_experiment_read(sp_str_t text, const char *file,
                                   sp_lab_experiment_t **ret_experiment, sp_error_t *err);
void sp_lab_experiment_destroy(sp_lab_experiment_t *experiment); /* accepts NULL */

/* Whether the set-up needs the application. */
bool sp_lab_setup_serves(const sp_lab_setup_t *setup);

/* How long one run of a case takes, starting and draining included, and a whole experiment. */
double sp_lab_case_seconds(const sp_lab_case_t *one);
double sp_lab_cases_seconds(const sp_lab_cases_t *cases);

#endif
