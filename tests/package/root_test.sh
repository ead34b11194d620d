#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# root_test.sh PACKAGES BASE: in a clean Debian 12 root (the tar file BASE) `apt install` takes the
# packages with all that they need; nothing starts by itself; the unit starts what it says and is
# confined; removing them leaves the configuration, purging nothing.
set -eu
packages=$1 base=$2
work=$(mktemp -d)
root=$work/root
clean() {
    rm -rf --one-file-system "$work"
}
trap clean EXIT
fail() {
    echo "$1"
    exit 1
}

mkdir "$root"
tar -C "$root" -xf "$base" --exclude='./dev/*'
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# A namespace of its own: whatever is mounted or left running there ends with it.
inside() {
    unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" chroot "$root" /usr/bin/env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 444 "$root/dev/urandom" c 1 9

inside sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends systemd procps /packages/*.deb' >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "apt can't install the packages"; }
inside signpost version >"$work/out"
grep -q '^signpost [0-9]' "$work/out" || fail "signpost does not run"
for package in signpost libsignpost1 libsignpost-dev; do
    [ "$(inside dpkg-query -W -f='${db:Status-Status}' "$package")" = installed ] || fail "$package is not installed"
done
if find "$root/etc/systemd" -name '*signpost*' | grep .; then
    fail "installing must not enable the service"
fi
inside signpost serve --check --config /etc/signpost/signpost.json >/dev/null || fail "the default configuration is not good"
inside sh -c 'ldconfig -p | grep -q libsignpost.so.1' || fail "the linker does not find the library"
inside sh -c 'dpkg --verify signpost libsignpost1 libsignpost-dev' | grep . && fail "not as packaged"

# What systemctl would start, as systemd reads it, and how it is confined (0 best, 10 worst).
systemd-analyze verify --root="$root" --man=no signpost.service signpost.socket >"$work/out" 2>&1 || { cat "$work/out"; fail "bad units"; }
systemd-analyze security --offline=yes --root="$root" --threshold=20 --no-pager signpost.service >"$work/out" ||
    { cat "$work/out"; fail "exposed more than 2.0"; }
tail -n 1 "$work/out"
# The same with the drop-in for configurations that hold a secret.
mkdir "$root/etc/systemd/system/signpost.service.d"
cp "$root/usr/share/doc/signpost/examples/systemd/signpost.service.d/secret.conf" "$root/etc/systemd/system/signpost.service.d"
systemd-analyze verify --root="$root" --man=no signpost.service >"$work/out" 2>&1 || { cat "$work/out"; fail "a bad drop-in"; }
rm -r "$root/etc/systemd/system/signpost.service.d"

# systemd can't run here: what it would start, as a user without any right but that to port 80.
cat >"$root/start" <<'TEXT'
set -eu
setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all,+net_bind_service \
    --inh-caps=-all,+net_bind_service --ambient-caps=-all,+net_bind_service \
    signpost serve --config /etc/signpost/signpost.json >/tmp/out 2>&1 &
pid=$!
tries=0
until signpost health 2>/dev/null; do
    tries=$((tries + 1))
    if [ "$tries" = 200 ] || ! kill -0 "$pid"; then
        cat /tmp/out
        exit 1
    fi
    sleep 0.1
done
grep -qx ready /tmp/out
kill -TERM "$pid"
wait "$pid"
TEXT
unshare --net sh -c "ip link set lo up && exec unshare --mount --pid --fork --kill-child --mount-proc='$root/proc' chroot '$root' sh /start" ||
    fail "the service does not start, say that it is well, and end"

# What a service with tls.acme leaves behind, as DynamicUser= has it.
mkdir -p "$root/var/lib/private/signpost/accounts"
ln -s private/signpost "$root/var/lib/signpost"
touch "$root/var/lib/private/signpost/accounts/key"
echo '{"listen": [{"address": "[::]:8080"}]}' >"$root/etc/signpost/signpost.json"
inside apt-get -qq remove -y signpost libsignpost1 libsignpost-dev >"$work/log" 2>&1 || { cat "$work/log"; fail "can't be removed"; }
[ -e "$root/var/lib/signpost/accounts/key" ] || fail "removing must leave the state"
[ -e "$root/etc/signpost/signpost.json" ] || fail "the configuration is the administrator's: removing must leave it"
inside dpkg --purge signpost libsignpost1 >"$work/log" 2>&1 || { cat "$work/log"; fail "can't be purged"; }
if find "$root/etc" "$root/usr" "$root/var/lib/systemd" "$root/var/lib/private" "$root/var/lib/signpost" -name '*signpost*' 2>/dev/null | grep .; then
    fail "purging leaves these"
fi
