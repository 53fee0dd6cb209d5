// Writes the Grafana board from the list below: glasshouse-board.json, to import into Grafana 10 or newer.
//
//   node deploy/alerts/board.mjs            writes the file
//   node deploy/alerts/board.mjs --check    fails when the file is another than this would write
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), 'glasshouse-board.json');
/** Nodes that the board is asked for. */
const ON = 'job=~"$job", instance=~"$instance"';
const rate = (metric, by = '', labels = '') => `sum${by && ` by (${by})`} (rate(${metric}{${ON}${labels && `, ${labels}`}}[$__rate_interval]))`;
const p = (quantile, metric, by = '', labels = '') => `histogram_quantile(${quantile}, ${rate(`${metric}_bucket`, by ? `le, ${by}` : 'le', labels)})`;

/** Rows of panels: title, unit, and pairs of legend and expression. Every metric of docs/logging.md is on one of them. */
const ROWS = [
  ['Nodes', [
    ['Nodes that answer', 'short', [['nodes', `sum(up{${ON}})`]]],
    ['Responses of the API', 'reqps', [['{{status}}', rate('glasshouse_http_requests_total', 'status')]]],
    ['Errors of the service', 'percentunit', [['share', `${rate('glasshouse_http_requests_total', '', 'status=~"5..", answered_by!="page"')} / (${rate('glasshouse_http_requests_total')} > 0)`]]],
    ['Time of a response', 's', [['p50', p(0.5, 'glasshouse_http_request_duration_seconds')], ['p95', p(0.95, 'glasshouse_http_request_duration_seconds')], ['p99', p(0.99, 'glasshouse_http_request_duration_seconds')]]],
    ['Slowest routes (p95)', 's', [['{{route}}', `topk(8, ${p(0.95, 'glasshouse_http_request_duration_seconds', 'route')})`]]],
    ['Busiest routes', 'reqps', [['{{route}}', `topk(8, ${rate('glasshouse_http_requests_total', 'route')})`]]],
  ]],
  ['Edge and processes', [
    ['Requests at the edge, by answer', 'reqps', [['{{answer}}', rate('glasshouse_edge_requests_total', 'answer')]]],
    ['Time of an answer at the edge (p95)', 's', [['{{answer}}', p(0.95, 'glasshouse_edge_request_duration_seconds', 'answer')]]],
    ['Open connections', 'short', [['{{listener}}', `sum by (listener) (glasshouse_open_connections{${ON}})`]]],
    ['First certificate to expire', 's', [['left', `min(glasshouse_certificate_expiry_seconds{${ON}})`]]],
    ['Memory, processor', 'short', [['{{instance}} bytes', `process_resident_memory_bytes{${ON}}`], ['{{instance}} processors', `rate(process_cpu_seconds_total{${ON}}[$__rate_interval])`]]],
    ['File descriptors', 'short', [['{{instance}} open', `process_open_fds{${ON}}`], ['{{instance}} most', `process_max_fds{${ON}}`]]],
    ['Builds', 'short', [['{{version}}', `count by (version) (glasshouse_build_info{${ON}})`]]],
    ['Time since the start', 's', [['{{instance}}', `time() - process_start_time_seconds{${ON}}`]]],
    ['Lines that the access log left out', 'short', [['lines', `sum(glasshouse_access_log_lines_dropped_total{${ON}})`]]],
  ]],
  ['Pages for crawlers', [
    ['Pages served, by where they came from', 'reqps', [['{{tier}}', rate('glasshouse_pages_served_total', 'tier')]]],
    ['Share from memory or store', 'percentunit', [['share', `${rate('glasshouse_pages_served_total', '', 'tier=~"edge-hit|hit"')} / (${rate('glasshouse_pages_served_total')} > 0)`]]],
    ['Renders', 'reqps', [['all', rate('glasshouse_render_seconds_count')], ['without a page', rate('glasshouse_renders_failed_total')]]],
    ['Time of a render', 's', [['p50', p(0.5, 'glasshouse_render_seconds')], ['p95', p(0.95, 'glasshouse_render_seconds')]]],
    ['Pages that wait for a browser', 'short', [['{{kind}}', `sum by (kind) (glasshouse_jobs{${ON}, kind=~"RenderPage|RefreshPage", state="waiting"})`]]],
    ['Renders left out', 'reqps', [['stale page, enough waits', rate('glasshouse_background_renders_skipped_total')], ['unverified crawler, over its limit', rate('glasshouse_unverified_renders_refused_total')]]],
  ]],
  ['Background work', [
    ['Jobs that wait', 'short', [['{{kind}}', `sum by (kind) (glasshouse_jobs{${ON}, state="waiting"}) > 0`]]],
    ['Oldest waiting job', 's', [['{{kind}}', `max by (kind) (glasshouse_jobs_oldest_seconds{${ON}, state="waiting"}) > 0`]]],
    ['Ends of attempts', 'reqps', [['{{result}}', rate('glasshouse_jobs_ended_total', 'result')]]],
    ['Jobs that gave up', 'short', [['{{kind}}', `sum by (kind) (glasshouse_jobs{${ON}, state="dead"}) > 0`]]],
    ['Time of an attempt (p95)', 's', [['{{kind}}', p(0.95, 'glasshouse_job_duration_seconds', 'kind')]]],
    ['Time that the queue takes for itself (p95)', 's', [['{{what}}', p(0.95, 'glasshouse_jobs_upkeep_seconds', 'what')]]],
  ]],
  ['Crawler visits', [
    ['Visits written down', 'reqps', [['visits', rate('glasshouse_visits_recorded_total')]]],
    ['Visits counted under (other)', 'reqps', [['visits', rate('glasshouse_visits_folded_total')]]],
    ['Visits lost, damaged files', 'short', [['visits', `sum(glasshouse_visits_dropped_total{${ON}})`], ['files', `sum(glasshouse_spool_files_damaged_total{${ON}})`]]],
  ]],
  ['AI mentions', [
    ['Requests to providers', 'reqps', [['{{provider}} {{result}}', rate('glasshouse_mention_calls_total', 'provider, result')]]],
    ['Ends of runs', 'reqps', [['{{provider}} {{result}}', rate('glasshouse_mention_runs_total', 'provider, result')]]],
    ['Cost of the last 24 hours', 'currencyUSD', [['{{provider}}', `sum by (provider) (increase(glasshouse_mention_cost_nanodollars_total{${ON}}[24h])) / 1e9`]]],
    ['Time from run to request (p95)', 's', [['{{provider}}', p(0.95, 'glasshouse_mention_wait_seconds', 'provider')]]],
    ['Providers left alone', 'short', [['{{provider}}', `sum by (provider) (increase(glasshouse_mention_breaker_openings_total{${ON}}[1h]))`]]],
  ]],
];

const datasource = { type: 'prometheus', uid: '${datasource}' };
const [WIDTH, HEIGHT, IN_A_ROW] = [8, 8, 3];

function panels() {
  const made = [];
  let y = 0;
  for (const [row, charts] of ROWS) {
    made.push({ id: made.length + 1, type: 'row', title: row, collapsed: false, panels: [], gridPos: { x: 0, y, w: 24, h: 1 } });
    y += 1;
    for (const [at, [title, unit, lines]] of charts.entries()) {
      made.push({
        id: made.length + 1, type: 'timeseries', title, datasource,
        gridPos: { x: (at % IN_A_ROW) * WIDTH, y: y + Math.floor(at / IN_A_ROW) * HEIGHT, w: WIDTH, h: HEIGHT },
        fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
        options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
        targets: lines.map(([legendFormat, expr], number) => ({ refId: String.fromCharCode(65 + number), datasource, expr, legendFormat })),
      });
    }
    y += Math.ceil(charts.length / IN_A_ROW) * HEIGHT;
  }
  return made;
}

const variable = (name, query) => ({
  name, type: 'query', datasource, query: { query, refId: name }, definition: query, refresh: 2, includeAll: true, multi: true, allValue: '.*', current: { text: 'All', value: '$__all' },
});
const board = {
  uid: 'glasshouse', title: 'Glasshouse', tags: ['glasshouse'], schemaVersion: 39, version: 1, editable: true, timezone: 'browser', refresh: '1m',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
      variable('job', 'label_values(glasshouse_jobs_upkeep_seconds_count, job)'), variable('instance', 'label_values(up{job=~"$job"}, instance)'),
    ],
  },
  panels: panels(),
};

const text = `${JSON.stringify(board, null, 1)}\n`;
if (process.argv.includes('--check')) {
  if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) {
    process.stderr.write('deploy/alerts/glasshouse-board.json is old: node deploy/alerts/board.mjs\n');
    process.exit(1);
  }
} else {
  fs.writeFileSync(file, text);
}
