#!/usr/bin/env bash
# Checks what people deploy with: proxies in front of three nodes, alerts, Helm chart, Compose files, container files, units, scripts,
# YAML. Called by make test; installs its tools from Debian, and from PyPI into target/deploy-venv. See docs/decisions/0007.
# For the chart, see docs/decisions/0495.
#
#   GLASSHOUSE   the binary (default: target/debug/glasshouse)
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
cd "$root"
here=$root/e2e/deploy
GLASSHOUSE=$(realpath "${GLASSHOUSE:-$target/debug/glasshouse}")
export GLASSHOUSE
[ -x "$GLASSHOUSE" ] || die "there is no binary $GLASSHOUSE: cargo build -p glasshouse, or set GLASSHOUSE"

# ---- tools
missing=()
for tool in /usr/sbin/nginx:nginx-light /usr/lib/nginx/modules/ngx_stream_module.so:libnginx-mod-stream /usr/sbin/haproxy:haproxy; do
  [ -e "${tool%%:*}" ] || missing+=("${tool#*:}")
done
for tool in caddy:caddy promtool:prometheus shellcheck:shellcheck yamllint:yamllint docker-compose:docker-compose systemd-analyze:systemd; do
  has "${tool%%:*}" || missing+=("${tool#*:}")
done
# The tests start them by themselves; RUNLEVEL keeps Debian from doing so where there is no systemd.
[ ${#missing[@]} -eq 0 ] || RUNLEVEL=1 apt_install "${missing[@]}"
venv=$target/deploy-venv
python_venv "$venv" "$here/requirements.txt"

need_browsers
allow_unconfined_browsers
failed=0
# check NAME COMMAND...: runs it; a failed one does not hide the later ones.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then printf '%-40s ok\n' "$name"; return; fi
  printf '%-40s FAILED\n%s\n' "$name" "$output"
  failed=$((failed + 1))
}

# tracked PATTERN...: files that are in git, or would be.
tracked() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do [ -f "$file" ] && echo "$file"; done || true; }
scripts() { tracked | xargs grep -lE --max-count=1 '^#!(/usr/bin/env bash|/bin/(ba)?sh)' | while read -r file; do head -1 "$file" | grep -q '^#!' && echo "$file"; done || true; }

alerts() { promtool check rules deploy/alerts/glasshouse.rules.yml && promtool test rules deploy/alerts/glasshouse.rules.test.yml && python_output alerts.py; }
board() { node deploy/alerts/board.mjs --check; }
python_output() { "$venv/bin/python" "$here/$1"; }
seccomp() { node scripts/update-seccomp.mjs --check; }
compose_schema() { "$venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec deploy/compose/*/compose.yaml deploy/coolify/glasshouse.yaml deploy/dokploy/docker-compose.yml; }
workflows() { "$venv/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml; }
shell() { local files; mapfile -t files < <(scripts); [ ${#files[@]} -gt 10 ] && shellcheck --external-sources "${files[@]}"; }
yaml() { local files; mapfile -t files < <(tracked '*.yml' '*.yaml'); [ ${#files[@]} -gt 5 ] && yamllint --strict --config-file "$here/yamllint.yaml" "${files[@]}"; }
container_files() {
  local files
  mapfile -t files < <(tracked '*Containerfile' '*Dockerfile')
  [ ${#files[@]} -eq 0 ] || "$venv/bin/hadolint" "${files[@]}"
}
# The program of a unit is not installed here: a copy of the unit names another one.
units() {
  local file copies
  copies=$(mktemp -d)
  while read -r file; do sed -E 's,^(Exec[A-Za-z]+=[-+!:@]*)/usr/bin/glasshouse,\1/bin/true,' "$file" > "$copies/${file##*/}"; done < <(tracked '*.service' '*.socket' '*.timer')
  if compgen -G "$copies/*" > /dev/null; then systemd-analyze verify --man=no --generators=no "$copies"/*; fi
  rm -rf "$copies"
}

# Restarts behind the balancers are mostly waiting: the other checks run meanwhile.
proxies_log=$(mktemp)
"$root/scripts/with-postgres.sh" node "$here/run.mjs" > "$proxies_log" 2>&1 & proxies=$!

check 'alerts: promtool' alerts
check 'Grafana board: as its source gives it' board
check 'seccomp profile: as its source gives it' seccomp
check 'Compose: schema' compose_schema
check 'workflows: schema' workflows
check 'Compose' python_output compose.py
check 'Helm' python_output helm.py
check 'scripts: shellcheck' shell
check 'YAML: yamllint' yaml
check 'container files: hadolint' container_files
check 'units: systemd-analyze verify' units

wait "$proxies" || failed=$((failed + 1))
cat "$proxies_log"
rm -f "$proxies_log"
[ "$failed" = 0 ] || die "$failed check(s) of deploy/ failed"
