#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# demo.sh PROGRAM: Unbound with the example zone on a loopback port, signpost in front of it, a few
# requests with what they asked of DNS. Both stay until Ctrl-C; where standard input is no terminal
# they are stopped, and the exit status says whether every answer was the expected one.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-$here/build/signpost}
zone=$here/examples/zones/demo.zone
origin=$(sed -nE 's/^\$ORIGIN +([^ ;]+)\..*/\1/p' "$zone" | head -n 1)

bold='' dim='' red='' green='' cyan='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' cyan=$'\e[36m' plain=$'\e[0m'
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/signpost-demo.XXXXXX")
pids=()
cleanup() {
    local pid
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || true
    done
    for pid in "${pids[@]}"; do
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

die() {
    echo "demo: $1" >&2
    [[ ! -f ${2:-} ]] || tail -n 20 "$2" >&2
    exit 1
}

# start_on_free_port NAME FIRST_PORT READY FUNCTION: starts `FUNCTION PORT`, a server, with the first
# port from FIRST_PORT on that nobody has, and waits until its log, NAME.log, has a line that matches
# READY. Sets `port`.
start_on_free_port() {
    local name=$1 first=$2 ready=$3 function=$4 log=$work/$1.log attempt pid
    : >"$log"
    for ((port = first; port < first + 100; ++port)); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            continue
        fi
        "$function" "$port" >>"$log" 2>&1 </dev/null &
        pid=$!
        for ((attempt = 0; attempt < 200; ++attempt)); do
            if grep -qE "$ready" "$log"; then
                pids+=("$pid")
                return 0
            fi
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.05
        done
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        grep -qiE 'in use' "$log" || die "$name does not start; it says:" "$log"
    done
    die "no free port for $name from $first to $((first + 99))" "$log"
}

run_unbound() {
    sed "s/@PORT@/$1/" "$work/unbound.conf.in" >"$work/unbound.conf"
    exec "$unbound" -d -c "$work/unbound.conf"
}

run_signpost_with_dns() {
    exec "$program" serve --listen "127.0.0.1:$1" --resolver "127.0.0.1:$dns_port"
}

run_signpost_with_zone() {
    exec "$program" serve --listen "127.0.0.1:$1" --zone "$zone"
}

# Unbound answers the zone from memory as a resolver would, and writes down each question. Nothing of
# it lies outside the work folder, and nothing runs as another user or in another root.
configure_unbound() {
    cat >"$work/unbound.conf.in" <<TEXT
server:
    interface: 127.0.0.1@@PORT@
    port: @PORT@
    do-ip6: no
    username: ""
    chroot: ""
    directory: "$work"
    pidfile: "$work/unbound.pid"
    use-syslog: no
    log-queries: yes
    module-config: "iterator"
    num-threads: 1
    local-zone: "$origin." nodefault
remote-control:
    control-enable: no
auth-zone:
    name: "$origin."
    zonefile: "$zone"
    for-downstream: no
    for-upstream: yes
    fallback-enabled: no
TEXT
    # Debian confines /usr/sbin/unbound (AppArmor) to its own folders; a copy is free to read ours.
    unbound=$(PATH=$PATH:/usr/sbin command -v unbound) || die "unbound is not installed: run scripts/install-packages.sh demo"
    cp "$unbound" "$work/unbound"
    if "$work/unbound" -V >/dev/null 2>&1; then
        unbound=$work/unbound
    fi
}

# Puts the names that Unbound has been asked for since the last call into $work/questions.
log_seen=0
collect_questions() {
    local log=$work/unbound.log size
    size=$(wc -c <"$log")
    tail -c "+$((log_seen + 1))" "$log" | head -c "$((size - log_seen))" |
        sed -nE 's/.* info: 127\.0\.0\.1 ([^ ]+)\. TXT IN$/\1/p' >"$work/questions"
    log_seen=$size
}

# ask PORT HOST PATH: sets `status` and `location`; the body goes to $work/body.
ask() {
    : >"$work/head"
    : >"$work/body"
    curl --silent --show-error --max-time 10 --http1.1 --output "$work/body" --dump-header "$work/head" \
        --header "Host: $2" "http://127.0.0.1:$1$3" || true
    status=$(sed -nE '1s/^HTTP[^ ]* ([0-9]+).*/\1/p' "$work/head")
    location=$(tr -d '\r' <"$work/head" | sed -nE 's/^[Ll]ocation: //p')
}

# as_expected STATUS LOCATION PATTERN: is it what `ask` got? PATTERN is for the body.
good=0
bad=0
as_expected() {
    if [[ $status == "$1" && $location == "$2" ]] && grep -qE -- "$3" "$work/body"; then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        return 1
    fi
}

# show HOST PATH STATUS LOCATION PATTERN TITLE
show() {
    local host=$1 path=$2 question verdict
    printf '\n%s%s%s\n' "$bold" "$6" "$plain"
    printf '  request  http://%s%s\n' "$host" "$path"
    ask "$web_port" "$host" "$path"
    collect_questions
    while read -r question; do
        printf '  asked    %s TXT\n' "$question"
    done <"$work/questions"
    [[ -s $work/questions ]] || printf '  asked    %snothing: the answer was in the cache%s\n' "$dim" "$plain"
    if as_expected "$3" "$4" "$5"; then
        verdict="${green}as expected${plain}"
    else
        verdict="${red}WRONG, expected: $3 $4 (body: $5)${plain}"
    fi
    printf '  answer   %s%s%s%s  (%s)\n' "$cyan" "$status" "${location:+ $location}" "$plain" "$verdict"
    if [[ -z $location ]]; then
        head -c 1500 "$work/body" | sed 's/^/           | /; $a\'
    fi
}

# HOST PATH STATUS LOCATION PATTERN TITLE; `-` for an empty field.
cases=$(cat <<'TEXT'
www.example.com /any/page 301 https://about.example.net/ - A host that has moved for good
blog.example.com /2026/hello?page=2 308 https://journal.example.net/2026/hello?page=2 - A host that has moved, with all its paths
go.example.com /talk 302 https://video.example.net/watch/8731 - A short link
go.example.com /issue/4711 302 https://tracker.example.net/browse/4711 - Short links by pattern: one record for every issue
ada.people.example.com / 302 https://www.example.net/people/ada - A wildcard: one record for every person
code.example.com /router?go-get=1 200 - go-import.*git.example.net/router.git The page that `go get code.example.com/router` reads
app.example.com /v2/app/manifests/latest 301 https://registry.example.net/v2/acme/app/manifests/stable - A container image, pulled as app.example.com/app
www.example.com /other 301 https://about.example.net/ - The first host again
nowhere.example.com / 404 - _redirect.nowhere.example.com A host without a record: the answer says what was looked for
TEXT
)

# each_case FUNCTION: calls it with the six fields of each case.
each_case() {
    local function=$1 host path status location pattern title
    while read -r host path status location pattern title; do
        [[ $location != - ]] || location=''
        [[ $pattern != - ]] || pattern=''
        "$function" "$host" "$path" "$status" "$location" "$pattern" "$title" </dev/null
    done <<<"$cases"
}

check_embedded() {
    ask "$zone_port" "$1" "$2"
    as_expected "$3" "$4" "$5" || printf '  %s%s%s: %s %s, expected %s %s%s\n' "$red" "$1" "$2" "$status" "$location" "$3" "$4" "$plain"
}

[[ -x $program ]] || die "no program at $program: build it first (make demo does)"
configure_unbound
start_on_free_port unbound 5300 'start of service' run_unbound
dns_port=$port
start_on_free_port signpost 8080 '^ready$' run_signpost_with_dns
web_port=$port
printf '%sUnbound%s on 127.0.0.1:%s answers for %s (examples/zones/demo.zone).\n' "$bold" "$plain" "$dns_port" "$origin"
printf '%ssignpost%s on http://127.0.0.1:%s asks it, and redirects.\n' "$bold" "$plain" "$web_port"

each_case show

start_on_free_port signpost-zone 8180 '^ready$' run_signpost_with_zone
zone_port=$port
before=$good
each_case check_embedded
printf '\n%sThe same zone without any DNS server%s\n' "$bold" "$plain"
printf '  signpost serve --zone examples/zones/demo.zone: %s of %s answers are the same\n' \
    "$((good - before))" "$(wc -l <<<"$cases")"

printf '\n%s right, %s wrong\n' "$good" "$bad"
if [[ ! -t 0 ]]; then
    ((bad == 0))
    exit
fi

cat <<TEXT

Both keep running. In another terminal:
  curl -i -H 'Host: $(head -n 1 <<<"$cases" | cut -d ' ' -f 1)' http://127.0.0.1:$web_port/
  $program explain --resolver 127.0.0.1:$dns_port http://$(head -n 1 <<<"$cases" | cut -d ' ' -f 1)/
Ctrl-C stops them.
TEXT
trap 'echo; exit 0' INT
wait -n "${pids[@]}" || true
die "a server has stopped by itself" "$work/signpost.log"
