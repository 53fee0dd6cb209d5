// A Glasshouse of its own for the comparison: a fresh data folder, one account, one domain that leads to the apps.
// Used by run.mjs and kills.mjs. Ends the process it started, by its id.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const HOST = 'spas.test';
const OWNER = 'owner@spas.test';
const KEYS = 8;
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

function findBinary() {
  const candidates = [process.env.GLASSHOUSE, path.join(root, 'target/release/glasshouse'), path.join(root, 'target/debug/glasshouse')];
  const found = candidates.find((file) => file && fs.existsSync(file));
  if (!found) throw new Error('no glasshouse binary: build it (cargo build -p glasshouse) or set GLASSHOUSE');
  return found;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export async function startService(originPort) {
  const binary = findBinary();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'glasshouse-spas-'));
  const port = await freePort();
  const env = {
    ...process.env,
    GLASSHOUSE_SERVER__LISTEN: `127.0.0.1:${port}`,
    GLASSHOUSE_EDGE__HTTP_LISTEN: '',
    GLASSHOUSE_TELEMETRY__METRICS_LISTEN: '',
    GLASSHOUSE_STORAGE__DATA_DIR: folder,
    GLASSHOUSE_NETWORK__ALLOW_PRIVATE: '127.0.0.0/8',
    GLASSHOUSE_NETWORK__HOSTS: JSON.stringify({ [HOST]: `127.0.0.1:${originPort}` }),
    GLASSHOUSE_RENDER__CONCURRENCY: '2',
  };
  const cli = async (...args) => (await promisify(execFile)(binary, args, { env, cwd: folder })).stdout.trim();
  await cli('account', 'create', '--email', OWNER, '--plan', 'enterprise', '--quiet');
  await cli('domain', 'add', HOST, '--account', OWNER, '--status', 'connected', '--quiet');
  // A key forces 60 renders a minute; each page is rendered several times.
  const keys = [];
  for (let number = 0; number < KEYS; number += 1) keys.push(await cli('key', 'create', '--account', OWNER, '--quiet'));
  let turn = 0;

  const log = fs.openSync(path.join(folder, 'service.log'), 'w');
  const child = spawn(binary, ['serve'], { env, cwd: folder, stdio: ['ignore', log, log] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  process.on('exit', () => child.kill('SIGTERM')); // also when the caller fails half way
  const base = `http://127.0.0.1:${port}`;
  const close = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(late);
    fs.rmSync(folder, { recursive: true, force: true });
  };
  const until = Date.now() + 30_000;
  while (!(await fetch(`${base}/readyz`).then((answer) => answer.ok, () => false))) {
    if (Date.now() > until || child.exitCode !== null) {
      const said = fs.readFileSync(path.join(folder, 'service.log'), 'utf8').split('\n').slice(-8).join('\n');
      await close();
      throw new Error(`the service did not become ready:\n${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }

  return {
    pid: child.pid,
    folder,
    /** One render that no cache answers. */
    async render(url) {
      const began = performance.now();
      const answer = await fetch(`${base}/api/prerender/render?cache_invalidate=1&url=${encodeURIComponent(url)}`, {
        headers: { 'x-service-api-key': keys[turn++ % KEYS], 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
        redirect: 'manual',
      });
      const html = await answer.text();
      return {
        status: answer.status,
        html,
        location: answer.headers.get('location'),
        cache: answer.headers.get('x-service-render-cache'),
        partial: answer.headers.has('x-service-render-partial'),
        ms: Math.round(performance.now() - began),
      };
    },
    close,
  };
}
