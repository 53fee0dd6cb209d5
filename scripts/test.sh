#!/usr/bin/env bash
# Runs what must hold before a change is merged: make test. With --all also the slow end-to-end suites: make test-all, which
# CI runs. Installs what it needs from Debian and npm.
# Steps share their compile work (one profile, one target folder); a failed step does not hide the later ones.
# Traffic stays on loopback or inside network namespaces that a test made.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

all=no
[ "${1:-}" != --all ] || all=yes
names=() seconds=() results=()
begun=$SECONDS
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# step NAME COMMAND...: runs it, remembers how long it took, how it ended and what it printed.
step() {
  local name=$1 start=$SECONDS result=ok
  shift
  printf '\n'
  say "$name"
  # Not a pipe: the command must run in this shell, whose variables it sets.
  "$@" > >(tee "$logs/${#names[@]}") 2>&1 || result=FAILED
  names+=("$name") seconds+=("$((SECONDS - start))") results+=("$result")
}

# beside NAME COMMAND...: starts a step that mostly waits, beside the next one. rejoin: waits for it.
beside() {
  beside_name=$1 beside_begun=$SECONDS
  shift
  "$@" > "$logs/beside" 2>&1 & beside=$!
}
rejoin() {
  local result=ok
  wait "$beside" || result=FAILED
  printf '\n'
  say "$beside_name"
  mv "$logs/beside" "$logs/${#names[@]}"
  cat "$logs/${#names[@]}"
  names+=("$beside_name") seconds+=("$((SECONDS - beside_begun))") results+=("$result")
}

install() {
  need_tools cargo node npm git cc && need_node 20.19 && need_rust_components && need_browsers && need_postgres && need_clickhouse
  # A certificate authority for the edge's tests.
  has pebble || apt_install pebble
}
format() { cargo fmt --all --check; }
tidy() { cargo xtask tidy; }
# The service itself comes out of it too: its black-box tests need the binary.
build() { cargo test --workspace --locked --no-run --quiet && [ -x "$target/debug/glasshouse" ]; }
# In CI Clippy is the compiler: one pass gives code and lints, where two would check every crate twice. Elsewhere cargo's
# ordinary files are used, which the developer's next `cargo test` finds.
if [ "${CI:-}" = true ]; then
  RUSTC_WORKSPACE_WRAPPER=$(rustup which clippy-driver 2> /dev/null || command -v clippy-driver)
  export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__
fi
clippy() { [ "${CI:-}" = true ] || cargo clippy --workspace --all-targets --locked --quiet -- -D warnings; }
# In CI, on a shared machine, a test with a real browser, database or clock can fail for want of time. There a few failed ones run
# again, alone; what passes then is named at the end, so that it is seen and mended. Elsewhere no test has a second try.
most_second_tries=5
unsteady=()
tests() {
  local log=$target/tests.log again
  # Many wait for a browser, a database or a clock: two more at a time than there are cores.
  export RUST_TEST_THREADS=$(($(nproc) + 2))
  "$root/scripts/with-postgres.sh" "$root/scripts/with-clickhouse.sh" cargo test --workspace --locked --no-fail-fast 2>&1 | tee "$log" && return
  [ "${CI:-}" = true ] || return 1
  mapfile -t again < <(sed -nE 's/^test (.+) \.\.\. FAILED$/\1/p' "$log" | sort -u)
  [ "${#again[@]}" -gt 0 ] && [ "${#again[@]}" -le "$most_second_tries" ] || return 1
  # A binary that ended before its summary has tests that nobody saw.
  [ "$(grep -cE '^running [0-9]+ tests?$' "$log")" = "$(grep -cE '^test result: ' "$log")" ] || return 1
  say "again, alone: ${again[*]}"
  "$root/scripts/with-postgres.sh" "$root/scripts/with-clickhouse.sh" cargo test --workspace --locked --no-fail-fast -- --exact --test-threads 1 "${again[@]}" \
    && unsteady=("${again[@]}")
}
page_script() { npm_ci "$root/crates/browser/page-script" && (cd "$root/crates/browser/page-script" && npm run --silent check); }
web_build() { "$root/scripts/web.sh" && (cd "$root/web" && npm run --silent sizes); }
web_check() (
  cd "$root/web" || return 1
  # Each on a core: types are slow, the others are quick.
  npm run --silent types & types=$!
  npm run --silent lint && npm run --silent format && npm test --silent
  others=$?
  wait "$types" && [ "$others" = 0 ]
)
# Compilation ends with one long crate on one core: the dashboard's checks have the other.
build_and_lints() {
  local web_log=$root/target/web-check.log web result=0
  mkdir -p "$root/target"
  web_check > "$web_log" 2>&1 & web=$!
  build && clippy || result=1
  wait "$web" || result=1
  cat "$web_log"
  return "$result"
}
# Lighthouse takes minutes: with --all only.
web_journeys() {
  local but=(--grep-invert lighthouse)
  [ "$all" = no ] || but=()
  npm_ci "$root/e2e/dashboard" && (cd "$root/e2e/dashboard" && GLASSHOUSE=$target/debug/glasshouse npm test --silent -- "${but[@]}")
}
demo() { npm_ci "$root/demo" && (cd "$root/demo" && npm run --silent build && GLASSHOUSE=$target/debug/glasshouse npm test --silent); }
integrations() {
  local missing=()
  [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
  [ -x /usr/sbin/apache2 ] || missing+=(apache2-bin)
  has caddy || missing+=(caddy)
  [ -x /usr/sbin/varnishd ] || missing+=(varnish)
  has zstd || missing+=(zstd)
  # The suite starts them by itself; RUNLEVEL keeps Debian from doing so where there is no systemd.
  [ ${#missing[@]} -eq 0 ] || RUNLEVEL=1 apt_install "${missing[@]}"
  export GLASSHOUSE=$target/debug/glasshouse
  npm_ci "$root/e2e/integrations" && node "$root/integrations/build.mjs" --check && node --test "$root/integrations/javascript/test/" "$root/integrations/github-action/test/" \
    && (cd "$root/e2e/integrations" && npm run --silent types) && node "$root/e2e/integrations/run.mjs" || return 1
  local venv=$target/prerender-venv
  python_venv "$venv" "$root/e2e/integrations/prerender/requirements.txt" \
    && PYTHON=$venv/bin/python node "$root/e2e/integrations/prerender/run.mjs"
}
documentation() { GLASSHOUSE=$target/debug/glasshouse node "$root/scripts/reference.mjs" --check && GLASSHOUSE=$target/debug/glasshouse node "$root/e2e/docs/run.mjs"; }
clients() { GLASSHOUSE=$target/debug/glasshouse "$root/e2e/clients/check.sh"; }
agents() { GLASSHOUSE=$target/debug/glasshouse "$root/e2e/mcp/check.sh"; }
deployment() { GLASSHOUSE=$target/debug/glasshouse "$root/e2e/deploy/check.sh"; }
packages() { GLASSHOUSE=$target/debug/glasshouse "$root/e2e/package/run.sh"; }
# The demo's pages are built by its own step.
spas() {
  export GLASSHOUSE=$target/debug/glasshouse
  npm_ci "$root/e2e/spas" && node "$root/e2e/spas/run.mjs" || return 1
  [ "$all" = no ] || node "$root/e2e/spas/missing.mjs"
}

# Workspaces of their own: nobody notices when a dependency of the service is missing in their lock files, until they are built.
side_locks() {
  local manifest
  for manifest in fuzz bench/jobs bench/peers/spider; do
    cargo metadata --locked --quiet --format-version 1 --manifest-path "$manifest/Cargo.toml" > /dev/null \
      || { printf '%s/Cargo.lock is behind: cargo update --workspace --manifest-path %s/Cargo.toml\n' "$manifest" "$manifest" >&2; return 1; }
  done
}

allow_unconfined_browsers
step 'what is needed' install
[ "${results[0]}" = ok ] || exit 1
step 'format (cargo fmt)' format
step 'house rules (cargo xtask tidy)' tidy
step 'dashboard: build, within its sizes' web_build
step 'build of the service and all tests; lints (Clippy; types, lints, format, unit tests of the dashboard)' build_and_lints
step 'lock files of fuzz targets and peers' side_locks
step 'page script (types, lints, bundle as its sources give it)' page_script
if [ "${results[4]}" = ok ]; then
  step 'dashboard in a browser (e2e/dashboard)' web_journeys
  step 'tests: unit, both databases, object stores, Chromium' tests
  step 'demo shop, and the first start of make run with it' demo
  step 'rendered apps beside what a person sees (e2e/spas)' spas
fi
if [ "${results[4]}" = ok ] && [ "$all" = yes ]; then
  beside 'clients, installed, with every operation (e2e/clients)' clients
  step 'integrations in their runtimes (e2e/integrations)' integrations
  rejoin
  step 'documentation: generated references, commands (e2e/docs)' documentation
  beside 'tools for agents: SDKs, conformance (e2e/mcp)' agents
  step 'proxies, alerts, Helm, Compose and other files to deploy with (e2e/deploy)' deployment
  rejoin
  step 'package, unit and container (e2e/package)' packages
fi

failed=0
printf '\n%-60s %8s  %s\n' step seconds result
for index in "${!names[@]}"; do
  printf '%-60s %8s  %s\n' "${names[$index]}" "${seconds[$index]}" "${results[$index]}"
  [ "${results[$index]}" = ok ] || failed=$((failed + 1))
done
printf '%-60s %8s\n' total "$((SECONDS - begun))"
[ "${#unsteady[@]}" -eq 0 ] || printf 'failed at first and passed alone: %s\n' "${unsteady[@]}"
[ "$failed" -gt 0 ] || printf '\nall steps passed\n'
# Last, where they are seen first, and where services that keep only the end of a log still have them.
for index in "${!names[@]}"; do
  [ "${results[$index]}" = ok ] || { printf '\n'; say "failed: ${names[$index]}, whose last lines were"; tail -n 12 "$logs/$index" | cut -c 1-160; }
done
[ "$failed" -eq 0 ]
