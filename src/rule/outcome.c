/* SPDX-License-Identifier: Apache-2.0 */
#include <signpost/rule/outcome.h>

const char *sp_outcome_kind_name(sp_outcome_kind_t kind)
{
    switch (kind) {
    case SP_OUTCOME_REDIRECT:
        return "redirect";
    case SP_OUTCOME_PAGE:
        return "page";
    case SP_OUTCOME_FALLBACK:
        return "fallback";
    case SP_OUTCOME_NOT_FOUND:
        return "not_found";
    case SP_OUTCOME_BAD_REQUEST:
        return "bad_request";
    case SP_OUTCOME_RECORD_ERROR:
        return "record_error";
    case SP_OUTCOME_DNS_FAILURE:
        return "dns_failure";
    case SP_OUTCOME_LIMITED:
        return "limited";
    }
    return "unknown";
}
