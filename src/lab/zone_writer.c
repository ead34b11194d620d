/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/zone_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGET "https://target.test/d%05u" /* what leads to it differs in each record */

const char *sp_lab_host(unsigned number, char name[SP_LAB_HOST_MAX])
{
    (void)snprintf(name, SP_LAB_HOST_MAX, "d%05u." SP_LAB_ZONE, number);
    return name;
}

/* NULL and *err when it can't be written. */
static FILE *begin(const char *path, sp_error_t *err)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL) {
        (void)sp_fail(err, SP_IO, 0, "%.100s: %s", path, strerror(errno));
    }
    return file;
}

static sp_status_t finish(const char *path, FILE *file, sp_error_t *err)
{
    bool failed = ferror(file) != 0;

    if (fclose(file) != 0 || failed) {
        return sp_fail(err, SP_IO, 0, "%.100s can't be written: %s", path, strerror(errno));
    }
    return SP_OK;
}

/* The address is one of those for documentation (RFC 5737): nobody's. */
sp_status_t sp_lab_zone_write(const sp_lab_zone_t *zone, const char *path, sp_error_t *err)
{
    FILE *file = begin(path, err);
    char host[SP_LAB_HOST_MAX];

    if (file == NULL) {
        return SP_IO;
    }
    (void)fprintf(file,
                  "$TTL %u\n"
                  "%s. SOA ns.%s. hostmaster.%s. 1 3600 900 604800 %u\n"
                  "%s. NS ns.%s.\n"
                  "ns.%s. A 10.33.0.53\n",
                  zone->ttl_s, SP_LAB_ZONE, SP_LAB_ZONE, SP_LAB_ZONE, zone->ttl_s, SP_LAB_ZONE,
                  SP_LAB_ZONE, SP_LAB_ZONE);
    for (unsigned i = 0; i != zone->names; ++i) {
        (void)fprintf(file,
                      "%s. A 198.51.100.1\n"
                      "_redirect.%s. TXT \"v=txtv0;to=" TARGET "{uri};type=host;code=302\"\n",
                      sp_lab_host(i, host), host, i);
    }
    return finish(path, file, err);
}

sp_status_t sp_lab_targets_write(const sp_lab_zone_t *zone, const char *path, sp_error_t *err)
{
    FILE *file = begin(path, err);
    char host[SP_LAB_HOST_MAX];

    if (file == NULL) {
        return SP_IO;
    }
    for (unsigned i = 0; i != zone->names; ++i) {
        (void)fprintf(file, "%s\t/\t302\t" TARGET "/\n", sp_lab_host(i, host), i);
    }
    return finish(path, file, err);
}

/* splitmix64: the next state of a walk through all 64-bit numbers, and its mixed value. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

sp_status_t sp_lab_queries_write(const sp_lab_zone_t *zone, uint64_t seed, const char *path,
                                 sp_error_t *err)
{
    unsigned *order = calloc((size_t)zone->names + 1, sizeof(*order));
    FILE *file = NULL;
    char host[SP_LAB_HOST_MAX];

    if (order == NULL) {
        return sp_fail(err, SP_NO_MEMORY, 0, "out of memory");
    }
    for (unsigned i = 0; i != zone->names; ++i) { /* Fisher and Yates, from the inside out */
        unsigned other = (unsigned)(next_random(&seed) % (i + 1U));

        order[i] = order[other];
        order[other] = i;
    }
    file = begin(path, err);
    for (unsigned i = 0; file != NULL && i != zone->names; ++i) {
        (void)fprintf(file, "_redirect.%s TXT\n", sp_lab_host(order[i], host));
    }
    free(order);
    return file == NULL ? SP_IO : finish(path, file, err);
}
