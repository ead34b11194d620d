#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh FOLDER: kube-apiserver and the definitions of the kinds that the chart uses beyond it,
# from the Go module proxy. Takes some minutes the first time, and nothing when it is all there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?"build.sh FOLDER: where should it go?"}
mkdir -p "$out/crds"
if ! command -v go >/dev/null || ! go version | grep -qE 'go1\.(2[4-9]|[3-9][0-9])'; then
    echo "build.sh: Go 1.24 or later is needed to build kube-apiserver; found: $(go version 2>/dev/null || echo none)" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/go.mod" "$here/go.sum" "$here/tools.go" "$work"
cd "$work"
export GOFLAGS=-mod=mod GOTOOLCHAIN=local
if [[ ! -x $out/kube-apiserver ]]; then
    # The version that it tells is stamped in; without, it refuses to start.
    version=$(sed -n 's/^require k8s.io\/kubernetes //p' go.mod)
    minor=$(cut -d. -f2 <<<"$version")
    package=k8s.io/component-base/version
    go build -o "$out/kube-apiserver" \
        -ldflags "-X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor" \
        k8s.io/kubernetes/cmd/kube-apiserver
fi
folder() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }
gateway=$(folder "sigs.k8s.io/gateway-api@$(sed -n 's/^require sigs.k8s.io\/gateway-api //p' go.mod)")
operator=$(folder "github.com/prometheus-operator/prometheus-operator@$(sed -n 's/^require github.com\/prometheus-operator\/prometheus-operator //p' go.mod)")
install -m 644 "$gateway/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml" "$out/crds"
install -m 644 "$operator/example/prometheus-operator-crd/monitoring.coreos.com_"{servicemonitors,prometheusrules}.yaml "$out/crds"
