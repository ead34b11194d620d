#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh SOURCE BUILD SIGNPOST: packages and a clean Debian 12 root are made once, for the tests of both.
set -eu
source=$1 build=$2 signpost=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar"
"$source/tests/package/root_test.sh" "$work/packages" "$work/base.tar"
python3 -B "$source/tests/package/image/image_test.py" "$source" "$work/packages" "$work/base.tar" "$signpost"
