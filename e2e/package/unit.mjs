// Reads the restrictions of the systemd unit as far as runc can apply them: calls, namespaces, address families, capabilities.
// Used by restrictions.mjs. Refuses a setting that it does not know, so that none is forgotten when the unit changes.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** Flags of clone, unshare and setns, by systemd's names. */
const NAMESPACES = { cgroup: 0x02000000, ipc: 0x08000000, net: 0x40000000, mnt: 0x00020000, pid: 0x20000000, user: 0x10000000, uts: 0x04000000 };
const FAMILIES = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 };
const SET_ID_BITS = 0o6000;
const ENOSYS = 38;
/** Settings that hold in every bundle (read-only root, own /tmp, /dev and /proc, no new privileges), or are no restriction. */
const KNOWN = ['Type', 'User', 'Group', 'ExecStart', 'WorkingDirectory', 'StateDirectory', 'StateDirectoryMode', 'UMask', 'Restart', 'RestartSec',
  'TimeoutStopSec', 'KillMode', 'LimitNOFILE', 'NoNewPrivileges', 'ProtectSystem', 'ProtectHome', 'PrivateTmp', 'PrivateDevices', 'PrivateMounts', 'ProtectClock',
  'ProtectHostname', 'ProtectKernelLogs', 'ProtectKernelModules', 'ProtectKernelTunables', 'ProtectControlGroups', 'ProtectProc', 'RemoveIPC'];
const APPLIED = ['AmbientCapabilities', 'CapabilityBoundingSet', 'LockPersonality', 'RestrictRealtime', 'RestrictSUIDSGID', 'RestrictAddressFamilies',
  'RestrictNamespaces', 'SystemCallArchitectures', 'SystemCallFilter', 'SystemCallErrorNumber'];

const isEqual = (index, value) => ({ index, value, op: 'SCMP_CMP_EQ' });
const hasNone = (index, mask) => ({ index, value: mask, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' });

/** The system calls of a filter such as `@system-service chroot`. */
function callsOf(filter) {
  const sets = new Map();
  let current;
  for (const line of execFileSync('systemd-analyze', ['syscall-filter', '--no-pager'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n')) {
    const word = line.replace(/\x1b\[[0-9;]*m/g, '').trim();
    if (!/^[ \x1b]/.test(line) && word.startsWith('@')) sets.set(word, current = []);
    else if (word && !word.startsWith('#')) current?.push(word);
  }
  const expand = (name) => (name.startsWith('@') ? sets.get(name).flatMap(expand) : [name]);
  return [...new Set(['@default', ...filter.split(/ +/)].flatMap(expand))];
}

/** The unit's settings, its calls as a profile of runc, and its capabilities. */
export function readUnit(file) {
  const section = /^\[Service\]$([\s\S]*?)^\[/m.exec(fs.readFileSync(file, 'utf8'))[1];
  const settings = Object.fromEntries(section.split('\n').filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const unknown = Object.keys(settings).filter((name) => !KNOWN.includes(name) && !APPLIED.includes(name));
  if (unknown.length > 0) throw new Error(`unit.mjs does not know how to apply ${unknown.join(', ')}`);

  const allowed = settings.RestrictNamespaces.split(' ');
  const refused = Object.entries(NAMESPACES).filter(([name]) => !allowed.includes(name)).reduce((mask, [, flag]) => mask | flag, 0);
  // Calls with conditions on their arguments: any of the lists is enough.
  const conditions = {
    clone: [[hasNone(0, refused)]],
    unshare: [[hasNone(0, refused)]],
    setns: [[hasNone(1, refused)]],
    socket: settings.RestrictAddressFamilies.split(' ').map((family) => [isEqual(0, FAMILIES[family])]),
    personality: [[isEqual(0, 0)]],
    // SCHED_OTHER, SCHED_BATCH and SCHED_IDLE.
    sched_setscheduler: [[isEqual(1, 0)], [isEqual(1, 3)], [isEqual(1, 5)]],
    chmod: [[hasNone(1, SET_ID_BITS)]], fchmod: [[hasNone(1, SET_ID_BITS)]], fchmodat: [[hasNone(2, SET_ID_BITS)]],
    mkdir: [[hasNone(1, SET_ID_BITS)]], mkdirat: [[hasNone(2, SET_ID_BITS)]],
  };
  const calls = callsOf(settings.SystemCallFilter);
  const plain = calls.filter((name) => !conditions[name] && name !== 'clone3');
  const conditional = calls.filter((name) => conditions[name]).flatMap((name) => conditions[name].map((args) => ({ names: [name], action: 'SCMP_ACT_ALLOW', args })));
  return {
    settings,
    capabilities: settings.AmbientCapabilities.split(' '),
    seccomp: {
      defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1, architectures: ['SCMP_ARCH_X86_64'],
      // Its flags lie in memory, where no filter sees them: systemd does the same.
      syscalls: [{ names: plain, action: 'SCMP_ACT_ALLOW' }, ...conditional, { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS }],
    },
  };
}
