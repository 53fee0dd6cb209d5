#!/usr/bin/env bash
# Builds and starts the service with the demo site connected: make run. Installs what is missing and says so.
# Keeps its data in ./data (or GLASSHOUSE_STORAGE__DATA_DIR); ends with Ctrl-C, and then ends what it started, by process id.
# Every setting of the service can be given as GLASSHOUSE_<SECTION>__<KEY>; DEMO_PORT chooses the demo site's port (4321).
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

demo_port=${DEMO_PORT:-4321}
demo_host=demo.glasshouse.test
owner=owner@glasshouse.test
export GLASSHOUSE_STORAGE__DATA_DIR=${GLASSHOUSE_STORAGE__DATA_DIR:-./data}
export GLASSHOUSE_SERVER__LISTEN=${GLASSHOUSE_SERVER__LISTEN:-127.0.0.1:3000}
export GLASSHOUSE_EDGE__HTTP_LISTEN=${GLASSHOUSE_EDGE__HTTP_LISTEN:-127.0.0.1:8080}
export GLASSHOUSE_TELEMETRY__METRICS_LISTEN=${GLASSHOUSE_TELEMETRY__METRICS_LISTEN:-127.0.0.1:9100}
# The demo site lives on loopback, which the service refuses to fetch from unless it is told to.
export GLASSHOUSE_NETWORK__HOSTS=${GLASSHOUSE_NETWORK__HOSTS:-"{\"$demo_host\": \"127.0.0.1:$demo_port\"}"}
export GLASSHOUSE_NETWORK__ALLOW_PRIVATE=${GLASSHOUSE_NETWORK__ALLOW_PRIVATE:-'["127.0.0.0/8"]'}
data=$GLASSHOUSE_STORAGE__DATA_DIR

# ---- ports first: a build is too long to learn afterwards that one is taken
check_port() { # ADDRESS VARIABLE EXAMPLE
  if [ -n "$1" ] && listening "${1##*:}"; then
    die "port ${1##*:} is in use: stop what listens there (another make run?), or choose another: $2=$3 make run"
  fi
}
check_port "$GLASSHOUSE_SERVER__LISTEN" GLASSHOUSE_SERVER__LISTEN 127.0.0.1:3001
check_port "$GLASSHOUSE_EDGE__HTTP_LISTEN" GLASSHOUSE_EDGE__HTTP_LISTEN 127.0.0.1:8081
check_port "$GLASSHOUSE_TELEMETRY__METRICS_LISTEN" GLASSHOUSE_TELEMETRY__METRICS_LISTEN 127.0.0.1:9101
check_port "$demo_port" DEMO_PORT 4322

# ---- what is needed
need_tools cargo node npm cc
need_node 20.19
need_browsers
has curl || apt_install curl

allow_unconfined_browsers

npm_ci demo || die 'npm could not install the packages of the demo site'
say 'building the demo site'
(cd demo && npm run --silent build)
"$root/scripts/web.sh"
say 'building the service (the first time takes some minutes)'
cargo build --release --locked --package glasshouse
glasshouse=$target/release/glasshouse

# ---- an account, a key and the demo's domain; what was printed once is kept beside the data for the next start
mkdir -p "$data"
credentials=$data/run-credentials
random() { head -c 18 /dev/urandom | base64 | tr '+/' '-_'; }
accounts=$("$glasshouse" account list --json)
if [ ! -s "$credentials" ]; then
  password=$(random)
  if [[ $accounts == *"\"$owner\""* ]]; then
    "$glasshouse" account set-password --email "$owner" --password "$password" > /dev/null
  else
    "$glasshouse" account create --email "$owner" --password "$password" --plan enterprise > /dev/null
  fi
  key=$("$glasshouse" key create --account "$owner" --name 'make run')
  (umask 077 && printf '%s\n%s\n' "$password" "$key" > "$credentials")
fi
{ read -r password; read -r key; } < "$credentials"
if [[ $("$glasshouse" domain list --json) != *"\"$demo_host\""* ]]; then
  "$glasshouse" domain add "$demo_host" --account "$owner" --sitemap "https://$demo_host/sitemap.xml" --status connected > /dev/null
fi

# ---- start
started=()
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  trap - EXIT INT TERM
  end "${started[@]}"
}
trap clean_up EXIT
trap 'echo; exit 130' INT
trap 'exit 143' TERM

node demo/server.mjs "$demo_port" > "$data/demo.log" 2>&1 &
started+=($!)
wait_for_port "$demo_port" $! 10 "$data/demo.log" || die 'the demo site did not start'
"$glasshouse" serve > "$data/glasshouse.log" 2>&1 &
service=$!
started=("$service" "${started[@]}")
address=http://$GLASSHOUSE_SERVER__LISTEN
for _ in $(seq 150); do
  if curl --silent --fail --output /dev/null "$address/readyz"; then ready=yes; break; fi
  kill -0 "$service" 2> /dev/null || break
  sleep 0.2
done
if [ -z "${ready:-}" ]; then
  tail -20 "$data/glasshouse.log" >&2
  curl --silent "$address/readyz" >&2 || true
  die "the service is not ready; its log is $data/glasshouse.log"
fi

cat <<TEXT

Glasshouse is running (Ctrl-C ends it).

  dashboard   ${GLASSHOUSE_SERVER__PUBLIC_URL:-$address}/
  e-mail      $owner
  password    $password
  API         ${GLASSHOUSE_SERVER__PUBLIC_URL:-$address}/api/docs
  demo site   http://127.0.0.1:$demo_port/ (connected as $demo_host)
  log         $data/glasshouse.log
  kept in     $credentials (delete it, and the next start makes a new password and key)

What a crawler gets of the demo site:

curl -H 'x-service-api-key: $key' '$address/api/prerender/render?url=https%3A%2F%2F$demo_host%2Fpots%2Fquay-jug'

TEXT
# Whatever ends first ends the rest.
wait -n "${started[@]}" || true
die "a part ended by itself; see $data/glasshouse.log and $data/demo.log"
