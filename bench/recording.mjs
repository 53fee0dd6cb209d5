// What recording visits costs, how soon they are in the reports, and what a killed process loses: measureRecording().
// Used by visits.mjs. Stored pages are asked for with wrk, by crawlers and by a person in turns.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { writeFileSync } from 'node:fs';
import { listen, pause } from '../e2e/lib/ports.mjs';
import { processOf } from '../e2e/lib/process-tree.mjs';
import { scratch } from '../e2e/lib/programs.mjs';
import { fetchPage } from './load.mjs';
import { median } from './meter.mjs';
import { createKey, prepareGlasshouse, startGlasshouse } from './services.mjs';

const PAGES = 20, PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
// A key may ask for reports 60 times a minute.
const LOOK_EVERY_MS = 300, MOST_LOOKS = 50;
// Turns of each repetition, with and without recording: many short ones, since the machine is not the same for long.
const TURNS = 4, TURN_SECONDS = 2, APPLIED_WITHIN_MS = 2_000;

/** Has wrk ask for every page with every user agent in turn, so many at once on a connection: requests answered, and how many a second. */
async function load({ service, agents, seconds, name, pipelined = 1 }) {
  const paths = (pipelined > 1 ? smallPages(service) : pages(service)).map((address) => new URL(address)).map(({ pathname, search }) => pathname + search);
  const script = scratch(`${name}.lua`), quoted = (texts) => `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;
  writeFileSync(script, `
    local requests, at = {}, 0
    function init()
      for _, path in ipairs(${quoted(paths)}) do
        for _, agent in ipairs(${quoted(agents)}) do
          requests[#requests + 1] = wrk.format("GET", path, {["user-agent"] = agent, ["x-service-api-key"] = ${JSON.stringify(service.headers['x-service-api-key'])}})
        end
      end
    end
    function request()
      local some = {}
      for place = 1, ${pipelined} do
        at = at % #requests + 1
        some[place] = requests[at]
      end
      return table.concat(some)
    end`);
  const args = ['-t', String(Math.min(2, cpus().length)), '-c', '32', '-d', `${seconds}s`, '-s', script, new URL(service.api).origin];
  const report = await new Promise((resolve, reject) => execFile('wrk', args, (error, out) => (error ? reject(error) : resolve(out))));
  const answered = Number(/(\d+) requests in/.exec(report)[1]);
  return { answered, perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)[1]), failed: /Non-2xx|Socket errors/.test(report) && report };
}

const pages = (service) => Array.from({ length: PAGES }, (_, index) => `${service.api}?url=${encodeURIComponent(`http://bench.test/long/${index}`)}`);

const smallPages = (service) => Array.from({ length: PAGES }, (_, index) => `${service.api}?url=${encodeURIComponent(`http://small.test/${index}`)}`);

/** A site whose pages are so small that sending them is not what takes time. */
const startSmallSite = () => listen(createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<!doctype html><title>Small</title><h1>Small</h1><p>A page of a few words.')));

/** User and system time of the service so far, without its browser's. */
const processorSeconds = (pid) => {
  const { fields } = processOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

/** Visits of today that the reports know. */
async function counted(prepared, key, domain) {
  const address = `http://127.0.0.1:${prepared.port}/api/analytics/bots/summary?days=2&domain=${domain}`;
  const answer = await fetch(address, { headers: { 'x-service-api-key': key } });
  if (answer.status !== 200) throw new Error(`the summary answers ${answer.status}`);
  return (await answer.json()).totalCrawlsServed;
}

/** Seconds until so many visits are counted, and how many are at last. */
async function untilCounted(prepared, key, visits, domain = 'bench.test') {
  const begun = performance.now();
  for (let look = 1; ; look += 1) {
    const now = await counted(prepared, key, domain), seconds = (performance.now() - begun) / 1000;
    if (now >= visits || look === MOST_LOOKS) return { now, seconds };
    await pause(LOOK_EVERY_MS);
  }
}

/** The service and its stored pages, each asked for once by a person. */
async function started(prepared) {
  const service = await startGlasshouse(prepared);
  for (const address of [...pages(service), ...smallPages(service)]) {
    const answer = await fetchPage(address, { ...service.headers, 'user-agent': PERSON });
    if (answer.status !== 200) throw new Error(`${address} answers ${answer.status}`);
  }
  return service;
}

export async function measureRecording({ name, settings, binary, site, crawlers, seconds, reps, add }) {
  const small = await startSmallSite(), hosts = { 'bench.test': `127.0.0.1:${site.port}`, 'small.test': small.host };
  const prepared = await prepareGlasshouse(binary, site, Object.keys(hosts), { folder: `recording-${name}`, 'network.hosts': hosts, ...settings });
  let service = await started(prepared);
  const agents = crawlers.map((crawler) => `Mozilla/5.0 (compatible; ${crawler})`);
  const run = async (who, length, pipelined) => {
    const result = await load({ service, agents: who, seconds: length, name, pipelined });
    if (result.failed) throw new Error(`wrk saw failures:\n${result.failed}`);
    return result;
  };
  // What was recorded is written down, applied and forgotten within the turn that it belongs to.
  const turn = async (what, who) => {
    const before = processorSeconds(service.pid), result = await run(who, Math.min(seconds, TURN_SECONDS));
    await pause(APPLIED_WITHIN_MS);
    const cpuPerPage = (1e6 * (processorSeconds(service.pid) - before)) / result.answered;
    add(`${name}${what}`, { perSecond: result.perSecond, cpuPerPage });
    turns[what].push(cpuPerPage);
    return what === 'On' ? result.answered : 0;
  };
  await run([PERSON], 1);
  // As many different user agents: what a recorded request does more than another is the recording.
  const people = agents.map((_, index) => `${PERSON} Edition/${index}`), turns = { On: [], Off: [] };
  let visits = 0;
  for (let pair = 0; pair < TURNS * reps; pair += 1) {
    const both = [['Off', people], ['On', agents]];
    for (const [what, who] of pair % 2 ? both.reverse() : both) visits += await turn(what, who);
  }
  console.error(`  ${name}: ${median(turns.On).toFixed(2)} µs of processor time a page with a visit, ${median(turns.Off).toFixed(2)} without`);

  // Small pages, eight requests at once: the recorder has the most to do.
  const most = await run(agents, seconds, 8), mostSeen = await untilCounted(prepared, await createKey(prepared, 'most'), most.answered, 'small.test');
  const seen = await untilCounted(prepared, await createKey(prepared, 'seen'), visits);
  if (seen.now < visits || mostSeen.now < most.answered) throw new Error(`${visits + most.answered} visits were answered and ${seen.now + mostSeen.now} counted`);
  console.error(`  ${name}: ${Math.round(most.perSecond)} visits/s recorded, all in the reports ${mostSeen.seconds.toFixed(1)} s after the last one`);
  add(`${name}Most`, { perSecond: most.perSecond });
  add(`${name}Seen`, { latencyMs: 1000 * mostSeen.seconds });

  // What is answered between the last look at the disk and the kill is lost, and nothing else; nothing counts twice.
  const loading = load({ service, agents, seconds, name });
  await pause(seconds * 500);
  await service.stop({ signal: 'SIGKILL' });
  const { answered } = await loading;
  service = await startGlasshouse(prepared);
  const after = await untilCounted(prepared, await createKey(prepared, 'after'), seen.now + answered);
  const lostMs = (1000 * Math.max(0, seen.now + answered - after.now)) / (answered / (seconds / 2));
  if (after.now > seen.now + answered + 32) throw new Error(`${answered} visits were answered and ${after.now - seen.now} counted`);
  console.error(`  ${name}: killed, the visits of ${lostMs.toFixed(0)} ms were lost`);
  add(`${name}Lost`, { latencyMs: lostMs });
  await service.stop();
  small.close();
}
