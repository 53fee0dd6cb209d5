#!/usr/bin/env bash
# Cuts the power of a service on SQLite: what was acknowledged until then must be there afterwards, and what nobody synced must be
# gone, or the cut was none. The data folder is a file system of its own in an image, of which the service, stopped in its tracks,
# leaves behind what had reached the disk. Needs root and loop devices, so it is no test.
# usage: bench/power-cut.sh path/to/glasshouse [ROUNDS]
set -euo pipefail
binary=$(realpath "${1:?usage: bench/power-cut.sh path/to/glasshouse [ROUNDS]}") rounds=${2:-5}
[ "${POWER_CUT:-}" = inside ] || exec env POWER_CUT=inside unshare --mount "${BASH_SOURCE[0]}" "$binary" "$rounds"
work=$(mktemp -d)
service=
end() {
  if [ -n "$service" ]; then kill -KILL "$service" 2> /dev/null || true; wait "$service" 2> /dev/null || true; fi
  service=
}
finish() {
  end
  umount -q "$work/before" "$work/after" 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT
mkdir "$work/before" "$work/after"
export GLASSHOUSE_SERVER__ROLES=api GLASSHOUSE_EDGE__HTTP_LISTEN='' GLASSHOUSE_TELEMETRY__METRICS_LISTEN=127.0.0.1:0

# start FOLDER: the service on a data folder; its address in $api.
start() {
  rm -f "$work/log"
  GLASSHOUSE_STORAGE__DATA_DIR=$1/data GLASSHOUSE_SERVER__LISTEN=127.0.0.1:0 "$binary" serve > /dev/null 2> "$work/log" &
  service=$!
  until grep -qs "^ready: " "$work/log"; do kill -0 "$service"; sleep 0.05; done
  api=$(sed -n 's#^ready: .* on \(http://[0-9.:]*\), metrics.*#\1#p' "$work/log")
}
status() { curl -s -o /dev/null -w '%{http_code}' "$@"; }

for round in $(seq "$rounds"); do
  truncate -s 0 "$work/disk" && truncate -s 512M "$work/disk" && mkfs.ext4 -q "$work/disk"
  mount -o loop "$work/disk" "$work/before"
  start "$work/before"
  key() { GLASSHOUSE_STORAGE__DATA_DIR=$work/before/data "$binary" key create --account a@cut.test --name "$1"; }
  GLASSHOUSE_STORAGE__DATA_DIR=$work/before/data "$binary" account create --email a@cut.test --password secret --plan enterprise > /dev/null
  keys=() domains=()
  for number in $(seq 10); do
    keys+=("$(key "key $number")")
    domain=shop-$number.cut-$round.example
    [ "$(status -X POST "$api/api/domains" -H "authorization: Bearer ${keys[0]}" -H 'content-type: application/json' -d "{\"domain\":\"$domain\"}")" = 201 ] && domains+=("$domain")
  done
  [ "${#domains[@]}" = 10 ] || { printf 'only %s of 10 domains were accepted\n' "${#domains[@]}" >&2; exit 1; }
  printf 'nobody syncs this' > "$work/before/control"
  kill -STOP "$service"
  cp --sparse=always "$work/disk" "$work/cut"
  end
  umount "$work/before"

  mount -o loop "$work/cut" "$work/after"
  [ ! -s "$work/after/control" ] || { echo 'the cut was none: what nobody synced is there' >&2; exit 1; }
  start "$work/after"
  for key in "${keys[@]}"; do
    [ "$(status "$api/api/domains" -H "x-service-api-key: $key")" = 200 ] || { echo "round $round: an acknowledged key is gone" >&2; exit 1; }
  done
  listed=$(curl -s "$api/api/domains" -H "x-service-api-key: ${keys[0]}")
  for domain in "${domains[@]}"; do
    case $listed in *"\"$domain\""*) ;; *) echo "round $round: $domain is gone" >&2; exit 1 ;; esac
  done
  end
  umount "$work/after"
  echo "round $round: ${#keys[@]} keys and ${#domains[@]} domains survived"
done
