#!/usr/bin/env bash
# Has agents' own libraries use the tools of the real service: SDKs in TypeScript and Python over HTTP and stdio, and the conformance suite of
# the Model Context Protocol. Called by scripts/test.sh; installs its tools from npm, and from PyPI into target/mcp-venv.
# See docs/decisions/0546.
#
#   GLASSHOUSE   the binary (default: target/debug/glasshouse)
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
cd "$root"
GLASSHOUSE=$(realpath "${GLASSHOUSE:-$target/debug/glasshouse}")
export GLASSHOUSE
[ -x "$GLASSHOUSE" ] || die "there is no binary $GLASSHOUSE: cargo build -p glasshouse, or set GLASSHOUSE"

need_tools node npm
npm_ci "$root/e2e/mcp"
venv=$target/mcp-venv
python_venv "$venv" "$root/e2e/mcp/requirements.txt"
export PATH=$venv/bin:$PATH
need_browsers
allow_unconfined_browsers
node e2e/mcp/run.mjs
