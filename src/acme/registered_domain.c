/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/registered_domain.h"

#include <libpsl.h>
#include <signpost/rule/hostname.h>
#include <string.h>

sp_str_t sp_registered_domain(sp_str_t name)
{
    char text[SP_NAME_MAX + 1];
    const char *domain = NULL;

    if (name.len > SP_NAME_MAX) {
        return name;
    }
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    domain = psl_registrable_domain(psl_builtin(), text);
    return domain == NULL ? name : sp_str_skip(name, (size_t)(domain - text));
}
