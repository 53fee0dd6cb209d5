// Programs that are measured beside the service: npm prerender, nginx, private databases; and the service as the benchmarks set it up.
// Used by run.mjs. What is started here ends with the run (e2e/lib/programs.mjs).
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../e2e/lib/ports.mjs';
import { folderFor, scratch, start } from '../e2e/lib/programs.mjs';
import { createAccount, createKey as createKeyOf, prepare, startFakeAi, startService } from '../e2e/lib/service.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
export const OWNER = 'bench@glasshouse.test';

/** Builds a program of a workspace of its own below bench/ and says where it is. */
export function buildPeer(folder, name) {
  const target = process.env.CARGO_TARGET_DIR ?? join(here, '../target');
  const args = ['build', '--release', '--quiet', '--locked', '--manifest-path', join(here, folder, 'Cargo.toml')];
  execFileSync('cargo', args, { env: { ...process.env, CARGO_TARGET_DIR: target }, stdio: ['ignore', 'inherit', 'inherit'] });
  return join(target, 'release', name);
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

/** npm prerender; `tuned` is {wait_ms, interval_ms} on the headless shell without images, or null: as shipped on full Chromium. `hosts`: Chromium's rules of names. */
export async function startPrerender(browser, tuned, hosts = '') {
  const [port, debug] = [await freePort(), await freePort()];
  const profile = mkdtempSync(scratch('prerender-'));
  const settings = tuned ? { BLOCK: '1', WAIT_AFTER_LAST_REQUEST: String(tuned.wait_ms), PAGE_DONE_CHECK_INTERVAL: String(tuned.interval_ms) } : {};
  const program = await start(tuned ? 'prerender-tuned' : 'prerender', process.execPath, [join(here, 'peers/prerender.cjs')], {
    port, signal: 'SIGINT', env: { PORT: String(port), DEBUG_PORT: String(debug), BROWSER: browser, PROFILE: profile, HOSTS: hosts, NODE_ENV: 'production', ...settings },
  });
  return { ...program, base: `http://127.0.0.1:${port}/render?url=` };
}

/** The service's settings, a key, and its domains, which lead to the site. */
export async function prepareGlasshouse(binary, site, domains, { folder: name = 'glasshouse', ...settings } = {}) {
  const prepared = await prepare({ name, binary, settings: {
    'telemetry.metrics_listen': `127.0.0.1:${await freePort()}`,
    'network.hosts': Object.fromEntries(domains.map((domain) => [domain, `127.0.0.1:${site.port}`])),
    // Each measured page is an address that nobody has asked for: a render, of which a domain has so many a minute.
    'limits.on_demand_renders_per_minute': 1_000_000,
    ...settings,
  } });
  await createAccount(prepared, { email: OWNER, domains });
  return { ...prepared, key: await createKey(prepared, 'bench') };
}

/** The stand-ins of AI vendors, with the address of each by its name. */
export async function startFakes(binary) {
  const fakes = await startFakeAi({ binary, args: ['--latency', '300'] });
  const told = readFileSync(fakes.log, 'utf8').matchAll(/^(\w+): (http\S+)$/gm);
  return { ...fakes, urls: Object.fromEntries([...told].map(([, vendor, url]) => [vendor, url])) };
}

/** A further key of the same account: each has requests of its own to spend in a minute. */
export const createKey = (prepared, name) => createKeyOf(prepared, OWNER, name);

/** Starts it, and waits until it is ready or as `options` of the launcher say. */
export async function startGlasshouse(prepared, options) {
  const api = `${prepared.address}/api/prerender/render`;
  return { ...await startService(prepared, options), api, base: `${api}?url=`, headers: { 'x-service-api-key': prepared.key } };
}

/** nginx with one server, set up to be fast: as many workers as cores, no access log. */
async function serveByNginx(name, port, http) {
  const folder = folderFor(name), user = process.getuid() === 0 ? 'user www-data;' : '';
  const config = join(folder, 'nginx.conf'), kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(config, `${user} worker_processes auto; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off; tcp_nopush on; keepalive_requests 1000000000;
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  ${http}
}
`);
  return start(name, 'nginx', ['-c', config, '-p', folder], { port, signal: 'SIGQUIT' });
}

/** nginx that serves the folder of a file: the file's address. */
export async function startNginx(file, type) {
  const port = await freePort();
  const program = await serveByNginx(`nginx-${port}`, port, `sendfile on; default_type "${type}"; types { image/png png; } server { listen 127.0.0.1:${port}; root ${dirname(file)}; }`);
  return { ...program, address: `http://127.0.0.1:${port}/${basename(file)}` };
}

/** Varnish in front of a server, with a file of that server in its memory: the file's address. */
export async function startVarnish({ address }) {
  const port = await freePort(), { host, pathname } = new URL(address), folder = folderFor(`varnish-${port}`);
  const program = await start('varnish', 'varnishd', ['-F', '-n', folder, '-a', `127.0.0.1:${port}`, '-b', host, '-s', 'malloc,64m', '-t', '3600'], { port });
  return { ...program, address: `http://127.0.0.1:${port}${pathname}` };
}

/** nginx as a reverse proxy that keeps its connections to the origin, as the edge does. */
export async function startProxy(origin) {
  const port = await freePort();
  return serveByNginx('proxy', port, `upstream origin { server 127.0.0.1:${origin}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;
    }
  }`);
}
