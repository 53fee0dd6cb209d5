#!/usr/bin/env bash
# Builds and starts the service with the demo shop: make run. Installs what is missing and says so.
# The first start fills the demo (demo/seed.mjs): snapshots and an audit are real, crawler visits and AI answers are made up, and every screen of
# the demo says so. DEMO_DATA=no leaves the demo out.
# Keeps its data in ./data (or GLASSHOUSE_STORAGE__DATA_DIR); ends with Ctrl-C, and then ends what it started, by process id.
# Every setting of the service can be given as GLASSHOUSE_<SECTION>__<KEY>; DEMO_PORT chooses the demo shop's port (4321), DEMO_AI_PORT that of the
# stand-in for AI assistants (4322). See docs/decisions/0460.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

demo_port=${DEMO_PORT:-4321}
ai_port=${DEMO_AI_PORT:-4322}
demo_data=${DEMO_DATA:-yes}
[[ $demo_data =~ ^(yes|no)$ ]] || die "DEMO_DATA=$demo_data: it is yes or no"
demo_host=demo.glasshouse.test
owner=owner@glasshouse.test
export GLASSHOUSE_STORAGE__DATA_DIR=${GLASSHOUSE_STORAGE__DATA_DIR:-./data}
export GLASSHOUSE_SERVER__LISTEN=${GLASSHOUSE_SERVER__LISTEN:-127.0.0.1:3000}
export GLASSHOUSE_EDGE__HTTP_LISTEN=${GLASSHOUSE_EDGE__HTTP_LISTEN:-127.0.0.1:8080}
export GLASSHOUSE_TELEMETRY__METRICS_LISTEN=${GLASSHOUSE_TELEMETRY__METRICS_LISTEN:-127.0.0.1:9100}
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
if [ "$demo_data" = yes ]; then check_port "$demo_port" DEMO_PORT 4421; fi

# ---- what is needed
need_tools cargo node npm cc
need_node 20.19
need_browsers
has curl || apt_install curl

allow_unconfined_browsers

say '1 of 4: the dashboard (npm; about a minute the first time)'
"$root/scripts/web.sh"
# The profile that `make test` builds with: compiled in half of the time, and a try-out is bound by Chromium.
say '2 of 4: the service (cargo; some minutes the first time, seconds afterwards)'
cargo build --locked --package glasshouse
glasshouse=$target/debug/glasshouse

# ---- an account and a key; what was printed once is kept beside the data for the next start
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

# ---- the demo: none, kept as it is, or filled
has_domain=no was_filled=no demo=none
[[ $("$glasshouse" domain list --json) != *"\"$demo_host\""* ]] || has_domain=yes
[ ! -s "$data/demo-data.json" ] || was_filled=yes
if [ "$demo_data" = yes ] && [ "$has_domain$was_filled" = noyes ]; then
  say "the demo was removed from $data and stays away (to have it again, delete $data/demo-data.json)"
elif [ "$demo_data" = yes ]; then
  demo=fill
elif [ "$has_domain" = yes ]; then
  demo=keep
  say "$data has the demo already: it stays as it is (to be rid of it: Settings, Remove; or choose another GLASSHOUSE_STORAGE__DATA_DIR)"
fi
# What was made up once is marked for ever.
if [ "$demo" = fill ] || [ "$demo$was_filled" = keepyes ]; then export GLASSHOUSE_SERVER__DEMO_DOMAIN=$demo_host; fi

# The stand-in takes the place of assistants only where none is set up: real ones are never mixed with made-up answers.
assistants=none
if [ "$demo" = fill ]; then
  assistants=stand-in
  if grep -Eq '"providers\.[a-z_]+\.(api_key|base_url)": "[^"]' <<< "$("$glasshouse" config --json)"; then assistants=real; fi
fi
if [ "$assistants" = stand-in ]; then
  check_port "$ai_port" DEMO_AI_PORT 4422
  for assistant in chatgpt perplexity gemini claude; do
    section=GLASSHOUSE_PROVIDERS__${assistant^^}
    export "${section}__API_STYLE=chat" "${section}__BASE_URL=http://127.0.0.1:$ai_port/$assistant/v1" "${section}__MODEL=demo-stand-in"
    export "${section}__DEMO=true" "${section}__REQUESTS_PER_MINUTE=600"
  done
fi
if [ "$assistants" = stand-in ]; then
  # The service refuses other questions before it queues them.
  GLASSHOUSE_MENTIONS__DEMO_PROMPTS=$(node --input-type=module --eval "import { PROMPTS } from './demo/made/prompts.mjs'; console.log(JSON.stringify(PROMPTS.map(({ text }) => text)))")
  export GLASSHOUSE_MENTIONS__DEMO_PROMPTS
fi
if [ "$demo" != none ]; then
  # The demo shop lives on loopback, which the service refuses to fetch from unless it is told to.
  export GLASSHOUSE_NETWORK__HOSTS=${GLASSHOUSE_NETWORK__HOSTS:-"{\"$demo_host\": \"127.0.0.1:$demo_port\"}"}
  export GLASSHOUSE_NETWORK__ALLOW_PRIVATE=${GLASSHOUSE_NETWORK__ALLOW_PRIVATE:-'["127.0.0.0/8"]'}
  npm_ci demo || die 'npm could not install the packages of the demo shop; look at what it says above, and start again'
  say '3 of 4: the demo shop (npm)'
  (cd demo && npm run --silent build)
  if [ "$has_domain" = no ]; then
    "$glasshouse" domain add "$demo_host" --account "$owner" --sitemap "https://$demo_host/sitemap.xml" --status connected > /dev/null
  fi
fi

# ---- start
say '4 of 4: the start'
started=()
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  trap - EXIT INT TERM
  end "${started[@]}"
}
trap clean_up EXIT
trap 'echo; exit 130' INT
trap 'exit 143' TERM

if [ "$demo" != none ]; then
  check_port "$demo_port" DEMO_PORT 4421
  node demo/server.mjs "$demo_port" > "$data/demo.log" 2>&1 &
  started+=($!)
  wait_for_port "$demo_port" $! 10 "$data/demo.log" || die "the demo shop did not start; its log is $data/demo.log"
fi
if [ "$assistants" = stand-in ]; then
  node demo/assistants.mjs "$ai_port" > "$data/demo-assistants.log" 2>&1 &
  started+=($!)
  wait_for_port "$ai_port" $! 10 "$data/demo-assistants.log" || die "the stand-in for assistants did not start; its log is $data/demo-assistants.log"
fi
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

# ---- what the demo shows. A part that fails is named, and the service goes on.
if [ "$demo" = fill ]; then
  seed=(node demo/seed.mjs --binary "$glasshouse" --address "$address" --domain "$demo_host" --folder "$data")
  if [ "$assistants" = real ]; then seed+=(--no-answers); fi
  # In the background: a trap waits for what runs in the foreground.
  DEMO_KEY=$key "${seed[@]}" &
  filling=$!
  started+=("$filling")
  wait "$filling" || true
  unset 'started[-1]'
fi

# ---- what there is
about=()
if [ "$demo" != none ]; then about+=("  demo shop   http://127.0.0.1:$demo_port/ (connected as $demo_host)"); fi
case $demo-$assistants in
  fill-stand-in) about+=('  real        its pages, snapshots and audits; both are made anew every day' \
    '  made up     its crawler visits, and its AI answers: a stand-in gives them, and answers nothing but the six questions of the demo') ;;
  fill-real) about+=('  real        its pages, snapshots and audits; both are made anew every day' \
    '  made up     its crawler visits, and AI answers of earlier starts if there were any; assistants are set up here, so the stand-in is not started') ;;
esac
if [ "$demo" != none ]; then about+=('' 'What a crawler gets of the demo shop:' '' \
  "curl -H 'x-service-api-key: $key' '$address/api/prerender/render?url=https%3A%2F%2F$demo_host%2Fpots%2Fquay-jug'"); fi
cat <<TEXT

Glasshouse is running (Ctrl-C ends it).

  dashboard   ${GLASSHOUSE_SERVER__PUBLIC_URL:-$address}/
  e-mail      $owner
  password    $password
  API         ${GLASSHOUSE_SERVER__PUBLIC_URL:-$address}/api/docs
  log         $data/glasshouse.log
  kept in     $credentials (delete it, and the next start makes a new password and key)
TEXT
if [ ${#about[@]} -gt 0 ]; then printf '%s\n' "${about[@]}"; fi
echo
# Whatever ends first ends the rest.
wait -n "${started[@]}" || true
die "a part ended by itself; its log is in $data"
