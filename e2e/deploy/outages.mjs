// What balancers and nodes do when a node is lost without a word, and when the database is away. Used by run.mjs.
import { execFileSync } from 'node:child_process';
import { pause } from '../lib/ports.mjs';
import { processes } from '../lib/process-tree.mjs';

/** Time after which no balancer sends anything to a node that is gone. */
const NOTICED_MS = 3000;

/** The server of GLASSHOUSE_TEST_POSTGRES and the processes of its connections. */
function databaseProcesses() {
  const text = execFileSync('psql', [process.env.GLASSHOUSE_TEST_POSTGRES, '-Atc', "select pg_read_file('postmaster.pid')"], { encoding: 'utf8' });
  const server = Number(text.split('\n')[0]);
  return [server, ...processes().filter(({ parent }) => parent === server).map(({ pid }) => pid)];
}

function signal(pids, name) {
  for (const pid of pids) { try { process.kill(pid, name); } catch { /* it has ended */ } }
}

/** Kills a node under load and starts it again. Returns a function that judges the failures of a balancer. */
export async function loseNode(service, node) {
  const killed = Date.now();
  await service.kill(node);
  await pause(NOTICED_MS + 1000);
  await service.begin(node);
  await pause(2500);
  // A request that changes something is not sent twice, and bytes that are passed through cannot be. Neither can an answer of
  // which the client has the head.
  // nginx passes connections of the edge on as they come.
  const mayFail = ({ kind, at, hasBegun }, balancer) => (kind.method === 'POST' || kind.to === 'through' || hasBegun
    || (balancer === 'nginx' && kind.to === 'edge')) && at < killed + NOTICED_MS;
  return (failures, balancer) => failures.filter((failure) => !mayFail(failure, balancer)).map(({ text }) => text);
}

/** Stops the database under load for some seconds: every node stays in the balancers, crawlers get their pages, the API says 503. */
export async function loseDatabase(service) {
  const problems = [];
  const pids = databaseProcesses();
  signal(pids, 'SIGSTOP');
  try {
    await pause(6000);
    for (const { number, address } of service.nodes) {
      const ask = async (path) => (await fetch(`http://${address}:${service.ports.metrics}${path}`)).status;
      const states = [await ask('/readyz/traffic'), await ask('/readyz')];
      if (states.join() !== '200,503') problems.push(`node ${number}: /readyz/traffic and /readyz are ${states.join(' and ')}`);
    }
  } finally { signal(pids, 'SIGCONT'); }
  await pause(2000);
  const mayFail = ({ kind, text }) => kind.to === 'api' && text.includes('503');
  return (failures) => [...problems, ...failures.filter((failure) => !mayFail(failure)).map(({ text }) => text)];
}
