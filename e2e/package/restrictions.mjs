// Runs the packaged service as the container file and the unit run it, with runc, and renders a page of a site on loopback: what is
// allowed is enough, and without it the service says what is missing. Called by run.sh, in namespaces of its own.
//
//   node restrictions.mjs ROOT FOLDER      ROOT: a Debian with the package and Chromium
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { listen, pause } from '../lib/ports.mjs';
import { root as repository, variables } from '../lib/service.mjs';
import { Container, makeBundle, readContainerFile, resolve, status } from './bundle.mjs';
import { readUnit } from './unit.mjs';

const deploy = path.join(repository, 'deploy');
const [root, folder] = process.argv.slice(2);
const image = readContainerFile(path.join(deploy, 'container/Containerfile'));
const profile = JSON.parse(fs.readFileSync(path.join(deploy, 'seccomp.json'), 'utf8'));
const API = 'http://127.0.0.1:3000';
const ORPHANS = 200;
const KILLS = 4;
const say = (line) => process.stdout.write(`    ${line}\n`);

/** A page whose text is drawn by a script, and a request that the page waits for as long as the test likes. */
let release = () => {};
const site = await listen(http.createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  if (request.url === '/held') {
    release = () => response.end('late');
    return;
  }
  const held = request.url === '/slow' ? 'fetch("/held").then((answer) => answer.text()).then((text) => { document.body.append(text); });' : '';
  response.end(`<!doctype html><title>Site</title><body><script>document.body.append("drawn by " + "a script");${held}</script>`);
}));

const settings = variables({ 'network.allow_private': '127.0.0.0/8', 'network.hosts': { 'site.test': site.host } });

/** Calls that Docker's default profile refuses, as Perl writes them: numbers of x86-64, AF_ALG and AF_VSOCK. */
const REFUSED = { io_uring_setup: 'syscall(425, 1, 0) == 0', AF_ALG: 'socket(S, 38, 5, 0)', AF_VSOCK: 'socket(S, 40, 1, 0)', mount: 'syscall(165, 0, 0, 0, 0, 0) == 0' };

/** The profile as docker and podman have it for a container without capabilities, without the calls that deploy/seccomp.json adds. */
function withDefault(...allowed) {
  const rules = profile.syscalls.filter(({ comment }) => !comment?.startsWith("Chromium's sandbox"));
  assert.equal(rules.length, profile.syscalls.length - 1);
  const newNamespaces = 0x7e020000;
  return { ...profile, syscalls: [...rules,
    { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: allowed.includes('clone') ? [] : [{ index: 0, value: newNamespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }] },
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
    ...(allowed.length > 0 ? [{ names: allowed, action: 'SCMP_ACT_ALLOW' }] : []),
  ] };
}

/** Starts the service in a container and waits until it answers at all. */
async function start(name, { seccomp, env = {}, ...others }) {
  const data = path.join(folder, name, 'data');
  const { uid, gid, cwd, args } = { ...image, ...others };
  fs.mkdirSync(data, { recursive: true });
  fs.chownSync(data, uid, gid);
  fs.chmodSync(data, 0o700);
  makeBundle(path.join(folder, name), {
    root, args, uid, gid, cwd, seccomp, writable: { [image.volume]: data }, env: { ...settings, ...env },
    capabilities: others.capabilities, procOptions: others.procOptions,
  });
  const container = new Container(`gh-${name}`, path.join(folder, name), path.join(folder, 'runc'));
  await until(`${name} answers`, () => answers('/healthz'), container);
  return container;
}

async function until(what, holds, container, seconds = 60) {
  const late = Date.now() + seconds * 1000;
  for (;;) {
    if (await holds()) return;
    if (Date.now() > late || container.child.exitCode !== null) throw new Error(`not in time: ${what}\n${container.log.slice(-3000)}`);
    await pause(100);
  }
}

const ask = (where, headers = {}) => fetch(API + where, { headers, redirect: 'manual' });
const answers = (where) => ask(where).then(() => true, () => false);
const readiness = () => ask('/readyz').then((answer) => answer.json());
const hasNoComplaint = ({ ok, ...parts }) => ok && Object.values(parts).every((part) => part.ok && part.problem === undefined);
const browsersOf = (container) => container.processes().filter(({ command }) => /^\S*chromium/.test(command) && !command.includes(' --type='));

/** Makes the site's domain and returns a key. */
function account(container, ...config) {
  const owner = 'owner@localhost';
  container.exec('/usr/bin/glasshouse', 'domain', 'add', 'site.test', '--account', owner, '--status', 'connected', '--quiet', ...config);
  return container.exec('/usr/bin/glasshouse', 'key', 'create', '--account', owner, '--quiet', ...config);
}

const render = (key, where) => ask(`/api/prerender/render?url=${encodeURIComponent(`http://site.test${where}`)}`, {
  'x-service-api-key': key, 'user-agent': 'Googlebot/2.1',
});

/** Undefined: the process has ended. */
function namespacesOf(pid) {
  try {
    return Object.fromEntries(['user', 'pid', 'net'].map((kind) => [kind, fs.readlinkSync(`/proc/${pid}/ns/${kind}`)]));
  } catch { return undefined; }
}

async function rendersSandboxed(container, key) {
  await until('/readyz has no complaint', async () => hasNoComplaint(await readiness()), container);
  say('/readyz has no complaint');
  const answer = await render(key, '/');
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.match(text, /drawn by a script/);
  say('a page of a site is rendered');

  const service = namespacesOf(container.pid);
  let browser, pages;
  await until('a browser and its pages are seen', () => {
    const renderers = container.processes().filter(({ command }) => command.includes(' --type=renderer'));
    // A tab that goes on to another site gets another process.
    pages = renderers.map(({ pid }) => namespacesOf(pid)).filter(Boolean);
    [browser] = browsersOf(container).map(({ pid }) => namespacesOf(pid)).filter(Boolean);
    return browser && pages.length > 0;
  }, container);
  for (const { command } of container.processes()) assert.ok(!command.includes('--no-sandbox'), command);
  assert.notEqual(browser.net, service.net);
  for (const page of pages) {
    assert.notEqual(page.user, service.user);
    assert.notEqual(page.pid, browser.pid);
  }
  say("the browser has a network of its own, its pages are in Chromium's sandbox");
}

async function leavesNoZombies(container, key) {
  const dead = () => container.processes().filter(({ state }) => state === 'Z').map(({ name, pid }) => `${name} ${pid}`);
  for (let kill = 0; kill < KILLS; kill += 1) {
    // Browsers come and go by themselves: the one that was seen may have ended.
    let killed;
    await until('a browser is killed', () => browsersOf(container).some(({ pid }) => {
      killed = pid;
      try { return process.kill(pid, 'SIGKILL'); } catch { return false; }
    }), container);
    await until('the killed browser is gone', () => !container.processes().some(({ pid, state }) => pid === killed && state !== 'Z'), container);
    await until('renders go on', async () => (await render(key, `/?after=${kill}`)).status === 200, container);
  }
  // Children of commands and health checks that end later than these are handed to process 1.
  container.exec('/bin/bash', '-c', `for number in {1..${ORPHANS}}; do (sleep 0.2 &) ; done`);
  const orphans = () => container.processes().filter(({ name, parent }) => name === 'sleep' && parent === container.pid);
  await until('orphans have ended', () => orphans().every(({ state }) => state === 'Z'), container);
  await until(`no zombie is left of ${KILLS} killed browsers and ${ORPHANS} orphans`, () => dead().length === 0, container, 15)
    .catch((error) => { throw new Error(`zombies: ${dead().slice(0, 5).join(', ')} and ${dead().length} in all`, { cause: error }); });
  say(`${KILLS} killed browsers and ${ORPHANS} orphans leave no zombie`);
}

async function drains(container, key) {
  const late = render(key, '/slow');
  const began = release;
  await until('the page waits', () => release !== began, container);
  container.signal('TERM');
  await until('/readyz/traffic says that it drains', async () => (await ask('/readyz/traffic')).status === 503, container);
  release();
  const answer = await late;
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /late/);
  assert.equal(await container.ended, 0);
  say('SIGTERM: a render in flight is answered, the exit code is 0');
}

async function container() {
  process.stdout.write('==> container: with deploy/seccomp.json\n');
  const one = await start('container', { seccomp: resolve(profile), env: { ...image.env, GLASSHOUSE_SERVER__DRAIN_S: '2' } });
  try {
    const key = account(one);
    await rendersSandboxed(one, key);
    const own = status(one.pid);
    assert.equal(own.Uid.split(/\s/)[0], String(image.uid));
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) assert.equal(BigInt(`0x${own[set]}`), 0n, set);
    assert.deepEqual([own.NoNewPrivs, own.Seccomp], ['1', '2']);
    assert.throws(() => one.exec('/bin/touch', '/usr/share/written'), /Read-only file system/);
    say(`user ${image.uid}, no capabilities, no new privileges, a read-only root`);
    for (const [name, call] of Object.entries(REFUSED)) {
      assert.equal(one.exec('/usr/bin/perl', '-e', `print(${call} ? "allowed" : $!{EPERM} ? "refused" : $!)`), 'refused', name);
    }
    // A newer C library asks for it: an unknown file, not a refused call.
    assert.equal(one.exec('/usr/bin/perl', '-e', 'my $file = "nothing"; syscall(452, -100, $file, 0, 0); print($!{EPERM} ? "refused" : "allowed")'), 'allowed', 'fchmodat2');
    say(`the kernel's interfaces that Docker refuses are refused: ${Object.keys(REFUSED).join(', ')}`);
    one.exec(...image.health);
    say('the health check passes');
    await leavesNoZombies(one, key);
    await drains(one, key);
  } finally { await one.end(); }
}

/** Without a profile: one line names it, and no browser is started. */
async function without(name, seccomp) {
  process.stdout.write(`==> container: ${name}\n`);
  const one = await start(name.replaceAll(/\W+/g, '-'), { seccomp, env: image.env });
  try {
    let body;
    await until('/readyz complains of the browser', async () => { body = await readiness(); return body.browser.problem; }, one);
    assert.equal(body.browser.ok, false);
    assert.match(body.browser.problem, /seccomp/);
    // Long enough for more attempts.
    await pause(1500);
    assert.deepEqual(browsersOf(one), []);
    const lines = one.log.split('\n').filter((line) => /ERROR|WARN/.test(line) && /browser/.test(line));
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0], /seccomp\.json/);
    say('one line names the profile, and no browser is started');
  } finally { await one.end(); }
}

async function unit() {
  process.stdout.write('==> unit: its restrictions, applied by runc\n');
  const file = path.join(deploy, 'package/glasshouse.service');
  const { settings: unitSettings, seccomp, capabilities } = readUnit(file);
  const id = (kind) => Number(execFileSync('chroot', [root, 'id', kind, unitSettings.User], { encoding: 'utf8' }));
  const config = ['--config', '/etc/glasshouse/glasshouse.toml'];
  const one = await start('unit', {
    seccomp, capabilities, uid: id('-u'), gid: id('-g'), cwd: unitSettings.WorkingDirectory, args: unitSettings.ExecStart.split(' '),
    procOptions: [`hidepid=${unitSettings.ProtectProc}`],
  });
  try {
    await rendersSandboxed(one, account(one, ...config));
    one.signal('TERM');
    assert.equal(await one.ended, 0);
  } finally { await one.end(); }
}

await unit();
await container();
await without('with the default profile of Docker', resolve(withDefault()));
await without('with the default profile of Podman', resolve(withDefault('clone', 'unshare', 'setns')));
await site.close();
