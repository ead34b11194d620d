/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define USUAL_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define FAULT_MAX 250 /* octets of what it said that are shown */

const char *sp_acme_client_search_path(void)
{
    const char *path = getenv("PATH"); /* NOLINT(concurrency-mt-unsafe): nobody sets it */

    return path == NULL || path[0] == '\0' ? USUAL_PATH : path;
}

bool sp_acme_client_find(char ret_file[SP_ACME_CLIENT_FILE_MAX])
{
    sp_str_t rest = sp_str_from(sp_acme_client_search_path());

    while (rest.ptr != NULL) {
        sp_str_t folder = sp_str_cut(rest, ':', &rest);
        int len = snprintf(ret_file, SP_ACME_CLIENT_FILE_MAX, "%.*s/%s", (int)folder.len,
                           folder.ptr, SP_ACME_CLIENT);

        if (len > 0 && len < SP_ACME_CLIENT_FILE_MAX && access(ret_file, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* NAME='value', whatever the value holds. */
static void put(sp_buf_t *buf, const char *name, sp_str_t value)
{
    sp_buf_append(buf, sp_str_from(name));
    sp_buf_append(buf, SP_STR("='"));
    for (size_t i = 0; i != value.len; ++i) {
        if (value.ptr[i] == '\'') {
            sp_buf_append(buf, SP_STR("'\\''"));
        } else {
            sp_buf_append_char(buf, value.ptr[i]);
        }
    }
    sp_buf_append(buf, SP_STR("'\n"));
}

static void put_path(sp_buf_t *buf, const char *name, const char *folder, const char *below)
{
    sp_arena_t *arena = buf->arena;
    sp_buf_t path;

    sp_buf_init(&path, arena, buf->max);
    sp_buf_append(&path, sp_str_from(folder));
    sp_buf_append(&path, sp_str_from(below));
    if (path.status != SP_OK) {
        buf->status = path.status;
        return;
    }
    put(buf, name, sp_buf_str(&path));
}

void sp_acme_client_config(const sp_acme_settings_t *settings, const char *storage,
                           const char *work, sp_buf_t *buf)
{
    /* Files of 4 MiB and a minute of processor time are far more than it needs. It sleeps for one
     * or two seconds between its looks at an order, and looks for ever: a handshake waits, and
     * whoever would end it after a minute may be gone. */
    sp_buf_append(buf, SP_STR("ulimit -c 0 -f 4096 -t 60 2>/dev/null || true\n"
                              "sleep() { ((SECONDS < 60)) || exit 1; command sleep 0.4; }\n"));
    put_path(buf, "export TMPDIR", work, "");
    if (settings->ca_file != NULL) {
        put(buf, "export CURL_CA_BUNDLE", sp_str_from(settings->ca_file));
    }
    put(buf, "CURL_OPTS", SP_STR("--connect-timeout 10 --max-time 30 --proto =https"));
    put(buf, "CA", settings->directory);
    put(buf, "CHALLENGETYPE", sp_str_from(sp_acme_challenge_name(settings->challenge)));
    put_path(buf, "BASEDIR", work, "");
    put_path(buf, "ACCOUNTDIR", storage, "/.signpost/accounts");
    put_path(buf, "WELLKNOWN", storage, "/.signpost/challenges");
    put_path(buf, "ALPNCERTDIR", storage, "/.signpost/alpn");
    put(buf, "CONTACT_EMAIL", settings->email);
    if (settings->eab_kid.len != 0) {
        put(buf, "EAB_KID", settings->eab_kid);
        put(buf, "EAB_HMAC_KEY", settings->eab_hmac_key);
    }
}

void sp_acme_client_account(const sp_acme_settings_t *settings, sp_buf_t *buf)
{
    sp_buf_append(buf, settings->directory);
    sp_buf_append_char(buf, '\n');
    sp_buf_append(buf, settings->email);
    sp_buf_append_char(buf, '\n');
    sp_buf_append(buf, settings->eab_kid);
    sp_buf_append_char(buf, '\n');
}

void sp_acme_client_chain(sp_str_t output, sp_buf_t *buf)
{
    const sp_str_t begin = SP_STR("-----BEGIN CERTIFICATE-----");
    const sp_str_t end = SP_STR("-----END CERTIFICATE-----");

    for (;;) {
        size_t start = sp_str_search(output, begin);
        size_t stop = 0;

        output = sp_str_skip(output, start);
        stop = sp_str_search(output, end);
        if (stop == output.len) {
            return;
        }
        sp_buf_append(buf, sp_str_slice(output, 0, stop + end.len));
        sp_buf_append_char(buf, '\n');
        output = sp_str_skip(output, stop + end.len);
    }
}

static bool has(sp_str_t text, sp_str_t what)
{
    return sp_str_search(text, what) != text.len;
}

/* The last line that is not empty. */
static sp_str_t last_line(sp_str_t output)
{
    sp_str_t line = sp_str_trim(output);
    size_t end = sp_str_find_last(line, '\n');

    return end == line.len ? line : sp_str_skip(line, end + 1);
}

/* Where an error of the authority explains itself: "detail": "…". */
static sp_str_t detail_of(sp_str_t output)
{
    static const char *const marks[] = {"\"detail\":", "[\"error\",\"detail\"]", "\"detail\"]"};

    for (size_t i = 0; i != SP_COUNT(marks); ++i) {
        sp_str_t mark = sp_str_from(marks[i]);
        size_t at = sp_str_search(output, mark);
        sp_str_t rest = sp_str_skip(output, at + mark.len);

        if (at != output.len && sp_str_find(rest, '"') != rest.len) {
            rest = sp_str_skip(rest, sp_str_find(rest, '"') + 1);
            return sp_str_slice(rest, 0, sp_str_find(rest, '"'));
        }
    }
    return SP_STR("");
}

sp_str_t sp_acme_client_fault(sp_str_t output)
{
    sp_str_t fault = detail_of(output);
    size_t at = sp_str_search(output, SP_STR("ERROR: "));

    if (fault.len == 0 && at != output.len) {
        fault = sp_str_skip(output, at + 7);
        fault = sp_str_trim(sp_str_slice(fault, 0, sp_str_find(fault, '\n')));
    }
    if (fault.len == 0) {
        fault = last_line(output);
    }
    if (fault.len == 0) {
        return SP_STR("it said nothing");
    }
    return sp_str_slice(fault, 0, FAULT_MAX);
}

bool sp_acme_client_is_limited(sp_str_t output)
{
    return has(output, SP_STR("acme:error:rateLimited"));
}

bool sp_acme_client_is_to_repeat(sp_str_t output)
{
    return has(output, SP_STR("acme:error:badNonce"));
}

/* Is the first of these texts followed by the second one, and that by the third? */
static bool has_between(sp_str_t text, sp_str_t before, sp_str_t what, sp_str_t behind)
{
    size_t at = sp_str_search(text, before);
    sp_str_t rest = at == text.len ? SP_STR("") : sp_str_skip(text, at + before.len);

    return sp_str_starts_with(rest, what) &&
           sp_str_starts_with(sp_str_skip(rest, what.len), behind);
}

bool sp_acme_client_lacks_directory(sp_str_t output, sp_str_t directory)
{
    if (has(output, SP_STR("certificate order"))) { /* " + Requesting new …" */
        return false;
    }
    return has_between(output, SP_STR("Problem connecting to server (get for "), directory,
                       SP_STR(";")) ||
           has_between(output, SP_STR("sending get-request to "), directory, SP_STR(" (Status"));
}

/* "unauthorized" is also what an authority says of a challenge whose answer was wrong (RFC 8555,
 * 6.7); who got as far as that has an account. */
bool sp_acme_client_lacks_account(sp_str_t output)
{
    bool is_challenged = has(output, SP_STR("Responding to challenge")) ||
                         has(output, SP_STR("Challenge is invalid")) ||
                         has(output, SP_STR("Challenge unauthorized"));

    return has(output, SP_STR("acme:error:accountDoesNotExist")) ||
           (!is_challenged && has(output, SP_STR("acme:error:unauthorized"))) ||
           has(output, SP_STR("--register --accept-terms"));
}
