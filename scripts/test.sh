#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh [PRESET…]: runs `cmake --workflow --preset PRESET` for each preset, goes on after a failure,
# and ends with one line that counts all tests. A preset that runs a checker instead of tests (tidy,
# analyze) counts as one. SIGNPOST_FUZZ_SECONDS: how long each fuzz target runs (5 unless set);
# SIGNPOST_FUZZ_SEED: where its dice start (1 unless set; 0: elsewhere each time).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

presets=("$@")
if ((${#presets[@]} == 0)); then
    presets=(dev release asan tsan coverage fuzz tidy analyze)
fi
logs=build/logs
mkdir -p "$logs" || exit 1

red='' green='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
fi

passed=0
failed=0
for preset in "${presets[@]}"; do
    log=$logs/$preset.log
    begun=$SECONDS
    printf '%-9s ' "$preset"
    cmake --workflow --preset "$preset" >"$log" 2>&1 </dev/null
    status=$?
    counts=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log")
    preset_passed=0
    preset_failed=0
    while read -r bad all; do
        preset_failed=$((preset_failed + bad))
        preset_passed=$((preset_passed + all - bad))
    done < <([[ -z $counts ]] || printf '%s\n' "$counts")
    if ((preset_passed + preset_failed == 0 && status == 0)); then
        preset_passed=1
    elif ((preset_failed == 0 && status != 0)); then
        preset_failed=1 # not even built, or no test was found
    fi
    passed=$((passed + preset_passed))
    failed=$((failed + preset_failed))
    if ((preset_failed == 0)); then
        printf '%sok%s      %4d passed  %4d s\n' "$green" "$plain" "$preset_passed" "$((SECONDS - begun))"
        # End-to-end tests measure, and get a second chance on a busy machine: what needed it is named.
        sed -nE 's/^.*Test +#[0-9]+: ([^ ]+) \.*\*\*\*.*$/          passed at the second try only: \1/p' "$log"
    else
        printf '%sFAILED%s  %4d passed  %4d failed  %4d s\n' "$red" "$plain" "$preset_passed" "$preset_failed" \
            "$((SECONDS - begun))"
        echo "--- the end of $log; to repeat it: cmake --workflow --preset $preset"
        grep -E '^FAILED: |error:|warning:|CMake Error|\(Failed\)|\*\*\*|Timeout' "$log" | head -n 40
        tail -n 60 "$log"
        echo "---"
    fi
done

echo "$passed passed, $failed failed"
((failed == 0))
