// Reading of AI mentions on SQLite and PostgreSQL: the time that statistics, the trend and the newest runs of a large domain
// take over HTTP: measureMentions(). Used by run.mjs. Sums and runs are made by statements, the same for both engines: 1,000
// prompts, five assistants, an answer of each a day for 200 days, each of which names four of twelve competitors.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { percentile } from './meter.mjs';
import { createKey, prepareGlasshouse, privateServer, startGlasshouse } from './services.mjs';

const DOMAIN = 'mentions.test';
// A key may ask 600 times a minute.
const REQUESTS = 100, WARM = 5;
const PROVIDER = `case i % 5 when 0 then 'chatgpt' when 1 then 'claude' when 2 then 'gemini' when 3 then 'google_ai_overview' else 'perplexity' end`;
const NAMED = 'case when (i * 7919) % 100 < 43 then 1 else 0 end';
const SUMS = ['responses', 'mentions', 'position_sum', 'first_positions', 'sentiment_sum', 'sentiment_count', 'positive', 'neutral', 'negative', 'recommended_yes', 'recommended_known', 'own_cited', 'own_citations',
  'competitor_citations', 'third_party_citations', 'absent_overviews', 'not_retrieved', 'errors', 'distinct_competitors', 'informative', 'pair_distance_sum', 'pair_count', 'earlier_distance_sum', 'earlier_count'];
const COMPETITOR_SUMS = ['responses', 'occurrences', 'prominence_sum', 'position_sum', 'cited', 'sentiment_sum', 'sentiment_count', 'ahead_of_own'];
const added = (names) => names.map((name) => `sum(${name})`).join(', ');

/** Statements that fill the domain. `numbers(n)` makes rows with a number `i` from 1 to n. */
export function filling(numbers, { prompts, days, now }) {
  const today = Math.floor(now / 86_400_000), runs = prompts * 5 * days, ms = 86_400_000;
  const prompt = `((i - 1) / 5) % ${prompts} + 1`, day = `${today} - (i - 1) / ${prompts * 5}`;
  const n = '(select number from mention_domains)', d = `(select id from domains where host = '${DOMAIN}')`;
  return [
    `insert into mention_domains (domain_id, account_id, number, next_prompt, brand, is_brand_saved, analysis_version, competitors_version, persona, digest, created_at, updated_at)
       select id, account_id, 1, ${prompts + 1}, '{"name":"Shop","aliases":[],"domains":["${DOMAIN}"]}', true, 1, 1, '{}', 'off', 0, 0 from domains where host = '${DOMAIN}'`,
    `insert into mention_competitors (domain_id, name_key, name, aliases, domains, status, answers, created_at)
       select ${d}, 'rival' || (i - 1), 'Rival ' || (i - 1), '[]', '["rival' || (i - 1) || '.example"]', 'tracked', 0, 0 from ${numbers(12)}`,
    `insert into mention_prompts (id, account_id, domain_id, number, revision, prompt_text, intent, active, providers, tags, persona, monitor_interval, branded, created_at, updated_at)
       select 'prompt' || i, (select account_id from mention_domains), ${d}, i, 1, 'What is the best tool number ' || i || '?', 'comm', true,
       '["chatgpt","perplexity","gemini","claude","google_ai_overview"]', 'tag' || (i % 20), '{}', 'dynamic', false, i, i from ${numbers(prompts)}`,
    `insert into mention_questions (prompt_id, revision, domain_id, prompt_text, persona) select id, 1, domain_id, prompt_text, '{}' from mention_prompts`,
    `insert into mention_sums (domain, day, prompt, provider, ${SUMS.join(', ')})
       select 1, ${day}, ${prompt}, ${PROVIDER}, 1, ${NAMED}, 2 * ${NAMED}, 0, 30 * ${NAMED}, ${NAMED}, ${NAMED}, 0, 0, 0, 0, ${NAMED}, ${NAMED}, 3, 8, 0, 0, 0, 4, 1, 0, 0, 500000, 1 from ${numbers(runs)}`,
    `insert into mention_competitor_sums (domain, day, prompt, provider, competitor, ${COMPETITOR_SUMS.join(', ')})
       select 1, ${day}, ${prompt}, ${PROVIDER}, 'Rival ' || ((i * 31 + k * 7) % 12), 1, 2, 1000000 / (1 + k), 1 + k, k % 2, 10, 1, 1 from ${numbers(runs)} cross join (select i as k from ${numbers(4)}) as named`,
    `insert into mention_domain_sums (domain, day, provider, ${SUMS.join(', ')}, ok_runs, error_runs)
       select domain, day, provider, ${added(SUMS)}, sum(responses), 0 from mention_sums group by domain, day, provider`,
    `insert into mention_domain_competitor_sums (domain, day, provider, competitor, ${COMPETITOR_SUMS.join(', ')})
       select domain, day, provider, competitor, ${added(COMPETITOR_SUMS)} from mention_competitor_sums group by domain, day, provider, competitor`,
    `insert into mention_runs (id, account_id, domain_id, prompt_id, revision, provider, slot, day, sample, reason, status, job_id, calls, unanswered, expected_nanos, cost_nanos, is_cost_estimated, created_at,
       changed_at, is_demo, error_code, error_detail, answer, retrieval, finish, served_model, location, is_query_cut, mention_position, citation_count, sentiment, analysis_text, analysis_mode, analysis_version,
       competitor_mentions, citation_domains, details)
       select 'run' || i, (select account_id from mention_domains), ${d}, 'prompt' || (${prompt}), 1, ${PROVIDER}, (${day}) * ${ms} + i % 80000000, ${day}, 0, 'scheduled', 'ok', 'job' || i, 1, 0, 0, 4850000, false,
       (${day}) * ${ms}, (${day}) * ${ms}, false, '', '', 'An answer that names a few tools and says what each is good for.', 'used', 'complete', 'model-1', 'none', false, 2 * ${NAMED}, 12, 30 * ${NAMED}, '', 'builtin', 1,
       '[]', '[]', '{}' from ${numbers(runs)} where ${n} = 1`,
    'analyze',
  ].map((sql) => `${sql};`).join('\n');
}

/** The 95th percentile of the time that an answer takes, to its last byte. */
async function latency(service, key, path) {
  const times = [];
  for (let request = 0; request < WARM + REQUESTS; request += 1) {
    const start = performance.now();
    const answer = await fetch(`http://127.0.0.1:${service.port}/api/ai-mentions/${path}`, { headers: { 'x-service-api-key': key } });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    if (request >= WARM) times.push(performance.now() - start);
  }
  return percentile(times, 0.95);
}

async function measureReading({ name, engine, settings, fill, binary, site, size, add }) {
  const prepared = await prepareGlasshouse(binary, site, [DOMAIN], { folder: `mentions-${engine}`, ...settings });
  fill(prepared);
  const questions = { Stats: `prompt-stats?domain=${DOMAIN}`, Trend: `trend?domain=${DOMAIN}`, Runs: `runs?domain=${DOMAIN}&limit=50` };
  const service = await startGlasshouse(prepared);
  for (const [of, path] of Object.entries(questions)) {
    const latencyMs = await latency(service, await createKey(prepared, of), path);
    console.error(`  ${engine}, ${size.prompts} prompts, ${size.days} days: ${of} ${latencyMs.toFixed(1)} ms at p95`);
    add(`mentions${name}${of}`, { latencyMs });
  }
  await service.stop();
}

/** Measures reading on both engines. */
export async function measureMentions({ site, binary, quick, add }) {
  const size = { prompts: quick ? 50 : 1_000, days: quick ? 40 : 200, now: Date.now() }, common = { site, binary, size, add };
  const counted = (count) => `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as numbers`;
  const sqlite = ({ folder }) => execFileSync('sqlite3', [join(folder, 'glasshouse.db')], { input: filling(counted, size) });
  await measureReading({ ...common, name: 'Sqlite', engine: 'SQLite', settings: {}, fill: sqlite });
  const server = await privateServer('with-postgres.sh', 'GLASSHOUSE_TEST_POSTGRES');
  const series = (count) => `generate_series(cast(1 as bigint), ${count}) as numbers (i)`;
  const postgres = () => execFileSync('psql', [server.url, '-q', '-v', 'ON_ERROR_STOP=1'], { input: filling(series, size) });
  try {
    await measureReading({ ...common, name: 'Postgres', engine: 'PostgreSQL', settings: { 'storage.database_url': server.url }, fill: postgres });
  } finally {
    await server.stop();
  }
}
