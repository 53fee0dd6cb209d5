// make bench: the service beside npm prerender and nginx, everything in one run, medians, one table. Options: --help.
// Loopback only. Needs the browsers, nginx and wrk (scripts/bench.sh installs them). Ends what it started, also on Ctrl-C.
// See docs/decisions/0009.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endAll, scratch } from '../e2e/lib/programs.mjs';
import { measureApply } from './apply.mjs';
import { measureAttacks } from './attacks.mjs';
import { measureAudits } from './audits.mjs';
import { build } from './build.mjs';
import { measureDirectory } from './directory.mjs';
import { measure, warm } from './load.mjs';
import { measureEdge } from './edge.mjs';
import { measureIntegrations } from './integrations.mjs';
import { measureJobs } from './jobs.mjs';
import { measureServing } from './serving.mjs';
import { measureServers } from './servers.mjs';
import { prepareGlasshouse, startGlasshouse, startPrerender, startSite } from './services.mjs';
import { machine, table } from './table.mjs';
import { measureDashboard } from './dashboard.mjs';
import { measureAsking } from './asking.mjs';
import { measureScreens } from './screens.mjs';
import { measureMentions } from './mentions.mjs';
import { measureVisits } from './visits.mjs';

const { values: options } = parseArgs({
  options: {
    reps: { type: 'string' }, pages: { type: 'string' }, seconds: { type: 'string' }, quick: { type: 'boolean' }, only: { type: 'string', default: 'render,serve,edge,integrations,servers,jobs,directory,apply,attacks,visits,mentions,asking,dashboard,screens,audit' }, visits: { type: 'string' }, stores: { type: 'string', default: 'sqlite,postgres,clickhouse' },
    binary: { type: 'string' }, 'no-file': { type: 'boolean' }, help: { type: 'boolean', short: 'h' },
  },
});
if (options.help) {
  console.log(`make bench BENCH_ARGS='…'
  --reps N       repetitions, medians are taken over them (5)
  --pages N      pages per measurement (60)
  --seconds N    length of one measurement of answers per second (5)
  --quick        1 repetition of 12 pages and 2 seconds: does it work here?
  --only WHAT    any of render, serve, edge, integrations, servers, jobs, directory, apply, attacks, visits, mentions, asking, dashboard, screens, audit (all of them); attacks:unread is that attack alone, audit:rendered that part (plain, addresses)
  --visits N     visits of crawlers that are kept (10,000,000)
  --stores WHAT  where they are kept: any of sqlite, postgres, clickhouse (all of them)
  --binary FILE  the service (target/release/glasshouse)
  --no-file      print the table, do not write bench/results/DATE.md`);
  process.exit(0);
}
const reps = Number(options.reps ?? (options.quick ? 1 : 5)), pages = Number(options.pages ?? (options.quick ? 12 : 60));
const seconds = Number(options.seconds ?? (options.quick ? 2 : 5));
/** What is measured, and which part of it, if only one is. */
const sections = new Map(options.only.split(',').map((name) => name.split(':')));
const here = fileURLToPath(new URL('.', import.meta.url));
const binary = options.binary ?? join(process.env.CARGO_TARGET_DIR ?? join(here, '../target'), 'release/glasshouse');
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
// Debian's command is a script that does not exec: a signal to it would not reach the browser.
const shell = process.env.HEADLESS_SHELL ?? ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium-headless-shell'].find((file) => existsSync(file));

const series = new Map(), prints = new Map(), troubles = [];
const add = (name, result) => {
  for (const what of ['perSecond', 'latencyMs', 'cpuPerPage', 'peakMb', 'errors', 'percent', 'bytes', 'queries', 'asked']) {
    if (result[what] !== undefined) series.set(`${name}:${what}`, [...(series.get(`${name}:${what}`) ?? []), result[what]]);
  }
  for (const [page, print] of result.seen ?? []) {
    if (!prints.has(page)) prints.set(page, new Map());
    prints.get(page).set(name.replace(/\d$/, ''), print);
  }
  troubles.push(...(result.wrong ?? []).map((line) => `${name}: ${line}`));
  if (result.good !== undefined) console.error(`  ${name}: ${result.perSecond.toFixed(2)} pages/s, median ${result.latencyMs.toFixed(0)} ms, ${result.cpuPerPage.toFixed(3)} s CPU, ${result.peakMb} MB, ${result.wrong.length} wrong`);
};

/** `count` pages that no measurement of this repetition has seen: the same ones for every renderer. */
const pageList = (base, origin, kind, first, count) => Array.from({ length: count }, (_, index) => ({
  address: base + encodeURIComponent(`${typeof origin === 'string' ? origin : origin(index)}/${kind}/${first + index}`), kind, number: first + index,
}));

async function prerenderRound(service, origin, first, runs) {
  await warm(pageList(service.base, origin, 'article', first + 5000, 4));
  for (const [name, kind, inFlight, offset] of runs) {
    add(name, await measure({ pid: service.pid, pages: pageList(service.base, origin, kind, first + offset, pages), inFlight }));
  }
  await service.stop();
}

/** The shortest waits at which prerender gets every page right here: what "tuned" means. */
async function tune(origin) {
  for (const wait_ms of [50, 100, 200, 350, 500]) {
    const tuned = { wait_ms, interval_ms: 25 }, service = await startPrerender(shell, tuned);
    await warm(pageList(service.base, origin, 'article', 900_000, 4));
    const wrong = [];
    for (const kind of ['article', 'frames']) {
      wrong.push(...(await measure({ pid: service.pid, pages: pageList(service.base, origin, kind, 900_010, options.quick ? 12 : 40), inFlight: 4 })).wrong);
    }
    await service.stop();
    console.error(`prerender with waits of ${wait_ms} ms: ${wrong.length} wrong pages`);
    if (wrong.length === 0) return tuned;
  }
  return { wait_ms: 500, interval_ms: 100 };
}

async function renderBench(site) {
  const origin = `http://127.0.0.1:${site.port}`;
  const freshDomains = Array.from({ length: reps * (pages + 4) }, (_, index) => `fresh-${index}.test`);
  const prepared = await prepareGlasshouse(binary, site, ['bench.test', ...freshDomains]);
  const tuned = await tune(origin);
  const rounds = [
    async (first) => prerenderRound(await startPrerender(chromium, null), origin, first, [['shipped4', 'article', 4, 1000]]),
    async (first) => prerenderRound(await startPrerender(shell, tuned), origin, first, [['tuned1', 'article', 1, 0], ['tuned4', 'article', 4, 1000], ['tunedFrames4', 'frames', 4, 2000]]),
    async (first, rep) => {
      const service = await startGlasshouse(prepared), { pid, base, headers } = service;
      const list = (target, kind, offset, count = pages) => pageList(base, target, kind, first + offset, count);
      const run = (inFlight, target, kind, offset) => measure({ pid, headers, inFlight, pages: list(target, kind, offset) });
      await warm(list('http://bench.test', 'article', 5000, 4), headers);
      add('warm1', await run(1, 'http://bench.test', 'article', 0));
      add('warm4', await run(4, 'http://bench.test', 'article', 1000));
      add('frames4', await run(4, 'http://bench.test', 'frames', 2000));
      const own = freshDomains.slice(rep * (pages + 4), (rep + 1) * (pages + 4));
      await warm(list((index) => `http://${own[pages + index]}`, 'article', 5000, 4), headers);
      add('fresh4', await run(4, (index) => `http://${own[index]}`, 'article', 3000));
      // The number of tabs is the service's own choice; it gets the time to make it.
      for (const [inFlight, offset] of [[4, 6000], [8, 7000], [16, 8000]]) {
        const waiting = (first, count) => ({ pid, headers, inFlight, pages: list('http://bench.test', 'waits', first, count) });
        await measure(waiting(offset + 500, 8 * inFlight));
        add(`waits${inFlight}`, await measure(waiting(offset, 8 * inFlight)));
      }
      await service.stop();
    },
  ];
  for (let rep = 0; rep < reps; rep += 1) {
    console.error(`rendering, repetition ${rep + 1} of ${reps}`);
    // Each repetition begins with another renderer, so that none always has the cold or the busy machine.
    for (let turn = 0; turn < rounds.length; turn += 1) await rounds[(rep + turn) % rounds.length](10_000 * (rep + 1), rep);
  }
  return tuned;
}

const version = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim().split('\n')[0];

async function main() {
  await build(scratch('app'));
  const site = await startSite(scratch('app'));
  const tuned = sections.has('render') ? await renderBench(site) : null;
  if (sections.has('serve')) await measureServing({ site, binary, reps, seconds, add });
  if (sections.has('edge')) await measureEdge({ site, binary, reps, seconds, add });
  if (sections.has('integrations')) await measureIntegrations({ site, binary, reps, quick: options.quick, add });
  if (sections.has('servers')) await measureServers({ reps, seconds, add });
  if (sections.has('jobs')) await measureJobs({ site, binary, reps, quick: options.quick, add });
  if (sections.has('directory')) await measureDirectory({ site, binary, reps, quick: options.quick, add });
  if (sections.has('apply')) await measureApply({ site, binary, reps, quick: options.quick, add });
  if (sections.has('visits')) await measureVisits({ site, binary, visits: Number(options.visits ?? (options.quick ? 20_000 : 10_000_000)), stores: options.stores, quick: options.quick, reps, seconds, add });
  if (sections.has('mentions')) await measureMentions({ site, binary, quick: options.quick, add });
  if (sections.has('asking')) await measureAsking({ site, binary, quick: options.quick, add });
  if (sections.has('dashboard')) await measureDashboard({ site, binary, quick: options.quick, add });
  if (sections.has('screens')) await measureScreens({ binary, quick: options.quick, add });
  if (sections.has('attacks')) await measureAttacks({ site, binary, reps, quick: options.quick, only: sections.get('attacks'), add });
  if (sections.has('audit')) await measureAudits({ binary, site, reps, quick: options.quick, only: sections.get('audit'), add });

  const shared = [...prints.values()].filter((byRenderer) => byRenderer.size > 1);
  const different = shared.filter((byRenderer) => new Set(byRenderer.values()).size > 1).length;
  const facts = [
    ...(tuned ? [`${pages} pages a measurement; tuned prerender: chromium-headless-shell, no images, WAIT_AFTER_LAST_REQUEST=${tuned.wait_ms} PAGE_DONE_CHECK_INTERVAL=${tuned.interval_ms}`,
      `content: ${shared.length} pages rendered by two or more renderers, visible text different on ${different}; wrong pages: ${troubles.length}`] : []),
    ...machine({ glasshouse: version(binary, '--version').replace(/^\S+ /, ''), prerender: JSON.parse(readFileSync(join(here, 'node_modules/prerender/package.json'), 'utf8')).version, browser: version(chromium, '--version').replace(/ built on.*/, '').trim() }),
  ];
  const text = `${table(series)}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n`;
  console.log(`\nmedians of ${reps}, one run\n\n${text}`);
  for (const line of troubles.slice(0, 10)) console.error(`wrong: ${line}`);
  if (!options['no-file'] && !options.quick) {
    const date = new Date().toISOString().slice(0, 10), file = join(here, 'results', `${date}.md`);
    mkdirSync(join(here, 'results'), { recursive: true });
    writeFileSync(file, `# ${date}\n\n\`make bench\`, medians of ${reps}, one run.\n\n${text}`);
    console.log(`written to bench/results/${date}.md`);
  }
  return different === 0 ? 0 : 1;
}

let code = 1;
try {
  code = await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
}
await endAll();
process.exit(code);
