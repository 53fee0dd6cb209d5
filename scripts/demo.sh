#!/usr/bin/env bash
# Builds and serves the demo shop alone: make demo. DEMO_PORT chooses the port (4321).
# Loopback only; needs Node and npm, no browser and no Rust.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"
port=${DEMO_PORT:-4321}

need_tools node npm
if listening "$port"; then die "port $port is in use: stop what listens there, or choose another: DEMO_PORT=4400 make demo"; fi
npm_ci demo || die 'npm could not install the packages of the demo shop'
say 'building the demo shop'
(cd demo && npm run --silent build)
say "serving it at http://127.0.0.1:$port (Ctrl-C ends it)"
exec node demo/server.mjs "$port"
