// `glasshouse apply` of a file of 1,000 domains with settings, on SQLite and without a running service: measureApply(). Used by run.mjs.
import { writeFileSync } from 'node:fs';
import { scratch } from '../e2e/lib/programs.mjs';
import { runCommand } from '../e2e/lib/service.mjs';
import { prepareGlasshouse } from './services.mjs';

/** A domain with a redirect, a header, a policy, a root file and an audit plan. */
const domain = (number) => ({
  name: `shop-${number}.example`,
  settings: {
    originHost: `origin-${number}.example`,
    redirectRules: [{ source: '/old', destination: '/new' }],
    customResponseHeaders: [{ pathPattern: '/*', headers: [{ name: 'x-shop', value: String(number) }] }],
  },
  crawlerPolicy: { mode: 'log', obeyRobotsTxt: true, rules: [{ match: { purpose: 'llm-training' }, paths: [], action: 'block', text: null }] },
  rootFiles: { files: [{ path: '/robots.txt', mode: 'fallback', source: 'robots' }] },
});

export async function measureApply({ site, binary, reps, quick, add }) {
  const count = quick ? 50 : 1_000, file = scratch('domains.json');
  writeFileSync(file, JSON.stringify({ domain: Array.from({ length: count }, (_, number) => domain(number)) }));
  for (let rep = 0; rep < reps; rep += 1) {
    const prepared = await prepareGlasshouse(binary, site, [], { folder: `apply-${rep}` }), began = performance.now();
    await runCommand(prepared, 'apply', file);
    add('apply', { latencyMs: (performance.now() - began) * (1_000 / count) });
    const again = performance.now();
    await runCommand(prepared, 'apply', file);
    add('applyAgain', { latencyMs: (performance.now() - again) * (1_000 / count) });
  }
}
