/* SPDX-License-Identifier: Apache-2.0 */

/* Any octets as what the kernel tells of packet queues, mounts and rules, and as the note of a run
 * that was killed: nothing outside of the text is read, and the note leads to no group but ours. */

#include <stdlib.h>
#include <string.h>

#include "lab/cgroup_mounts.h"
#include "lab/impairment_plan.h"
#include "lab/nfqueue.h"
#include "lab/note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void count(void *arg, uint32_t packet)
{
    (void)packet;
    ++*(size_t *)arg;
}

static void check_note(sp_str_t text)
{
    sp_note_content_t content;

    if (sp_note_parse(text, &content) == SP_OK && content.group[0] != '\0') {
        require(strncmp(content.group, "signpost-lab.", strlen("signpost-lab.")) == 0);
        require(strchr(content.group, '/') == NULL && strstr(content.group, "..") == NULL);
    }
}

static void check_mounts(sp_str_t text)
{
    sp_cgroup_mounts_t mounts;

    sp_cgroup_mounts_parse(text, &mounts);
    require(memchr(mounts.version_2, '\0', sizeof(mounts.version_2)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    uint64_t packets = 0;
    size_t taken = 0;

    check_note(text);
    check_mounts(text);
    (void)sp_impairment_find_packets(text, 1, &packets);
    (void)sp_impairment_find_overflow(text, 1, &packets);
    (void)sp_nfqueue_walk(data, size, count, &taken);
    require(taken <= size / 16);
    return 0;
}
