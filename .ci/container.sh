#!/usr/bin/env bash
# A docker engine with the action's base image, where no image registry can be reached.
#
#   .ci/container.sh COMMAND [ARG...]     runs COMMAND with the engine and the built image at hand:
#                                         DOCKER_HOST, CI_IMAGE and a docker client in PATH
#
# Sourced, it gives the functions below and runs nothing. Run it as root on Debian: Debian's packages are the
# only outside source. mmdebstrap makes the base image (what debian:trixie-slim holds), docker.io brings the
# engine. Nothing is pulled and nothing is pushed; an image built here trusts this machine's certificate
# authorities, so never push one.
set -euo pipefail

container_base=debian:trixie-slim
container_packages=(ca-certificates debian-archive-keyring docker.io iproute2 mmdebstrap)
container_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ophiuchus-ci
container_cache_days=7
container_work=''
container_engine=''
container_bridge_was_there=''

# install_packages NAME... : Debian packages, those that are missing. No service is started by it.
install_packages() {
    local name missing=() policy=/usr/sbin/policy-rc.d made_policy='' status=0
    for name in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installing ${missing[*]}"
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod +x "$policy"
        made_policy=1
    fi
    {
        DEBIAN_FRONTEND=noninteractive apt-get update --quiet=2 &&
            DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends "${missing[@]}"
    } </dev/null || status=$?
    [ -z "$made_policy" ] || rm -f "$policy"
    return "$status"
}

# container_up : the packages, an engine that answers, and the base image in it.
container_up() {
    install_packages "${container_packages[@]}" || return
    container_work=$(mktemp -d -t ophiuchus-ci.XXXXXX)
    # Debian's client has BuildKit built in; another one that comes first in PATH may lack its plugin.
    mkdir "$container_work/bin"
    ln -s /usr/bin/docker "$container_work/bin/docker"
    export PATH="$container_work/bin:$PATH"
    if timeout 10 docker info >/dev/null 2>&1; then
        export DOCKER_HOST=${DOCKER_HOST:-unix:///var/run/docker.sock}
    else
        start_engine || return
    fi
    docker image inspect "$container_base" >/dev/null 2>&1 || import_base
}

start_engine() {
    [ ! -e /sys/class/net/docker0 ] || container_bridge_was_there=1
    export DOCKER_HOST=unix://$container_work/docker.sock
    # In a session of its own, so that a signal to this script's group leaves it to container_down.
    setsid dockerd --host "$DOCKER_HOST" --data-root "$container_work/data" --exec-root "$container_work/exec" \
        --pidfile "$container_work/docker.pid" >"$container_work/dockerd.log" 2>&1 </dev/null &
    container_engine=$!
    for _ in $(seq 300); do
        ! timeout 5 docker info >/dev/null 2>&1 || return 0
        kill -0 "$container_engine" 2>/dev/null || break
        sleep 0.1
    done
    tail -n 30 "$container_work/dockerd.log" >&2
    echo "the docker engine did not start" >&2
    return 1
}

# import_base : the base image, from a file that is kept for some days.
import_base() {
    local file
    file=$container_cache/trixie-slim-$(dpkg --print-architecture).tar
    mkdir -p "$container_cache"
    (
        flock 9
        if [ -z "$(find "$file" -size +1M -mtime "-$container_cache_days" 2>/dev/null)" ]; then
            echo "making the base image"
            make_base "$file.new" && mv "$file.new" "$file"
        fi
    ) 9>"$container_cache/lock" || return
    docker import --change 'CMD ["bash"]' "$file" "$container_base" >/dev/null
}

# make_base FILE : Debian's minimal variant without manuals, as in the official slim images, and this machine's
# own certificate authorities, so that a build reaches what the machine reaches.
make_base() {
    local root=$container_work/overlay part excludes=()
    mkdir -p "$root/usr/local/share/ca-certificates" "$root/etc/apt/apt.conf.d"
    [ ! -d /usr/local/share/ca-certificates ] ||
        cp -rL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    # The official images keep no downloaded packages either.
    cat >"$root/etc/apt/apt.conf.d/docker-clean" <<'END'
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
END
    for part in doc man locale info lintian groff linda; do
        excludes+=("--dpkgopt=path-exclude=/usr/share/$part/*")
    done
    # shellcheck disable=SC2016  # the hook's own shell expands them
    OVERLAY=$root mmdebstrap --quiet --format=tar --variant=minbase "${excludes[@]}" \
        '--dpkgopt=path-include=/usr/share/doc/*/copyright' \
        --customize-hook='rm -f "$1"/var/cache/apt/*.bin && cp -r "$OVERLAY/." "$1/"' \
        trixie "$1" </dev/null
}

# container_build TAG [ARG...] : the checkout's Dockerfile, as the runner builds it.
container_build() {
    local tag=$1
    shift
    DOCKER_BUILDKIT=1 BUILDKIT_PROGRESS=plain docker build "$@" --tag "$tag" --file Dockerfile . </dev/null
}

# container_down : the engine that container_up started, and all that it held.
container_down() {
    [ -n "$container_work" ] || return 0
    if [ -n "$container_engine" ]; then
        local running
        mapfile -t running < <(timeout 20 docker ps --quiet)
        [ ${#running[@]} -eq 0 ] || timeout 60 docker rm --force "${running[@]}" >/dev/null || true
        kill "$container_engine" 2>/dev/null || true
        for _ in $(seq 100); do
            kill -0 "$container_engine" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$container_engine" 2>/dev/null || true
        wait "$container_engine" 2>/dev/null || true
        container_engine=''
        # What it left mounted below the work folder, deepest first.
        awk -v root="$container_work/" 'index($2, root) == 1 { print $2 }' /proc/self/mounts | sort -r |
            while read -r point; do umount "$point" 2>/dev/null || umount -l "$point" || true; done
        [ -n "$container_bridge_was_there" ] || ip link delete docker0 2>/dev/null || true
    fi
    rm -rf "$container_work"
    container_work=''
}

# stop STATUS : end, and what runs in the background with it.
stop() {
    [ -z "${!:-}" ] || kill "$!" 2>/dev/null || true
    exit "$1"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    [ $# -gt 0 ] || { echo "usage: .ci/container.sh COMMAND [ARG...]" >&2; exit 2; }
    cd "$(dirname "$0")/.."
    trap container_down EXIT
    trap 'stop 130' INT
    trap 'stop 143' TERM
    container_up
    export CI_IMAGE=ophiuchus-action:ci
    container_build "$CI_IMAGE"
    # In the background, so that a signal reaches the traps while the command runs.
    "$@" </dev/null &
    wait $!
fi
