/* SPDX-License-Identifier: Apache-2.0 */
#include "http/handshake.h"

const char *sp_handshake_name(sp_handshake_t result)
{
    static const char *const names[SP_HANDSHAKES] = {
        [SP_HANDSHAKE_OK] = "ok",
        [SP_HANDSHAKE_RESUMED] = "resumed",
        [SP_HANDSHAKE_CHALLENGE] = "challenge",
        [SP_HANDSHAKE_NO_CERTIFICATE] = "no_certificate",
        [SP_HANDSHAKE_FAILED] = "failed",
        [SP_HANDSHAKE_TIMEOUT] = "timeout",
        [SP_HANDSHAKE_GONE] = "gone",
        [SP_HANDSHAKE_NOT_TLS] = "not_tls",
        [SP_HANDSHAKE_BUSY] = "busy",
    };

    return names[result];
}

const char *sp_proxy_refusal_name(sp_proxy_refusal_t refusal)
{
    static const char *const names[SP_PROXY_REFUSALS] = {
        [SP_PROXY_UNTRUSTED] = "untrusted",
        [SP_PROXY_MALFORMED] = "malformed",
        [SP_PROXY_TIMEOUT] = "timeout",
    };

    return names[refusal];
}
