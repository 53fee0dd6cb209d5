#!/usr/bin/env bash
# What a change is checked for besides make test: licences, advisories, unused dependencies, the API against its own document.
# Installs its tools the first time (cargo deny and machete take some ten minutes to build; schemathesis and the AI vendors' SDKs go into venvs).
# The service that schemathesis calls is started here, on loopback, with data of its own.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

deny_version=0.20.2
machete_version=0.9.2
schemathesis_version=4.32.5
vendor_sdks=(openai==3.52.0 anthropic==2.11.0 google-genai==3.4.0 perplexityai==0.46.1 dataforseo-client==2.1.10)
examples=${CHECK_EXAMPLES:-40}

failed=()
step() {
  local name=$1
  shift
  say "$name"
  "$@" || failed+=("$name")
}

# cargo_tool NAME VERSION: installs it unless a build of it is there.
cargo_tool() {
  if cargo "$1" --version > /dev/null 2>&1; then return; fi
  say "installing cargo-$1 (once, some minutes)"
  cargo install --locked --quiet "cargo-$1" --version "$2"
}

need_tools cargo node npm git cc
need_rust_components
format() { cargo fmt --all --check; }
tidy() { cargo xtask tidy; }
clippy() { cargo clippy --workspace --all-targets --locked --quiet -- -D warnings; }
docs() { RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked --quiet; }
scripts() {
  has shellcheck || apt_install shellcheck
  shellcheck -x scripts/*.sh e2e/package/*.sh e2e/package/systemctl deploy/package/post* deploy/package/prerm .ci/run
}
page_script() { npm_ci "$root/crates/browser/page-script" && (cd "$root/crates/browser/page-script" && npm run --silent check); }
deny() {
  cargo_tool deny "$deny_version" || return 1
  cargo deny --log-level error check bans licenses sources || return 1
  # The advisories are a git repository on github.com: without a way there this part cannot be answered.
  if git ls-remote --quiet --exit-code https://github.com/rustsec/advisory-db HEAD > /dev/null 2>&1; then
    cargo deny --log-level error check advisories
  else
    echo 'advisories: NOT CHECKED, https://github.com/rustsec/advisory-db cannot be reached from here' >&2
  fi
}
machete() { cargo_tool machete "$machete_version" && cargo machete; }

work='' service=''
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  trap - EXIT INT TERM
  [ -z "$service" ] || end "$service"
  [ -z "$work" ] || rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The stand-ins of AI vendors answer in the vendors' form: their SDKs parse it. A version that the registry no longer has is replaced by its newest.
fake_vendors() {
  local venv=$target/vendor-sdks sdk
  if [ "$(cat "$venv/installed" 2> /dev/null)" != "${vendor_sdks[*]}" ]; then
    python3 -c 'import venv, ensurepip' 2> /dev/null || apt_install python3-venv
    say "installing the AI vendors' SDKs"
    python3 -m venv --clear "$venv" || return 1
    for sdk in "${vendor_sdks[@]}"; do
      "$venv/bin/pip" install --quiet --disable-pip-version-check "$sdk" && continue
      echo "$sdk: NOT IN THE REGISTRY, taking the newest" >&2
      "$venv/bin/pip" install --quiet --disable-pip-version-check "${sdk%%=*}" || return 1
    done
    echo "${vendor_sdks[*]}" > "$venv/installed"
  fi
  cargo build --locked --quiet --package fakeai || return 1
  "$venv/bin/python" "$root/scripts/check-fake-vendors.py" "$target/debug/fakeai"
}

api() {
  local venv=$target/schemathesis-$schemathesis_version tool=$target/schemathesis-$schemathesis_version/bin/schemathesis
  if [ ! -x "$tool" ]; then
    python3 -c 'import venv, ensurepip' 2> /dev/null || apt_install python3-venv
    say 'installing schemathesis'
    { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$schemathesis_version"; } || return 1
  fi
  need_browsers
  cargo build --locked --quiet --package glasshouse || return 1
  local glasshouse=$target/debug/glasshouse port key
  work=$(mktemp -d)
  port=$(free_port)
  # shop.test leads to a port where nothing listens: a page that cannot be rendered must still get a described answer.
  export GLASSHOUSE_NETWORK__HOSTS='{"shop.test": "127.0.0.1:9"}' GLASSHOUSE_NETWORK__ALLOW_PRIVATE=127.0.0.0/8
  export GLASSHOUSE_STORAGE__DATA_DIR=$work/data GLASSHOUSE_SERVER__LISTEN=127.0.0.1:$port GLASSHOUSE_EDGE__HTTP_LISTEN=''
  # The rules for guests and the limits of plans have tests of their own; here they would answer 429 to most requests.
  export GLASSHOUSE_LIMITS__ANONYMOUS_PER_MINUTE=1000000
  GLASSHOUSE_TELEMETRY__METRICS_LISTEN=127.0.0.1:$(free_port)
  export GLASSHOUSE_TELEMETRY__METRICS_LISTEN
  mkdir -p "$work/data"
  "$glasshouse" account create --email check@glasshouse.test --password "$(head -c 12 /dev/urandom | base64)" --plan enterprise > /dev/null || return 1
  "$glasshouse" domain add shop.test --account check@glasshouse.test --status connected > /dev/null || return 1
  key=$("$glasshouse" key create --account check@glasshouse.test --name check) || return 1
  "$glasshouse" serve > "$work/log" 2>&1 &
  service=$!
  wait_for_port "$port" "$service" 30 "$work/log" || return 1

  # Two passes: anything goes, and then with a domain and a page that exist. Not followed: links between operations, which would revoke the
  # key that the check itself uses.
  local config
  for config in /dev/null "$root/scripts/schemathesis.toml"; do
    (cd "$work" && NO_COLOR=1 "$tool" --config-file "$config" run "http://127.0.0.1:$port/api/openapi.json" --url "http://127.0.0.1:$port" \
      --header "x-service-api-key: $key" --phases examples,coverage,fuzzing --max-examples "$examples" --workers 2 --request-timeout 60 \
      --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance) || return 1
  done
  kill -0 "$service" 2> /dev/null || { echo 'the service ended during the check' >&2; tail -20 "$work/log" >&2; return 1; }
}

step 'format (cargo fmt)' format
step 'house rules (cargo xtask tidy)' tidy
step 'lints (clippy, warnings are errors)' clippy
step 'documentation (rustdoc, warnings are errors)' docs
step 'scripts (shellcheck)' scripts
step 'page script (types, lints, bundle)' page_script
step 'licences, sources and advisories (cargo deny)' deny
step 'unused dependencies (cargo machete)' machete
step 'stand-ins of AI vendors against their SDKs' fake_vendors
step 'API against its document (schemathesis)' api

if [ ${#failed[@]} -gt 0 ]; then printf '\nfailed: %s\n' "${failed[@]}" >&2; exit 1; fi
printf '\nall checks passed\n'
