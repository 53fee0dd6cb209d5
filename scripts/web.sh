#!/usr/bin/env bash
# Builds the dashboard into web/dist, which the binary contains: make web. Does nothing when web/dist is what the sources give.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root/web"

need_tools node npm
need_node 20.19
client=$root/clients/typescript
npm_ci "$client" || die 'npm could not install the packages of the client'
npm_ci "$PWD" || die 'npm could not install the packages of the dashboard'
npm run --silent client

# The sums of the sources that the files in dist were built from.
built=node_modules/.build/sources
sources=$(find src public scripts "$client/src" ../docs ../integrations index.html package-lock.json vite.config.ts svelte.config.js tsconfig.json -type f -print0 \
  | LC_ALL=C sort -z | xargs -0 sha256sum)
if [ -f dist/index.html ] && [ -f "$built" ] && [ "$sources" = "$(< "$built")" ]; then exit; fi

say 'building the dashboard'
rm -f "$built"
npm run --silent build
printf '%s\n' "$sources" > "$built"
