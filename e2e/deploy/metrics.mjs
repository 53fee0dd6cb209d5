// Every metric and label that rules and board name is one of the service's: those of the catalogue (the table of docs/logging.md,
// which a test of the service compares), and what running nodes expose is nothing else.
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../lib/service.mjs';

/** Labels that Prometheus or the form of a histogram adds. */
const ADDED = ['job', 'instance', 'le'];
const ENDINGS = { histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] };

/** Series of the catalogue with their labels. */
function catalogue() {
  const page = fs.readFileSync(path.join(root, 'docs/logging.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `((?:glasshouse|process)_\w+)` \| (counter|gauge|histogram) \| (.*?) \| /gm)];
  const series = new Map();
  for (const [, name, kind, labels] of rows) {
    for (const ending of ENDINGS[kind]) series.set(name + ending, { metric: name, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label) });
  }
  if (rows.length < 15) throw new Error('could not read the table of metrics in docs/logging.md');
  return series;
}

/** Metrics of expressions with the labels that they are selected by. */
function named(text) {
  return [...text.matchAll(/(?<![\w:/])((?:glasshouse|process)_\w+)(?:\{([^}]*)\})?/g)]
    .map(([, series, selectors = '']) => ({ series, labels: [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label) }));
}

/** Compares the files with the catalogue; a sentence for each difference. */
export function compareFiles() {
  const series = catalogue();
  const read = (file) => fs.readFileSync(path.join(root, 'deploy/alerts', file), 'utf8');
  const rules = read('glasshouse.rules.yml').split('\n').filter((line) => !/^\s*(?:#|- name:|summary:|action:)/.test(line)).join('\n');
  const board = JSON.parse(read('glasshouse-board.json'));
  const queries = [...board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...board.templating.list.map(({ query }) => query?.query ?? '')].join('\n');
  const problems = [];
  for (const [file, text] of [['rules', rules], ['board', queries]]) {
    for (const { series: name, labels } of named(text)) {
      const known = series.get(name);
      if (!known) problems.push(`${file}: no such metric: ${name}`);
      else for (const label of labels) if (![...known.labels, ...ADDED].includes(label)) problems.push(`${file}: ${name} has no label ${label}`);
    }
  }
  const shown = new Set(named(queries).map(({ series: name }) => series.get(name)?.metric));
  for (const { metric } of series.values()) if (!shown.has(metric)) problems.push(`board: ${metric} is on no panel`);
  return [...new Set(problems)];
}

/** Compares what running processes expose with the catalogue. */
export async function compareProcesses(processes, port) {
  const series = catalogue();
  const pages = await Promise.all(processes.map(async ({ address }) => (await fetch(`http://${address}:${port}/metrics`)).text()));
  const exposed = new Set(pages.flatMap((page) => [...page.matchAll(/^(\w+)(?:\{.*\})? [-\d.e+]+$/gm)].map(([, name]) => name)));
  const problems = [...exposed].filter((name) => !series.has(name)).map((name) => `exposed and not in the catalogue: ${name}`);
  // What there is after some load, whoever looks after the queue.
  const SURE = [
    'glasshouse_http_requests_total', 'glasshouse_http_request_duration_seconds_bucket', 'glasshouse_pages_served_total', 'glasshouse_render_seconds_count',
    'glasshouse_jobs', 'glasshouse_jobs_oldest_seconds', 'glasshouse_jobs_upkeep_seconds_count', 'glasshouse_jobs_ended_total', 'glasshouse_job_duration_seconds_bucket',
  ];
  // One process shows the depth of the whole queue, kinds that it does not run itself included: autoscaling reads them.
  const depths = pages.join('\n');
  for (const kind of ['RenderPage', 'RefreshPage', 'RefreshSite']) {
    if (!new RegExp(`^glasshouse_jobs\\{[^}]*kind="${kind}"[^}]*state="waiting"`, 'm').test(depths)) problems.push(`nobody shows how many jobs of kind ${kind} wait`);
  }
  return [...problems, ...SURE.filter((name) => !exposed.has(name)).map((name) => `not exposed: ${name}`)];
}
