// Asking of assistants: runs a second that are asked, paid, analysed and stored, on SQLite and PostgreSQL: measureAsking().
// Used by run.mjs. The assistants are the stand-ins (300 ms, answers with 12 sources) in a process of their own on the same
// machine; each run's ledger row is durable before its call and its answer after it. Beside it a crawler asks for a stored page.
import { pause } from '../e2e/lib/ports.mjs';
import { keyApi } from '../e2e/lib/service.mjs';
import { percentile } from './meter.mjs';
import { createKey, prepareGlasshouse, privateServer, startFakes, startGlasshouse } from './services.mjs';

const DOMAIN = 'asking.test';
const IN_FLIGHT = 256;
const VENDORS = { chatgpt: 'Openai', perplexity: 'Perplexity', gemini: 'Gemini', claude: 'Anthropic' };
/** Answers between which the rate is taken: after the beginning, before the last ones. */
const FROM = 0.2, TO = 0.9;

function settings(fakes) {
  const providers = Object.entries(VENDORS).flatMap(([provider, vendor]) => {
    const of = (name, value) => [`providers.${provider}.${name}`, value];
    return [of('api_key', 'sk-bench'), of('base_url', fakes.urls[vendor]), of('in_flight', IN_FLIGHT / Object.keys(VENDORS).length), of('requests_per_minute', 1_000_000)];
  });
  return { ...Object.fromEntries(providers), 'mentions.budget_usd_per_month': -1 };
}

/** Milliseconds of a stored page to a crawler, again and again until `ended()`. */
async function crawl(service, key, ended) {
  const times = [], url = `${service.api}?url=${encodeURIComponent(`https://${DOMAIN}/article/1`)}`;
  while (!ended()) {
    const start = performance.now();
    const answer = await fetch(url, { headers: { 'x-service-api-key': key, 'user-agent': 'Googlebot/2.1' } });
    await answer.arrayBuffer();
    times.push(performance.now() - start);
    await pause(20);
  }
  return percentile(times, 0.99);
}

async function measureEngine({ name, engine, further, prompts, binary, site, add }) {
  const fakes = await startFakes(binary);
  const prepared = await prepareGlasshouse(binary, site, [DOMAIN], { folder: `asking-${engine}`, ...settings(fakes), ...further });
  const crawler = await createKey(prepared, 'crawler'), api = keyApi(prepared, await createKey(prepared, 'reader'));
  const service = await startGlasshouse(prepared);
  let warm = 0;
  await crawl(service, crawler, () => { warm += 1; return warm > 5; });
  const alone = { until: performance.now() + 4_000 };
  const aloneMs = await crawl(service, crawler, () => performance.now() > alone.until);

  const total = prompts * Object.keys(VENDORS).length;
  const list = Array.from({ length: prompts }, (_, number) => ({ promptText: `Which documentation tool is the best for a team of ${number + 2}?`, intent: 'comm', providers: Object.keys(VENDORS) }));
  await api('POST', '/api/ai-mentions/prompts/import', { domain: DOMAIN, prompts: list });
  let done = 0, from = null, to = null;
  const counting = (async () => {
    const begun = performance.now();
    while (to === null) {
      await pause(200);
      const { summary } = await api('GET', `/api/ai-mentions/runs?domain=${DOMAIN}&limit=1`), now = performance.now();
      done = summary.byStatus.ok ?? 0;
      if (from === null && done >= FROM * total) from = { now, done };
      if (done >= TO * total) to = { now, done };
      if (now - begun > 300_000) throw new Error(`${done} of ${total} runs are answered after five minutes`);
    }
  })();
  const besideMs = await Promise.all([crawl(service, crawler, () => to !== null), counting]).then(([ms]) => ms);
  const perSecond = ((to.done - from.done) * 1000) / (to.now - from.now);
  console.error(`  ${engine}, ${total} runs, ${IN_FLIGHT} in flight: ${perSecond.toFixed(0)} answered and stored a second; a crawler's page at p99 ${aloneMs.toFixed(1)} ms alone, ${besideMs.toFixed(1)} ms beside`);
  add(`asking${name}`, { perSecond, ratio: besideMs / aloneMs });
  await service.stop();
  await fakes.stop();
}

/** Measures asking on both engines. */
export async function measureAsking({ site, binary, quick, add }) {
  const common = { prompts: quick ? 100 : 1_000, binary, site, add };
  await measureEngine({ ...common, name: 'Sqlite', engine: 'SQLite', further: {} });
  const server = await privateServer('with-postgres.sh', 'GLASSHOUSE_TEST_POSTGRES');
  try {
    await measureEngine({ ...common, name: 'Postgres', engine: 'PostgreSQL', further: { 'storage.database_url': server.url } });
  } finally {
    await server.stop();
  }
}
