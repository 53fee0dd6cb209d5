#!/usr/bin/env bash
# Helpers for the scripts beside it: messages, Debian packages, ports, ending what was started.
# Sourced, never run. Ends processes by their id only.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # for the scripts that source this
target=${CARGO_TARGET_DIR:-$root/target}
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}

say() { printf '==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" > /dev/null 2>&1; }

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif has sudo; then sudo "$@"
  else die "\"$*\" needs root: run it as root, or install sudo"
  fi
}

# apt_install PACKAGE...: installs Debian packages, with a fresh package list the first time.
apt_lists_are_fresh=no
apt_install() {
  has apt-get || die "please install: $* (this is not Debian, so it cannot be done for you)"
  say "installing from Debian: $*"
  local log
  log=$(mktemp)
  if [ "$apt_lists_are_fresh" = no ]; then
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq > "$log" 2>&1 < /dev/null || cat "$log" >&2
    apt_lists_are_fresh=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" > "$log" 2>&1 < /dev/null \
    || { tail -20 "$log" >&2; rm -f "$log"; die "apt-get could not install: $*"; }
  rm -f "$log"
}

need_tools() {
  local tool
  for tool in "$@"; do has "$tool" || die "$tool is missing: see \"Set-up\" in CONTRIBUTING.md"; done
}

# need_node VERSION: Node of at least this version, major.minor.
need_node() {
  local found
  found=$(node --version)
  [ "$(printf '%s\n' "v$1" "$found" | sort -V | head -1)" = "v$1" ] || die "Node $1 or newer is needed; this is $found"
}

# rustfmt and clippy: rustup's minimal profile leaves them out.
need_rust_components() {
  local missing=()
  cargo fmt --version > /dev/null 2>&1 || missing+=(rustfmt)
  cargo clippy --version > /dev/null 2>&1 || missing+=(clippy)
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  has rustup || die "please install the Rust components: ${missing[*]}"
  say "installing Rust components: ${missing[*]}"
  rustup component add "${missing[@]}"
}

# The browsers that render pages (the headless shell) and play the person in tests (Chromium).
need_browsers() {
  local missing=()
  has chromium || missing+=(chromium)
  has chromium-headless-shell || missing+=(chromium-headless-shell)
  has ip || missing+=(iproute2) # tests give addresses to network namespaces of their own
  [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
}

# The newest PostgreSQL's folder of programs on standard output, or nothing.
postgres_programs() {
  local folder
  for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -t/ -k5,5nr); do
    if [ -x "$folder/initdb" ]; then echo "$folder"; return; fi
  done
  if has initdb; then dirname "$(command -v initdb)"; fi
}

# The server of ClickHouse on standard output, or nothing.
clickhouse_server() {
  local program
  for program in clickhouse-server /usr/sbin/clickhouse-server /usr/bin/clickhouse-server; do
    if has "$program"; then command -v "$program"; return; fi
  done
}

# libfaketime gives the services of the made world a clock that can be set.
need_faketime() {
  local library
  for library in /usr/lib/*/faketime/libfaketimeMT.so.1; do
    if [ -e "$library" ]; then return; fi
  done
  apt_install libfaketime
}

need_clickhouse() { [ -n "$(clickhouse_server)" ] || apt_install clickhouse-server; }

need_postgres() { [ -n "$(postgres_programs)" ] || apt_install postgresql; }

# npm_ci FOLDER: installs the packages of a lock file, unless they are the ones already there.
npm_ci() {
  local folder=$1
  if cmp -s "$folder/package-lock.json" "$folder/node_modules/.installed-lock"; then return; fi
  say "installing the npm packages of ${folder#"$root"/}"
  (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error < /dev/null) || return 1
  cp "$folder/package-lock.json" "$folder/node_modules/.installed-lock"
}

# python_venv FOLDER LIST: makes a venv with the packages of a list, unless they are the ones already there.
python_venv() {
  local venv=$1 list=$2
  python3 -c 'import ensurepip' 2> /dev/null || apt_install python3-venv
  if cmp -s "$list" "$venv/installed"; then return; fi
  say "installing the Python packages of ${list#"$root"/}"
  rm -rf "$venv"
  python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$list" || return 1
  cp "$list" "$venv/installed"
}

listening() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

# A port on loopback that nothing listens on now.
free_port() {
  local port
  for _ in $(seq 50); do
    port=$((20000 + RANDOM % 12000))
    if ! listening "$port"; then echo "$port"; return; fi
  done
  die "found no free port on 127.0.0.1"
}

# wait_for_port PORT PID SECONDS LOG: waits until the process listens; false when it ended or time is up.
wait_for_port() {
  local port=$1 pid=$2 tries=$(($3 * 5)) log=$4
  for _ in $(seq "$tries"); do
    if listening "$port"; then return 0; fi
    if ! kill -0 "$pid" 2> /dev/null; then tail -20 "$log" >&2; return 1; fi
    sleep 0.2
  done
  tail -20 "$log" >&2
  return 1
}

# end PID...: asks each process to end, and insists after ten seconds.
end() {
  local pid
  for pid in "$@"; do kill -TERM "$pid" 2> /dev/null || true; done
  for pid in "$@"; do
    for _ in $(seq 50); do
      kill -0 "$pid" 2> /dev/null || break
      sleep 0.2
    done
    kill -KILL "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
  done
}

# confines_browsers: whether a browser can get a network namespace and a sandbox here, in the way in which the service makes them: as root
# (which needs mounts and another user) or through a user namespace.
confines_browsers() {
  local sandbox=(unshare --user --map-root-user --net --pid --fork true)
  if [ "$(id -u)" = 0 ]; then
    unshare --net --mount setpriv --reuid=65534 --regid=65534 --clear-groups "${sandbox[@]}" 2> /dev/null
  else
    unshare --user --map-root-user --net "${sandbox[@]}" 2> /dev/null
  fi
}

# allow_unconfined_browsers: lets the service start browsers without namespaces where this machine forbids them, and says so.
# Who has chosen network.strict_egress keeps it.
allow_unconfined_browsers() {
  [ -z "${GLASSHOUSE_NETWORK__STRICT_EGRESS:-}" ] || return 0
  # Without the tools nothing is known: the service finds out for itself.
  { has unshare && has setpriv; } || return 0
  confines_browsers && return 0
  say 'this machine forbids namespaces: browsers run without sandbox and network of their own (network.strict_egress = false)'
  export GLASSHOUSE_NETWORK__STRICT_EGRESS=false
}
