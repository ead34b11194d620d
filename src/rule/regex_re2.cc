/* SPDX-License-Identifier: Apache-2.0 */
#include "rule/regex_re2.h"

#include <map>
#include <memory>
#include <new>
#include <string>

#include <re2/re2.h>

/* What the program of one expression may take while it is compiled. A quarter of it bounds the
 * program at about 32,000 instructions: .{1,1000} takes 10,000, (a{1000}){1000} is refused. */
static const int64_t max_memory = INT64_C(2) * 1024 * 1024;

/* What it may take afterwards: the program, and a cache of states in proportion to it. RE2 goes on
 * without that cache, slower, when it is full. */
static int64_t memory_to_keep(const RE2 &regex)
{
    return INT64_C(48) * 1024 + INT64_C(160) * regex.ProgramSize();
}

/* Groups that a search reports at most, the whole match included. */
static const size_t max_slots = 100;

struct sp_re2 {
    explicit sp_re2(re2::StringPiece pattern, const RE2::Options &options) : regex(pattern, options)
    {
    }
    RE2 regex;
    std::map<int, std::string> names;
};

sp_re2_t *sp_re2_create(const char *pattern, size_t len, char *ret_reason, size_t reason_size)
{
    ret_reason[0] = '\0';
    try {
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(max_memory);
        const RE2 trial(re2::StringPiece(pattern, len), options);
        if (!trial.ok()) {
            ret_reason[trial.error().copy(ret_reason, reason_size - 1)] = '\0';
            return nullptr;
        }
        options.set_max_mem(memory_to_keep(trial));
        auto regex = std::make_unique<sp_re2>(re2::StringPiece(pattern, len), options);
        if (!regex->regex.ok()) {
            ret_reason[regex->regex.error().copy(ret_reason, reason_size - 1)] = '\0';
            return nullptr;
        }
        regex->names = regex->regex.CapturingGroupNames();
        return regex.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void sp_re2_destroy(sp_re2_t *regex)
{
    delete regex;
}

size_t sp_re2_group_count(const sp_re2_t *regex)
{
    return static_cast<size_t>(regex->regex.NumberOfCapturingGroups());
}

size_t sp_re2_program_size(const sp_re2_t *regex)
{
    return static_cast<size_t>(regex->regex.ProgramSize());
}

const char *sp_re2_group_name(const sp_re2_t *regex, size_t group, size_t *ret_len)
{
    auto found = regex->names.find(static_cast<int>(group));

    if (found == regex->names.end()) {
        return nullptr;
    }
    *ret_len = found->second.size();
    return found->second.data();
}

int sp_re2_search(const sp_re2_t *regex, sp_re2_part_t text, size_t from, sp_re2_part_t *ret_parts,
                  size_t slots)
{
    re2::StringPiece groups[max_slots];
    size_t wanted = slots < max_slots ? slots : max_slots;

    try {
        if (!regex->regex.Match(re2::StringPiece(text.begin, text.len), from, text.len,
                                RE2::UNANCHORED, groups, static_cast<int>(wanted))) {
            return 0;
        }
    } catch (const std::bad_alloc &) {
        return 0;
    }
    for (size_t i = 0; i != slots; ++i) {
        ret_parts[i] = i < wanted ? sp_re2_part_t{groups[i].data(), groups[i].size()}
                                  : sp_re2_part_t{nullptr, 0};
    }
    return 1;
}
