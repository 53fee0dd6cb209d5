// Load on a balancer while nodes come and go: kept and new connections, reads, writes, slow answers, the API. Counts every
// request that did not get its right answer. Crawlers ask for a page that was rendered before.
import http from 'node:http';
import { pause } from '../lib/ports.mjs';
import { SHOP, WRITTEN } from './nodes.mjs';

export const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const BODY = Buffer.alloc(20_000, 'a');

/** Sends a request and checks the answer; rejects with what was wrong: `hasBegun` when it is an answer that broke off. */
function send({ port, agent, method = 'GET', path, headers, body, check }) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      const pieces = [];
      const breakOff = (error) => reject(Object.assign(new Error(`${response.statusCode} broke off: ${error.message}`), { hasBegun: true }));
      response.on('data', (piece) => pieces.push(piece)).on('error', breakOff).on('end', () => {
        const text = Buffer.concat(pieces).toString();
        if (!response.complete) breakOff(new Error('the body is too short'));
        else if (response.statusCode !== 200) reject(new Error(`${response.statusCode} ${text.slice(0, 80)}`));
        else if (!check(text)) reject(new Error(`a wrong answer: ${text.slice(0, 80)}`));
        else resolve();
      });
    });
    request.setTimeout(30_000, () => request.destroy(new Error('no answer in 30 s')));
    request.on('error', reject);
    request.end(body);
  });
}

/** The kinds of request. `through`: connections that are passed on as they are. */
const KINDS = [
  { name: 'GET, kept connection', to: 'edge', keep: true, workers: 2, rest: 8 },
  { name: 'GET, new connection', to: 'edge', keep: false, workers: 2, rest: 8 },
  { name: 'a crawler, kept connection', to: 'edge', keep: true, workers: 1, rest: 8, isCrawler: true },
  { name: 'a crawler, new connection', to: 'edge', keep: false, workers: 2, rest: 8, isCrawler: true },
  { name: 'POST, kept connection', to: 'edge', keep: true, workers: 2, rest: 10, method: 'POST' },
  { name: 'POST, new connection', to: 'edge', keep: false, workers: 2, rest: 10, method: 'POST' },
  { name: 'GET that takes 400 ms', to: 'edge', keep: true, workers: 3, rest: 0, ms: 400 },
  { name: 'POST that takes 400 ms', to: 'edge', keep: false, workers: 2, rest: 0, ms: 400, method: 'POST' },
  { name: 'passed through, new connection', to: 'through', keep: false, workers: 2, rest: 10 },
  { name: 'API, kept connection', to: 'api', keep: true, workers: 1, rest: 150 },
  { name: 'API, new connection', to: 'api', keep: false, workers: 2, rest: 20 },
];

/** The path of a kind of request, and whether a text is its right answer. */
function shapeOf({ to, keep, isCrawler, ms = 0 }, body) {
  if (to === 'api') return [keep ? '/api/keys' : '/healthz', (text) => /^[{[]/.test(text)];
  if (isCrawler) return ['/page', (text) => text.includes(`<p>${WRITTEN}</p>`)];
  return [`/load?ms=${ms}`, (text) => JSON.parse(text).bytes === (body?.length ?? 0)];
}

/** Begins load on a balancer; `stop()` ends it and says what was counted and what failed: kind of request, when, a sentence. */
export function begin(balancer, key) {
  const counts = new Map();
  const failures = [];
  let isOver = false;
  const work = async (kind) => {
    const agent = kind.keep ? new http.Agent({ keepAlive: true, maxSockets: 1 }) : false;
    const isApi = kind.to === 'api';
    const headers = isApi ? { 'x-service-api-key': key } : { host: SHOP, 'user-agent': kind.isCrawler ? CRAWLER : PERSON };
    const body = kind.method === 'POST' ? BODY : undefined;
    if (body) headers['content-length'] = body.length;
    const [path, check] = shapeOf(kind, body);
    while (!isOver) {
      const at = new Date().toISOString().slice(11, 23);
      await send({ port: balancer.port[kind.to], agent, method: kind.method, path, headers, body, check })
        .catch((error) => { failures.push({ kind, at: Date.now(), hasBegun: error.hasBegun, text: `${at} ${kind.name}: ${error.message}` }); });
      counts.set(kind.name, (counts.get(kind.name) ?? 0) + 1);
      await pause(kind.rest);
    }
    if (agent) agent.destroy();
  };
  const kinds = KINDS.filter(({ to }) => balancer.port[to]);
  const workers = kinds.flatMap((kind) => Array.from({ length: kind.workers }, () => work(kind)));
  return {
    async stop() {
      isOver = true;
      await Promise.all(workers);
      return { counts, failures, total: [...counts.values()].reduce((sum, count) => sum + count, 0) };
    },
  };
}
