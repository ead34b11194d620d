#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# image.sh [OPTION…]: builds the container image with buildah, as root, without any daemon.
#   --base NAME      base image of a registry, pinned: docker.io/library/debian:12-slim@sha256:…
#   --base FILE.tar  a root file system, as `mmdebstrap --variant=minbase bookworm FILE.tar` makes it
#                    (with no --base that is what happens, for where no registry can be reached)
#   --snapshot DAY   Debian's packages as of that day, 20261101T000000Z
#   --packages DIR   a folder of Debian packages to take instead of building them
#   --tag NAME       name of the image (localhost/signpost:VERSION)
#   --storage DIR    where buildah keeps images (its own place)
#   --sbom FILE      writes what the image is made of as SPDX JSON
# SOURCE_DATE_EPOCH (the last commit's time) is the time of everything inside.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."

version=$(sed -nE 's/^ *VERSION ([0-9.]+)$/\1/p' CMakeLists.txt)
base='' snapshot='' packages='' tag=localhost/signpost:$version storage='' sbom=''
while (($# != 0)); do
    case $1 in
        --base | --snapshot | --packages | --tag | --storage | --sbom)
            [[ -n ${2:-} ]] || { echo "image.sh: $1 needs a value" >&2; exit 2; }
            printf -v "${1#--}" %s "$2"
            shift 2
            ;;
        *)
            echo "image.sh: unknown option $1; see the top of the script" >&2
            exit 2
            ;;
    esac
done
for path in packages storage sbom; do
    [[ -z ${!path} ]] || printf -v "$path" %s "$(cd "$from" && realpath -m "${!path}")"
done
if [[ -n $base && -f $(cd "$from" && realpath -m "$base") ]]; then
    base=$(cd "$from" && realpath "$base")
fi
revision=$(git rev-parse HEAD 2>/dev/null || true)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH BUILDAH_ISOLATION=chroot

work=$(mktemp -d)
containers=()
buildah_() { buildah ${storage:+--root "$storage/root" --runroot "$storage/run" --storage-driver vfs} "$@"; }
clean() {
    for container in "${containers[@]}"; do
        buildah_ rm "$container" >/dev/null || true
    done
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [[ -z $base ]]; then
    base=$work/base.tar
    mmdebstrap --quiet --variant=minbase bookworm "$base"
fi
if [[ -f $base ]]; then
    scratch=$(buildah_ from scratch)
    containers+=("$scratch")
    buildah_ add --quiet "$scratch" "$base" / >/dev/null
    base=localhost/signpost-base:12
    buildah_ commit --quiet --timestamp "$SOURCE_DATE_EPOCH" "$scratch" "$base" >/dev/null
fi

context=()
if [[ -n $packages ]]; then
    mkdir -p "$work/build/packages" "$work/build/src"
    cp "$packages"/*.deb "$work/build/packages"
    cp -r scripts "$work/build/src"
    context=(--build-context "build=$work/build")
fi
buildah_ bud --quiet --format docker --layers=false --timestamp "$SOURCE_DATE_EPOCH" "${context[@]}" \
    --build-arg "BASE=$base" --build-arg "SNAPSHOT=$snapshot" --build-arg "VERSION=$version" \
    --build-arg "REVISION=$revision" --build-arg "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH" --tag "$tag" . >"$work/log" 2>&1 || {
    tail -n 50 "$work/log" >&2
    echo "image.sh: buildah failed; what it said last stands above" >&2
    exit 1
}
if [[ -n $sbom ]]; then
    made=$(buildah_ from --pull-never "$tag")
    containers+=("$made")
    scripts/sbom.py "$(buildah_ mount "$made")" signpost "$version" >"$sbom"
fi
echo "$tag"
