// The real service, with one domain for each integration. Domains behind the render API have their integration as their own
// server, so that every render comes back through it; domains behind the edge have the app.
import { freePort } from '../lib/ports.mjs';
import { createAccount, createKey, keyApi, prepare, runCommand, startService as startPrepared } from '../lib/service.mjs';

const OWNER = 'owner@integrations.test';

/** `sites`: {domain, port, way: 'api' | 'edge'}. */
export async function startService(sites, appPort) {
  const edgePort = await freePort();
  const hosts = { 'app.test': `127.0.0.1:${appPort}` };
  for (const site of sites) for (const host of [site.domain, `www.${site.domain}`]) hosts[host] = `127.0.0.1:${site.port}`;
  const prepared = await prepare({ settings: {
    'edge.http_listen': `127.0.0.1:${edgePort}`, 'edge.trusted_proxies': '127.0.0.0/8', 'edge.origin_scheme': 'http', 'network.hosts': hosts, 'render.concurrency': 6,
  } });
  const cli = (...args) => runCommand(prepared, ...args);
  await createAccount(prepared, { email: OWNER });
  for (const { domain, way } of sites) {
    await cli('domain', 'add', domain, '--account', OWNER, ...(way === 'edge' ? ['--origin', 'app.test'] : []));
  }
  const key = await createKey(prepared, OWNER);
  const { port, address } = await startPrepared(prepared);
  const render = async (url) => {
    const answer = await fetch(`${address}/api/prerender/render?url=${encodeURIComponent(url)}`, {
      headers: { 'x-service-api-key': key, 'user-agent': 'Googlebot/2.1' }, redirect: 'manual',
    });
    if (answer.status !== 200) throw new Error(`${url} could not be rendered: ${answer.status}`);
    return answer.text();
  };
  return { port, edgePort, key, api: keyApi(prepared, key), render, cli };
}
