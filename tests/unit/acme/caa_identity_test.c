/* SPDX-License-Identifier: Apache-2.0 */
#include "acme/caa_identity.h"

#include <criterion/criterion.h>

#include "acme/settings.h"

Test(caa_identity, knows_lets_encrypt)
{
    sp_str_t names[SP_CAA_IDENTITIES_KNOWN_MAX];

    cr_assert_eq(sp_caa_identities(SP_STR(SP_ACME_LETS_ENCRYPT), names), 1);
    cr_expect(sp_str_eq(names[0], SP_STR("letsencrypt.org")));
    cr_assert_eq(
        sp_caa_identities(SP_STR("https://acme-staging-v02.api.letsencrypt.org/directory"), names),
        1);
}

Test(caa_identity, goes_by_the_host_alone)
{
    sp_str_t names[SP_CAA_IDENTITIES_KNOWN_MAX];

    cr_expect_eq(sp_caa_identities(SP_STR("https://acme.zerossl.com:443/v2/DV90"), names), 2);
    cr_expect_eq(sp_caa_identities(SP_STR("https://acme.zerossl.com"), names), 2);
    cr_expect_eq(sp_caa_identities(SP_STR("https://xacme.zerossl.com/"), names), 0);
    cr_expect_eq(sp_caa_identities(SP_STR("https://evil.example/.api.letsencrypt.org"), names), 0);
    cr_expect_eq(sp_caa_identities(SP_STR("https://127.0.0.1:14000/dir"), names), 0);
    cr_expect_eq(sp_caa_identities(SP_STR(""), names), 0);
}
