#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# apt-snapshot.sh DAY: inside of an image that is being built, apt takes Debian 12 as it was on that day
# (20261101T000000Z); an empty DAY changes nothing.
set -eu
if [ -z "${1:-}" ]; then
    exit 0
fi
archive=http://snapshot.debian.org/archive
rm -f /etc/apt/sources.list.d/*
cat >/etc/apt/sources.list <<TEXT
deb [check-valid-until=no] $archive/debian/$1 bookworm main
deb [check-valid-until=no] $archive/debian/$1 bookworm-updates main
deb [check-valid-until=no] $archive/debian-security/$1 bookworm-security main
TEXT
