// Writes deploy/seccomp.json: the default profile of Docker, and the system calls of which Chromium's sandbox is made.
// The default is taken from Debian's package golang-github-docker-docker-dev (profiles/seccomp/default.json of Moby, Apache-2.0), with
// the changes that Docker has made since. See docs/decisions/0004.
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
/** Calls that Docker has refused since the version in Debian: io_uring passes by seccomp filters and has had many holes. */
const REFUSED_SINCE = ['io_uring_enter', 'io_uring_register', 'io_uring_setup'];
/** Calls that Docker has allowed since. A C library of a newer Debian takes EPERM for an answer where ENOSYS makes it use an older call. */
const ALLOWED_SINCE = [
  'cachestat', 'fchmodat2', 'futex_requeue', 'futex_wait', 'futex_wake', 'getxattrat', 'listmount', 'listxattrat', 'map_shadow_stack',
  'mseal', 'pkey_alloc', 'pkey_free', 'pkey_mprotect', 'removexattrat', 'riscv_hwprobe', 'setxattrat', 'statmount', 'uretprobe',
];
/** Families of addresses that Docker has refused since: the kernel's ciphers (AF_ALG) and the host of a virtual machine (AF_VSOCK). */
const ALLOWED_FAMILIES = [
  { index: 0, value: 38, op: 'SCMP_CMP_LT' }, { index: 0, value: 39, op: 'SCMP_CMP_EQ' }, { index: 0, value: 40, op: 'SCMP_CMP_GT' },
];
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

/** The profile without rules about these calls. */
const without = (profile, names) => ({
  ...profile,
  syscalls: profile.syscalls.map((rule) => ({ ...rule, names: rule.names.filter((name) => !names.includes(name)) })).filter((rule) => rule.names.length > 0),
});

/** The profile as Docker has it now. */
function withLaterChanges(profile) {
  const { syscalls, ...rest } = without(profile, [...REFUSED_SINCE, ...ALLOWED_SINCE, 'socket']);
  return { ...rest, syscalls: [
    ...syscalls,
    { names: ALLOWED_SINCE, action: 'SCMP_ACT_ALLOW', comment: 'allowed by later versions of the default profile' },
    ...ALLOWED_FAMILIES.map((family) => ({ names: ['socket'], action: 'SCMP_ACT_ALLOW', args: [family] })),
  ] };
}

/** The profile with the added calls allowed, whatever capabilities the container has. */
function withSandboxCalls(profile, version) {
  const { syscalls, ...rest } = without(profile, ADDED);
  const added = {
    names: ADDED,
    action: 'SCMP_ACT_ALLOW',
    comment: `Chromium's sandbox. All other rules: profiles/seccomp/default.json of Moby (Apache-2.0), as in Debian's ${PACKAGE} ${version}`,
  };
  return { ...rest, syscalls: [...syscalls, added] };
}

const { version, profile } = fetchDefault();
const text = `${JSON.stringify(withSandboxCalls(withLaterChanges(profile), version), null, 2)}\n`;
if (process.argv.includes('--check')) {
  if (fs.readFileSync(TARGET, 'utf8') !== text) {
    process.stderr.write('deploy/seccomp.json is old: node scripts/update-seccomp.mjs\n');
    process.exitCode = 1;
  }
} else {
  fs.writeFileSync(TARGET, text);
}
