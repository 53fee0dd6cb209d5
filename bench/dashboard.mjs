// The dashboard's two joined answers on SQLite: the time that the overview of a large domain and the list of a thousand sites
// take over HTTP: measureDashboard(). Used by run.mjs. Visits of the large domain are imported from a log; snapshots, audits
// and further domains are made by statements.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../e2e/lib/ports.mjs';
import { runCommand } from '../e2e/lib/service.mjs';
import { percentile } from './meter.mjs';
import { scrollRows } from './screens.mjs';
import { OWNER, prepareGlasshouse, startGlasshouse } from './services.mjs';

const DOMAIN = 'dashboard.test', PASSWORD = 'a password of the bench';
// A session may ask 600 times a minute.
const REQUESTS = 200, WARM = 10;
const AGENTS = ['Googlebot/2.1', 'bingbot/2.0', 'GPTBot/1.2', 'ClaudeBot/1.0', 'PerplexityBot/1.0', 'OAI-SearchBot/1.0'];
const DAY_MS = 86_400_000;

const counted = (count) => `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as numbers`;

/** Lines of an access log: so many visits of each of the last 180 days, over so many pages. */
function* logLines({ visits, pages, now }) {
  for (let day = 180; day >= 0; day -= 1) {
    for (let visit = 0; visit < visits; visit += 1) {
      const number = day * visits + visit;
      const ts = new Date(Math.min(now - day * DAY_MS - (visit % 60) * 1000, now - 60_000)).toISOString();
      const status = number % 97 === 0 ? 404 : 200, servedBy = number % 19 === 0 ? 'render' : 'cache';
      yield `${JSON.stringify({ ts, path: `/page-${(number * 7919) % pages}`, userAgent: AGENTS[number % AGENTS.length], servedBy, status, durationMs: servedBy === 'cache' ? 2 : 700 })}\n`;
    }
  }
}

/** Statements that add snapshots and audits to the domain, and other domains with visits, snapshots and an audit of their own. */
export function filling({ snapshots, sites, now }) {
  const today = Math.floor(now / DAY_MS), id = `(select id from domains where host = '${DOMAIN}')`, account = `(select account_id from domains where host = '${DOMAIN}')`;
  const report = JSON.stringify({ robotsAnalysis: { bots: [] }, crawlStats: { issuesBySeverity: { error: 1, warning: 2, notice: 3 } }, sitemapIssues: [], issueBreakdown: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`ISSUE_${i}`, i])) });
  const summary = JSON.stringify({ errors: 18, warnings: 40, notices: 90, newErrors: 2, blockedCrawlers: [] });
  const snapshot = (domain, key, number) => `${domain}, ${key}, ${key}, 'https://x.test/page-' || ${number}, 'key' || ${number}, 200, 'etag', 60000, 4000, 700, ${now} - (${number} % 80000) * 1000, 1, 1, 0, case when ${number} % 500 = 0 then 'the page answered 500' end, case when ${number} % 500 = 0 then ${now} end, 0, 0, ${now} + (${number} % 900 - 5) * 100000`;
  const columns = 'domain_id, key_hash, page_key, url, object_key, status, etag, html_bytes, text_chars, render_ms, created_at, stored_generation, generation, lease_until, last_error, last_error_at, failures, retry_at, due_at';
  const run = (key, domain, host, at) => `'run' || ${key}, ${account}, ${domain}, ${host}, ${at}, ${at} + 60000, 'success', false, 'manual', 'manual', 'follow whole ', '{}', 1, 50000, 0, 0, 50000, 0, 87.4, 148, 2, 2.1, 'finished', false, false, false, '${report}', ${at}, false`;
  const runColumns = 'id, account_id, domain_id, host, started_at, completed_at, status, active, triggered_by, frequency, scope_key, request, run_count, pages_crawled, waiting, probes_waiting, pages_counted, continuations, health_score, issue_count, delta_issues, delta_health, close_reason, needs_continuation, hit_url_limit, cancel_requested, report, updated_at, forgotten';
  return [
    `insert into snapshots (${columns}) select ${snapshot(id, "'hash' || i", 'i')} from ${counted(snapshots)}`,
    `insert into snapshot_plans (domain_id, intervals) values (${id}, '[86400,[]]')`,
    `insert into audit_runs (${runColumns}) select ${run("'d' || i", id, `'${DOMAIN}'`, `${now} - i * ${DAY_MS}`)} from ${counted(30)}`,
    `insert into domains (id, account_id, host, status, suspended, settings, rendering, version, created_at, updated_at, site)
       select 'site' || i, account_id, 'site-' || i || '.test', 'connected', false, settings, rendering, 1, created_at + i, updated_at, 'site-' || i || '.test' from domains, ${counted(sites)} where host = '${DOMAIN}'`,
    `insert into snapshots (${columns}) select ${snapshot("'site' || i", "'hash' || k", 'k')} from ${counted(sites)} cross join (select i as k from ${counted(20)}) as pages`,
    `insert into audit_runs (${runColumns}) select ${run("'s' || i || 'k' || k", "'site' || i", "'site-' || i || '.test'", `${now} - k * ${DAY_MS}`)} from ${counted(sites)} cross join (select i as k from ${counted(4)}) as times`,
    `insert into audit_summaries (run_id, account_id, domain_id, started_at, completed_at, health_score, delta_health, facts)
       select id, account_id, domain_id, started_at, completed_at, health_score, delta_health, '${summary}' from audit_runs`,
    `insert into visit_domains (number, domain_id) select 1000000 + i, 'site' || i from ${counted(sites)}`,
    `insert into visit_kinds (number, crawler, verified, served, status)
       select 1000000 + 10 * status + k, case k when 0 then 'googlebot' when 1 then 'gptbot' else 'bingbot' end, 'unknown', 'cache', status from (select 201 as status union select 418), (select i - 1 as k from ${counted(3)}) as crawlers`,
    `insert into visit_totals (domain, day, counts)
       select 1000000 + i, ${today} - k + 1, json_object(cast(1000000 + 10 * case when (i + k) % 50 = 0 then 418 else 201 end + k % 3 as text), 1 + (i * k) % 90) from ${counted(sites)} cross join (select i as k from ${counted(60)}) as days`,
    'analyze',
  ].map((sql) => `${sql};`).join('\n');
}

/** Signs in, and gives the cookie. */
async function signIn(base) {
  const answer = await fetch(`${base}/api/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email: OWNER, password: PASSWORD }) });
  if (answer.status !== 204) throw new Error(`signing in answered ${answer.status}`);
  return answer.headers.getSetCookie()[0].split(';')[0];
}

/** The 99th percentile of the time that an answer takes, to its last byte, and a fingerprint of what it says. */
async function latency(base, cookie, path) {
  const times = [];
  let text = '';
  for (let request = 0; request < WARM + REQUESTS; request += 1) {
    const start = performance.now();
    const answer = await fetch(`${base}/api/dashboard/${path}`, { headers: { cookie } });
    text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
    if (request >= WARM) times.push(performance.now() - start);
  }
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), answer: JSON.parse(text), print: createHash('sha256').update(text).digest('hex').slice(0, 8) };
}

/** Measures the overview, the list of sites, and a table of all snapshots. */
export async function measureDashboard({ site, binary, quick, add }) {
  const now = Date.now(), size = { visits: quick ? 20 : 2_000, pages: quick ? 1_000 : 50_000, snapshots: quick ? 1_000 : 50_000, sites: quick ? 50 : 1_000, now };
  const prepared = await prepareGlasshouse(binary, site, [DOMAIN], { folder: 'dashboard', 'server.roles': ['api', 'worker'] });
  await runCommand(prepared, 'account', 'set-password', '--email', OWNER, '--password', PASSWORD);
  const log = join(prepared.folder, 'visits.ndjson');
  writeFileSync(log, [...logLines(size)].join(''));
  await runCommand(prepared, 'analytics', 'import', '--domain', DOMAIN, '--format', 'ndjson', log);
  execFileSync('sqlite3', [join(prepared.folder, 'glasshouse.db')], { input: filling(size) });
  const service = await startGlasshouse(prepared);
  const base = `http://127.0.0.1:${prepared.port}`, cookie = await signIn(base);
  for (const [of, path] of Object.entries({ Overview: `overview?domain=${DOMAIN}&days=180`, Sites: 'sites?limit=100' })) {
    // The list comes in the second minute of the limit.
    const { p50, p99, answer, print } = await latency(base, cookie, path);
    const says = of === 'Overview' ? `${answer.visits.total} visits, ${answer.snapshots.total} snapshots, unavailable: ${answer.unavailable.join(' ') || 'nothing'}` : `${answer.total} sites`;
    console.error(`  dashboard, ${of}: ${p50.toFixed(1)} ms at p50, ${p99.toFixed(1)} ms at p99 (${says}; ${print})`);
    add(`dashboard${of}`, { latencyMs: p99 });
  }
  await scrollRows({ base, domain: DOMAIN, email: OWNER, password: PASSWORD, quick, add });
  await service.stop();
}
