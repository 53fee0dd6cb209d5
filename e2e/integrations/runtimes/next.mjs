// Next.js: its example app, built and started by Next itself, and the same with the last Next.js that takes middleware.ts (a package
// of its own, next15). A build takes a while, so it is kept until the files change.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { start } from '../../lib/programs.mjs';
import { e2e, fillIn, integrations } from './files.mjs';

/** The service's address, as it stands in the built code: the port is another one at every run. */
const ADDRESS = /http:\/\/127\.0\.0\.1:\d{5}/g;
const VERSIONS = {
  nextjs: { home: e2e, snippet: 'nextjs/snippet.ts', file: 'proxy.ts' },
  'nextjs-15': { home: path.join(e2e, 'next15'), snippet: 'nextjs/middleware.ts', file: 'middleware.ts' },
};
const binaryOf = (home) => path.join(home, 'node_modules/next/dist/bin/next');

async function build({ home, snippet, file: target }, domain, appFolder) {
  // Inside of its package, so that Next finds itself.
  const folder = path.join(home, 'dist/nextjs');
  fs.mkdirSync(folder, { recursive: true });
  const sources = [snippet, 'nextjs/example/app/layout.jsx', 'nextjs/example/app/[[...path]]/page.jsx'];
  const hash = createHash('sha256');
  for (const file of [...sources.map((name) => path.join(integrations, name)), path.join(e2e, 'package-lock.json')]) hash.update(fs.readFileSync(file));
  const stamp = path.join(folder, 'built');
  const wanted = hash.digest('hex');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return folder;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.cpSync(path.join(integrations, 'nextjs/example'), folder, { recursive: true });
  fs.cpSync(appFolder, path.join(folder, 'public'), { recursive: true });
  fs.rmSync(path.join(folder, 'public/index.html'));
  fillIn(snippet, path.join(folder, target), { DOMAIN: domain, SERVICE_URL: 'http://127.0.0.1:10000' });
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [binaryOf(home), 'build'], { cwd: folder, env });
  fs.writeFileSync(stamp, wanted);
  return folder;
}

export function nextjs(name) {
  const version = VERSIONS[name];
  return async ({ port, domain, serviceUrl, key, appFolder }) => {
    const folder = await build(version, domain, appFolder);
    for (const built of fs.readdirSync(path.join(folder, '.next/server'), { recursive: true })) {
      const file = path.join(folder, '.next/server', built);
      if (!/\.js$/.test(built)) continue;
      const text = fs.readFileSync(file, 'utf8');
      if (ADDRESS.test(text)) fs.writeFileSync(file, text.replace(ADDRESS, serviceUrl));
    }
    const env = { GLASSHOUSE_API_KEY: key, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', NODE_OPTIONS: '--max-http-header-size=65536' };
    return start(name, process.execPath, [binaryOf(version.home), 'start', '--hostname', '127.0.0.1', '--port', String(port)], { port, cwd: folder, env });
  };
}
