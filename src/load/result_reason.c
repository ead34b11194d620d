/* SPDX-License-Identifier: Apache-2.0 */

/* Why nothing, or little, was answered: what the protocol on the wire tells of it. */

#include "load/result.h"

#include <string.h>

#define TLS_ALERT 21 /* RFC 8446, 5.1: content types */
#define TLS_HANDSHAKE 22
#define TLS_MAJOR 3
#define HTTP2_SETTINGS 4 /* RFC 9113, 6.5: the frame that comes first */
#define HTTP2_TYPE_AT 3  /* behind the length */

static bool has_failed(const sp_load_tally_t *tally)
{
    return tally->kinds[SP_LOAD_NO_CONNECTION] != 0 || tally->kinds[SP_LOAD_CLOSED_EARLY] != 0 ||
           tally->kinds[SP_LOAD_BAD_ANSWER] != 0;
}

static bool is_tls(const sp_load_tally_t *tally)
{
    return tally->first_len > 1 && tally->first[1] == TLS_MAJOR &&
           (tally->first[0] == TLS_ALERT || tally->first[0] == TLS_HANDSHAKE);
}

static bool is_http2(const sp_load_tally_t *tally)
{
    return tally->first_len > HTTP2_TYPE_AT && tally->first[0] == 0 &&
           tally->first[HTTP2_TYPE_AT] == HTTP2_SETTINGS;
}

static bool is_http1(const sp_load_tally_t *tally)
{
    return sp_str_starts_with((sp_str_t){.ptr = tally->first, .len = tally->first_len},
                              SP_STR("HTTP/1."));
}

const char *sp_load_result_reason(const sp_load_result_t *result)
{
    const sp_load_tally_t *tally = result->outcome->tally;
    bool wants_http2 = result->plan->http == SP_LOAD_HTTP2;

    if (!has_failed(tally)) {
        return NULL;
    }
    if (tally->fault[0] != '\0') {
        return tally->fault;
    }
    if (result->plan->tls) {
        return NULL;
    }
    if (is_tls(tally)) {
        return "the server speaks TLS at this port; give --tls";
    }
    if (tally->first_len == 0 && tally->kinds[SP_LOAD_CLOSED_EARLY] != 0) {
        return "the server closes without a word, as one may that expects TLS; is --tls missing?";
    }
    if (wants_http2 && is_http1(tally)) {
        return "the server answers in HTTP/1.1; leave out --http 2";
    }
    return !wants_http2 && is_http2(tally) ? "the server answers in HTTP/2; give --http 2" : NULL;
}
