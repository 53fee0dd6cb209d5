// Deliveries of webhooks with a long queue, by itself: node bench/deliveries.mjs [--events 1000,1000000] [--seconds 60]
// An account has six receivers on loopback: one that answers after ten seconds, a chat, which gets all its events in one message, and four others.
// Half of the events are queued for the slow one, half for the chat, and a hundred for each of the others, made by statements in SQLite. Then the
// service starts. Prints when the others have their events and the chat its message, how long a test that is asked for meanwhile takes, and the
// most memory that the service has had: with each number of events in a new folder.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listen, pause } from '../e2e/lib/ports.mjs';
import { endAll } from '../e2e/lib/programs.mjs';
import { createAccount, createKey, keyApi, prepare, startService } from '../e2e/lib/service.mjs';
import { mostMb, percentile } from './meter.mjs';

const OWNER = 'owner@bench.test';
const FAST = 4;
const EVENTS_OF_FAST = 100;
const SLOW_MS = 10_000;
/** A test may be asked for six times a minute. */
const TEST_EVERY_MS = 11_000;
const { values } = parseArgs({ options: { events: { type: 'string', default: '1000,1000000' }, seconds: { type: 'string', default: '60' } } });

/** Times at which the others got an event, by its id: of those that were queued by statements it begins with the name of the receiver. */
const got = new Map();
let slowAsked = 0, chatAt = Infinity;
const server = await listen(createServer((request, response) => {
  const isSlow = request.url === '/slow';
  if (isSlow) slowAsked += 1;
  else if (request.url === '/chat') chatAt = Math.min(chatAt, performance.now());
  else got.set(request.headers['webhook-id'], performance.now());
  request.resume().on('end', () => setTimeout(() => response.writeHead(204).end(), isSlow ? SLOW_MS : 0));
}));

/** Queues events for a webhook, each with a delivery: by itself with a job, or gathered, with one job for all. */
function queued(webhook, account, name, events) {
  const isChat = name === 'chat', columns = 'id, kind, account_id, unique_key, lane, priority, turn, state, payload, attempts, max_attempts, run_at, again, created_at';
  const jobs = isChat
    ? `values ('j-chat', 'SendGathered', '${account}', '${webhook}' || char(10), null, 10, 0, 'waiting', '{"webhook":"${webhook}","domain":""}', 0, 100, 0, false, NOW)`
    : `select 'j-' || id, 'SendDelivery', '${account}', null, 'webhook:${webhook}', 10, rowid, 'waiting', '{"delivery":"d-' || id || '","round":0}', 0, 100, 0, false, NOW
         from webhook_events where id like '${name}-%'`;
  return `
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${events})
    insert into webhook_events (id, account_id, type, domain, data, created_at)
      select '${name}-' || i, '${account}', 'limit.near', null, '{"name":"domains","used":4,"limit":5}', NOW from n;
    insert into webhook_deliveries (id, webhook_id, event_id, domain, state, is_single, round, tries, attempts, created_at)
      select 'd-' || id, '${webhook}', id, '', 'waiting', ${!isChat}, 0, 0, '[]', NOW from webhook_events where id like '${name}-%';
    insert into jobs (${columns}) ${jobs};`.replaceAll('NOW', String(Date.now()));
}

async function measure(events) {
  const prepared = await prepare({ name: `deliveries-${events}` });
  await createAccount(prepared, { email: OWNER });
  const api = keyApi(prepared, await createKey(prepared, OWNER));
  let service = await startService(prepared);
  const names = ['slow', 'chat', ...Array.from({ length: FAST }, (_, index) => `fast${index}`)];
  const webhooks = [];
  for (const name of names) {
    webhooks.push(await api('POST', '/api/webhooks', { url: `http://${server.host}/${name}`, events: ['limit.near'], format: name === 'chat' ? 'slack' : 'standard' }));
  }
  await service.stop();
  const database = join(prepared.folder, 'glasshouse.db');
  const account = execFileSync('sqlite3', [database, 'select account_id from webhooks limit 1'], { encoding: 'utf8' }).trim();
  const statements = webhooks.map(({ id }, index) => queued(id, account, names[index], index < 2 ? events / 2 : EVENTS_OF_FAST));
  statements.push(`insert or replace into job_shares (priority, account_id, last_turn) values (10, '${account}', ${2 * events});`);
  execFileSync('sqlite3', [database], { input: `begin;${statements.join('\n')}commit;analyze;`, stdio: ['pipe', 'ignore', 'inherit'] });

  got.clear();
  slowAsked = 0;
  chatAt = Infinity;
  const began = performance.now(), tests = [];
  service = await startService(prepared);
  while (performance.now() - began < Number(values.seconds) * 1000) {
    const asked = performance.now();
    await api('POST', `/api/webhooks/${webhooks[2 + (tests.length % FAST)].id}/test`);
    const arrival = () => [...got].find(([id, at]) => !id.startsWith('fast') && at > asked)?.[1];
    while (arrival() === undefined && performance.now() - asked < TEST_EVERY_MS) await pause(10);
    tests.push((arrival() ?? Infinity) - asked);
    await pause(Math.max(0, TEST_EVERY_MS - (performance.now() - asked)));
  }
  const ofOthers = [...got].filter(([id]) => id.startsWith('fast')).map(([, at]) => at - began);
  const figures = {
    events, othersGot: ofOthers.length, othersOf: FAST * EVENTS_OF_FAST, othersLastMs: Math.round(Math.max(...ofOthers)), chatMs: Math.round(chatAt - began),
    testP50Ms: Math.round(percentile(tests, 0.5)), testMostMs: Math.round(Math.max(...tests)), tests: tests.length, slowAsked, mostMb: mostMb(service.pid),
  };
  await service.stop();
  return figures;
}

try {
  for (const events of values.events.split(',').map(Number)) console.log(JSON.stringify(await measure(events)));
} finally {
  await endAll();
}
process.exit();
