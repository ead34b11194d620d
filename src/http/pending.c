/* SPDX-License-Identifier: Apache-2.0 */
#include "http/pending.h"

#include <stdlib.h>

#include "http/connection.h"
#include "http/read_request.h"
#include "http/refusal.h"
#include "http/visitor.h"
#include "http/write_response.h"

/* Enough for an ordinary request, so that a cached redirect allocates nothing else. */
#define MEMORY_SIZE 4096
#define CHUNK_SIZE 4096

struct sp_pending {
    h2o_linklist_t link; /* in front->waiting or front->spare, or in neither */
    sp_front_t *front;
    sp_connection_t *connection;
    h2o_req_t *req;
    sp_service_t *service;
    h2o_generator_t generator;
    sp_arena_t arena;
    sp_raw_request_t raw;
    sp_request_t request;
    sp_decision_t *decision;
    sp_lookup_t *lookup; /* what it waits for, or NULL */
    const sp_outcome_t *outcome;
    uint64_t started_us;
    uint64_t dns_us;
    sp_report_cache_t cache;
    bool is_limited; /* its client has caused too many questions */
    _Alignas(16) char memory[MEMORY_SIZE];
};

/* Lies in the request's pool; its end is the request's end. */
typedef struct anchor {
    sp_pending_t *pending;
} anchor_t;

static sp_pending_t *from_link(h2o_linklist_t *link)
{
    return H2O_STRUCT_FROM_MEMBER(sp_pending_t, link, link);
}

static sp_pending_t *take(sp_front_t *front)
{
    sp_pending_t *pending = NULL;

    if (h2o_linklist_is_empty(&front->spare)) {
        return malloc(sizeof(*pending));
    }
    pending = from_link(front->spare.next);
    h2o_linklist_unlink(&pending->link);
    --front->spare_count;
    return pending;
}

static void give_back(sp_front_t *front, sp_pending_t *pending)
{
    if (front->spare_count == SP_FRONT_SPARE_MAX) {
        free(pending);
        return;
    }
    h2o_linklist_insert(&front->spare, &pending->link);
    ++front->spare_count;
}

void sp_pending_free_spares(sp_front_t *front)
{
    for (h2o_linklist_t *link = front->spare.next, *next = NULL; link != &front->spare;
         link = next) {
        next = link->next;
        h2o_linklist_unlink(link);
        free(from_link(link));
    }
    front->spare_count = 0;
}

static sp_str_t slice(h2o_iovec_t vector)
{
    return (sp_str_t){.ptr = vector.base, .len = vector.len};
}

/* What can be said of any request; `peer` must outlive the report. */
static void begin_report(sp_report_t *report, h2o_req_t *req, struct sockaddr_storage *peer)
{
    *report = (sp_report_t){
        .method = slice(req->input.method),
        .scheme = req->input.scheme == &H2O_URL_SCHEME_HTTPS ? SP_STR("https") : SP_STR("http"),
        .host = sp_host_of(req),
        .target = slice(req->input.path),
        .version = sp_is_http1(req) ? req->version : 0x200,
        .peer = (struct sockaddr *)peer,
        .peer_len = req->conn->callbacks->get_peername(req->conn, (struct sockaddr *)peer),
        .was_answered = req->res.status != 0,
        .status = (unsigned)req->res.status,
        .kind = SP_OUTCOME_BAD_REQUEST,
    };
}

static void add_outcome(sp_report_t *report, const sp_outcome_t *outcome)
{
    report->was_answered = true;
    report->kind = outcome->kind;
    report->status = outcome->status;
    report->location = outcome->location;
    report->record = outcome->record;
    report->body_len = outcome->body.len;
}

static void report_end(sp_pending_t *pending, uint64_t now_us)
{
    struct sockaddr_storage peer;
    sp_report_t report;

    if (pending->front->on_report == NULL) {
        return;
    }
    begin_report(&report, pending->req, &peer);
    report.was_answered = false;
    report.started_us = pending->started_us;
    report.ended_us = now_us;
    report.dns_us = pending->dns_us;
    report.cache = pending->cache;
    report.headers = pending->raw.headers;
    report.header_count = pending->raw.header_count;
    report.client = pending->request.client;
    if (pending->request.host.len != 0) {
        report.host = pending->request.host;
    } else if (pending->raw.host_count != 0) {
        report.host = pending->raw.hosts[0];
    }
    if (pending->request.scheme.len != 0) {
        report.scheme = pending->request.scheme;
    }
    if (pending->decision != NULL) {
        report.lookups = sp_decision_trace(pending->decision)->lookups;
    }
    if (pending->outcome != NULL) {
        add_outcome(&report, pending->outcome);
    }
    pending->front->on_report(pending->front->report_arg, &report);
}

void sp_pending_report_refused(sp_front_t *front, h2o_req_t *req)
{
    struct sockaddr_storage peer;
    sp_report_t report;

    if (front->on_report != NULL) {
        begin_report(&report, req, &peer);
        report.started_us = report.ended_us = sp_now_us();
        front->on_report(front->report_arg, &report);
    }
}

static void stop_waiting(sp_pending_t *pending)
{
    if (h2o_linklist_is_linked(&pending->link)) {
        h2o_linklist_unlink(&pending->link);
        --pending->front->counters.waiting;
        --pending->connection->waiting;
    }
}

/* The request's memory goes: everything of ours that hangs from it goes too. */
static void on_request_gone(void *memory)
{
    sp_pending_t *pending = ((anchor_t *)memory)->pending;
    sp_front_t *front = pending->front;
    uint64_t now_us = sp_now_us();

    if (pending->lookup != NULL) {
        sp_lookup_cancel(pending->lookup);
    }
    stop_waiting(pending);
    report_end(pending, now_us);
    sp_decision_destroy(pending->decision);
    sp_arena_clear(&pending->arena);
    --pending->service->users;
    sp_connection_end_request(pending->connection, pending->outcome != NULL, now_us / 1000);
    give_back(front, pending);
}

/* The request may be over when this returns. */
static void answer(sp_pending_t *pending, const sp_outcome_t *outcome)
{
    stop_waiting(pending);
    pending->outcome = outcome == NULL ? sp_refusal_no_memory() : outcome;
    if (pending->outcome->kind == SP_OUTCOME_BAD_REQUEST) {
        /* Who can't be understood may be misunderstood again on the same connection. */
        pending->req->http1_is_persistent = 0;
    }
    if (pending->front->context.shutdown_requested != 0 && !pending->connection->is_http2) {
        sp_connection_end_gently(pending->connection); /* the next request may be on its way */
    }
    sp_write_response(pending->req, pending->outcome, &pending->generator);
}

static void refuse(sp_pending_t *pending, unsigned status, sp_outcome_kind_t kind,
                   sp_str_t sentence)
{
    answer(pending, sp_refusal_create(status, kind, sentence, &pending->arena));
}

static void note(sp_pending_t *pending, const sp_lookup_result_t *result)
{
    sp_report_cache_t cache = SP_REPORT_HIT;

    switch (result->source) {
    case SP_SOURCE_ZONE:
    case SP_SOURCE_HIT:
        break;
    case SP_SOURCE_STALE:
        cache = SP_REPORT_STALE;
        break;
    case SP_SOURCE_COALESCED:
    case SP_SOURCE_MISS:
        cache = SP_REPORT_MISS;
        break;
    }
    if (cache > pending->cache) {
        pending->cache = cache;
    }
    pending->dns_us += result->waited_us;
}

static void go_on(sp_pending_t *pending);

static void on_answer(void *arg, const sp_lookup_result_t *result)
{
    sp_pending_t *pending = arg;

    pending->lookup = NULL;
    note(pending, result);
    sp_decision_answer(pending->decision, result->answer);
    go_on(pending);
}

/* For the decision: what zone files and cache say. NULL: it must be waited for, or the client has
 * caused too many questions. */
static const sp_answer_t *find_at_hand(void *arg, sp_str_t name)
{
    sp_pending_t *pending = arg;
    uint64_t deadline_ms = pending->started_us / 1000 + pending->service->timeout_ms;
    sp_lookup_result_t result = {0};

    if (!sp_lookup_start(pending->service->lookups, name, deadline_ms, on_answer, pending, &result,
                         &pending->lookup)) {
        return NULL;
    }
    note(pending, &result);
    pending->is_limited &= result.answer->kind == SP_ANSWER_FAILURE; /* else it is stale */
    if (pending->is_limited) {
        sp_answer_release(result.answer);
        return NULL;
    }
    return result.answer;
}

static void wait_for_answer(sp_pending_t *pending)
{
    if (!h2o_linklist_is_linked(&pending->link)) {
        h2o_linklist_insert(&pending->front->waiting, &pending->link);
        ++pending->front->counters.waiting;
        ++pending->connection->waiting;
    }
}

/* Whose request it is: the peer's, or of those for whom a trusted proxy speaks. */
static size_t find_clients(const sp_pending_t *pending, sp_client_t ret_clients[SP_VISITORS_MAX])
{
    if (pending->raw.trusted_peer) {
        return sp_visitors_find(pending->front->clients, pending->service, pending->raw.headers,
                                pending->raw.header_count, ret_clients);
    }
    ret_clients[0] = pending->connection->client;
    return 1;
}

bool sp_pending_may_ask(void *arg)
{
    sp_pending_t *pending = arg;
    sp_clients_t *clients = pending->front->clients;
    unsigned limit = pending->service->misses_per_client_per_s;
    sp_client_t found[SP_VISITORS_MAX];
    size_t count = 0;

    if (limit == 0 || clients == NULL) {
        return true;
    }
    count = find_clients(pending, found);
    for (size_t i = 0; i != count; ++i) {
        pending->is_limited |= !sp_clients_may_ask(clients, &found[i], limit, sp_now_ms());
    }
    return !pending->is_limited;
}

static void refuse_limited(sp_pending_t *pending)
{
    ++pending->front->counters.limited;
    refuse(pending, 503, SP_OUTCOME_LIMITED,
           SP_STR("Too many names that are not known here yet were asked for from your address."));
}

/* As far as the answers at hand allow. */
static void go_on(sp_pending_t *pending)
{
    if (sp_decision_step(pending->decision) == SP_STEP_DONE) {
        answer(pending, sp_decision_outcome(pending->decision));
    } else if (pending->is_limited) {
        refuse_limited(pending);
    } else {
        wait_for_answer(pending);
    }
}

static bool is_trusted(const sp_pending_t *pending)
{
    const sp_service_t *service = pending->service;
    h2o_conn_t *conn = pending->req->conn;
    struct sockaddr_storage peer;

    return service->trusts != NULL &&
           conn->callbacks->get_peername(conn, (struct sockaddr *)&peer) != 0 &&
           service->trusts(service->trusts_arg, (struct sockaddr *)&peer);
}

/* True when there is a request to decide; otherwise it has been answered. */
static bool receive(sp_pending_t *pending)
{
    sp_error_t err = {0};
    sp_status_t status = sp_read_request(pending->req, &pending->arena, &pending->raw, &err);

    if (status == SP_TOO_LONG) {
        refuse(pending, 431, SP_OUTCOME_BAD_REQUEST, sp_str_from(err.message));
        return false;
    }
    if (status == SP_OK) {
        pending->raw.trusted_peer = is_trusted(pending);
        pending->raw.https_port = pending->connection->mode.https_port;
        status = sp_request_read(&pending->raw, &pending->arena, &pending->request, &err);
    }
    if (status == SP_OK) {
        return true;
    }
    answer(pending, status == SP_NO_MEMORY ? NULL : sp_outcome_bad_request(&err, &pending->arena));
    return false;
}

/* An authority asks whether a name is served here: before any record of it is looked up. */
static bool answers_challenge(sp_pending_t *pending)
{
    const sp_service_t *service = pending->service;
    sp_str_t text = {0};

    if (service->challenge != NULL) {
        text = service->challenge(service->challenge_arg, pending->request.path, &pending->arena);
    }
    if (text.ptr != NULL) {
        answer(pending, sp_plain_answer_create(text, &pending->arena));
    }
    return text.ptr != NULL;
}

static void begin(sp_pending_t *pending)
{
    if (pending->req->entity.len > SP_FRONT_BODY_MAX) {
        refuse(pending, 413, SP_OUTCOME_BAD_REQUEST,
               SP_STR("A request body may have at most 65536 octets; none is needed."));
        return;
    }
    if (!receive(pending) || answers_challenge(pending)) {
        return;
    }
    pending->decision =
        sp_decision_create(&pending->request, pending->service->policy, &pending->arena);
    if (pending->decision == NULL) {
        answer(pending, NULL);
        return;
    }
    sp_decision_use(pending->decision, find_at_hand, pending);
    go_on(pending);
}

/* Everything but the memory that the arena begins with. */
static void init(sp_pending_t *pending, sp_front_t *front, h2o_req_t *req)
{
    pending->link = (h2o_linklist_t){0};
    pending->front = front;
    pending->connection = sp_connection_of(req);
    pending->req = req;
    pending->service = front->service;
    pending->generator = (h2o_generator_t){0};
    pending->raw = (sp_raw_request_t){0};
    pending->request = (sp_request_t){0};
    pending->decision = NULL;
    pending->lookup = NULL;
    pending->outcome = NULL;
    pending->started_us = sp_now_us();
    pending->dns_us = 0;
    pending->cache = SP_REPORT_NO_LOOKUP;
    pending->is_limited = false;
    sp_arena_init(&pending->arena, pending->memory, MEMORY_SIZE, CHUNK_SIZE);
}

void sp_pending_start(sp_front_t *front, h2o_req_t *req)
{
    sp_connection_t *connection = sp_connection_of(req);
    sp_pending_t *pending = NULL;
    anchor_t *anchor = NULL;

    if (connection->is_cut && !sp_is_http1(req)) {
        return; /* read before the end was known; goes with the connection */
    }
    pending = take(front);
    if (pending == NULL) {
        h2o_generator_t *generator = h2o_mem_alloc_pool(&req->pool, sizeof(*generator));

        *generator = (h2o_generator_t){0};
        sp_write_response(req, sp_refusal_no_memory(), generator);
        return;
    }
    init(pending, front, req);
    ++pending->service->users;
    sp_connection_begin_request(connection, !sp_is_http1(req), pending->started_us / 1000);
    anchor = h2o_mem_alloc_shared(&req->pool, sizeof(*anchor), on_request_gone);
    anchor->pending = pending;
    begin(pending);
}

void sp_pending_abort_all(sp_front_t *front)
{
    while (!h2o_linklist_is_empty(&front->waiting)) {
        sp_pending_t *pending = from_link(front->waiting.next);

        if (pending->lookup != NULL) {
            sp_lookup_cancel(pending->lookup);
            pending->lookup = NULL;
        }
        refuse(pending, 503, SP_OUTCOME_LIMITED, SP_STR("This server is stopping; ask again."));
    }
}
