/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa_identity.h"

/* Hosts and their names, as the authorities publish them. */
static const struct {
    const char *host; /* or, with a dot first, the end of one */
    const char *names[SP_CAA_IDENTITIES_KNOWN_MAX];
} known[] = {
    {".api.letsencrypt.org", {"letsencrypt.org"}},
    {"acme.zerossl.com", {"sectigo.com", "zerossl.com"}},
    {".pki.goog", {"pki.goog"}},
    {"api.buypass.com", {"buypass.com", "buypass.no"}},
    {"api.test4.buypass.no", {"buypass.com", "buypass.no"}},
    {"acme.ssl.com", {"ssl.com"}},
    {".digicert.com", {"digicert.com"}},
    {".sectigo.com", {"sectigo.com"}},
    {".globalsign.com", {"globalsign.com"}},
    {"api.actalis.com", {"actalis.it"}},
};

static sp_str_t host_of(sp_str_t url)
{
    sp_str_t host = sp_str_skip(url, sp_str_search(url, SP_STR("://")) + 3);

    host = sp_str_slice(host, 0, sp_str_find(host, '/'));
    return sp_str_slice(host, 0, sp_str_find_last(host, ':'));
}

static bool fits(sp_str_t host, sp_str_t pattern)
{
    return pattern.ptr[0] == '.' ? sp_str_ends_with(host, pattern) : sp_str_eq(host, pattern);
}

size_t sp_caa_identities(sp_str_t directory_url, sp_str_t ret_names[SP_CAA_IDENTITIES_KNOWN_MAX])
{
    sp_str_t host = host_of(directory_url);
    size_t count = 0;

    for (size_t i = 0; i != SP_COUNT(known); ++i) {
        if (!fits(host, sp_str_from(known[i].host))) {
            continue;
        }
        while (count != SP_CAA_IDENTITIES_KNOWN_MAX && known[i].names[count] != NULL) {
            ret_names[count] = sp_str_from(known[i].names[count]);
            ++count;
        }
        return count;
    }
    return 0;
}
