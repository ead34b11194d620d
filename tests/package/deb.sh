#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh SOURCE BUILD: `cpack -G DEB` makes three packages with what belongs into each of them; lintian
# has nothing against them; a program outside the tree is built with what they install, through CMake
# and through pkg-config; the library offers what its headers declare, and nothing else.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
holds() {
    dpkg-deb --contents "$work/packages/$1"_*.deb >"$work/contents"
    shift
    for path in "$@"; do
        grep -q "$path" "$work/contents" || { echo "not in the package: $path"; cat "$work/contents"; exit 1; }
    done
}
holds signpost ./usr/bin/signpost ./usr/share/man/man1/signpost.1.gz ./etc/signpost/signpost.json \
    ./usr/lib/systemd/system/signpost.service ./usr/lib/systemd/system/signpost.socket \
    ./usr/share/bash-completion/completions/signpost ./usr/share/zsh/vendor-completions/_signpost \
    ./usr/share/fish/vendor_completions.d/signpost.fish ./usr/share/doc/signpost/copyright /examples/zones/
holds libsignpost1 /libsignpost.so.1 ./usr/share/doc/libsignpost1/copyright
holds libsignpost-dev /libsignpost.a '/libsignpost.so ->' /libsignpost.pc /cmake/signpost/signpostConfig.cmake \
    ./usr/include/signpost/decide/decision.h ./usr/share/doc/libsignpost-dev/copyright
if grep -vE '^.{48}\./(usr/|$)' "$work/contents"; then
    echo "these belong nowhere"
    exit 1
fi
depends=$(dpkg-deb --field "$work"/packages/signpost_*.deb Depends)
for library in libc6 libh2o-evloop libc-ares2 libjansson4 libre2; do
    case $depends in
        *"$library"*) ;;
        *) echo "the package does not depend on $library: $depends"; exit 1 ;;
    esac
done
[ "$(dpkg-deb --info "$work"/packages/signpost_*.deb conffiles)" = /etc/signpost/signpost.json ]
lintian --allow-root --fail-on error,warning "$work"/packages/*.deb

for package in "$work"/packages/*.deb; do
    dpkg-deb --extract "$package" "$work/root"
done
grep -q '"\[::\]:80"' "$work/root/etc/signpost/signpost.json"
systemd-analyze security --offline=yes --threshold=20 --no-pager "$work/root/usr/lib/systemd/system/signpost.service" >"$work/out" ||
    { cat "$work/out"; echo "exposed more than 2.0"; exit 1; }
# With the drop-in for configurations that hold a secret: the program is told where systemd puts it.
dropin=$(find "$work/root/usr/share/doc" -path '*/examples/systemd/signpost.service.d/secret.conf')
mkdir -p "$work/root/etc/systemd/system/signpost.service.d"
cp "$dropin" "$work/root/etc/systemd/system/signpost.service.d"
systemd-analyze security --offline=yes --root="$work/root" --threshold=20 --no-pager signpost.service >"$work/out" ||
    { cat "$work/out"; echo "exposed more than 2.0 with the drop-in"; exit 1; }
grep -qx 'ExecStart=/usr/bin/signpost serve --config %d/signpost.json' "$dropin"
grep -qx 'LoadCredential=signpost.json:/etc/signpost/signpost.json' "$dropin"

# Purging removes what the service kept; removing does not. A link leads to the state of a DynamicUser.
dpkg-deb --control "$work"/packages/signpost_*.deb "$work/control"
state=$work/purged/var/lib
mkdir -p "$state/private/signpost/accounts" "$state/other"
ln -s private/signpost "$state/signpost"
touch "$state/private/signpost/accounts/key"
DPKG_ROOT=$work/purged "$work/control/postrm" remove
[ -f "$state/signpost/accounts/key" ] || { echo "removing the package removed the state"; exit 1; }
DPKG_ROOT=$work/purged "$work/control/postrm" purge
find "$state" -name '*signpost*' | grep . && { echo "purging left these"; exit 1; }
[ -d "$state/other" ]
libraries=$(dirname "$(find "$work/root" -name 'libsignpost.so.1')")

# The libraries' symbols and the headers' words; a static inline function is in the header itself.
nm --dynamic --defined-only --extern-only "$libraries/libsignpost.so.1" | sed -nE 's/.* [TRDB] (sp_[a-z0-9_]+)@.*/\1/p' | sort >"$work/offered"
nm --dynamic --defined-only --extern-only "$libraries/libsignpost.so.1" | sed -nE 's/.* [A-Z] ([^@ ]+).*/\1/p' |
    grep -vE '^(sp_|SIGNPOST_1$)' && { echo "libsignpost.so.1 must not offer these"; exit 1; }
nm "$build/libsignpost.a" 2>/dev/null | sed -nE 's/.* [TRD] (sp_[a-z0-9_]+)$/\1/p' | sort -u >"$work/defined"
cat "$work"/root/usr/include/signpost/*/*.h | grep -oE '\bsp_[a-z0-9_]+' | sort -u | comm -12 - "$work/defined" >"$work/declared"
[ -s "$work/declared" ]
diff "$work/declared" "$work/offered" || { echo "cmake/libsignpost.map is not what the headers declare"; exit 1; }

decide() {
    "$@" "http://www.example.com/shop" "v=txtv0;to=https://example.com{uri}" >"$work/out"
    grep -qx 'Location: https://example.com/shop' "$work/out" || { cat "$work/out"; exit 1; }
}
mkdir "$work/program"
cp "$source/examples/library/decide.c" "$work/program"
cat >"$work/program/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(decide C CXX)
find_package(signpost 0.1 REQUIRED)
add_executable(shared decide.c)
target_link_libraries(shared PRIVATE signpost::signpost)
add_executable(static decide.c)
target_link_libraries(static PRIVATE signpost::static)
TEXT
{
    cmake -S "$work/program" -B "$work/made" -DCMAKE_PREFIX_PATH="$work/root/usr"
    cmake --build "$work/made"
} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
decide "$work/made/shared"
decide "$work/made/static"
objdump -p "$work/made/shared" | grep -q 'NEEDED *libsignpost.so.1$'
PKG_CONFIG_PATH=$libraries/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # a list of flags
cc -std=c17 -Wall -Werror -o "$work/plain" "$source/examples/library/decide.c" \
    $(pkg-config --define-variable=prefix="$work/root/usr" --cflags --libs libsignpost)
decide env LD_LIBRARY_PATH="$libraries" "$work/plain"
