#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh FUZZER CORPUS WORK: fuzzes for SIGNPOST_FUZZ_SECONDS (5 unless set), starting from the corpus
# and from what earlier runs added to WORK/corpus. An input that breaks something is kept in WORK; copy
# it to the corpus together with the fix. SIGNPOST_FUZZ_SEED is where the dice start: 1 unless set, so that
# a check repeats its last run as far as time allows; 0 is different each time, for searching.
set -eu
fuzzer=$1 corpus=$2 work=$3
mkdir -p "$work/corpus"
if [ -f "$corpus.dict" ]; then
    set -- "-dict=$corpus.dict"
else
    set --
fi
"$fuzzer" "$@" -seed="${SIGNPOST_FUZZ_SEED:-1}" -max_total_time="${SIGNPOST_FUZZ_SECONDS:-5}" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$work/" "$work/corpus" "$corpus" >"$work/log" 2>&1 || {
    status=$?
    tail -n 100 "$work/log"
    echo "input that broke it: see $work/"
    exit "$status"
}
sed -n 's/^stat::average_exec_per_sec: */executions per second: /p' "$work/log"
