/* SPDX-License-Identifier: Apache-2.0 */

/* Decides one request with libsignpost, which does no input and no output of its own: where a
 * record comes from is the program's business. Here it comes from the command line.
 *
 *     cc -std=c17 decide.c $(pkg-config --cflags --libs libsignpost) -o decide
 *     ./decide http://www.example.com/shop 'v=txtv0;to=https://example.com{uri}'
 */

#include <signpost/decide/decision.h>
#include <stdio.h>
#include <stdlib.h>

/* The one record stands at the first name that is asked; all other names do not exist. */
static sp_status_t answer_from(const char *record, sp_str_t name, const sp_answer_t **ret_answer)
{
    const sp_str_t text = sp_str_from(record);
    const sp_answer_parts_t found = {
        .kind = SP_ANSWER_TXT, .ttl_s = 300, .texts = &text, .text_count = 1};
    const sp_answer_parts_t absent = {.kind = SP_ANSWER_NXDOMAIN, .ttl_s = 300};

    (void)printf("asked: %.*s\n", (int)name.len, name.ptr);
    return sp_answer_create(record == NULL ? &absent : &found, ret_answer);
}

static void print(const sp_outcome_t *outcome)
{
    (void)printf("status: %u\n", (unsigned)outcome->status);
    for (size_t i = 0; i != outcome->header_count; ++i) {
        const sp_header_t *header = &outcome->headers[i];

        (void)printf("%.*s: %.*s\n", (int)header->name.len, header->name.ptr,
                     (int)header->value.len, header->value.ptr);
    }
}

static void decide(const sp_request_t *request, const char *record, sp_arena_t *arena)
{
    sp_policy_t policy;
    sp_decision_t *decision = NULL;

    sp_policy_init(&policy);
    decision = sp_decision_create(request, &policy, arena);
    while (decision != NULL && sp_decision_step(decision) == SP_STEP_LOOKUP) {
        const sp_answer_t *answer = NULL;

        if (answer_from(record, sp_decision_name(decision), &answer) != SP_OK) {
            answer = NULL; /* the decision then ends in 503 */
        }
        sp_decision_answer(decision, answer);
        sp_answer_release(answer);
        record = NULL;
    }
    if (decision != NULL) {
        print(sp_decision_outcome(decision));
    }
    sp_decision_destroy(decision);
}

int main(int argc, char **argv)
{
    sp_arena_t arena;
    sp_request_t request;
    sp_error_t err;
    int status = EXIT_FAILURE;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: decide URL RECORD\n");
        return 2;
    }
    sp_arena_init(&arena, NULL, 0, 4096);
    const sp_raw_request_t raw = {
        .method = SP_STR("GET"), .target = sp_str_from(argv[1]), .scheme = SP_STR("http")};
    if (sp_request_read(&raw, &arena, &request, &err) != SP_OK) {
        (void)fprintf(stderr, "%s\n", err.message);
    } else {
        decide(&request, argv[2], &arena);
        status = EXIT_SUCCESS;
    }
    sp_arena_clear(&arena);
    return status;
}
