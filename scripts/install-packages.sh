#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install-packages.sh GROUP…: installs what is missing on Debian 12. Groups: build, test, demo, lab, bench, package, image, chart.
# Does nothing, and needs no root, when everything is there. Asks nothing, and starts no daemon.
set -euo pipefail

build_packages=(
    gcc g++ libc6-dev make cmake ninja-build pkg-config
    libh2o-evloop-dev libc-ares-dev libssl-dev libpsl-dev libnghttp2-dev libjansson-dev libre2-dev libidn2-dev
    libknot-dev libqrencode-dev libpng-dev zlib1g-dev
)
demo_packages=(unbound curl)
test_packages=(
    git libcriterion-dev clang-14 libclang-rt-14-dev llvm-14 clang-tidy-14 clang-format-14
    cppcheck valgrind gcovr python3 unbound nsd bind9-dnsutils nginx-light dpkg-dev file
    systemd
    prometheus chromium chromium-driver # promtool; a browser for the page of /explain
    iproute2 iptables
    lintian zsh fish python3-yaml # packages, completion, workflows
    dnsmasq-base dnsperf ethtool conntrack # a laboratory of one minute
    dehydrated openssl curl pebble # certificates on demand, and an authority for tests
    haproxy sslscan # in front of it, and judging its TLS
)
# Everything the experiments of the laboratory compare. CoreDNS is not packaged: see its role's build.sh.
lab_packages=(
    unbound nsd dnsmasq-base knot bind9 bind9-utils pdns-server pdns-backend-bind dnsdist nginx-light
    dnsperf iperf3 iproute2 iptables conntrack ethtool procps openssl
)
# What `make bench` measures beside signpost, and what it measures with.
bench_packages=(nginx-light h2o wrk unbound python3 util-linux)
package_packages=(dpkg-dev file) # cpack -G DEB
# Building the container image, and running it as a cluster would.
image_packages=(buildah runc golang-github-containers-common mmdebstrap nginx-light systemd iproute2 util-linux python3 python3-yaml)
# The chart, beside helm and kubectl (scripts/chart-tools.sh) and Go: an API to hold it against.
chart_packages=(etcd-server openssl python3 python3-yaml npm)

packages=()
for group in "${@:-build}"; do
    case $group in
        build) packages+=("${build_packages[@]}") ;;
        demo) packages+=("${demo_packages[@]}") ;;
        test) packages+=("${test_packages[@]}") ;;
        package) packages+=("${package_packages[@]}") ;;
        image) packages+=("${image_packages[@]}") ;;
        lab) packages+=("${lab_packages[@]}") ;;
        bench) packages+=("${bench_packages[@]}") ;;
        chart) packages+=("${chart_packages[@]}") ;;
        *)
            echo "install-packages.sh: unknown group '$group'; expected build, demo, test, lab, bench, package, image or chart" >&2
            exit 2
            ;;
    esac
done

missing=()
for package in "${packages[@]}"; do
    # shellcheck disable=SC2016 # dpkg-query's own variable
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $state == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
    exit 0
fi
if ((EUID != 0)); then
    echo "Not installed: ${missing[*]}" >&2
    echo "Run this as root once, or: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

# Packages of daemons start them, unless this file says no (invoke-rc.d's policy layer, exit 101).
# What was there before is put back, whatever happens.
policy=/usr/sbin/policy-rc.d
saved=$(mktemp -d)
if [[ -e $policy || -L $policy ]]; then
    cp -aP "$policy" "$saved/policy-rc.d"
fi
restore() {
    rm -f "$policy"
    if [[ -e $saved/policy-rc.d || -L $saved/policy-rc.d ]]; then
        cp -aP "$saved/policy-rc.d" "$policy"
    fi
    rm -rf "$saved"
}
trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
rm -f "$policy"
printf '#!/bin/sh\nexit 101\n' >"$policy"
chmod 755 "$policy"

export DEBIAN_FRONTEND=noninteractive
apt_get() {
    apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold "$@" </dev/null >"$saved/log" 2>&1
}
echo "Installing: ${missing[*]}"
if ! apt_get update || ! apt_get install -y --no-install-recommends "${missing[@]}"; then
    tail -n 30 "$saved/log" >&2
    echo "install-packages.sh: apt-get failed; what it said stands above" >&2
    exit 1
fi
