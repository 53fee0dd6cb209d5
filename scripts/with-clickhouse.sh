#!/usr/bin/env bash
# Runs a command with a private ClickHouse: with-clickhouse.sh COMMAND [ARGUMENT...]
# The server listens on free loopback ports, its URL is in GLASSHOUSE_TEST_CLICKHOUSE, and it is thrown away at the end,
# also when the command fails. Small caches, no logs and few threads: it runs beside tests. Never touches a ClickHouse
# that is already there. Whoever kills it gets it back a moment later: its process is named in GLASSHOUSE_TEST_CLICKHOUSE_PID.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# -gt 0 ] || die "usage: scripts/with-clickhouse.sh COMMAND [ARGUMENT...]"

need_clickhouse
folder=$(mktemp -d)
server=''
keeper=''
clean_up() {
  trap - EXIT INT TERM
  # Nothing of it outlives the command: there is nothing to write down.
  if [ -n "$keeper" ]; then
    kill -KILL "$keeper" 2> /dev/null || true
    wait "$keeper" 2> /dev/null || true
    server=$(cat "$folder/pid")
  fi
  if [ -n "$server" ]; then
    kill -KILL "$server" 2> /dev/null || true
    while kill -0 "$server" 2> /dev/null; do sleep 0.05; done
  fi
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# configure HTTP_PORT TCP_PORT
configure() {
  mkdir -p "$folder/data/tmp" "$folder/data/user_files"
  cat > "$folder/config.xml" << CONFIG
<yandex>
  <logger><level>fatal</level><log>$folder/server.log</log><errorlog>$folder/errors.log</errorlog></logger>
  <listen_host>127.0.0.1</listen_host><http_port>$1</http_port><tcp_port>$2</tcp_port>
  <max_connections>500</max_connections><max_concurrent_queries>200</max_concurrent_queries>
  <keep_alive_timeout>3</keep_alive_timeout>
  <mark_cache_size>8388608</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>
  <path>$folder/data/</path><tmp_path>$folder/data/tmp/</tmp_path><user_files_path>$folder/data/user_files/</user_files_path>
  <users_config>$folder/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
</yandex>
CONFIG
  cat > "$folder/users.xml" << USERS
<yandex>
  <profiles><default>
    <max_threads>2</max_threads><background_pool_size>2</background_pool_size>
    <background_schedule_pool_size>1</background_schedule_pool_size><log_queries>0</log_queries>
  </default></profiles>
  <users><default>
    <password>test</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
  </default></users>
  <quotas><default></default></quotas>
</yandex>
USERS
}

start() {
  # A group of its own: Ctrl-C reaches it through clean_up.
  setsid "$(clickhouse_server)" --config-file="$folder/config.xml" >> "$folder/output.log" 2>&1 &
  server=$!
  disown "$server"
  # Never half written: whoever kills by it must not read nothing.
  echo "$server" > "$folder/pid.new"
  mv "$folder/pid.new" "$folder/pid"
}

keep_running() {
  while :; do
    while kill -0 "$server" 2> /dev/null; do sleep 0.1; done
    start
  done
}

for _ in 1 2 3; do
  port=$(free_port)
  configure "$port" "$(free_port)"
  start
  if wait_for_port "$port" "$server" 30 "$folder/output.log"; then break; fi
  kill -KILL "$server" 2> /dev/null || true
  server=''
done
[ -n "$server" ] || die "the private ClickHouse did not start"
keep_running 2> /dev/null &
keeper=$!

export GLASSHOUSE_TEST_CLICKHOUSE_PID="$folder/pid"
export GLASSHOUSE_TEST_CLICKHOUSE="clickhouse://default:test@127.0.0.1:$port/default"
"$@"
