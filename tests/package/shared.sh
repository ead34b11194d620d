#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shared.sh SOURCE BUILD: -DBUILD_SHARED_LIBS=ON gives libsignpost.so, which needs none of the daemon's
# libraries, and with which the same program works.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
    cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON
    cmake --build "$work/build" --parallel 2 --target sp_core
} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
needed=$(objdump -p "$work/build/libsignpost.so" | sed -n 's/^ *NEEDED *//p')
if printf '%s\n' "$needed" | grep -E 'h2o|cares|jansson|zscanner|ssl|crypto'; then
    echo "libsignpost.so must not need these"
    exit 1
fi
cc -std=c17 -Wall -Werror -I"$source/include" -o "$work/decide" "$source/examples/library/decide.c" \
    -L"$work/build" -lsignpost -Wl,-rpath,"$work/build"
"$work/decide" "http://www.example.com/shop" "v=txtv0;to=https://example.com{uri}" >"$work/out"
grep -qx 'Location: https://example.com/shop' "$work/out" || { cat "$work/out"; exit 1; }
