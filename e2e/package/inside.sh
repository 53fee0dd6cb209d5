#!/usr/bin/env bash
# The part of run.sh that runs in namespaces of its own: everything that is mounted or started here ends with it.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
here=$root/e2e/package work=$1
bare=$work/root

ip link set lo up
mount --make-rprivate /
mount --bind "$bare" "$bare"
mount -t proc proc "$bare/proc"
mount --rbind /dev "$bare/dev"
mount -t tmpfs tmpfs "$bare/run"

"$here/package.sh" "$bare" "$work"/first/*.deb "$work"/next/*.deb

cp "$work"/first/*.deb "$bare/package.deb"
chroot "$bare" dpkg --install /package.deb > "$work/install.log" 2>&1 || { cat "$work/install.log" >&2; exit 1; }
rm "$bare/package.deb"
say 'container: less than 600 MB'
megabytes=$(du --summarize --one-file-system --block-size=1M "$bare" | cut -f1)
[ "$megabytes" -lt 600 ] || die "the container is $megabytes MB"
echo "    $megabytes MB"

say 'first minutes: the tutorial, in a fresh folder of the bare Debian'
cp -r "$work/curl" "$bare/run/curl"
chroot "$bare" sh -c 'dpkg --install /run/curl/*.deb' > "$work/curl.log" 2>&1 || { cat "$work/curl.log" >&2; exit 1; }
# A debug binary reads the dashboard from the folder where it was built; a release has it inside.
mkdir -p "$bare$root/web"
[ ! -d "$root/web/dist" ] || cp -r "$root/web/dist" "$bare$root/web/"
node "$root/e2e/docs/run.mjs" --debian "$bare" docs/tutorial.md
node "$here/up.mjs" "$bare"
rm -rf "$bare"/root/fresh.*
umount -R "$bare/dev" "$bare/run" "$bare/proc"
node "$here/restrictions.mjs" "$bare" "$work/containers"
