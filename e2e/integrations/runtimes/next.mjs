// Next.js: its example app, built and started by Next itself. A build takes a while, so it is kept until the files change.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { start } from '../processes.mjs';
import { e2e, fillIn, folderOf, integrations } from './files.mjs';

/** The service's address, as it stands in the built code: the port is another one at every run. */
const ADDRESS = /http:\/\/127\.0\.0\.1:\d{5}/g;
const next = path.join(e2e, 'node_modules/.bin/next');

async function build(domain, appFolder) {
  const folder = folderOf('nextjs');
  const sources = ['nextjs/snippet.ts', 'nextjs/example/app/layout.jsx', 'nextjs/example/app/[[...path]]/page.jsx'];
  const hash = createHash('sha256');
  for (const file of [...sources.map((name) => path.join(integrations, name)), path.join(e2e, 'package-lock.json')]) hash.update(fs.readFileSync(file));
  const stamp = path.join(folder, 'built');
  const wanted = hash.digest('hex');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return folder;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.cpSync(path.join(integrations, 'nextjs/example'), folder, { recursive: true });
  fs.cpSync(appFolder, path.join(folder, 'public'), { recursive: true });
  fs.rmSync(path.join(folder, 'public/index.html'));
  fillIn('nextjs/snippet.ts', path.join(folder, 'proxy.ts'), { DOMAIN: domain, SERVICE_URL: 'http://127.0.0.1:10000' });
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  await promisify(execFile)(next, ['build'], { cwd: folder, env });
  fs.writeFileSync(stamp, wanted);
  return folder;
}

export async function nextjs({ port, domain, serviceUrl, key, appFolder }) {
  const folder = await build(domain, appFolder);
  for (const name of fs.readdirSync(path.join(folder, '.next/server'), { recursive: true })) {
    const file = path.join(folder, '.next/server', name);
    if (!/\.js$/.test(name)) continue;
    const text = fs.readFileSync(file, 'utf8');
    if (ADDRESS.test(text)) fs.writeFileSync(file, text.replace(ADDRESS, serviceUrl));
  }
  const env = { GLASSHOUSE_API_KEY: key, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', NODE_OPTIONS: '--max-http-header-size=65536' };
  return start('nextjs', process.execPath, [path.join(e2e, 'node_modules/next/dist/bin/next'), 'start', '--hostname', '127.0.0.1', '--port', String(port)], { port, cwd: folder, env });
}
