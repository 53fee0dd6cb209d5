// People's requests through nginx, Apache and Caddy with the integration, beside the same proxy without it, in turns:
// measureServers(). Used by run.mjs.
import { writeFileSync } from 'node:fs';
import { apache, caddy, nginx, plain } from '../e2e/integrations/runtimes/servers.mjs';
import { freePort } from '../e2e/lib/ports.mjs';
import { scratch } from '../e2e/lib/programs.mjs';
import { wrk } from './edge.mjs';
import { startNginx } from './services.mjs';

// wrk replaces its own Host by one of this spelling only.
const PERSON = { Host: 'bench.test', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36', Accept: 'text/html' };

export async function measureServers({ reps, seconds, add }) {
  const page = scratch('app.html');
  writeFileSync(page, '<!doctype html><title>App</title><div id=root></div>');
  const app = await startNginx(page, 'text/html');
  const appAddress = new URL(app.address).host;
  // Nobody listens there: a person's request never goes that way.
  const edgeAddress = `127.0.0.1:${await freePort()}`;
  const target = new URL(app.address).pathname;
  for (const [name, begin] of Object.entries({ nginx, apache, caddy })) {
    const ports = { plain: await freePort(), snippet: await freePort() };
    const servers = [];
    try {
      servers.push(await plain(name, { port: ports.plain, appAddress }));
      servers.push(await begin({ port: ports.snippet, domain: 'bench.test', edgeAddress, appAddress }));
      for (let rep = 0; rep < reps; rep += 1) {
        console.error(`${name} with and without the integration, repetition ${rep + 1} of ${reps}`);
        for (const [kind, port] of Object.entries(ports)) add(`${name}-${kind}`, { perSecond: wrk(`http://127.0.0.1:${port}${target}`, PERSON, seconds) });
      }
    } finally {
      for (const server of servers) await server.stop();
    }
  }
  await app.stop();
}
