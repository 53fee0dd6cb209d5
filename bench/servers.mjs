// People's requests through nginx, Apache and Caddy with the integration, beside the same proxy without it, in turns:
// measureServers(). Used by run.mjs.
import { join } from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import { scratch as folderOfServers } from '../e2e/integrations/processes.mjs';
import { apache, caddy, nginx, plain } from '../e2e/integrations/runtimes/servers.mjs';
import { wrk } from './edge.mjs';
import { freePort, scratch, startNginx } from './services.mjs';

// wrk replaces its own Host by one of this spelling only.
const PERSON = { Host: 'bench.test', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36', Accept: 'text/html' };

export async function measureServers(bench) {
  try {
    await measureEach(bench);
  } finally {
    rmSync(folderOfServers, { recursive: true });
  }
}

async function measureEach({ reps, seconds, add }) {
  const page = join(scratch, 'page.html');
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
      // Asked to end: the processes below them outlive a kill.
      for (const server of servers) await server.close();
    }
  }
  await app.stop();
}
