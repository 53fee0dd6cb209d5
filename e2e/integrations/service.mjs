// The real service, with one domain for each integration. Domains behind the render API have their integration as their own
// server, so that every render comes back through it; domains behind the edge have the app.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, scratch, start } from './processes.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const OWNER = 'owner@integrations.test';

export function findBinary() {
  const folder = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target');
  const candidates = [process.env.GLASSHOUSE, path.join(folder, 'release/glasshouse'), path.join(folder, 'debug/glasshouse')];
  const found = candidates.find((file) => file && fs.existsSync(file));
  if (!found) throw new Error('no glasshouse binary: build it (cargo build -p glasshouse) or set GLASSHOUSE');
  return found;
}

/** `sites`: {domain, port, way: 'api' | 'edge'}. */
export async function startService(sites, appPort) {
  const binary = findBinary();
  const folder = path.join(scratch, 'service');
  fs.mkdirSync(folder, { recursive: true });
  const [port, edgePort] = [await freePort(), await freePort()];
  const hosts = { 'app.test': `127.0.0.1:${appPort}` };
  for (const site of sites) for (const host of [site.domain, `www.${site.domain}`]) hosts[host] = `127.0.0.1:${site.port}`;
  const env = {
    GLASSHOUSE_SERVER__LISTEN: `127.0.0.1:${port}`,
    GLASSHOUSE_EDGE__HTTP_LISTEN: `127.0.0.1:${edgePort}`,
    GLASSHOUSE_EDGE__TRUSTED_PROXIES: '127.0.0.0/8',
    GLASSHOUSE_EDGE__ORIGIN_SCHEME: 'http',
    GLASSHOUSE_TELEMETRY__METRICS_LISTEN: '',
    GLASSHOUSE_STORAGE__DATA_DIR: folder,
    GLASSHOUSE_NETWORK__ALLOW_PRIVATE: '127.0.0.0/8',
    GLASSHOUSE_NETWORK__HOSTS: JSON.stringify(hosts),
    GLASSHOUSE_RENDER__CONCURRENCY: '6',
  };
  const cli = async (...args) => (await promisify(execFile)(binary, args, { env: { ...process.env, ...env }, cwd: folder })).stdout.trim();
  await cli('account', 'create', '--email', OWNER, '--plan', 'enterprise', '--quiet');
  for (const { domain, way } of sites) {
    await cli('domain', 'add', domain, '--account', OWNER, '--quiet', ...(way === 'edge' ? ['--origin', 'app.test'] : []));
  }
  const key = await cli('key', 'create', '--account', OWNER, '--quiet');
  const server = await start('service', binary, ['serve'], { port, env, cwd: folder });
  const base = `http://127.0.0.1:${port}`;
  const until = Date.now() + 60_000;
  while (!(await fetch(`${base}/readyz`).then((answer) => answer.ok, () => false))) {
    if (Date.now() > until) throw new Error(`the service did not become ready: ${fs.readFileSync(path.join(scratch, 'service.log'), 'utf8').slice(-1500)}`);
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  const api = async (method, where, body) => {
    const answer = await fetch(base + where, {
      method, headers: { 'x-service-api-key': key, 'content-type': 'application/json' }, body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const render = async (url) => {
    const answer = await fetch(`${base}/api/prerender/render?url=${encodeURIComponent(url)}`, {
      headers: { 'x-service-api-key': key, 'user-agent': 'Googlebot/2.1' }, redirect: 'manual',
    });
    if (answer.status !== 200) throw new Error(`${url} could not be rendered: ${answer.status}`);
    return answer.text();
  };
  return { port, edgePort, key, api, render, cli, base, close: server.close };
}
