#!/usr/bin/env bash
# The life of the package in a bare Debian: installed, upgraded, with refused settings, removed, installed again, purged. Called by run.sh
# in namespaces of its own. systemd does not run there: e2e/package/systemctl stands in for it and starts the service itself.
#
#   package.sh ROOT FIRST.deb SECOND.deb
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
bare=$1 first=$2 second=$3
settings=/etc/glasshouse/glasshouse.toml

inside() { chroot "$bare" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
check() { local what=$1; shift; "$@" || die "package: $what"; echo "    $what"; }
not() { ! "$@"; }
is_there() { [ -e "$bare$1" ] || [ -L "$bare$1" ]; }
mode_is() { [ "$(inside stat -c '%U:%G %a' "$1")" = "$2" ]; }
asked() { grep -q -- "$1" "$bare/run/systemctl.calls"; }
pid() { cat "$bare/run/glasshouse.pid"; }
has_user() { inside getent passwd glasshouse > /dev/null && inside getent group glasshouse > /dev/null; }
# dpkg's output is shown only when it fails.
dpkg_quietly() { inside dpkg "$@" > "$bare/run/dpkg.log" 2>&1 < /dev/null || { cat "$bare/run/dpkg.log" >&2; return 1; }; }
answers() {
  for _ in $(seq 150); do
    if curl --silent --fail --max-time 2 http://127.0.0.1:3000/healthz > /dev/null; then return 0; fi
    sleep 0.2
  done
  tail -5 "$bare/run/glasshouse.log" >&2
  return 1
}
# shellcheck disable=SC2016  # dpkg-query expands it
status() { inside dpkg-query --show --showformat '${db:Status-Abbrev}${Version}' glasshouse 2> /dev/null || true; }

cp "$first" "$bare/first.deb"
cp "$second" "$bare/second.deb"
install -m 755 "$root/e2e/package/systemctl" "$bare/usr/bin/systemctl"
mkdir -p "$bare/run/systemd/system"
: > "$bare/run/systemctl.calls"

say 'package: installed'
check 'dpkg installs it' dpkg_quietly --install /first.deb
check 'the service has a user of its own, who cannot sign in' has_user
check 'the shell is nologin' grep -q '^glasshouse:.*:/usr/sbin/nologin$' "$bare/etc/passwd"
check 'settings can be read by root and the service only' mode_is "$settings" 'root:glasshouse 640'
check 'data can be read by the service only' mode_is /var/lib/glasshouse 'glasshouse:glasshouse 700'
check 'where the first password is, is said' grep -q 'API key of the first start: journalctl' "$bare/run/dpkg.log"
check 'the service is enabled' is_there /etc/systemd/system/multi-user.target.wants/glasshouse.service
check 'the service is started' asked 'start glasshouse.service'
check 'it answers' answers
check 'data lies in /var/lib/glasshouse' is_there /var/lib/glasshouse/glasshouse.db
for file in share/man/man1/glasshouse.1.gz share/man/man1/glasshouse-domain-add.1.gz share/bash-completion/completions/glasshouse \
  share/zsh/vendor-completions/_glasshouse share/fish/vendor_completions.d/glasshouse.fish share/glasshouse/seccomp.json \
  share/doc/glasshouse/copyright share/doc/glasshouse/sbom.cdx.json; do
  check "/usr/$file is there" test -s "$bare/usr/$file"
done
check 'the files are those that were packed' inside dpkg --verify glasshouse
check 'a completion is a script that bash reads' bash -n "$bare/usr/share/bash-completion/completions/glasshouse"
check 'lists of crawlers are those of the integrations' cmp "$bare/usr/share/glasshouse/crawlers/nginx.conf" "$root/integrations/nginx/crawlers.conf"

say 'package: the lines of docs/deploying.md and the nightly backup'
documented=$(sed -n '/^    \[server\]$/,/^    public_ipv4/s/^    //p' "$root/docs/deploying.md")
{ cat "$bare$settings"; echo "$documented"; } > "$bare/run/documented.toml"
check 'the settings of the page may stand at the end of the file' inside glasshouse config --config /run/documented.toml > "$bare/run/documented.log"
check 'they are in force' grep -q '"https://glasshouse.example.com"' "$bare/run/documented.log"
check 'the timer is there, and off' test -f "$bare/usr/lib/systemd/system/glasshouse-backup.timer"
check 'it is not enabled' not is_there /etc/systemd/system/timers.target.wants/glasshouse-backup.timer
backup=$(sed -n "s/^ExecStart=\/bin\/sh -c '\(.*\)'$/\1/p" "$bare/usr/lib/systemd/system/glasshouse-backup.service" | sed 's/%%/%/g')
inside install -d -o glasshouse -g glasshouse -m 0700 /run/glasshouse-backups
check 'its command makes a backup while the service runs' inside setpriv --reuid=glasshouse --regid=glasshouse --clear-groups \
  env STATE_DIRECTORY=/run/glasshouse-backups sh -c "$backup"
check 'which has the time as its name' test "$(find "$bare/run/glasshouse-backups" -name '20??-??-??-??????.glasshouse' -size +1k | wc -l)" = 1

say 'package: upgraded'
before=$(pid)
echo '# of the administrator' >> "$bare$settings"
inside chmod 0600 "$settings"
inside chown glasshouse:glasshouse "$settings"
check 'dpkg upgrades it' dpkg_quietly --install /second.deb
check 'the service is restarted' not test "$(pid)" = "$before"
check 'it answers' answers
check 'changed settings stay' grep -q '^# of the administrator$' "$bare$settings"
check 'a changed mode stays' mode_is "$settings" 'glasshouse:glasshouse 600'
check 'the account of the first start is not made again' test "$(grep -c 'first start' "$bare/run/glasshouse.log")" = 1

say 'package: upgraded with settings that are refused'
before=$(pid)
sed -i 's/^data_dir = /data_dirr = /' "$bare$settings"
check 'dpkg upgrades it' dpkg_quietly --install /first.deb
check 'the line names the key and what to do' grep -q 'did you mean "storage.data_dir"' "$bare/run/dpkg.log"
check 'the service is not restarted' grep -q 'not restarted, because the settings are refused' "$bare/run/dpkg.log"
check 'what ran goes on' test "$(pid)" = "$before"
check 'it answers' answers
sed -i 's/^data_dirr = /data_dir = /' "$bare$settings"

say 'package: removed'
check 'dpkg removes it' dpkg_quietly --remove glasshouse
check 'the service is stopped' not is_there /run/glasshouse.pid
check 'the program is gone' not is_there /usr/bin/glasshouse
check 'data stays' is_there /var/lib/glasshouse/glasshouse.db
check 'settings stay' is_there "$settings"
check 'the user stays' has_user
check 'dpkg installs it again' dpkg_quietly --install /second.deb
check 'it answers, with its data' answers
check 'the account is not made again' test "$(grep -c 'first start' "$bare/run/glasshouse.log")" = 1

say 'package: purged'
check 'dpkg purges it' dpkg_quietly --purge glasshouse
check 'the service is stopped' not is_there /run/glasshouse.pid
for left in /var/lib/glasshouse /etc/glasshouse /usr/share/doc/glasshouse /etc/systemd/system/glasshouse.service; do
  check "$left is gone" not is_there "$left"
done
check 'user and group are gone' not has_user
check 'nothing is left in dpkg' test -z "$(status)"
left=$(find "$bare" -xdev -iname '*glasshouse*' -not -path "$bare/run/*" -not -path "$bare/proc/*" -not -path "$bare/first.deb")
check "no file is left $left" test -z "$left"

say 'package: where a user of that name was there before, and no systemd runs'
inside useradd --no-user-group --home-dir /home/somebody glasshouse
mv "$bare/run/systemd" "$bare/run/no-systemd"
: > "$bare/run/systemctl.calls"
check 'dpkg installs it' dpkg_quietly --install /first.deb
check 'how to start it is said' grep -q 'start it by: runuser -u glasshouse -- glasshouse serve' "$bare/run/dpkg.log"
check 'nothing is started' not asked '^start'
check 'data can be read by that user only' mode_is /var/lib/glasshouse 'glasshouse:glasshouse 700'
mount -t tmpfs tmpfs "$bare/var/lib/glasshouse"
check 'dpkg purges it, with a disk mounted where its data were' dpkg_quietly --purge glasshouse
umount "$bare/var/lib/glasshouse"
rm -r "$bare/var/lib/glasshouse"
check "somebody else's user stays" has_user
inside userdel glasshouse 2> /dev/null
inside groupdel glasshouse
mv "$bare/run/no-systemd" "$bare/run/systemd"
rm -rf "$bare/first.deb" "$bare/second.deb" "$bare/usr/bin/systemctl" "$bare/run/systemd" "$bare"/run/glasshouse.* "$bare"/run/systemctl.calls "$bare/run/dpkg.log"
