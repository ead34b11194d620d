/* SPDX-License-Identifier: Apache-2.0 */
#include "dns/zone_client.h"

#include "dns/name_map.h"
#include "dns/wire_name.h"
#include "dns/zone_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK 65536
#define CHAIN_MAX 16      /* CNAMEs in a row */
#define NEGATIVE_TTL_S 60 /* of absences in a file without SOA */
#define TYPE_NS 2
#define TYPE_CNAME 5
#define TYPE_SOA 6
#define TYPE_TXT 16

typedef struct zone_text {
    sp_str_t text;
    struct zone_text *next;
} zone_text_t;

/* A name that exists: it owns records, or names below it do. */
typedef struct zone_name {
    sp_name_node_t node;
    struct zone_name *next; /* all names, for the walk at the end of loading */
    zone_text_t *texts;     /* newest first */
    size_t text_count;
    sp_str_t alias; /* ptr NULL: no CNAME */
    uint32_t ttl_s; /* smallest of the TXT or CNAME records */
    uint32_t negative_ttl_s;
    bool owns;                   /* has records of its own in the file being read */
    bool apex;                   /* a zone begins here */
    bool has_ns;                 /* and, unless a zone begins here, ends here */
    const sp_answer_t *answer;   /* NULL: not covered */
    const sp_answer_t *nxdomain; /* of a zone that begins here */
    char text[];
} zone_name_t;

struct sp_zones {
    sp_name_map_t map;
    sp_arena_t arena;
    zone_name_t *names;
};

/* What loading needs beside the set itself. */
typedef struct loader {
    sp_zones_t *zones;
    const char *path;
    bool has_soa; /* of the file being read */
    sp_zones_fault_fn *on_fault;
    void *arg;
    sp_status_t status;
    sp_error_t *err;
} loader_t;

static zone_name_t *find(const sp_zones_t *zones, sp_str_t name)
{
    return (zone_name_t *)sp_name_map_find(&zones->map, name);
}

static zone_name_t *add_name(sp_zones_t *zones, sp_str_t text)
{
    zone_name_t *name = sp_arena_zalloc(&zones->arena, 1, sizeof(*name) + text.len);

    if (name == NULL) {
        return NULL;
    }
    sp_name_node_init(&name->node, offsetof(zone_name_t, text), text);
    name->ttl_s = UINT32_MAX;
    name->negative_ttl_s = NEGATIVE_TTL_S;
    name->next = zones->names;
    zones->names = name;
    sp_name_map_insert(&zones->map, &name->node);
    return name;
}

/* The name and, as empty non-terminals, all above it. */
static zone_name_t *ensure(sp_zones_t *zones, sp_str_t text)
{
    zone_name_t *name = find(zones, text);
    zone_name_t *wanted = name;

    while (name == NULL) {
        name = add_name(zones, text);
        if (name == NULL) {
            return NULL;
        }
        wanted = wanted != NULL ? wanted : name;
        if (text.len == 0) {
            break;
        }
        text = sp_name_parent(text);
        name = find(zones, text);
    }
    return wanted;
}

static void tell_fault(void *arg, size_t line, size_t column, const char *message)
{
    loader_t *loader = arg;

    if (loader->status == SP_OK) {
        (void)sp_fail(loader->err, SP_BAD_SYNTAX, 0, "%s:%zu:%zu: %s", loader->path, line, column,
                      message);
        loader->status = SP_BAD_SYNTAX;
    }
    if (loader->on_fault != NULL) {
        loader->on_fault(loader->arg, loader->path, line, column, message);
    }
}

static bool add_text(sp_zones_t *zones, zone_name_t *name, const sp_zone_record_t *record)
{
    zone_text_t *text = sp_arena_alloc(&zones->arena, sizeof(*text));
    size_t len = 0;
    char *joined;

    for (size_t i = 0; i != record->string_count; ++i) {
        len += record->strings[i].len;
    }
    joined = sp_arena_alloc(&zones->arena, len);
    if (text == NULL || joined == NULL) {
        return false;
    }
    *text = (zone_text_t){.text = {joined, len}, .next = name->texts};
    for (size_t i = 0; i != record->string_count; ++i) {
        if (record->strings[i].len != 0) {
            memcpy(joined, record->strings[i].ptr, record->strings[i].len);
            joined += record->strings[i].len;
        }
    }
    name->texts = text;
    name->text_count += 1;
    return true;
}

static void lower_ttl(zone_name_t *name, uint32_t ttl_s)
{
    name->ttl_s = ttl_s < name->ttl_s ? ttl_s : name->ttl_s;
}

static bool add_data(loader_t *loader, zone_name_t *name, const sp_zone_record_t *record)
{
    switch (record->type) {
    case TYPE_TXT:
        lower_ttl(name, record->ttl_s);
        return add_text(loader->zones, name, record);
    case TYPE_CNAME:
        if (name->alias.ptr != NULL && !sp_str_eq(name->alias, record->target)) {
            tell_fault(loader, record->line, record->column,
                       "a second CNAME at this name; expected one at most");
            return true;
        }
        lower_ttl(name, record->ttl_s);
        name->alias = sp_arena_copy(&loader->zones->arena, record->target);
        return name->alias.ptr != NULL;
    case TYPE_NS:
        name->has_ns = true;
        return true;
    case TYPE_SOA:
        loader->has_soa = true;
        name->apex = true;
        name->negative_ttl_s =
            record->ttl_s < record->soa_minimum_s ? record->ttl_s : record->soa_minimum_s;
        return true;
    default:
        return true; /* the name exists: that is all that matters here */
    }
}

static void take_record(void *arg, const sp_zone_record_t *record)
{
    loader_t *loader = arg;
    zone_name_t *name =
        loader->status == SP_NO_MEMORY ? NULL : ensure(loader->zones, record->owner);

    if (name == NULL || !add_data(loader, name, record)) {
        loader->status = SP_NO_MEMORY;
        return;
    }
    name->owns = true;
    if (name->alias.ptr != NULL && name->texts != NULL) {
        tell_fault(loader, record->line, record->column,
                   "a CNAME and a TXT record at the same name; expected the CNAME alone");
    }
}

/* The domain that a file without SOA speaks for; the owner itself where nothing else is left. */
static sp_str_t domain_of(sp_str_t owner)
{
    sp_str_t domain = owner;

    while (domain.len != 0 && (domain.ptr[0] == '_' || domain.ptr[0] == '*')) {
        domain = sp_name_parent(domain);
    }
    return domain.len != 0 ? domain : owner;
}

static void settle_file(loader_t *loader)
{
    for (zone_name_t *name = loader->zones->names; name != NULL; name = name->next) {
        zone_name_t *domain = find(loader->zones, domain_of(sp_name_node_str(&name->node)));

        if (name->owns && !loader->has_soa && domain != NULL) {
            domain->apex = true;
        }
        name->owns = false;
    }
}

static void load_file(loader_t *loader, const char *path)
{
    sp_error_t err = {0};
    sp_status_t status;

    loader->path = path;
    loader->has_soa = false;
    status = sp_zone_file_read(path, NULL, take_record, tell_fault, loader, &err);
    settle_file(loader);
    if (status == SP_NO_MEMORY) {
        loader->status = SP_NO_MEMORY;
    }
    if (status != SP_IO) {
        return;
    }
    if (loader->on_fault != NULL) {
        loader->on_fault(loader->arg, path, 0, 0, err.message);
    }
    if (loader->status == SP_OK) {
        loader->status = sp_fail(loader->err, SP_IO, 0, "%s", err.message);
    }
}

/* Where a name stands. Neither `ret_name` nor `ret_apex` is set for a name that is not covered;
 * `ret_name` is NULL for one that does not exist. */
static bool locate(const sp_zones_t *zones, sp_str_t text, const zone_name_t **ret_name,
                   const zone_name_t **ret_apex)
{
    char wildcard[SP_NAME_TEXT_MAX + 2];
    const zone_name_t *encloser = NULL;
    const zone_name_t *name = NULL;
    sp_str_t at = text;

    for (;; at = sp_name_parent(at)) {
        name = find(zones, at);
        encloser = encloser != NULL ? encloser : name;
        if (name != NULL && (name->apex || name->has_ns)) {
            break;
        }
        if (at.len == 0) {
            return false;
        }
    }
    if (!name->apex) {
        return false;
    }
    *ret_apex = name;
    *ret_name = encloser;
    at = sp_name_node_str(&encloser->node);
    if (!sp_str_eq(at, text)) {
        wildcard[0] = '*';
        wildcard[1] = '.';
        memcpy(wildcard + 2, at.ptr, at.len);
        *ret_name = find(zones, (sp_str_t){wildcard, at.len == 0 ? 1 : at.len + 2});
    }
    return true;
}

static sp_status_t make_absence(sp_answer_kind_t kind, uint32_t ttl_s, sp_str_t canonical,
                                const sp_answer_t **ret_answer)
{
    sp_answer_parts_t parts = {.kind = kind, .ttl_s = ttl_s, .canonical = canonical};

    return sp_answer_create(&parts, ret_answer);
}

static sp_status_t make_texts(const zone_name_t *name, uint32_t ttl_s, sp_str_t canonical,
                              const sp_answer_t **ret_answer)
{
    sp_str_t *texts = calloc(name->text_count, sizeof(*texts));
    sp_answer_parts_t parts = {.kind = SP_ANSWER_TXT,
                               .ttl_s = ttl_s,
                               .texts = texts,
                               .text_count = name->text_count,
                               .canonical = canonical};
    size_t left = name->text_count;
    sp_status_t status = SP_NO_MEMORY;

    if (texts != NULL) {
        for (const zone_text_t *text = name->texts; text != NULL; text = text->next) {
            texts[--left] = text->text;
        }
        status = sp_answer_create(&parts, ret_answer);
    }
    free(texts);
    return status;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Follows the CNAMEs from `name` and makes the answer for what they lead to. */
static sp_status_t make_answer(const sp_zones_t *zones, const zone_name_t *name,
                               const zone_name_t *apex, const sp_answer_t **ret_answer)
{
    sp_str_t canonical = {0};
    uint32_t ttl_s = UINT32_MAX;

    for (int hops = 0; hops <= CHAIN_MAX; ++hops) {
        if (name == NULL) {
            return make_absence(SP_ANSWER_NXDOMAIN, min_u32(ttl_s, apex->negative_ttl_s), canonical,
                                ret_answer);
        }
        if (name->alias.ptr == NULL && name->texts == NULL) {
            return make_absence(SP_ANSWER_NODATA, min_u32(ttl_s, apex->negative_ttl_s), canonical,
                                ret_answer);
        }
        ttl_s = min_u32(ttl_s, name->ttl_s);
        if (name->alias.ptr == NULL) {
            return make_texts(name, ttl_s, canonical, ret_answer);
        }
        canonical = name->alias;
        if (!locate(zones, canonical, &name, &apex)) {
            return make_absence(SP_ANSWER_NODATA, ttl_s, canonical, ret_answer);
        }
    }
    return sp_answer_create(
        &(sp_answer_parts_t){.kind = SP_ANSWER_FAILURE, .failure = SP_FAILURE_SERVFAIL},
        ret_answer);
}

static sp_status_t make_answers(sp_zones_t *zones)
{
    for (zone_name_t *name = zones->names; name != NULL; name = name->next) {
        const zone_name_t *same;
        const zone_name_t *apex;
        sp_status_t status = SP_OK;

        if (locate(zones, sp_name_node_str(&name->node), &same, &apex)) {
            status = make_answer(zones, same, apex, &name->answer);
        }
        if (status == SP_OK && name->apex) {
            status = make_absence(SP_ANSWER_NXDOMAIN, name->negative_ttl_s, (sp_str_t){0},
                                  &name->nxdomain);
        }
        if (status != SP_OK) {
            return status;
        }
    }
    return SP_OK;
}

static sp_status_t create_empty(sp_zones_t **ret_zones, sp_error_t *err)
{
    sp_zones_t *zones = calloc(1, sizeof(*zones));
    sp_name_key_t key;

    if (zones == NULL) {
        return SP_NO_MEMORY;
    }
    sp_arena_init(&zones->arena, NULL, 0, ARENA_CHUNK);
    *ret_zones = zones;
    if (sp_name_key_make(&key) != SP_OK) {
        return sp_fail(err, SP_IO, 0, "the system gives no random octets");
    }
    return sp_name_map_init(&zones->map, &key);
}

sp_status_t sp_zones_load(const char *const *paths, size_t count, sp_zones_fault_fn *on_fault,
                          void *arg, sp_zones_t **ret_zones, sp_error_t *err)
{
    sp_zones_t *zones = NULL;
    loader_t loader = {.on_fault = on_fault, .arg = arg, .err = err};

    loader.status = create_empty(&zones, err);
    loader.zones = zones;
    if (loader.status == SP_OK) {
        for (size_t i = 0; i != count; ++i) {
            load_file(&loader, paths[i]);
        }
    }
    if (loader.status == SP_OK) {
        loader.status = make_answers(zones);
    }
    if (loader.status == SP_NO_MEMORY) {
        (void)sp_fail(err, SP_NO_MEMORY, 0, "no memory for the zones");
    }
    if (loader.status == SP_OK) {
        *ret_zones = zones;
        return SP_OK;
    }
    sp_zones_destroy(zones);
    return loader.status;
}

void sp_zones_destroy(sp_zones_t *zones)
{
    if (zones == NULL) {
        return;
    }
    for (zone_name_t *name = zones->names; name != NULL; name = name->next) {
        sp_answer_release(name->answer);
        sp_answer_release(name->nxdomain);
    }
    sp_name_map_clear(&zones->map);
    sp_arena_clear(&zones->arena);
    free(zones);
}

bool sp_zones_covers(const sp_zones_t *zones, sp_str_t name)
{
    const zone_name_t *found;
    const zone_name_t *apex;

    return name.len < SP_NAME_TEXT_MAX && locate(zones, name, &found, &apex);
}

sp_status_t sp_zones_answer(const sp_zones_t *zones, sp_str_t name, const sp_answer_t **ret_answer)
{
    const zone_name_t *found = find(zones, name);
    const zone_name_t *apex;
    const sp_answer_t *answer;

    if (found != NULL) {
        answer = found->answer; /* where it stands was found out when the zones were loaded */
    } else if (name.len < SP_NAME_TEXT_MAX && locate(zones, name, &found, &apex)) {
        answer = found != NULL ? found->answer : apex->nxdomain;
    } else {
        answer = NULL;
    }
    if (answer == NULL) {
        return SP_NOT_FOUND;
    }
    *ret_answer = sp_answer_retain(answer);
    return SP_OK;
}
