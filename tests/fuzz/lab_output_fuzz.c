/* SPDX-License-Identifier: Apache-2.0 */

/* Any octets as what dnsperf, iperf3, signpost's metrics and the kernel print: figures or a
 * refusal, and never more than there is room for. */

#include <stdlib.h>

#include "lab/app_metrics.h"
#include "lab/counters.h"
#include "lab/machine.h"
#include "lab/probe.h"
#include "lab/raw_output.h"
#include "lab/usage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_str_t text = {.ptr = (const char *)data, .len = size};
    sp_lab_app_metrics_t metrics;
    sp_lab_machine_usage_t machine;
    sp_lab_process_usage_t process;
    sp_net_counters_t counters = {.udp_in = 0};
    json_t *json = NULL;

    if (sp_lab_raw_json("dnsperf", text, &json, NULL) == SP_OK) {
        json_decref(json);
    }
    if (sp_lab_raw_json("iperf3", text, &json, NULL) == SP_OK) {
        json_decref(json);
    }
    sp_lab_app_metrics_parse(text, &metrics);
    if (metrics.query_count > SP_LAB_QUERY_KINDS_MAX) {
        abort();
    }
    (void)sp_lab_usage_parse_stat(text, 100, &machine);
    (void)sp_lab_usage_parse_process(text, 100, &process);
    (void)sp_net_counters_parse_snmp(text, &counters, NULL);
    (void)sp_net_counters_parse_conntrack(text, &counters, NULL);
    (void)sp_lab_machine_value(text, "model name");
    (void)sp_lab_dns_answer(data, size, 0x4142);
    return 0;
}
