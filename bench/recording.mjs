// What recording visits costs, how soon they are in the reports, and what a killed process loses: measureRecording().
// Used by visits.mjs. Stored pages are asked for with wrk, by crawlers and by a person in turns.
import { execFile, execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { fetchPage } from './load.mjs';
import { prepareGlasshouse, scratch, startGlasshouse } from './services.mjs';

const PAGES = 20, PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
// A key may ask for reports 60 times a minute.
const LOOK_EVERY_MS = 300, MOST_LOOKS = 50;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Has wrk ask for every page with every user agent in turn: requests answered, and how many a second. */
async function load({ service, agents, seconds, name }) {
  const paths = pages(service).map((address) => new URL(address)).map(({ pathname, search }) => pathname + search);
  const script = join(scratch, `${name}.lua`), quoted = (texts) => `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;
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
      at = at % #requests + 1
      return requests[at]
    end`);
  const args = ['-t', String(Math.min(2, cpus().length)), '-c', '32', '-d', `${seconds}s`, '-s', script, new URL(service.api).origin];
  const report = await new Promise((resolve, reject) => execFile('wrk', args, (error, out) => (error ? reject(error) : resolve(out))));
  const answered = Number(/(\d+) requests in/.exec(report)[1]);
  return { answered, perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)[1]), failed: /Non-2xx|Socket errors/.test(report) && report };
}

const pages = (service) => Array.from({ length: PAGES }, (_, index) => `${service.api}?url=${encodeURIComponent(`http://bench.test/long/${index}`)}`);

/** Visits of today that the reports know. */
async function counted(prepared, key) {
  const address = `http://127.0.0.1:${prepared.port}/api/analytics/bots/summary?days=2&domain=bench.test`;
  const answer = await fetch(address, { headers: { 'x-service-api-key': key } });
  if (answer.status !== 200) throw new Error(`the summary answers ${answer.status}`);
  return (await answer.json()).totalCrawlsServed;
}

/** Seconds until so many visits are counted, and how many are at last. */
async function untilCounted(prepared, key, visits) {
  const begun = performance.now();
  for (let look = 1; ; look += 1) {
    const now = await counted(prepared, key), seconds = (performance.now() - begun) / 1000;
    if (now >= visits || look === MOST_LOOKS) return { now, seconds };
    await wait(LOOK_EVERY_MS);
  }
}

/** The service and its stored pages, each asked for once by a person. */
async function started(prepared) {
  const service = await startGlasshouse(prepared);
  for (const address of pages(service)) {
    const answer = await fetchPage(address, { ...service.headers, 'user-agent': PERSON });
    if (answer.status !== 200) throw new Error(`${address} answers ${answer.status}`);
  }
  return service;
}

export async function measureRecording({ name, settings, binary, site, crawlers, seconds, reps, add }) {
  const prepared = await prepareGlasshouse(binary, site, ['bench.test'], { folder: `recording-${name}`, ...settings });
  const key = (what) => execFileSync(binary, ['key', 'create', '--account', 'bench@glasshouse.test', '--name', what], { cwd: prepared.folder, env: { ...process.env, ...prepared.env }, encoding: 'utf8' }).trim();
  let service = await started(prepared);
  const agents = crawlers.map((crawler) => `Mozilla/5.0 (compatible; ${crawler})`);
  const run = async (who, length) => {
    const result = await load({ service, agents: who, seconds: length, name });
    if (result.failed) throw new Error(`wrk saw failures:\n${result.failed}`);
    return result;
  };
  await run([PERSON], 1);
  let visits = 0, perSecond = 0;
  for (let rep = 0; rep < reps; rep += 1) {
    // As many different user agents: what a recorded request does more than another is the recording.
    const off = await run(agents.map((_, index) => `${PERSON} Edition/${index}`), seconds), on = await run(agents, seconds);
    add(`${name}Off`, { perSecond: off.perSecond });
    add(`${name}On`, { perSecond: on.perSecond });
    [visits, perSecond] = [visits + on.answered, on.perSecond];
  }
  const seen = await untilCounted(prepared, key('seen'), visits);
  if (seen.now < visits) throw new Error(`${visits} visits were answered and ${seen.now} counted`);
  console.error(`  ${name}: ${Math.round(perSecond)} visits/s recorded, all in the reports ${seen.seconds.toFixed(1)} s after the last one`);
  add(`${name}Seen`, { latencyMs: 1000 * seen.seconds });

  // What is answered between the last look at the disk and the kill is lost, and nothing else; nothing counts twice.
  const loading = load({ service, agents, seconds, name });
  await wait(seconds * 500);
  await service.stop({ signal: 'SIGKILL' });
  const { answered } = await loading;
  service = await startGlasshouse(prepared);
  const after = await untilCounted(prepared, key('after'), seen.now + answered);
  const lostMs = (1000 * Math.max(0, seen.now + answered - after.now)) / (answered / (seconds / 2));
  if (after.now > seen.now + answered + 32) throw new Error(`${answered} visits were answered and ${after.now - seen.now} counted`);
  console.error(`  ${name}: killed, the visits of ${lostMs.toFixed(0)} ms were lost`);
  add(`${name}Lost`, { latencyMs: lostMs });
  await service.stop();
}
