// HAProxy, nginx and Caddy with the committed files in front of three nodes: what a request carries when it arrives, that restarting
// the nodes in turn under load costs no request, and what is lost with a node that is killed or a database that is away.
// Called by e2e/deploy/check.sh.
//
//   scripts/with-postgres.sh node e2e/deploy/run.mjs
//   GLASSHOUSE   the binary (default: the one in target that was built last)
import { pause } from '../lib/ports.mjs';
import { endAll, keepScratch } from '../lib/programs.mjs';
import { caddy, haproxy, nginx } from './balancers.mjs';
import { begin } from './load.mjs';
import { compareFiles, compareProcesses } from './metrics.mjs';
import { DRAIN_S, startNodes, startOrigin } from './nodes.mjs';
import { loseDatabase, loseNode } from './outages.mjs';
import { requests } from './requests.mjs';

/** Fewer requests than this through a balancer over all restarts would prove little. */
const LEAST_REQUESTS = 1000;
const out = (line) => process.stdout.write(`${line}\n`);
let failed = 0;

function report(name, group, problems) {
  failed += problems.length;
  out(`${name.padEnd(10)} ${group.padEnd(56)} ${problems.length === 0 ? 'ok' : `${problems.length} FAILED`}`);
  for (const problem of problems.slice(0, 20)) out(`    ${problem}`);
}

try {
  report('Prometheus', 'rules and board name metrics that there are', compareFiles());

  const origin = await startOrigin();
  const service = await startNodes(origin.port);
  const balancers = await Promise.all([haproxy, nginx, caddy].map((one) => one(service.ports)));
  await pause(2500); // Two checks, a second apart, before a node counts as up.

  for (const balancer of balancers) report(balancer.name, 'what a request carries when it arrives', await requests(balancer, service.key, origin));

  const loads = balancers.map((balancer) => begin(balancer, service.key));
  await pause(1000);
  for (const node of service.nodes) {
    const began = Date.now();
    const code = await service.restart(node);
    const problems = code === 0 ? [] : [`it ended with ${code}`];
    if (Date.now() - began < DRAIN_S * 1000) problems.push('it did not drain');
    report(`node ${node.number}`, `ended and begun again in ${((Date.now() - began) / 1000).toFixed(1)} s`, problems);
    await pause(2500);
  }
  for (const [at, load] of loads.entries()) {
    const { counts, failures, total } = await load.stop();
    const problems = failures.map(({ text }) => text);
    if (total < LEAST_REQUESTS) problems.push(`only ${total} requests`);
    report(balancers[at].name, `${total} requests over three restarts, none lost`, problems);
    if (process.env.VERBOSE) for (const [kind, count] of counts) out(`    ${count} ${kind}`);
  }
  report('Prometheus', 'processes expose what the catalogue lists', await compareProcesses(service.processes, service.ports.metrics));

  for (const [sentence, lose] of [
    ['a killed node: GETs go to another, others fail for 3 s', () => loseNode(service, service.nodes[0])],
    ['the database is away: pages come, no node is left out', () => loseDatabase(service)],
  ]) {
    const during = balancers.map((balancer) => begin(balancer, service.key));
    await pause(1000);
    const judge = await lose();
    for (const [at, load] of during.entries()) report(balancers[at].name, sentence, judge((await load.stop()).failures, balancers[at].name));
  }
} catch (error) {
  failed += 1;
  out(error.stack ?? String(error));
} finally {
  await endAll();
  if (failed > 0) out(`logs: ${keepScratch()}`);
}
process.exit(failed === 0 ? 0 : 1);
