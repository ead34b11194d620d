#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh: builds CoreDNS, which Debian does not package, from its Go module at a pinned version, and puts it
# where `signpost lab` looks: $XDG_CACHE_HOME/signpost/lab/bin, ~/.cache by default. Does nothing when it is there.
# Without it `signpost lab` has Unbound stand in, and says so in every table and chart.
set -euo pipefail

module=github.com/coredns/coredns
version=v1.12.0
needs=1.22 # by its go.mod

folder=${XDG_CACHE_HOME:-$HOME/.cache}/signpost/lab/bin
program=$folder/coredns

if [[ -x $program ]] && [[ $("$program" -version 2>/dev/null) == "CoreDNS-${version#v}"* ]]; then
    echo "$program is CoreDNS $version already"
    exit 0
fi

if ! command -v go >/dev/null; then
    cat >&2 <<EOF
build.sh: there is no 'go' on PATH. CoreDNS $version needs Go $needs or newer to be built: get it from
https://go.dev/dl/ (Debian 12's own, 1.19, is too old; its backports have a newer one), or put a program
'coredns' on PATH or into a folder named by SIGNPOST_LAB_PATH. Without it Unbound stands in.
EOF
    exit 1
fi
has=$(go env GOVERSION)
has=${has#go}
if [[ $(printf '%s\n' "$needs" "$has" | sort -V | head -n 1) != "$needs" ]]; then
    echo "build.sh: Go $has is too old: CoreDNS $version needs $needs or newer, see https://go.dev/dl/" >&2
    exit 1
fi

mkdir -p "$folder"
building=$(mktemp -d "$folder/.building.XXXXXX")
trap 'rm -rf "$building"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
echo "Building $module@$version with Go $has (some minutes at first)"
if ! GOBIN=$building CGO_ENABLED=0 go install -trimpath -ldflags='-s -w' "$module@$version"; then
    echo "build.sh: go install failed; what it said stands above. It needs the Go module proxy (GOPROXY)" >&2
    exit 1
fi
mv -f "$building/coredns" "$program"
echo "Built $program"
