#!/usr/bin/env bash
# Runs a command with a private PostgreSQL: with-postgres.sh COMMAND [ARGUMENT...]
# The server listens on a free loopback port, its URL is in GLASSHOUSE_TEST_POSTGRES, and it is thrown away at the end,
# also when the command fails. Never touches a PostgreSQL that is already there.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# -gt 0 ] || die "usage: scripts/with-postgres.sh COMMAND [ARGUMENT...]"

need_postgres
programs=$(postgres_programs)
folder=$(mktemp -d)
server=''
clean_up() {
  trap - EXIT INT TERM
  # SIGQUIT ends PostgreSQL at once, open connections and unwritten pages or not: nobody reads the data again.
  if [ -n "$server" ]; then kill -QUIT "$server" 2> /dev/null || true; end "$server"; fi
  # Hundreds of databases have hundreds of files each: nobody waits for their deletion.
  setsid rm -rf "$folder" < /dev/null > /dev/null 2>&1 &
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# PostgreSQL refuses to run as root.
as_owner=()
if [ "$(id -u)" = 0 ]; then
  owner=postgres
  id "$owner" > /dev/null 2>&1 || owner=nobody
  chown "$owner" "$folder"
  as_owner=(setpriv "--reuid=$owner" "--regid=$(id -g "$owner")" --clear-groups)
fi

cd "$folder"
LC_ALL=C.UTF-8 "${as_owner[@]}" "$programs/initdb" --pgdata="$folder/db" --username=postgres --auth=trust --encoding=UTF8 \
  --no-sync > "$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; die "initdb failed"; }
for _ in 1 2 3; do
  port=$(free_port)
  # Durability off: the data does not outlive the command. A group of its own: Ctrl-C reaches it through clean_up.
  "${as_owner[@]}" setsid "$programs/postgres" -D "$folder/db" -h 127.0.0.1 -p "$port" -k "$folder/db" -c fsync=off \
    -c synchronous_commit=off -c full_page_writes=off -c max_connections=300 > "$folder/server.log" 2>&1 &
  server=$!
  if wait_for_port "$port" "$server" 30 "$folder/server.log"; then break; fi
  end "$server"
  server=''
done
[ -n "$server" ] || die "the private PostgreSQL did not start"
cd "$root"

export GLASSHOUSE_TEST_POSTGRES="postgres://postgres@127.0.0.1:$port/postgres"
"$@"
