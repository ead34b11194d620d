#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# static.sh SOURCE BUILD: after `cmake --install`, a program outside the tree finds libsignpost by
# pkg-config alone, links the archive, and decides a request with it.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/usr" >"$work/log" || { cat "$work/log"; exit 1; }
"$work/usr/bin/signpost" version
PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name libsignpost.pc)")
export PKG_CONFIG_PATH
# The prefix that was configured is not the one installed to.
flags=$(pkg-config --define-variable=prefix="$work/usr" --cflags --libs libsignpost)
# shellcheck disable=SC2086 # a list of flags
cc -std=c17 -Wall -Werror -o "$work/decide" "$source/examples/library/decide.c" $flags
"$work/decide" "http://www.example.com/shop" "v=txtv0;to=https://example.com{uri}" >"$work/out"
grep -qx 'Location: https://example.com/shop' "$work/out" || { cat "$work/out"; exit 1; }
