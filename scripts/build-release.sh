#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build-release.sh FOLDER: what the README tells people to type, with the output shown only when it fails.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build}

mkdir -p "$folder"
log=$folder/build.log
echo "Building signpost (Release) in $folder"
if ! { cmake -B "$folder" -DCMAKE_BUILD_TYPE=Release && cmake --build "$folder" --parallel "$(nproc)"; } >"$log" 2>&1; then
    tail -n 50 "$log" >&2
    echo "The build failed; all of its output: $log" >&2
    exit 1
fi
