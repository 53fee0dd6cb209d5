#!/usr/bin/env bash
# Tests scripts/release.sh by a dry run in a repository of its own: names, architectures, checksums, signature, bills of materials and notes,
# and what it refuses. The given program stands in for that of this machine, a small one for the other architecture. Called by run.sh.
#
#   release.sh BINARY FOLDER
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
binary=$1 work=$2
copy=$work/repository out=$work/files machine=$(dpkg --print-architecture)
case "$machine" in
  amd64) other=arm64 compiler=aarch64-linux-gnu-gcc ;;
  arm64) other=amd64 compiler=x86_64-linux-gnu-gcc ;;
  *) die "releases are for amd64 and arm64, and this machine is $machine" ;;
esac
missing=()
has "$compiler" || missing+=("$(sed -E 's/(.*)-gcc/gcc-\1/; s/_/-/g' <<< "$compiler")")
[ -e "/usr/${compiler%-gcc}/include/stdlib.h" ] || missing+=("libc6-dev-$other-cross")
has gpg || missing+=(gpg gpg-agent)
[ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"

check() { local what=$1; shift; "$@" || die "release: $what"; echo "    $what"; }
not() { ! "$@"; }
in_copy() { git -C "$copy" -c user.name=Tester -c user.email=tester@localhost "$@"; }
commit() { in_copy add --all && in_copy commit --quiet --message "$1"; }
release() { (cd "$copy" && env -u CARGO_TARGET_DIR scripts/release.sh --dry-run --quick --binaries "$work/programs" --out "$out" "$@"); }
# refuses WORDS: a release ends with status 1 and one line that has the words, before anything is made.
refuses() {
  local status=0
  release > "$work/refused.out" 2> "$work/refused" || status=$?
  if [ "$status" = 1 ] && [ ! -s "$work/refused.out" ] && [ "$(wc -l < "$work/refused")" = 1 ] && grep -qF -- "$1" "$work/refused"; then return; fi
  cat "$work/refused" >&2
  return 1
}

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
mkdir -p "$copy" "$work/programs" "$work/gnupg"
chmod 700 "$work/gnupg"
export GNUPGHOME=$work/gnupg
cp "$binary" "$work/programs/glasshouse-$machine"
"$compiler" -x c -o "$work/programs/glasshouse-$other" - <<< 'int main(void) { return 0; }'
(cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from - --ignore-failed-read --warning=no-failed-read | tar --extract --directory "$copy")
# Licence texts of the dashboard's packages lie in them.
npm_ci "$root/web"
ln -s "$root/web/node_modules" "$copy/web/node_modules"
# A link is no folder, which is all that the rule for node_modules/ means.
in_copy init --quiet
echo /web/node_modules >> "$copy/.git/info/exclude"
commit 'a version in the making'

say 'release: refused'
sed -i 's/^## Unreleased$/## '"$version"' - 2026-12-01\n\n## Unreleased/' "$copy/CHANGELOG.md"
check 'a tree with changes' refuses 'the tree has changes'
in_copy stash --quiet
check 'a changelog without the version' refuses "CHANGELOG.md says nothing of $version"
in_copy stash pop --quiet
commit 'an empty part'
check 'a version without notes' refuses "CHANGELOG.md says nothing of $version"
sed -i '/^## Unreleased$/d' "$copy/CHANGELOG.md"
sed -i 's/^appVersion: .*/appVersion: 9.9.9/' "$copy/deploy/helm/glasshouse/Chart.yaml"
commit 'another version of the chart'
check 'another version in a file' refuses "deploy/helm/glasshouse/Chart.yaml says 9.9.9"
sed -i "s/^appVersion: .*/appVersion: $version/" "$copy/deploy/helm/glasshouse/Chart.yaml"
commit "glasshouse $version"
in_copy tag "v$version"
check 'a version that has a tag' refuses "the tag v$version exists"
in_copy tag --delete "v$version" > /dev/null
check 'nothing is made by then' not test -e "$out"

say 'release: a dry run'
gpg --batch --quiet --passphrase '' --quick-generate-key 'releases@localhost' ed25519 sign never 2> /dev/null
RELEASE_SIGNING_KEY=releases@localhost release --registry registry.example/glasshouse > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
expected=$(for architecture in amd64 arm64; do
  printf '%s\n' "glasshouse-$version-linux-$architecture.cdx.json" "glasshouse-$version-linux-$architecture.tar.zst" "glasshouse_${version}_$architecture.deb"
done | LC_ALL=C sort)
check 'files of both architectures, checksums, signature and notes, and nothing else' \
  test "$(cd "$out" && printf '%s\n' * | LC_ALL=C sort)" = "$(printf '%s\n' "$expected" SHA256SUMS SHA256SUMS.asc notes.md | LC_ALL=C sort)"
check 'the checksums are those of the files' sh -c "cd '$out' && sha256sum --check --strict --quiet SHA256SUMS"
check 'they name every file' test "$(awk '{ print $2 }' "$out/SHA256SUMS" | LC_ALL=C sort)" = "$expected"
check 'they are signed' gpg --batch --quiet --verify "$out/SHA256SUMS.asc" "$out/SHA256SUMS" 2> /dev/null
# Field e_machine of ELF: x86-64 and AArch64.
declare -A machines=([amd64]=3e [arm64]=b7)
for architecture in amd64 arm64; do
  package=$out/glasshouse_${version}_$architecture.deb bill=$out/glasshouse-$version-linux-$architecture.cdx.json
  check "the package for $architecture says so" test "$(dpkg-deb --field "$package" Package Version Architecture | awk '{ print $2 }' | paste -sd ' ')" = "glasshouse $version $architecture"
  check 'it depends on the glibc of its program' sh -c "dpkg-deb --field '$package' Depends | grep -qE '^libc6 \(>= 2\.[0-9]+\), '"
  rm -rf "$work/tree"
  dpkg-deb --extract "$package" "$work/tree"
  check 'its program is one for it' test "$(od -An -tx1 -j18 -N1 "$work/tree/usr/bin/glasshouse")" = " ${machines[$architecture]}"
  check 'it has manual pages' test -s "$work/tree/usr/share/man/man1/glasshouse-domain-add.1.gz"
  check 'the bill of materials names components, each with a version' node -e '
    const { metadata, components } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    process.exit(metadata.component.version === process.argv[2] && components.length > 300 && components.every(({ name, version }) => name && version) ? 0 : 1)' "$bill" "$version"
done
check 'notes are the part of the changelog' grep -q '^- \*\*Rendering\*\*: ' "$out/notes.md"
check 'each paragraph on a line' not grep -q '^  ' "$out/notes.md"
check 'and none of another part' not grep -q '^## \|Keep a Changelog' "$out/notes.md"
for architecture in amd64 arm64; do
  check "the image for $architecture would be built from its package" grep -q \
    "^would run: .* build --format docker --platform linux/$architecture .* --build-arg PACKAGE=glasshouse_${version}_$architecture.deb " "$work/log"
done
check 'the images would be pushed' grep -q "^would run: .* manifest push --all registry.example/glasshouse:$version " "$work/log"
check 'the tag would be made' grep -q "^would run: git tag --annotate v$version " "$work/log"
check 'there is no tag' not in_copy rev-parse --quiet --verify "refs/tags/v$version"
check 'the repository is as it was' test -z "$(in_copy status --porcelain)"
gpgconf --kill gpg-agent
