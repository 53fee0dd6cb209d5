// Makes bundles for runc (OCI runtime specification) from the container file and from the unit, and runs them. Used by restrictions.mjs.
// What docker and podman do with a profile of system calls, `resolve` does here.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { tree } from '../lib/process-tree.mjs';

/** The fields of deploy/container/Containerfile that a runtime needs. */
export function readContainerFile(file) {
  const text = fs.readFileSync(file, 'utf8').replace(/\\\n\s*/g, '');
  const line = (word) => new RegExp(`^${word} (.*)$`, 'm').exec(text)[1];
  const health = JSON.parse(/^HEALTHCHECK .*? *CMD (\[.*\])$/m.exec(text)[1]);
  const [uid, gid] = line('USER').split(':').map(Number);
  return {
    env: Object.fromEntries(line('ENV').split(/ +/).map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
    uid, gid, cwd: line('WORKDIR'), volume: line('VOLUME'), health,
    args: [...JSON.parse(line('ENTRYPOINT')), ...JSON.parse(line('CMD'))],
  };
}

/** A profile of docker's form as runc takes it, for x86-64 and a container without capabilities. */
export function resolve(profile) {
  const kernel = fs.readFileSync('/proc/sys/kernel/osrelease', 'utf8').split('.').map((part) => parseInt(part, 10));
  const isNewEnough = (wanted) => {
    const [major, minor] = wanted.split('.').map(Number);
    return kernel[0] > major || (kernel[0] === major && kernel[1] >= minor);
  };
  const holds = ({ includes = {}, excludes = {} }) => (!includes.arches || includes.arches.includes('amd64'))
    && !excludes.arches?.includes('amd64') && !includes.caps?.length && (!includes.minKernel || isNewEnough(includes.minKernel));
  const own = profile.archMap.find(({ architecture }) => architecture === 'SCMP_ARCH_X86_64');
  return {
    defaultAction: profile.defaultAction,
    ...(profile.defaultErrnoRet ? { defaultErrnoRet: profile.defaultErrnoRet } : {}),
    architectures: [own.architecture, ...own.subArchitectures],
    syscalls: profile.syscalls.filter(holds).map(({ names, action, args, errnoRet }) => ({
      names, action, ...(args?.length ? { args } : {}), ...(errnoRet === undefined ? {} : { errnoRet }),
    })),
  };
}

const MASKED_PATHS = ['/proc/acpi', '/proc/kcore', '/proc/keys', '/proc/latency_stats', '/proc/timer_list', '/proc/timer_stats',
  '/proc/sched_debug', '/proc/scsi', '/sys/firmware'];
const READ_ONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** `root` read-only, no capabilities but `capabilities`, nothing writable but /tmp and what `writable` mounts. */
export function makeBundle(folder, { root, args, env, uid, gid, cwd, seccomp, writable, capabilities = [], procOptions = [] }) {
  fs.mkdirSync(folder, { recursive: true });
  const tmpfs = (destination, ...options) => ({ destination, type: 'tmpfs', source: 'tmpfs', options: ['nosuid', ...options] });
  const config = {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid }, args, cwd, noNewPrivileges: true,
      env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...Object.entries(env).map(([key, value]) => `${key}=${value}`)],
      capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities, inheritable: capabilities, ambient: capabilities },
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: procOptions },
      tmpfs('/dev', 'mode=755', 'size=64k'),
      { destination: '/dev/pts', type: 'devpts', source: 'devpts', options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620'] },
      // As docker has it: too small for Chromium, which must not depend on it.
      tmpfs('/dev/shm', 'nodev', 'mode=1777', 'size=64m'),
      tmpfs('/tmp', 'nodev', 'mode=1777'),
      tmpfs('/run', 'nodev', 'mode=755'),
      { destination: '/sys', type: 'bind', source: '/sys', options: ['rbind', 'ro', 'nosuid', 'noexec', 'nodev'] },
      ...Object.entries(writable).map(([destination, source]) => ({ destination, source, type: 'bind', options: ['bind', 'rw', 'nosuid', 'nodev'] })),
    ],
    linux: {
      // The network is the test's own, in which the site listens on loopback.
      namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })),
      maskedPaths: MASKED_PATHS, readonlyPaths: READ_ONLY_PATHS, seccomp,
    },
  };
  fs.writeFileSync(path.join(folder, 'config.json'), JSON.stringify(config));
}

/** A container that runs: its log, its processes, commands in it, its end. */
export class Container {
  constructor(id, bundle, state) {
    this.id = id;
    this.log = '';
    this.runc = ['--root', state];
    this.child = spawn('runc', [...this.runc, 'run', '--bundle', bundle, id], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (data) => { this.log += data; });
    this.ended = new Promise((done) => { this.child.on('exit', (code) => done(code)); });
  }

  /** Process id of the first process in the container, as the test sees it. */
  get pid() { return JSON.parse(execFileSync('runc', [...this.runc, 'state', this.id], { encoding: 'utf8' })).pid; }

  exec(...args) {
    return execFileSync('runc', [...this.runc, 'exec', this.id, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 }).trim();
  }

  signal(name) { execFileSync('runc', [...this.runc, 'kill', this.id, name]); }

  /** All processes of the container. */
  processes() { return tree(this.pid); }

  async end() {
    if (this.child.exitCode === null) { try { this.signal('KILL'); } catch { /* it has ended meanwhile */ } }
    await this.ended;
  }
}

/** The fields of /proc/PID/status. */
export const status = (pid) => Object.fromEntries(fs.readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
  .map((line) => line.split(/:\s*/)).filter((pair) => pair.length === 2));
