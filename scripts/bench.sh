#!/usr/bin/env bash
# How fast it is, beside npm prerender and nginx on the same machine: make bench (BENCH_ARGS=--help for options).
# Installs the browsers, nginx, Apache, Caddy, Varnish, wrk and sqlite3 when they are missing. About 20 minutes; leave the machine alone meanwhile.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

need_tools cargo node npm cc
need_browsers
need_postgres
need_clickhouse
need_faketime
missing=()
has nginx || [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
[ -x /usr/sbin/apache2 ] || missing+=(apache2-bin)
has caddy || missing+=(caddy)
[ -x /usr/sbin/varnishd ] || missing+=(varnish)
has wrk || missing+=(wrk)
has sqlite3 || missing+=(sqlite3)
# The benchmark starts them by itself; RUNLEVEL keeps Debian from doing so where there is no systemd.
[ ${#missing[@]} -eq 0 ] || RUNLEVEL=1 apt_install "${missing[@]}"
export PATH=$PATH:/usr/sbin

npm_ci bench || die 'npm could not install the packages of the benchmark'
npm_ci "$root/e2e/dashboard" || die 'npm could not install the packages of the journeys'
"$root/scripts/web.sh"
say 'building the service'
cargo build --release --locked --package glasshouse --package fakeai
exec node bench/run.mjs "$@"
