// Netlify's edge functions: the function in Deno, with a harness for what Netlify gives it (context.next, context.ip, Netlify.env).
import fs from 'node:fs';
import path from 'node:path';
import { start } from '../../lib/programs.mjs';
import { e2e, fillIn, folderOf } from './files.mjs';

const HARNESS = `
globalThis.Netlify = { env: { get: (name) => Deno.env.get(name) } };
const { default: handle, config } = await import('./glasshouse.js');
const excluded = config.excludedPath.map((pattern) => pattern.replace(/\\*$/, ''));
Deno.serve({ hostname: '127.0.0.1', port: Number(Deno.env.get('PORT')), onListen() {} }, async (request, info) => {
  const target = request.url.slice(request.url.indexOf('/', 8));
  const next = () => fetch('http://127.0.0.1:' + Deno.env.get('APP_PORT') + target, {
    method: request.method, headers: request.headers, body: request.body, redirect: 'manual',
  });
  if (excluded.some((begin) => target.startsWith(begin))) return next();
  try {
    return await handle(request, { ip: info.remoteAddr.hostname, next }) ?? await next();
  } catch (error) {
    // onError: "bypass".
    console.error(error);
    return next();
  }
});
`;

export async function deno({ port, domain, serviceUrl, key, appPort }) {
  const folder = folderOf('netlify');
  fillIn('netlify/snippet.js', path.join(folder, 'glasshouse.js'), { DOMAIN: domain, SERVICE_URL: serviceUrl });
  fs.writeFileSync(path.join(folder, 'harness.mjs'), HARNESS);
  const env = { PORT: String(port), APP_PORT: String(appPort), GLASSHOUSE_API_KEY: key, DENO_DIR: path.join(folder, '.deno'), NO_COLOR: '1' };
  return start('netlify', path.join(e2e, 'node_modules/.bin/deno'), ['run', '--no-config', '--allow-net=127.0.0.1', '--allow-env', '--allow-read', 'harness.mjs'], { port, cwd: folder, env });
}
