/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/resolver.h"

#include "dns/resolver_address.h"
#include <string.h>

#define UDP_MAX (SP_RESOLVER_CHANNELS_MAX - 1)
#define USES_MAX 64 /* then the channel rests until all is answered, and opens another port */

/* Each takes some 70 KiB. */
static size_t udp_count_for(const sp_resolver_options_t *options, bool is_local)
{
    size_t count =
        (options->max_inflight + SP_CHANNEL_OUTSTANDING_MAX - 1) / SP_CHANNEL_OUTSTANDING_MAX;

    if (!is_local || count > UDP_MAX) {
        return UDP_MAX;
    }
    return count != 0 ? count : 1;
}

static sp_status_t create_channel(sp_poller_t *poller, const sp_resolver_options_t *options,
                                  uint32_t offset, sp_ares_channel_t **ret_channel, sp_error_t *err)
{
    sp_ares_channel_options_t of_channel = {.address = options->address,
                                            .tcp = offset == UDP_MAX,
                                            .patience_ms = options->patience_ms,
                                            .tag = options->tag + offset};

    return sp_ares_channel_create(poller, &of_channel, ret_channel, err);
}

sp_status_t sp_resolver_init(sp_resolver_t *resolver, sp_poller_t *poller,
                             const sp_resolver_options_t *options, sp_error_t *err)
{
    sp_status_t status;
    size_t wanted;

    *resolver = (sp_resolver_t){.is_local = sp_resolver_is_loopback(&options->address)};
    wanted = udp_count_for(options, resolver->is_local);
    status = create_channel(poller, options, UDP_MAX, &resolver->tcp, err);
    while (status == SP_OK && resolver->udp_count != wanted) {
        status = create_channel(poller, options, (uint32_t)resolver->udp_count,
                                &resolver->udp[resolver->udp_count], err);
        resolver->udp_count += status == SP_OK ? 1 : 0;
    }
    return status;
}

void sp_resolver_clear(sp_resolver_t *resolver)
{
    for (size_t i = 0; i != resolver->udp_count; ++i) {
        sp_ares_channel_destroy(resolver->udp[i]);
    }
    sp_ares_channel_destroy(resolver->tcp);
    *resolver = (sp_resolver_t){0};
}

static bool is_full(const sp_ares_channel_t *channel)
{
    return sp_ares_channel_outstanding(channel) >= SP_CHANNEL_OUTSTANDING_MAX;
}

/* One that has been used a while, and waits for the last of its answers to close the socket. */
static bool is_resting(const sp_resolver_t *resolver, size_t index)
{
    return !resolver->is_local && resolver->uses[index] >= USES_MAX;
}

/* In turn; on loopback the first that has room. */
static sp_ares_channel_t *udp_channel(sp_resolver_t *resolver, bool resting_too)
{
    for (size_t i = 0; i != resolver->udp_count; ++i) {
        size_t index = (resolver->next + i) % resolver->udp_count;

        if (sp_ares_channel_outstanding(resolver->udp[index]) == 0) {
            resolver->uses[index] = 0;
        }
        if (is_full(resolver->udp[index]) || (is_resting(resolver, index) && !resting_too)) {
            continue;
        }
        resolver->uses[index] += resolver->uses[index] < USES_MAX ? 1 : 0;
        resolver->next = resolver->is_local ? 0 : index + 1;
        return resolver->udp[index];
    }
    return NULL;
}

sp_ares_channel_t *sp_resolver_channel(sp_resolver_t *resolver, bool tcp)
{
    sp_ares_channel_t *channel;

    if (tcp) {
        return is_full(resolver->tcp) ? NULL : resolver->tcp;
    }
    channel = udp_channel(resolver, false);
    return channel != NULL ? channel : udp_channel(resolver, true);
}

sp_ares_channel_t *sp_resolver_tagged(const sp_resolver_t *resolver, uint32_t offset)
{
    return offset == UDP_MAX ? resolver->tcp : resolver->udp[offset];
}

static bool tick(sp_ares_channel_t *channel)
{
    if (sp_ares_channel_outstanding(channel) == 0) {
        return false;
    }
    sp_ares_channel_tick(channel);
    return true;
}

bool sp_resolver_tick(const sp_resolver_t *resolver)
{
    bool waits = tick(resolver->tcp);

    for (size_t i = 0; i != resolver->udp_count; ++i) {
        waits = tick(resolver->udp[i]) || waits;
    }
    return waits;
}
