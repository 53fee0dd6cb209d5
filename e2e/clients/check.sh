#!/usr/bin/env bash
# Builds the clients of clients/ as people do, installs them, and has them call the real service: types, behaviour, every operation, and the
# programs of docs/clients.md. Checks the OpenAPI document by redocly's recommended rules first. Called by make test; installs its tools
# from npm, and from PyPI into target/clients-venv. See docs/decisions/0510.
#
#   GLASSHOUSE   the binary (default: target/debug/glasshouse)
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
cd "$root"
here=$root/e2e/clients
GLASSHOUSE=$(realpath "${GLASSHOUSE:-$target/debug/glasshouse}")
export GLASSHOUSE REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
[ -x "$GLASSHOUSE" ] || die "there is no binary $GLASSHOUSE: cargo build -p glasshouse, or set GLASSHOUSE"

# ---- tools
need_tools node npm
npm_ci "$here"
npm_ci "$root/clients/typescript"
venv=$target/clients-venv
python_venv "$venv" "$here/requirements.txt"
export PATH=$venv/bin:$PATH
need_browsers
allow_unconfined_browsers

# check NAME COMMAND...: runs it; its output is shown when it fails, which ends the suite: each check needs the one before.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then printf '%-60s ok\n' "$name"; return; fi
  printf '%-60s FAILED\n%s\n' "$name" "$output"
  exit 1
}

packages=$target/clients
document() { "$here/node_modules/.bin/redocly" lint --extends recommended-strict docs/openapi.json; }
npm_package() {
  npm pack --silent --pack-destination "$packages" "$root/clients/typescript" \
    && (cd "$here" && npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error "$packages"/glasshouse-client-*.tgz)
}
wheel() {
  pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$packages" clients/python \
    && pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$packages"/glasshouse_client-*.whl
}
# The programs of the documentation, each language in one file.
examples() {
  local fence
  for fence in ts:typescript/examples.ts python:python/examples.py; do
    sed -n "/^\`\`\`${fence%%:*}\$/,/^\`\`\`\$/p" docs/clients.md | sed '/^```/d' > "$here/${fence#*:}"
    [ -s "$here/${fence#*:}" ] || return 1
  done
}

rm -rf "$packages"
mkdir -p "$packages"
check 'OpenAPI document: redocly, recommended rules' document
check 'npm package: built, installed' npm_package
check 'wheel: built, installed' wheel
check 'programs of docs/clients.md' examples
check 'TypeScript: tsc, strict' "$here/node_modules/.bin/tsc" --project "$here/typescript"
check 'Python: mypy, strict' mypy --strict --cache-dir "$target/clients-mypy" --package glasshouse_client
check 'Python: mypy, strict, of what calls it' mypy --strict --cache-dir "$target/clients-mypy" "$here/python"
check 'TypeScript: behaviour' node --test "$here/node_modules/.build/client.test.js"
check 'Python: behaviour' python "$here/python/test_client.py"
node "$here/run.mjs"
