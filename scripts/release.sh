#!/usr/bin/env bash
# Makes a release of the version that Cargo.toml has: make release. Packages for amd64 and arm64 with their SBOMs, checksums, notes out of
# CHANGELOG.md, container images, and the tag. The caller pushes the tag and uploads the folder: the last lines say which.
# Must never release from a tree with changes, nor a version twice. See docs/decisions/0490.
#
#   scripts/release.sh [packages|images|tag]   one part (default: all three; images and tag need the folder of packages)
#   --out FOLDER       instead of target/releases/V
#   --binaries FOLDER  holds the programs glasshouse-amd64 and glasshouse-arm64, instead of compiling them
#   --registry NAME    pushes the image as NAME:V, one manifest for both architectures (default: glasshouse:V stays here)
#   --dry-run          prints the commands that build images, push and tag, instead of running them; needs --binaries
#   --quick            compresses little, for tests
#   RELEASE_SIGNING_KEY   key of gpg that signs SHA256SUMS, into SHA256SUMS.asc
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

out='' binaries='' registry='' dry_run=no parts=() options=()
while [ $# -gt 0 ]; do
  case "$1" in
    packages | images | tag) parts+=("$1"); shift ;;
    --out | --binaries | --registry) [ $# -gt 1 ] || die "$1 needs a value"; declare "${1#--}=$2"; shift 2 ;;
    --dry-run) dry_run=yes; shift ;;
    --quick) options+=(--quick); shift ;;
    *) die "unknown argument \"$1\": see the head of scripts/release.sh" ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(packages images tag)
[ "$dry_run" = no ] || [ -n "$binaries" ] || die 'a dry run compiles nothing: name the folder of the programs by --binaries'
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
out=${out:-$target/releases/$version}
image=${registry:-glasshouse}:$version
architectures=(amd64 arm64)

# run COMMAND...: runs it, or prints it in a dry run.
run() {
  if [ "$dry_run" = yes ]; then printf 'would run: %s\n' "$*"; else "$@"; fi
}

# Files and folders that name the version, each with a regular expression of what stands before it.
versions=(
  'clients/python/pyproject.toml ^version = "'
  'clients/typescript/package.json ^  "version": "'
  'deploy/compose glasshouse:'
  'deploy/coolify glasshouse:'
  'deploy/dokploy glasshouse:'
  'deploy/helm/glasshouse/Chart.yaml ^version: '
  'deploy/helm/glasshouse/Chart.yaml ^appVersion: '
  'docs/deploying.md glasshouse[_:-]'
  'docs/openapi.json ^  "version": "'
  "integrations/github-action/action.yml default: '"
  'integrations/javascript/package.json ^  "version": "'
)

# The part of the changelog, with a paragraph on one line: forges keep line breaks.
notes() {
  awk -v version="$version" '
    /^## / { inside = ($2 == version || $2 == "[" version "]"); next }
    inside && /^  [^ -]/ { sub(/^ +/, " "); text = text $0; next }
    inside { print text; text = $0 }
    END { print text }' CHANGELOG.md | cat -s
}

check_tree() {
  local entry file found problems=()
  [ -z "$(git status --porcelain)" ] || die 'the tree has changes: commit them first'
  ! git rev-parse --quiet --verify "refs/tags/v$version" > /dev/null || die "the tag v$version exists: set the next version in Cargo.toml"
  for entry in "${versions[@]}"; do
    file=${entry%% *}
    found=$(grep -rhoP "${entry#* }\\K[0-9]+\\.[0-9]+\\.[0-9]+[0-9A-Za-z.+~]*" "$file" | sort --unique | paste -sd ' ' || true)
    [ "$found" = "$version" ] || problems+=("$file says ${found:-nothing}")
  done
  [ ${#problems[@]} -eq 0 ] || die "Cargo.toml has the version $version, but $(printf '%s; ' "${problems[@]}")set them to the same"
  # Reads to the end: with pipefail a closed pipe is a failure.
  [ "$(notes | grep -c '^- ')" -gt 0 ] || die "CHANGELOG.md says nothing of $version: give the heading \"## Unreleased\" its name and date, \"## $version - $(date --utc +%F)\""
}

make_packages() {
  local architecture machine arguments
  machine=$(dpkg --print-architecture)
  mkdir -p "$out"
  for architecture in "${architectures[@]}"; do
    arguments=(--arch "$architecture" --version "$version" --out "$out")
    [ -z "$binaries" ] || arguments+=(--binary "$binaries/glasshouse-$architecture" --native "$binaries/glasshouse-$machine")
    scripts/dist.sh "${arguments[@]}" "${options[@]}"
  done
  notes > "$out/notes.md"
  (cd "$out" && sha256sum ./*.deb ./*.tar.zst ./*.cdx.json | sed 's,  \./,  ,' > SHA256SUMS)
  if [ -n "${RELEASE_SIGNING_KEY:-}" ]; then
    gpg --batch --yes --local-user "$RELEASE_SIGNING_KEY" --armor --detach-sign --output "$out/SHA256SUMS.asc" "$out/SHA256SUMS"
  fi
}

# The images of both architectures, in one manifest. A foreign one runs Debian's scripts by QEMU.
make_images() {
  local tool=podman architecture
  [ -e "$out/SHA256SUMS" ] || die "there are no packages in $out: scripts/release.sh packages"
  has podman || tool=buildah
  [ "$dry_run" = yes ] || has "$tool" || apt_install buildah
  [ "$dry_run" = yes ] || compgen -G '/proc/sys/fs/binfmt_misc/qemu-*' > /dev/null || apt_install qemu-user-static binfmt-support
  # That of a run before would keep its entries.
  [ "$dry_run" = yes ] || "$tool" manifest rm "$image" 2> /dev/null || true
  for architecture in "${architectures[@]}"; do
    run "$tool" build --format docker --platform "linux/$architecture" --file deploy/container/Containerfile \
      --build-arg "PACKAGE=glasshouse_${version}_$architecture.deb" --manifest "$image" "$out"
  done
  [ -z "$registry" ] || run "$tool" manifest push --all "$image" "docker://$image"
}

check_tree
for part in "${parts[@]}"; do
  case "$part" in
    packages) make_packages ;;
    images) make_images ;;
    tag)
      run git tag --annotate "v$version" --message "Glasshouse $version"
      say "to publish: git push origin v$version, and upload $out with notes.md as its text"
      ;;
  esac
done
