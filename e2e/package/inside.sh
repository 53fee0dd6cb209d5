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
umount -R "$bare/dev" "$bare/run" "$bare/proc"
node "$here/restrictions.mjs" "$bare" "$work/containers"
