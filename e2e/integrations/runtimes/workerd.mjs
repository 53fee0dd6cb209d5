// Cloudflare Workers: the Worker in workerd, on a route whose other side is the app. A second Worker leads its requests there.
import fs from 'node:fs';
import path from 'node:path';
import { start } from '../../lib/programs.mjs';
import { e2e, fillIn, folderOf } from './files.mjs';

const ROUTER = `export default { fetch: (request, env) => (new URL(request.url).hostname === 'glasshouse.test' ? env.SERVICE : env.APP).fetch(request) };\n`;

const config = (port, app, service, key) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main), (name = "router", worker = .router),
    (name = "app", external = (address = "127.0.0.1:${app}", http = ())),
    (name = "service", external = (address = "127.0.0.1:${service}", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01", globalOutbound = "router",
  bindings = [(name = "GLASSHOUSE_API_KEY", text = "${key}")],
);
const router :Workerd.Worker = (
  modules = [(name = "router.js", esModule = embed "router.js")],
  compatibilityDate = "2026-01-01",
  bindings = [(name = "APP", service = "app"), (name = "SERVICE", service = "service")],
);
`;

export async function workerd({ port, domain, servicePort, key, appPort }) {
  const folder = folderOf('cloudflare-workers');
  fillIn('cloudflare-workers/snippet.js', path.join(folder, 'worker.js'), { DOMAIN: domain, SERVICE_URL: 'http://glasshouse.test' });
  fs.writeFileSync(path.join(folder, 'router.js'), ROUTER);
  fs.writeFileSync(path.join(folder, 'config.capnp'), config(port, appPort, servicePort, key));
  return start('cloudflare-workers', path.join(e2e, 'node_modules/.bin/workerd'), ['serve', 'config.capnp'], { port, cwd: folder });
}
