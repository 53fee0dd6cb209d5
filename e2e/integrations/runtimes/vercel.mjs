// Vercel: the middleware in Vercel's edge-runtime. This file is also the harness that runs there: it does what the platform does
// with the middleware's answer (x-middleware-next, matcher).
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EdgeRuntime } from 'edge-runtime';
import esbuild from 'esbuild';
import { start } from '../../lib/programs.mjs';
import { fillIn, folderOf } from './files.mjs';

export async function vercel({ port, domain, serviceUrl, key, appPort }) {
  const folder = folderOf('vercel');
  fillIn('vercel/snippet.js', path.join(folder, 'middleware.js'), { DOMAIN: domain, SERVICE_URL: serviceUrl });
  const env = { PORT: String(port), APP_PORT: String(appPort), GLASSHOUSE_API_KEY: key, FOLDER: folder };
  return start('vercel', process.execPath, ['--max-http-header-size=65536', fileURLToPath(import.meta.url)], { port, env });
}

async function serve({ PORT, APP_PORT, FOLDER, GLASSHOUSE_API_KEY }) {
  const entry = path.join(FOLDER, 'entry.js');
  fs.writeFileSync(entry, `import middleware from './middleware.js';\naddEventListener('fetch', (event) => event.respondWith(middleware(event.request)));\n`);
  const built = await esbuild.build({ entryPoints: [entry], bundle: true, format: 'iife', write: false });
  const runtime = new EdgeRuntime({
    initialCode: built.outputFiles[0].text,
    extend: (context) => Object.assign(context, { process: { env: { GLASSHOUSE_API_KEY } } }),
  });
  const matcher = new RegExp(`^${/matcher: '([^']+)'/.exec(fs.readFileSync(path.join(FOLDER, 'middleware.js'), 'utf8'))[1]}$`);

  const toApp = (request, response, additional) => {
    const onward = http.request({ host: '127.0.0.1', port: APP_PORT, method: request.method, path: request.url, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, { ...answer.headers, ...additional });
      answer.pipe(response);
    });
    request.pipe(onward);
  };
  http.createServer(async (request, response) => {
    if (!matcher.test(request.url.split('?')[0])) return toApp(request, response, {});
    const headers = new Headers({ 'x-real-ip': request.socket.remoteAddress });
    for (const [name, value] of Object.entries(request.headers)) if (name !== 'x-real-ip') headers.set(name, value);
    const url = `http://${request.headers.host}${request.url}`;
    const answer = await runtime.dispatchFetch(url, { method: request.method, headers: Object.fromEntries(headers) });
    const fields = Object.fromEntries(answer.headers);
    if (fields['x-middleware-next'] === '1') {
      delete fields['x-middleware-next'];
      return toApp(request, response, fields);
    }
    response.writeHead(answer.status, fields);
    return response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(Number(PORT), '127.0.0.1');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(process.env);
