// Cost of an integration: the core's time for a person, a crawler's time over the API's own answer, and the time until the app
// answers while the service is gone: measureIntegrations(). Used by run.mjs. The core runs in this process, as it does in a server.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createIntegration } from '../integrations/javascript/index.js';
import { freePort, listen } from '../e2e/lib/ports.mjs';
import { fetchPage } from './load.mjs';
import { median } from './meter.mjs';
import { prepareGlasshouse, startGlasshouse } from './services.mjs';

const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const BROWSERS = readFileSync(new URL('../crates/analytics/data/corpus/browsers.txt', import.meta.url), 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));

const factsOf = (target, agent) => {
  const headers = { 'user-agent': agent, accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'accept-language': 'en' };
  return { method: 'GET', target, host: 'bench.test', header: (name) => headers[name] };
};

/** Microseconds of the core for a person whose user agent it has never seen, and the requests that it made. */
async function people(serviceUrl, rounds) {
  let asked = 0;
  const integration = createIntegration({ serviceUrl, apiKey: 'key', domain: 'bench.test' }, { fetch: () => { asked += 1; throw new Error('a person was asked for'); } });
  let count = 0;
  const began = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    for (const agent of BROWSERS) {
      count += 1;
      await integration.respond(factsOf('/article/1', `${agent} ${round}`));
    }
  }
  return { micros: ((performance.now() - began) * 1000) / count, asked };
}

/** Milliseconds until the app may answer while the service is at this address: of the first request, and of one after three. */
async function gone(port) {
  const integration = createIntegration({ serviceUrl: `http://127.0.0.1:${port}`, apiKey: 'key', domain: 'bench.test' }, { log() {} });
  const times = [];
  for (let count = 0; count < 4; count += 1) {
    const began = performance.now();
    const { answer } = await integration.respond(factsOf('/article/1', CRAWLER));
    if (answer) throw new Error('a service that is gone has answered');
    times.push(performance.now() - began);
  }
  return { first: Math.max(...times.slice(0, 3)), paused: times[3] };
}

export async function measureIntegrations({ site, binary, reps, quick, add }) {
  const prepared = await prepareGlasshouse(binary, site, ['bench.test'], { folder: 'integrations' });
  const service = await startGlasshouse(prepared);
  const settings = { serviceUrl: prepared.address, apiKey: prepared.key, domain: 'bench.test' };
  const integration = createIntegration(settings);
  const target = '/long/77', address = `${service.api}?url=${encodeURIComponent(`https://bench.test${target}`)}`;
  const direct = async () => { if ((await fetchPage(address, { ...service.headers, 'user-agent': CRAWLER })).status !== 200) throw new Error('the page is not there'); };
  const through = async () => { if ((await integration.respond(factsOf(target, CRAWLER))).answer?.status !== 200) throw new Error('the page did not come through'); };
  const timed = async (ask) => { const began = performance.now(); await ask(); return performance.now() - began; };
  // A server that accepts and never answers: the worst that a service can do.
  const silent = await listen(createServer(() => {}));
  await people(settings.serviceUrl, 200);
  await direct();
  for (let rep = 0; rep < reps; rep += 1) {
    console.error(`integrations, repetition ${rep + 1} of ${reps}`);
    const person = await people(settings.serviceUrl, quick ? 200 : 1000);
    add('integrationPerson', { latencyMs: person.micros, asked: person.asked });
    const times = { direct: [], through: [] };
    // In turns, so that both have the same machine.
    for (let count = 0; count < (quick ? 100 : 500); count += 1) {
      times.direct.push(await timed(direct));
      times.through.push(await timed(through));
    }
    add('integrationCrawler', { latencyMs: Math.max(0, median(times.through) - median(times.direct)) });
    const refused = await gone(await freePort()), hanging = await gone(silent.port);
    add('integrationGone', { latencyMs: Math.max(refused.first, hanging.first) });
    add('integrationPaused', { latencyMs: Math.max(refused.paused, hanging.paused) });
  }
  silent.close();
  await service.stop();
}
