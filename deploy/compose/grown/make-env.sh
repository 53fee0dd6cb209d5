#!/usr/bin/env bash
# Writes .env beside itself from .env.example, with passwords made by chance, for this user alone. Never replaces one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
if [ -e .env ]; then
  echo "error: .env is there already; remove it if its passwords are no longer needed" >&2
  exit 1
fi
random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
umask 077
while IFS= read -r line; do
  case $line in
    POSTGRES_PASSWORD= | S3_SECRET_KEY= | EDGE_SECRET=) printf '%s%s\n' "$line" "$(random)" ;;
    *) printf '%s\n' "$line" ;;
  esac
done < .env.example > .env
echo "written: $PWD/.env"
