#!/usr/bin/env bash
# Tests what `make dist` and `make release` make: equal bytes, a dry run of a release, the life of the package in a bare Debian, the tutorial and
# `glasshouse up` there, the unit's restrictions, the container. Called by make test. Everything runs in network, process and mount namespaces of its own, with the bare Debian as root: nothing is left.
# See docs/decisions/0007.
#
#   GLASSHOUSE    the binary (default: target/debug/glasshouse)
#   BARE_DEBIAN   a folder with a root that mmdebstrap made as below, for runs in a row; it is not changed
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
cd "$root"
here=$root/e2e/package
binary=$(realpath "${GLASSHOUSE:-$target/debug/glasshouse}")
[ -x "$binary" ] || die "there is no binary $binary: cargo build -p glasshouse, or set GLASSHOUSE"

missing=()
for tool in mmdebstrap:mmdebstrap runc:runc zstd:zstd help2man:help2man dpkg-shlibdeps:dpkg-dev strip:binutils ip:iproute2 \
  curl:curl systemd-analyze:systemd; do
  has "${tool%%:*}" || missing+=("${tool#*:}")
done
[ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"

# A larger number is a less restricted service.
say 'unit: valid, with an exposure of at most 3.0'
unit=$(mktemp --directory)/glasshouse.service
sed 's,^ExecStart=/usr/bin/glasshouse,ExecStart=/bin/true,' "$root/deploy/package/glasshouse.service" > "$unit"
problems=$(systemd-analyze verify --man=no "$unit" 2>&1) || die "systemd-analyze verify: $problems"
[ -z "$problems" ] || die "systemd-analyze verify: $problems"
systemd-analyze security --offline=true --threshold=30 --no-pager "$unit" > "$unit.log" || { tail -1 "$unit.log" >&2; die 'the unit is too exposed'; }
rm -r "$(dirname "$unit")"

# The bare Debian and the packages are some 900 MB: in memory where there is room.
parent=${TMPDIR:-/tmp}
if [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -1)" -gt 2000000 ] && [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt 6000000 ]; then
  parent=/dev/shm
fi
work=$(mktemp -d "$parent/glasshouse-deploy.XXXXXX")
trap 'as_root rm -rf "$work"' EXIT
# mmdebstrap's own user reads what lies here.
chmod 755 "$work"

# What the container file does: the packages that it installs beside Glasshouse's own, without the files that it leaves out.
container_file=$root/deploy/container/Containerfile
beside=$(sed -n 's,.*--no-install-recommends \(.*\) /packages/.*,\1,p' "$container_file")
[ -n "$beside" ] || die "no packages were found in $container_file"
mapfile -t left_out < <(sed -n '/path-exclude=%s/p' "$container_file" | grep -o "'/[^']*'" | tr -d "'")
[ ${#left_out[@]} -gt 0 ] || die "no files to leave out were found in $container_file"

# As Debian's slim image is: nothing that is not essential, no pages of documentation. Packages of curl, which the tutorial needs and the container
# does not, lie in a folder beside it.
bare_debian() {
  local excludes=()
  mapfile -t excludes < <(printf -- '--dpkgopt=path-exclude=%s\n' "${left_out[@]}" '/usr/share/doc/*' '/usr/share/locale/*' '/usr/share/man/*')
  if [ -n "${BARE_DEBIAN:-}" ]; then
    as_root cp -a "$BARE_DEBIAN" "$work/root"
  else
    # shellcheck disable=SC2016  # mmdebstrap's shell expands the hooks
    as_root env "TMPDIR=$work" mmdebstrap --quiet --variant=essential --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
      "--include=usr-is-merged adduser ca-certificates $beside" --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Retries "3"' "${excludes[@]}" \
      --customize-hook='APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get clean' \
      --customize-hook='APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get --yes --download-only install curl && mkdir "$1/curl" && cp "$1"/var/cache/apt/archives/*.deb "$1/curl"' \
      --skip=cleanup/reproducible bookworm "$work/root" \
      'deb http://deb.debian.org/debian bookworm main' 'deb http://deb.debian.org/debian-security bookworm-security main' \
      > "$work/bare.log" 2>&1 || { tail -20 "$work/bare.log" >&2; return 1; }
  fi
  as_root mv "$work/root/curl" "$work/curl"
  # What is left out above must not be left out of the package.
  as_root rm -f "$work/root/etc/dpkg/dpkg.cfg.d/99mmdebstrap"
}
package() { "$root/scripts/dist.sh" --quick --binary "$binary" --out "$work/$1" > "$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; return 1; }; }
# The same files under the next version, as far as dpkg and the scripts of the package can tell.
next_version() {
  local files=$work/next-files
  mkdir "$work/next"
  dpkg-deb --raw-extract "$work"/first/*.deb "$files"
  sed -i 's/^Version: .*/&+next/' "$files/DEBIAN/control"
  dpkg-deb --root-owner-group -Zzstd -z1 --build "$files" "$work/next/next.deb" > /dev/null
  rm -rf "$files"
}

say 'bare Debian, and packages: twice the same, and the next version'
bare_debian & bare=$!
package first
# As somebody else has it.
(umask 077; export LC_ALL=C TZ=Asia/Tokyo; package again)
next_version
wait "$bare" || die 'the bare Debian could not be made'

say 'packages: equal inputs give equal bytes'
(cd "$work/first" && sha256sum --check --quiet SHA256SUMS) || die 'the checksums are not those of the files'
diff -r "$work/first" "$work/again" || die 'two packages of the same inputs differ'
node "$here/archive.mjs" "$work/first"
"$here/release.sh" "$binary" "$work/release"
rm -rf "$work/release"

as_root unshare --mount --net --pid --fork --mount-proc -- "$here/inside.sh" "$work"
