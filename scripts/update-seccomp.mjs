// Writes deploy/seccomp.json: the default profile of Docker, and the system calls of which Chromium's sandbox is made.
// The default is taken from Debian's package golang-github-docker-docker-dev (profiles/seccomp/default.json of Moby, Apache-2.0).
// See docs/decisions/0492.
//
//   node scripts/update-seccomp.mjs            fetches the package (apt-get download) and writes the file
//   node scripts/update-seccomp.mjs --check    ends with status 1 when the file is not what it would write
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = 'golang-github-docker-docker-dev';
const PROFILE = 'usr/share/gocode/src/github.com/docker/docker/profiles/seccomp/default.json';
/** Namespaces for the browser and in it (`clone`, `clone3`, `unshare`, `setns`), and an empty root for its pages (`chroot`). */
const ADDED = ['chroot', 'clone', 'clone3', 'setns', 'unshare'];
const TARGET = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'deploy', 'seccomp.json');

/** The default profile of the package, and the package's version. */
function fetchDefault() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'seccomp-'));
  try {
    execFileSync('apt-get', ['download', '-qq', PACKAGE], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const [file] = fs.readdirSync(folder);
    execFileSync('dpkg-deb', ['--extract', file, 'files'], { cwd: folder });
    const version = execFileSync('dpkg-deb', ['--field', file, 'Version'], { cwd: folder, encoding: 'utf8' }).trim();
    return { version, profile: JSON.parse(fs.readFileSync(path.join(folder, 'files', PROFILE), 'utf8')) };
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** The profile with the added calls allowed, whatever capabilities the container has. */
function withSandboxCalls(profile, version) {
  const isRuleLeft = (rule) => rule.names.length > 0;
  const without = profile.syscalls
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !ADDED.includes(name)) }))
    .filter(isRuleLeft);
  const added = {
    names: ADDED,
    action: 'SCMP_ACT_ALLOW',
    comment: `Chromium's sandbox. All other rules: profiles/seccomp/default.json of Moby (Apache-2.0), as in Debian's ${PACKAGE} ${version}`,
  };
  return { ...profile, syscalls: [...without, added] };
}

const { version, profile } = fetchDefault();
const text = `${JSON.stringify(withSandboxCalls(profile, version), null, 2)}\n`;
if (process.argv.includes('--check')) {
  if (fs.readFileSync(TARGET, 'utf8') !== text) {
    process.stderr.write('deploy/seccomp.json is old: node scripts/update-seccomp.mjs\n');
    process.exitCode = 1;
  }
} else {
  fs.writeFileSync(TARGET, text);
}
