// Fills the demo domain of a running service: what is real (snapshots, an audit, both daily) and what is made up (crawler visits, AI answers).
// Used by `make run`. Each thing is made once: a later start makes nothing again, and one that was cut off goes on. See docs/decisions/0460.
//   DEMO_KEY=KEY node seed.mjs --binary GLASSHOUSE --address http://127.0.0.1:3000 --domain demo.glasshouse.test --folder DATA [--no-answers]
// The service's settings are those of the environment. Exits with 1 when a part is missing; the others are there.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { askAgain, createPrompts, importVisits, prepareBrand } from './first-start/made.mjs';
import { askAsCrawlers, audit, finishSnapshots, logPolicy, manageSitemap, schedule, startSnapshots } from './first-start/real.mjs';
import { Refused, Service } from './first-start/service.mjs';
import { State } from './first-start/state.mjs';

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: { binary: text, address: text, domain: text, folder: text, 'no-answers': { type: 'boolean', default: false } },
});
const missing = ['binary', 'address', 'domain', 'folder'].filter((name) => options[name] === undefined);
if (missing.length > 0 || !process.env.DEMO_KEY) {
  console.error(`seed: ${missing.map((name) => `--${name}`).join(', ') || 'DEMO_KEY'} is missing; make run gives it`);
  process.exit(2);
}
const say = (line) => console.log(`==> ${line}`);

/** Parts in an order in which one works while another is waited for. */
const PARTS = [
  ['snapshots', startSnapshots],
  ['crawler visits', importVisits],
  ...(options['no-answers'] ? [] : [['brand', prepareBrand], ['prompts', createPrompts], ['AI answers', askAgain]]),
  ['snapshots', finishSnapshots],
  ['crawler policy', logPolicy],
  ['requests of crawlers', askAsCrawlers],
  ['audit', audit],
  ['daily audit', schedule],
  ['sitemap', manageSitemap],
];

/** A sentence about a failure, and what to do. */
function explain(error) {
  if (error instanceof Refused && error.status === 401) return 'the key of make run was revoked: delete run-credentials in the data folder and start again';
  return error.message;
}

let failed = 0;
try {
  const state = new State(join(options.folder, 'demo-data.json'));
  if (state.get('begun') === undefined) state.set('begun', new Date().toISOString());
  const context = {
    service: new Service({ address: options.address, key: process.env.DEMO_KEY, binary: options.binary }),
    state, domain: options.domain, folder: options.folder, now: Date.now(), say,
  };
  for (const [name, make] of PARTS) {
    try {
      await make(context);
    } catch (error) {
      failed += 1;
      console.error(`demo, ${name}: ${explain(error)}`);
    }
  }
} catch (error) {
  failed += 1;
  console.error(`demo: ${error.message}`);
}
if (failed > 0) console.error('demo: not all of it is there; start again, and it goes on where it was');
process.exit(failed > 0 ? 1 : 0);
