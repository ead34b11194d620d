#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh SOURCE BUILD: `cpack -G DEB` makes a package that holds the program, the library, its headers
# and the licence, and depends on what the program is linked with.
set -eu
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
dpkg-deb --contents "$work"/*.deb >"$work/contents"
for path in /usr/bin/signpost /libsignpost.a /usr/include/signpost/decide/decision.h /LICENSE /libsignpost.pc \
    /examples/zones/ /lib/systemd/system/signpost.service /lib/systemd/system/signpost.socket; do
    grep -q "$path" "$work/contents" || { echo "not in the package: $path"; cat "$work/contents"; exit 1; }
done
depends=$(dpkg-deb --field "$work"/*.deb Depends)
for library in libc6 libh2o-evloop libc-ares2 libjansson4 libre2; do
    case $depends in
        *"$library"*) ;;
        *) echo "the package does not depend on $library: $depends"; exit 1 ;;
    esac
done
