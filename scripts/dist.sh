#!/usr/bin/env bash
# Packs the program: make dist. A Debian package, an archive with the same files, an SBOM, and the checksums of all three, in target/packages.
# Equal inputs give equal bytes: times come from the commit (or SOURCE_DATE_EPOCH), owners are root, compression has one thread.
# See docs/decisions/0490.
#
#   --arch A         Debian's name of the architecture: amd64 or arm64 (default: that of this machine). Another machine's is cross-compiled
#   --binary PATH    packs this binary instead of building one
#   --native PATH    the same program for this machine, which writes manual and completions (default: --binary, or it is built)
#   --out FOLDER     instead of target/packages
#   --version V      instead of the version of Cargo.toml
#   --quick          compresses little, for tests
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

binary='' native='' arch='' out=$target/packages version='' level=19 maintainer=${DIST_MAINTAINER:-Glasshouse maintainers <maintainers@glasshouse.example>}
while [ $# -gt 0 ]; do
  case "$1" in
    --arch | --binary | --native | --out | --version) [ $# -gt 1 ] || die "$1 needs a value"; declare "${1#--}=$2"; shift 2 ;;
    --quick) level=1; shift ;;
    *) die "unknown argument \"$1\": see the head of scripts/dist.sh" ;;
  esac
done
[ -n "$version" ] || version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
[[ $version =~ ^[0-9][0-9A-Za-z.+~]*$ ]] || die "\"$version\" is no version of a package"

need_tools cargo node dpkg-deb tar
machine=$(dpkg --print-architecture)
architecture=${arch:-$machine} prefix='' rust_target=$(rustc -vV | sed -n 's/^host: //p')
missing=()
if [ "$architecture" != "$machine" ]; then
  case "$architecture" in
    amd64) rust_target=x86_64-unknown-linux-gnu prefix=x86_64-linux-gnu- ;;
    arm64) rust_target=aarch64-unknown-linux-gnu prefix=aarch64-linux-gnu- ;;
    *) die "\"$architecture\" is not an architecture that can be cross-compiled: amd64 and arm64 are" ;;
  esac
  has "${prefix}gcc" || missing+=("gcc-$(tr _ - <<< "${prefix%-}")")
  # C libraries inside crates need headers; dpkg-shlibdeps needs the libraries.
  [ -e "/usr/${prefix%-}/include/stdlib.h" ] || missing+=("libc6-dev-$architecture-cross")
fi
has help2man || missing+=(help2man)
has zstd || missing+=(zstd)
# dpkg-shlibdeps and strip.
has dpkg-shlibdeps || missing+=(dpkg-dev)
has strip || missing+=(binutils)
[ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null)} \
  || die 'this is no git checkout: set SOURCE_DATE_EPOCH (seconds since 1970) to the time that the files shall bear'
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
# Modes of files are part of their bytes.
umask 022

# The cc crate and cargo take compiler and linker from variables that have the target in their names.
cross_build() {
  local name=${rust_target//-/_}
  has rustup && rustup target add "$rust_target"
  env "CARGO_TARGET_${name^^}_LINKER=${prefix}gcc" "CC_$name=${prefix}gcc" "AR_$name=${prefix}ar" \
    cargo build --locked --release --package glasshouse --target "$rust_target"
}

if [ -z "$binary" ]; then
  scripts/web.sh
  say "building the service for $architecture"
  if [ -z "$prefix" ]; then
    cargo build --locked --release --package glasshouse
    binary=$target/release/glasshouse
  else
    cross_build
    binary=$target/$rust_target/release/glasshouse
  fi
fi
if [ -n "$prefix" ] && [ -z "$native" ]; then
  say 'building the service for this machine: it writes manual and completions'
  cargo build --locked --release --package glasshouse
  native=$target/release/glasshouse
fi
[ -x "$binary" ] || die "$binary is not a program"
binary=$(realpath "$binary")
native=$(realpath "${native:-$binary}")
[ -x "$native" ] || die "$native is not a program"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
share=$tree/usr/share

put() { install -D -m "$1" "$2" "$3"; }

# Completions, crawler lists and manual pages are the program's own words.
write_completions() {
  mkdir -p "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
  "$native" completions bash > "$share/bash-completion/completions/glasshouse"
  "$native" completions zsh > "$share/zsh/vendor-completions/_glasshouse"
  "$native" completions fish > "$share/fish/vendor_completions.d/glasshouse.fish"
}

write_crawler_lists() {
  local lists=$share/glasshouse/crawlers
  mkdir -p "$lists"
  "$native" crawlers --format json > "$lists/crawlers.json"
  "$native" crawlers --format regex > "$lists/crawlers.regex"
  "$native" crawlers --format nginx > "$lists/nginx.conf"
  "$native" crawlers --format apache > "$lists/apache.conf"
  "$native" crawlers --format caddy > "$lists/crawlers.caddy"
}

# subcommands WORD...: the names below a command, one a line.
subcommands() { "$native" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' | grep -v '^help$' || true; }

# A page for the program and one for each command, groups included: `glasshouse account` names what is below it.
list_commands() {
  local command below
  echo glasshouse
  while read -r command; do
    echo "glasshouse $command"
    while read -r below; do
      [ -z "$below" ] || echo "glasshouse $command $below"
    done < <(subcommands "$command")
  done < <(subcommands)
}

# manual_page PROGRAM VERSION WORK OUT "glasshouse domain add": asks the program for help, through one of that name.
manual_page() {
  local program=$1 number=$2 folder=$3 out=$4 words page about
  read -ra words <<< "$5"
  page=${5// /-}
  about=$("$program" "${words[@]:1}" --help | head -1)
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$program" "${words[*]:1}" > "$folder/$page"
  chmod +x "$folder/$page"
  help2man --no-info --section 1 --name "$about" --manual Glasshouse --source "glasshouse $number" \
    --version-string "$page $number" --output "$out/$page.1" "$folder/$page"
  gzip -9n "$out/$page.1"
}

write_manual() {
  mkdir -p "$share/man/man1" "$work/man"
  export -f manual_page
  # shellcheck disable=SC2016  # expanded by the inner shell
  list_commands | xargs -d '\n' -P "$(nproc)" -I '{}' \
    bash -euc 'manual_page "$@"' bash "$native" "$version" "$work/man" "$share/man/man1" '{}'
}

write_documentation() {
  local doc=$share/doc/glasshouse page
  put 644 deploy/package/copyright "$doc/copyright"
  # Debian has the text elsewhere; other systems that the archive is for have not.
  put 644 LICENSE "$doc/LICENSE"
  put 644 CHANGELOG.md "$doc/CHANGELOG.md"
  gzip -9n "$doc/CHANGELOG.md"
  # In Debian's form, for the programs that read it.
  printf 'glasshouse (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.gz beside this file.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" | gzip -9n > "$doc/changelog.gz"
  chmod 644 "$doc/changelog.gz"
  for page in docs/*.md docs/openapi.json; do put 644 "$page" "$doc/$(basename "$page")"; done
  # README.md is the project's own.
  put 644 docs/README.md "$doc/contents.md"
  put 644 README.md "$doc/README.md"
  put 644 "$work/sbom.cdx.json" "$doc/sbom.cdx.json"
  # The texts of the dashboard's packages lie in them.
  npm_ci "$root/web"
  node scripts/licences.mjs "$work/sbom.cdx.json" > "$doc/third-party-licences.txt"
  gzip -9n "$doc/third-party-licences.txt"
}

# The shared libraries that the binary is linked with, as Debian packages of at least these versions.
libraries() {
  local search=() glibc found
  [ -z "$prefix" ] || search=("-l/usr/${prefix%-}/lib")
  mkdir -p "$work/shlibs/debian"
  touch "$work/shlibs/debian/control"
  found=$(cd "$work/shlibs" && DEB_HOST_ARCH=$architecture dpkg-shlibdeps "${search[@]}" -O "$tree/usr/bin/glasshouse" 2> "$work/shlibs/log" | sed -n 's/^shlibs:Depends=//p')
  [ -n "$found" ] || { cat "$work/shlibs/log" >&2; return 1; }
  if [ -n "$prefix" ]; then
    # Debian's cross libraries have no list of symbols: by them the package would need their own glibc.
    glibc=$("${prefix}objdump" --dynamic-syms "$tree/usr/bin/glasshouse" | grep -o 'GLIBC_[0-9.]*' | sort --version-sort | tail -1)
    found=$(sed -E "s/:$architecture//g; s/libc6 \(>= [^)]*\)/libc6 (>= ${glibc#GLIBC_})/" <<< "$found")
  fi
  echo "$found"
}

# Size of the files alone: that of a folder depends on the file system and on the order in which its files were made.
kibibytes() { find "$tree" -path "$tree/DEBIAN" -prune -o -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }'; }

write_control() {
  local control=$tree/DEBIAN script depends
  mkdir -p "$control"
  for script in postinst prerm postrm; do put 755 "deploy/package/$script" "$control/$script"; done
  echo /etc/glasshouse/glasshouse.toml > "$control/conffiles"
  (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$control/md5sums"
  depends=$(libraries)
  cat > "$control/control" << CONTROL
Package: glasshouse
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(kibibytes)
Depends: $depends, adduser, ca-certificates
Recommends: chromium-headless-shell | chromium
Section: web
Priority: optional
Description: pages for crawlers, SEO audits and AI mentions
 Glasshouse loads pages in a real browser and hands the finished HTML to
 crawlers, audits sites, and follows what AI assistants say of them. One
 program with an API, a dashboard and a front for customers' domains.
CONTROL
}

# Every file gets the same time, or unpacking and packing would give others.
settle() { find "$1" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"; }

say "files of glasshouse $version for $architecture"
put 755 "$binary" "$tree/usr/bin/glasshouse"
"${prefix}strip" --strip-unneeded "$tree/usr/bin/glasshouse"
for unit in glasshouse.service glasshouse-backup.service glasshouse-backup.timer; do
  put 644 "deploy/package/$unit" "$tree/usr/lib/systemd/system/$unit"
done
put 640 deploy/package/glasshouse.toml "$tree/etc/glasshouse/glasshouse.toml"
put 644 deploy/seccomp.json "$share/glasshouse/seccomp.json"
node scripts/sbom.mjs --version "$version" --target "$rust_target" > "$work/sbom.cdx.json"
write_completions
write_crawler_lists
write_manual
write_documentation

mkdir -p "$out"
archive=glasshouse-$version-linux-$architecture.tar.zst package=glasshouse_${version}_$architecture.deb sbom=glasshouse-$version-linux-$architecture.cdx.json
say "$archive"
settle "$tree"
tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu \
  --transform "s,^tree,glasshouse-$version," tree | zstd "-$level" --single-thread --quiet --force -o "$out/$archive"
say "$package"
write_control
settle "$tree"
dpkg-deb --root-owner-group -Zzstd "-z$level" --threads-max=1 --build "$tree" "$out/$package" > /dev/null
cp "$work/sbom.cdx.json" "$out/$sbom"
(cd "$out" && sha256sum "$archive" "$package" "$sbom" > SHA256SUMS)
say "in $out: $archive, $package, $sbom, SHA256SUMS"
