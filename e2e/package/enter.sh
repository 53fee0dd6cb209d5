#!/usr/bin/env bash
# Runs a command as root of a Debian, in a fresh folder there, with the settings of the environment. Called in namespaces that inside.sh made.
# A changed root would forbid the user namespaces by which browsers are confined: hence a mount namespace whose root is the Debian.
#
#   enter.sh ROOT COMMAND...      ROOT: a mount point
set -euo pipefail
if [ "${1:-}" != --inside ]; then exec unshare --mount -- "$0" --inside "$@"; fi
root=$2
shift 2
settings=()
while read -r variable; do settings+=("$variable=${!variable}"); done < <(compgen -e GLASSHOUSE_)
cd "$root"
pivot_root . mnt
folder=$(mktemp --directory /root/fresh.XXXXXX)
cd "$folder"
exec /usr/bin/env -i "PATH=/usr/sbin:/usr/bin:/sbin:/bin" "HOME=$folder" "${settings[@]}" "$@"
