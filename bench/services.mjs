// Starts what is measured, each on a free loopback port and in a folder of its own: site, npm prerender, the service, nginx.
// Used by run.mjs. Everything started here is ended by stopAll(), by process id.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end } from './meter.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const OWNER = 'bench@glasshouse.test';

/** Scratch folder of the run. Readable by nginx's workers, which are not root. */
export const scratch = mkdtempSync(join(tmpdir(), 'glasshouse-bench-'));
chmodSync(scratch, 0o755);

const running = new Set();

export const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => { const { port } = probe.address(); probe.close(() => resolve(port)); });
});

const accepts = (port) => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
  socket.on('error', () => resolve(false));
});

/** Starts a program and waits until it listens: {name, pid, port}. */
async function start(name, command, args, { port, env = {}, cwd = scratch }) {
  const log = join(scratch, `${name}.log`);
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', openSync(log, 'a'), openSync(log, 'a')] });
  const service = { name, pid: child.pid, port };
  running.add(service);
  let ended = false;
  child.on('exit', () => { ended = true; });
  for (let tries = 0; tries < 300; tries += 1) {
    if (await accepts(port)) return service;
    if (ended) break;
    await new Promise((again) => setTimeout(again, 100));
  }
  throw new Error(`${name} did not start; the end of its log:\n${readFileSync(log, 'utf8').split('\n').slice(-12).join('\n')}`);
}

export async function stop(service, options) {
  if (running.delete(service)) await end(service.pid, options);
}

/** Builds a program of a workspace of its own below bench/ and says where it is. */
export function buildPeer(folder, name) {
  const target = process.env.CARGO_TARGET_DIR ?? join(here, '../target');
  const args = ['build', '--release', '--quiet', '--locked', '--manifest-path', join(here, folder, 'Cargo.toml')];
  execFileSync('cargo', args, { env: { ...process.env, CARGO_TARGET_DIR: target }, stdio: ['ignore', 'inherit', 'inherit'] });
  return join(target, 'release', name);
}

/** Ends everything that still runs and removes the scratch folder. */
export async function stopAll() {
  await Promise.all([...running].map((service) => stop(service)));
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}

/** Starts a private server by its script and gives its address. It ends with `stop`. */
export async function privateServer(script, variable) {
  const child = spawn(join(here, '../scripts', script), ['bash', '-c', `echo "$${variable}"; cat > /dev/null`], { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.on('exit', () => reject(new Error(`${script} ended at once`)));
    child.stdout.on('data', (piece) => {
      text += piece;
      const line = text.split('\n').find((candidate) => candidate.includes('://') && !candidate.startsWith('==>'));
      if (line && text.endsWith('\n')) resolve(line);
    });
  });
  const stop = () => new Promise((done) => { child.removeAllListeners('exit'); child.on('exit', done); child.stdin.end(); });
  return { url, stop };
}

export const startSite = async (folder) => {
  const port = await freePort();
  return start('site', process.execPath, [join(here, 'site.mjs'), String(port), folder], { port });
};

/** npm prerender; `tuned` is {wait_ms, interval_ms} on the headless shell without images, or null: as shipped on full Chromium. */
export async function startPrerender(browser, tuned) {
  const [port, debug] = [await freePort(), await freePort()];
  const profile = mkdtempSync(join(scratch, 'prerender-'));
  const settings = tuned ? { BLOCK: '1', WAIT_AFTER_LAST_REQUEST: String(tuned.wait_ms), PAGE_DONE_CHECK_INTERVAL: String(tuned.interval_ms) } : {};
  const service = await start(tuned ? 'prerender-tuned' : 'prerender', process.execPath, [join(here, 'peers/prerender.cjs')], {
    port, env: { PORT: String(port), DEBUG_PORT: String(debug), BROWSER: browser, PROFILE: profile, NODE_ENV: 'production', ...settings },
  });
  return { ...service, base: `http://127.0.0.1:${port}/render?url=`, stop: () => stopNamed(service) };
}
const stopNamed = (service) => stop(service, { signal: 'SIGINT' });

/** The service's settings as environment, a key, and its domains. */
export async function prepareGlasshouse(binary, site, domains, extra = {}) {
  const { folder: name = 'glasshouse', ...settings } = extra;
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  const [api, metrics] = [await freePort(), await freePort()];
  const env = {
    GLASSHOUSE_STORAGE__DATA_DIR: folder,
    GLASSHOUSE_SERVER__LISTEN: `127.0.0.1:${api}`,
    GLASSHOUSE_EDGE__HTTP_LISTEN: '',
    GLASSHOUSE_TELEMETRY__METRICS_LISTEN: `127.0.0.1:${metrics}`,
    GLASSHOUSE_NETWORK__HOSTS: JSON.stringify(Object.fromEntries(domains.map((domain) => [domain, `127.0.0.1:${site.port}`]))),
    GLASSHOUSE_NETWORK__ALLOW_PRIVATE: '["127.0.0.0/8"]',
    // Each measured page is an address that nobody has asked for: a render, of which a domain has so many a minute.
    GLASSHOUSE_LIMITS__ON_DEMAND_RENDERS_PER_MINUTE: '1000000',
    ...settings,
  };
  const run = (...args) => execFileSync(binary, args, { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  if (!existsSync(join(folder, 'key'))) {
    run('account', 'create', '--email', OWNER, '--password', randomBytes(12).toString('hex'), '--plan', 'enterprise');
    writeFileSync(join(folder, 'key'), run('key', 'create', '--account', OWNER, '--name', 'bench'));
    for (const domain of domains) run('domain', 'add', domain, '--account', OWNER, '--status', 'connected');
  }
  return { binary, env, port: api, folder, key: readFileSync(join(folder, 'key'), 'utf8') };
}

/** The stand-ins of AI vendors, with the address of each by its name. */
export async function startFakes(binary) {
  const port = await freePort(), name = `fakeai-${port}`;
  const service = await start(name, join(dirname(binary), 'fakeai'), ['--listen', `127.0.0.1:${port}`, '--latency', '300'], { port });
  const told = readFileSync(join(scratch, `${name}.log`), 'utf8').matchAll(/^(\w+): (http\S+)$/gm);
  return { ...service, urls: Object.fromEntries([...told].map(([, vendor, url]) => [vendor, url])), stop: () => stop(service) };
}

/** A further key of the same account: each has requests of its own to spend in a minute. */
export const createKey = ({ binary, folder, env }, name) => execFileSync(binary, ['key', 'create', '--account', OWNER, '--name', name], { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8' }).trim();

export async function startGlasshouse(prepared, extra = {}) {
  const service = await start('glasshouse', prepared.binary, ['serve'], { port: prepared.port, env: { ...prepared.env, ...extra }, cwd: prepared.folder });
  const api = `http://127.0.0.1:${prepared.port}/api/prerender/render`;
  return { ...service, api, base: `${api}?url=`, headers: { 'x-service-api-key': prepared.key }, stop: (options) => stop(service, options) };
}

/** nginx with one file, set up to be fast: as many workers as cores, sendfile, no access log. */
export async function startNginx(file, type) {
  const port = await freePort();
  const user = process.getuid() === 0 ? 'user www-data;' : '';
  const config = join(scratch, 'nginx.conf');
  writeFileSync(config, `${user} worker_processes auto; daemon off; pid ${scratch}/nginx.pid; error_log ${scratch}/nginx-error.log;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; default_type "${type}"; types { image/png png; }
  client_body_temp_path ${scratch}/nginx-body; proxy_temp_path ${scratch}/nginx-proxy; fastcgi_temp_path ${scratch}/nginx-fastcgi;
  uwsgi_temp_path ${scratch}/nginx-uwsgi; scgi_temp_path ${scratch}/nginx-scgi;
  server { listen 127.0.0.1:${port}; root ${file.slice(0, file.lastIndexOf('/'))}; }
}
`);
  const service = await start('nginx', 'nginx', ['-c', config, '-p', scratch], { port });
  return { ...service, address: `http://127.0.0.1:${port}/${file.slice(file.lastIndexOf('/') + 1)}`, stop: () => stop(service, { signal: 'SIGQUIT' }) };
}

/** nginx as a reverse proxy that keeps its connections to the origin, as the edge does. */
export async function startProxy(origin) {
  const port = await freePort();
  const user = process.getuid() === 0 ? 'user www-data;' : '';
  const config = join(scratch, 'proxy.conf');
  writeFileSync(config, `${user} worker_processes auto; daemon off; pid ${scratch}/proxy.pid; error_log ${scratch}/proxy-error.log;
events { worker_connections 1024; }
http {
  access_log off; tcp_nopush on; keepalive_requests 1000000000;
  client_body_temp_path ${scratch}/proxy-body; proxy_temp_path ${scratch}/proxy-temp; fastcgi_temp_path ${scratch}/proxy-fastcgi;
  uwsgi_temp_path ${scratch}/proxy-uwsgi; scgi_temp_path ${scratch}/proxy-scgi;
  upstream origin { server 127.0.0.1:${origin}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
}
`);
  const service = await start('proxy', 'nginx', ['-c', config, '-p', scratch], { port });
  return { ...service, stop: () => stop(service, { signal: 'SIGQUIT' }) };
}
