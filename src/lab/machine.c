/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lab/kernel_file.h"

#define TEXT_OCTETS ((size_t)512 * 1024) /* /proc/cpuinfo of a large machine */

sp_str_t sp_lab_machine_value(sp_str_t text, const char *key)
{
    sp_str_t name = sp_str_from(key);

    for (sp_str_t rest = text; rest.ptr != NULL;) {
        sp_str_t line = sp_str_cut(rest, '\n', &rest);
        sp_str_t value = sp_str_trim(sp_str_skip(line, name.len));

        if (!sp_str_starts_with(line, name) || value.len == 0 ||
            (value.ptr[0] != ':' && value.ptr[0] != '=')) {
            continue;
        }
        value = sp_str_trim(sp_str_skip(value, 1));
        if (value.len >= 2 && value.ptr[0] == '"') {
            value = sp_str_slice(value, 1, value.len - 1);
        }
        return value;
    }
    return (sp_str_t){.ptr = "", .len = 0};
}

/* The value of a key in a file, or with NULL the whole file; NULL when there is none. */
static json_t *read_value(const char *path, const char *key)
{
    static const size_t size = TEXT_OCTETS;
    char *memory = malloc(size);
    json_t *value = NULL;
    sp_str_t text = {.ptr = "", .len = 0};

    if (memory != NULL && sp_kernel_file_read(path, memory, size, &text)) {
        text = key == NULL ? sp_str_trim(text) : sp_lab_machine_value(text, key);
        value = text.len == 0 ? NULL : json_stringn(text.ptr, text.len);
    }
    free(memory);
    return value;
}

static void put(json_t *machine, const char *name, json_t *value)
{
    (void)json_object_set_new(machine, name, value == NULL ? json_null() : value);
}

static json_t *first_of(json_t *one, json_t *other)
{
    if (one != NULL) {
        json_decref(other);
        return one;
    }
    return other;
}

/* Processors of a virtual machine say so in their flags. */
static json_t *from_flags(void)
{
    json_t *flags = read_value("/proc/cpuinfo", "flags");
    const char *text = json_string_value(flags);
    bool virtual = text != NULL && strstr(text, " hypervisor") != NULL;

    json_decref(flags);
    return virtual ? json_string("a virtual machine") : NULL;
}

static json_t *virtualisation(void)
{
    return first_of(read_value("/sys/class/dmi/id/product_name", NULL),
                    first_of(read_value("/sys/hypervisor/type", NULL), from_flags()));
}

static json_t *pinning(int generator_cpu)
{
    return generator_cpu < 0
               ? json_string("none")
               : json_sprintf("the load generator and tools run on processor %d alone, everything "
                              "else where the kernel puts it",
                              generator_cpu);
}

json_t *sp_lab_machine_json(const char *cgroups, int generator_cpu)
{
    json_t *machine = json_object();
    struct utsname system = {.release = "unknown"};
    long pages = sysconf(_SC_PHYS_PAGES);

    (void)uname(&system);
    put(machine, "cpu",
        first_of(read_value("/proc/cpuinfo", "model name"), json_string(system.machine)));
    put(machine, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    put(machine, "memory_bytes", json_integer((json_int_t)pages * sysconf(_SC_PAGESIZE)));
    put(machine, "kernel", json_sprintf("%s %s", system.sysname, system.release));
    put(machine, "os", read_value("/etc/os-release", "PRETTY_NAME"));
    put(machine, "congestion_control", json_string("cubic"));
    put(machine, "offload",
        json_string(
            "segmentation offload is off on impaired wires, as the kernel has it on others"));
    put(machine, "pinning", pinning(generator_cpu));
    put(machine, "virtualisation", virtualisation());
    put(machine, "cgroups", json_string(cgroups));
    return machine;
}
