#!/usr/bin/env bash
# Takes the pictures of the dashboard for the docs: make screenshots. Every screen light and dark at 1440 px, six on a phone, as WebP into
# docs/pictures. The world that they show is made by the service itself the first time (some minutes), and kept in
# target/dashboard-world (or WORLD); delete the folder for a new one. GLASSHOUSE names another binary, GREP takes some of the pictures only.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

most_bytes=6000000
pictures=$root/docs/pictures

need_tools node npm
need_node 20.19
need_browsers
need_faketime
allow_unconfined_browsers
"$root/scripts/web.sh"
npm_ci "$root/e2e/dashboard" || die 'npm could not install the packages of the journeys'
if [ -z "${GLASSHOUSE:-}" ]; then
  need_tools cargo
  say 'building the service (the first time takes some minutes)'
  cargo build --release --locked --package glasshouse --package fakeai
  export GLASSHOUSE=$target/release/glasshouse FAKEAI=$target/release/fakeai
fi

say 'taking pictures'
export WORLD=${WORLD:-$target/dashboard-world} PICTURES=$pictures
only=()
[ -z "${GREP:-}" ] || only=(--grep "$GREP")
(cd "$root/e2e/dashboard" && npx --no-install playwright test --config world.config.ts --project pictures "${only[@]}")

bytes=$(cat "$pictures"/*.webp | wc -c)
[ "$bytes" -le "$most_bytes" ] || die "the pictures have $bytes bytes in all; $most_bytes are the limit: lower their quality in e2e/dashboard/pictures/screens.take.ts"
say "$(find "$pictures" -name '*.webp' | wc -l) pictures, $bytes bytes, in docs/pictures"
