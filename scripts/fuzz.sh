#!/usr/bin/env bash
# Fuzzes every target for FUZZ_SECONDS (30): make fuzz. A finding is kept in fuzz/artifacts with the command that repeats it.
# Needs no nightly compiler: coverage instrumentation is stable, and safe Rust has little use for the address sanitizer.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

cargo_fuzz_version=0.13.2
seconds=${FUZZ_SECONDS:-30}

need_tools cargo cc
has c++ || apt_install g++ # libFuzzer itself is C++
if ! cargo fuzz --version > /dev/null 2>&1; then
  say 'installing cargo-fuzz (once, some minutes)'
  cargo install --locked --quiet cargo-fuzz --version "$cargo_fuzz_version"
fi

say 'building the fuzz targets'
cargo fuzz build --sanitizer none
failed=()
for file in fuzz/fuzz_targets/*.rs; do
  name=$(basename "$file" .rs)
  say "$name, $seconds seconds"
  cargo fuzz run --sanitizer none "$name" -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
    || failed+=("$name")
done
if [ ${#failed[@]} -gt 0 ]; then printf 'found something: %s\n' "${failed[@]}" >&2; exit 1; fi
printf '\nall targets ran without a finding\n'
