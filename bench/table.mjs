// The table of a run: which figure stands against which, and how far it must be. Used by run.mjs. Pure but for machine().
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { median } from './meter.mjs';

/** What the service promises of visits in one store; what has no figure is there to be read. */
function visitRows(name, store, goals) {
  const latency = (what, work) => ({ work: `visits on ${store}: ${work}, ms at p95`, ours: `visits${name}${what}:latencyMs`, ...(goals[what] === undefined ? { least: 0 } : { limit: goals[what] }) });
  return [
    { work: `visits on ${store}: visits/s imported`, ours: `visits${name}Import:perSecond`, least: 0 },
    { work: 'the same, MB of log a minute', ours: `visits${name}ImportMb:perSecond`, least: 300 },
    { work: `visits on ${store}: rows/s applied from the spool`, ours: `visits${name}Apply:perSecond`, least: goals.apply },
    latency('Page', 'page-insights of the largest domain, 30 days'),
    latency('Daily', 'bots/daily, 30 days'),
    latency('Summary', 'bots/summary, 30 days'),
    latency('Bots', 'bots, 31 days'),
    latency('BotsLong', 'bots, 180 days'),
    latency('DailyLarge', 'bots/daily, 30 days, ten times the visits on that domain'),
    latency('SummaryLarge', 'bots/summary, 30 days, the same'),
    { work: `visits on ${store}: bytes of disk a visit`, ours: `visits${name}Disk:perSecond`, limit: goals.disk },
  ];
}

/** What recording visits of crawlers takes and gives, beside the same pages asked for by people. */
function recordingRows(name, store) {
  return [
    { work: `processor time of a page to a crawler, its visit recorded on ${store}, µs`, peer: 'the same to people', ours: `recorded${name}On:cpuPerPage`, theirs: `recorded${name}Off:cpuPerPage`, goal: 1.03, most: true },
    { work: 'pages/s to crawlers', peer: 'the same to people', ours: `recorded${name}On:perSecond`, theirs: `recorded${name}Off:perSecond` },
    { work: 'visits/s recorded and durable, small pages, eight requests at once on a connection', ours: `recorded${name}Most:perSecond`, least: 50_000 },
    { work: 'from the last visit at that rate until all are in the reports, ms', ours: `recorded${name}Seen:latencyMs`, limit: 5_000 },
    { work: 'a killed process: lost were the visits of, ms', ours: `recorded${name}Lost:latencyMs`, limit: 50 },
  ];
}

/** What the service promises of reading AI mentions in one store. */
const mentionRows = (name, store) => [
  { work: `AI mentions on ${store}, 1,000 prompts, a million runs: prompt-stats, 31 days, ms at p95`, ours: `mentions${name}Stats:latencyMs`, limit: 200 },
  { work: 'the same: trend, 31 days', ours: `mentions${name}Trend:latencyMs`, limit: 200 },
  { work: 'the same: newest 50 runs', ours: `mentions${name}Runs:latencyMs`, limit: 20 },
];

/** What the service promises of asking assistants with one store. */
const askingRows = (name, store) => [
  { work: `AI mentions on ${store}: runs/s asked, analysed and stored, 256 in flight, stand-ins of 300 ms beside`, ours: `asking${name}:perSecond`, least: 500 },
  { work: "the same: p99 of a crawler's stored page, beside to alone", ours: `asking${name}:ratio`, limit: 1.5 },
];

/** What the service promises of the dashboard's joined answers. */
const DASHBOARD_ROWS = [
  { work: 'overview of a domain with 180 days of visits, 50,000 snapshots and audits of 50,000 pages, ms at p99', ours: 'dashboardOverview:latencyMs', limit: 50 },
  { work: 'list of 1,000 sites, the first 100, ms at p99', ours: 'dashboardSites:latencyMs', limit: 100 },
  { work: 'dashboard: frames a second over 50,000 rows', ours: 'screensRows:perSecond', least: 55 },
  { work: 'dashboard: change of route, processor four times slower, ms', ours: 'screensRoute:latencyMs', limit: 100 },
  { work: 'dashboard: interaction, processor four times slower, ms', ours: 'screensPress:latencyMs', limit: 100 },
  { work: 'dashboard: layout shift, the largest of all screens', ours: 'screensShift:asked', limit: 0 },
  ...Object.entries({ SignIn: 'sign-in', Overview: 'Overview', Rendering: 'Rendering', Audit: 'an audit', Mentions: 'AI mentions', Crawlers: 'Crawlers' }).map(([of, name]) => ({ work: `dashboard: Lighthouse, performance as on a phone, ${name}`, ours: `screens${of}:perSecond`, least: 95 })),
];

/**
 * One row per promise. `ours` and `theirs` name series (renderer:what); `goal` is the ratio ours / theirs, `most` when less is
 * better; rows without a goal are there to be read, `limit` is a figure that ours must not be above, and `least` one that it must
 * not be below (0: to be read).
 */
const ROWS = [
  { work: 'renders/s, one domain, 4 at a time, nothing cached', peer: 'prerender as shipped', ours: 'warm4:perSecond', theirs: 'shipped4:perSecond', goal: 10 },
  { work: 'the same', peer: 'prerender tuned', ours: 'warm4:perSecond', theirs: 'tuned4:perSecond', goal: 4, later: 5 },
  { work: 'the same, pages that wait for frames', peer: 'prerender tuned', ours: 'frames4:perSecond', theirs: 'tunedFrames4:perSecond' },
  { work: 'renders/s, first render of a domain, fresh context, 4 at a time', peer: 'prerender tuned', ours: 'fresh4:perSecond', theirs: 'tuned4:perSecond', goal: 2 },
  { work: 'median latency of one render alone, ms', peer: 'prerender tuned', ours: 'warm1:latencyMs', theirs: 'tuned1:latencyMs', goal: 0.35, most: true },
  { work: 'processor time per render, process tree, s', peer: 'prerender tuned', ours: 'warm4:cpuPerPage', theirs: 'tuned4:cpuPerPage', goal: 0.2, most: true },
  { work: 'peak memory (PSS), process tree, 4 at a time, MB', peer: 'prerender tuned', ours: 'warm4:peakMb', theirs: 'tuned4:peakMb', goal: 0.5, most: true },
  { work: 'renders/s, pages that wait 450 ms (timers and a slow call), 4 in flight', ours: 'waits4:perSecond', least: 0 },
  { work: 'the same, 8 in flight', ours: 'waits8:perSecond', least: 0 },
  { work: 'the same, 16 in flight', ours: 'waits16:perSecond', least: 0 },
  { work: 'edge-hit answers/s, 60 KB, keep-alive', peer: 'nginx, same bytes', ours: 'edgeHit:perSecond', theirs: 'nginxEdge:perSecond', goal: 0.8 },
  { work: 'the same', peer: 'Varnish, same bytes', ours: 'edgeHit:perSecond', theirs: 'varnish:perSecond', goal: 0.8 },
  { work: 'the same page as Markdown, answers/s', peer: 'as HTML', ours: 'markdown:perSecond', theirs: 'edgeHit:perSecond', goal: 1 },
  { work: 'hit answers/s, the same page', peer: 'nginx, same bytes', ours: 'hit:perSecond', theirs: 'nginxHit:perSecond', goal: 0.25 },
  { work: 'the same, nothing kept in memory', peer: 'nginx, same bytes', ours: 'diskHit:perSecond', theirs: 'nginxDisk:perSecond' },
  { work: 'edge: 60 KB asset passed through, requests/s', peer: 'nginx proxy_pass', ours: 'edgeProxy:perSecond', theirs: 'nginxProxy:perSecond', goal: 0.75 },
  { work: 'edge: stored page for a crawler, requests/s', peer: 'nginx, same bytes', ours: 'edgePage:perSecond', theirs: 'nginxPage:perSecond', goal: 0.7 },
  { work: 'the same behind a crawler policy of 100 rules and 20 root files', peer: 'without either', ours: 'edgePolicy:perSecond', theirs: 'edgePage:perSecond', goal: 0.98 },
  { work: 'integration: core time for a person, user agent never seen before, µs', ours: 'integrationPerson:latencyMs', limit: 20 },
  { work: 'the same: requests to the service', ours: 'integrationPerson:asked', limit: 0 },
  { work: 'integration: a stored page for a crawler, ms over the API\'s own answer', ours: 'integrationCrawler:latencyMs', limit: 3 },
  { work: 'integration: ms until the app answers, service refusing or silent', ours: 'integrationGone:latencyMs', limit: 2_100 },
  { work: 'the same after three failures in a row', ours: 'integrationPaused:latencyMs', limit: 5 },
  ...['nginx', 'apache', 'caddy'].map((name) => (
    { work: `integration: people's requests through ${name}, requests/s`, peer: `${name} without it`, ours: `${name}-snippet:perSecond`, theirs: `${name}-plain:perSecond`, goal: 0.8 })),
  { work: '100,000 no-op jobs queued and run on PostgreSQL, jobs/s', peer: 'graphile_worker', ours: 'jobsPostgres:perSecond', theirs: 'graphile:perSecond', goal: 0.8 },
  { work: 'the same', peer: 'graphile_worker tuned', ours: 'jobsPostgres:perSecond', theirs: 'graphileTuned:perSecond' },
  { work: 'the same on SQLite', peer: 'graphile_worker on PostgreSQL', ours: 'jobsSqlite:perSecond', theirs: 'graphile:perSecond' },
  { work: 'a batch of a million pages, one origin in four dead, PostgreSQL: pages/s of the others', ours: 'batchPostgres:perSecond', least: 0 },
  { work: 'the same: requests to the dead origin until the batch was complete', ours: 'batchPostgres:asked', least: 0 },
  { work: 'the same batch on SQLite: pages/s of the others', ours: 'batchSqlite:perSecond', least: 0 },
  ...['sqlite', 'postgres'].flatMap((engine) => [
    { work: `5 million jobs that gave up or wait, ${engine}: one claim, ms`, ours: `deep-${engine}-claim:latencyMs`, limit: 10 },
    { work: 'the same: one sweep, ms', ours: `deep-${engine}-sweep:latencyMs`, limit: 10 },
    { work: 'the same: one count of all depths, ms', ours: `deep-${engine}-depth:latencyMs`, limit: 10 },
  ]),
  { work: 'refresh of 1,000 pages and renders on demand beside it, pages/s', peer: 'the same tabs asked directly', ours: 'refresh:perSecond', theirs: 'direct:perSecond', goal: 0.9 },
  { work: 'the same: processors in use, %', ours: 'refreshBusy:percent', least: 85 },
  { work: 'on-demand render during it, median latency, ms', peer: 'the same alone', ours: 'onDemandMeanwhile:latencyMs', theirs: 'onDemandAlone:latencyMs', goal: 1.5, most: true },
  { work: 'edge: 10,000 idle connections, memory (PSS) of the service, MB', ours: 'idle:peakMb', limit: 200 },
  { work: 'edge: 3,000 clients that do not read a file of 8 MiB, growth (PSS) of the service, MB', ours: 'unreadFiles:peakMb', limit: 200 },
  { work: 'start with 100,000 domains on SQLite, ms to the first answer', ours: 'directory-sqlite:latencyMs', limit: 3000 },
  { work: 'the same: memory a domain beside shared settings, bytes', ours: 'directory-sqlite:bytes', limit: 300 },
  { work: 'start with 100,000 domains on PostgreSQL, ms to the first answer', ours: 'directory-postgres:latencyMs', limit: 3000 },
  { work: 'the same: memory a domain beside shared settings, bytes', ours: 'directory-postgres:bytes', limit: 300 },
  { work: 'the same: transactions of the database for a random known host', ours: 'directory-postgres-known:queries', limit: 0.01 },
  { work: 'the same: transactions a second while unknown hosts are asked for, one after another', ours: 'directory-postgres-unknown:perSecond', limit: 25 },
  { work: '`glasshouse apply` of 1,000 domains on SQLite, ms', ours: 'apply:latencyMs', limit: 30_000 },
  { work: 'the same file again, which changes nothing, ms', ours: 'applyAgain:latencyMs', limit: 30_000 },
  { work: 'good customer: p95 in ms during 10,000 connections that do not read', peer: 'the same customer alone', ours: 'unread:latencyMs', theirs: 'unreadQuiet:latencyMs', goal: 2, most: true },
  { work: 'the same: requests that failed', ours: 'unread:errors', limit: 0 },
  { work: 'good customer: p95 in ms during an origin that hangs, asked 300 times a second', peer: 'the same customer alone', ours: 'hang:latencyMs', theirs: 'hangQuiet:latencyMs', goal: 2, most: true },
  { work: 'the same: requests that failed', ours: 'hang:errors', limit: 0 },
  { work: 'good customer: p95 in ms during 200 crawler-looking requests a second for random queries', peer: 'the same customer alone', ours: 'queries:latencyMs', theirs: 'queriesQuiet:latencyMs', goal: 2, most: true },
  { work: 'the same: requests that failed', ours: 'queries:errors', limit: 0 },
  { work: 'good customer: p95 in ms during 100 sign-ins with made-up passwords and 100 questions of readiness a second', peer: 'the same customer alone', ours: 'doors:latencyMs', theirs: 'doorsQuiet:latencyMs', goal: 2, most: true },
  { work: 'the same: requests that failed', ours: 'doors:errors', limit: 0 },
  { work: 'good customer: p95 in ms during 4,000 WebSockets of one domain that stay open', peer: 'the same customer alone', ours: 'tunnels:latencyMs', theirs: 'tunnelsQuiet:latencyMs', goal: 2, most: true },
  { work: 'the same: requests that failed', ours: 'tunnels:errors', limit: 0 },
  { work: 'good customer: p95 in ms during another customer that refreshes 5,000 pages a second', peer: 'the same customer alone', ours: 'refresh:latencyMs', theirs: 'refreshQuiet:latencyMs', goal: 2, most: true },
  { work: 'the same: requests that failed', ours: 'refresh:errors', limit: 0 },
  { work: 'good customer: p95 in ms during another customer that starts 20 audits a second', peer: 'the same customer alone', ours: 'audits:latencyMs', theirs: 'auditsQuiet:latencyMs', goal: 2, most: true },
  { work: 'the same: requests that failed', ours: 'audits:errors', limit: 0 },
  { work: 'good customer: p95 in ms during 50,000 TLS handshakes with random and pending names', peer: 'the same customer alone', ours: 'handshakes:latencyMs', theirs: 'handshakesQuiet:latencyMs', goal: 2, most: true },
  { work: 'the same: requests that failed', ours: 'handshakes:errors', limit: 0 },
  ...mentionRows('Sqlite', 'SQLite'), ...mentionRows('Postgres', 'PostgreSQL'), ...askingRows('Sqlite', 'SQLite'), ...askingRows('Postgres', 'PostgreSQL'), ...DASHBOARD_ROWS,
  ...visitRows('Sqlite', 'SQLite', { apply: 30_000, Page: 100, Daily: 100, Summary: 100, Bots: 300, disk: 100 }),
  ...visitRows('Postgres', 'PostgreSQL', { apply: 15_000, Page: 100, Daily: 100, Summary: 100, Bots: 300, disk: 100 }),
  ...visitRows('ClickHouse', 'ClickHouse', { apply: 0, Daily: 100, Bots: 300, disk: 20 }),
  ...recordingRows('Sqlite', 'SQLite'),
  ...recordingRows('Postgres', 'PostgreSQL'),
  { work: 'audit of 5,000 pages without rendering, processor time a page, ms', peer: 'spider with 13 fields', ours: 'audit:cpuPerPage', theirs: 'spider:cpuPerPage', goal: 0.4, most: true },
  { work: 'the same: pages/s', peer: 'spider with 13 fields', ours: 'audit:perSecond', theirs: 'spider:perSecond', goal: 2 },
  { work: 'the same: peak memory, MB', ours: 'audit:peakMb', limit: 64 },
  { work: 'the same in the service: ms from its last page to a readable result', ours: 'auditedSmall:latencyMs', limit: 2000 },
  { work: 'audit of 50,000 pages, peak memory, MB', ours: 'auditLarge:peakMb', limit: 96 },
  { work: 'the same in the service: page list, ms at p99', ours: 'auditedLargeList:latencyMs', limit: 5 },
  { work: 'the same: pages searched for, ms at p95', ours: 'auditedLargeSearch:latencyMs', limit: 50 },
  { work: 'the same: pages of one issue, ms at p95', ours: 'auditedLargeIssue:latencyMs', limit: 50 },
  { work: 'the same: pages sorted, ms at p95', ours: 'auditedLargeSort:latencyMs', limit: 50 },
  { work: 'audit that knows a million addresses by links, peak memory, MB', ours: 'manyLinks:peakMb', limit: 600 },
  { work: 'the same by sitemaps', ours: 'manyListed:peakMb', limit: 600 },
  { work: 'audit with every page rendered, pages/s', peer: 'the same pages asked for', ours: 'auditRendered:perSecond', theirs: 'renderedDirectly:perSecond', goal: 0.9 },
];

const figure = (value) => (value === 0 ? '0' : value >= 1000 ? Math.round(value).toLocaleString('en') : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3));

/** The rows as Markdown. `series` maps "name:what" to the figures of all repetitions. */
export function table(series) {
  const cells = ROWS.filter((row) => series.has(row.ours) && (row.theirs === undefined || series.has(row.theirs))).map((row) => {
    if (row.limit !== undefined) {
      const value = median(series.get(row.ours));
      return [row.work, '', '', figure(value), '', `≤ ${figure(row.limit)}`, value <= row.limit ? 'yes' : 'no'];
    }
    if (row.least !== undefined) {
      const value = median(series.get(row.ours));
      return [row.work, '', '', figure(value), '', row.least ? `≥ ${figure(row.least)}` : '', row.least ? (value >= row.least ? 'yes' : 'no') : ''];
    }
    const [ours, theirs] = [median(series.get(row.ours)), median(series.get(row.theirs))];
    const ratio = ours / theirs;
    const target = row.goal === undefined ? '' : `${row.most ? '≤' : '≥'} ${row.goal} ×${row.later ? `, then ${row.later} ×` : ''}`;
    const met = row.goal === undefined ? '' : (row.most ? ratio <= row.goal : ratio >= row.goal) ? 'yes' : 'no';
    return [row.work, row.peer, figure(theirs), figure(ours), `${ratio.toFixed(2)} ×`, target, met];
  });
  const lines = [['work', 'against', 'peer', 'ours', 'ratio', 'target', 'met'], ...cells];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const write = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [write(lines[0]), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.slice(1).map(write)].join('\n');
}

/** What the figures were taken on. */
export function machine(versions) {
  const os = /PRETTY_NAME="([^"]+)"/.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux';
  return [
    `${cpus()[0].model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${os}, kernel ${release()}`,
    `load average at the end ${loadavg().map((load) => load.toFixed(2)).join(' ')}`,
    Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(', '),
  ];
}
