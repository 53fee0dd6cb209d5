// One attacker as a process of its own: node attackers.mjs KIND 'JSON'. Started by attacks.mjs, which ends it; prints one line of JSON.
// Loopback only, bounded in count and time. Attackers come from addresses of their own (127.0.1.1 and up), never from the good customer's.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { request as httpRequest } from 'node:http';
import { connect as tlsConnect } from 'node:tls';

const [kind, text] = process.argv.slice(2);
const order = JSON.parse(text);
const CRAWLER = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)';
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const address = (number) => `127.0.1.${1 + (number % 200)}`;
const random = () => randomBytes(8).toString('hex');
const until = Date.now() + order.seconds * 1000;

/** Calls `act(number)` at `perSecond` until the time is over; nobody waits for what it starts. */
async function steadily(perSecond, act) {
  const begun = Date.now();
  for (let number = 0; Date.now() < until; number += 1) {
    const due = begun + (number * 1000) / perSecond;
    if (due > Date.now()) await sleep(due - Date.now());
    act(number);
  }
}

/** A request whose answer is counted by its status and thrown away. */
function ask(number, counts, options, body) {
  const sent = httpRequest({ agent: false, host: '127.0.0.1', localAddress: address(number), timeout: 70_000, ...options }, (response) => {
    counts[response.statusCode] = (counts[response.statusCode] ?? 0) + 1;
    response.resume();
    response.on('error', () => {});
  });
  sent.on('error', () => { counts.failed = (counts.failed ?? 0) + 1; });
  sent.on('timeout', () => sent.destroy());
  sent.end(body);
}

const attacks = {
  // Connections that ask for the same large answer again and again and read nothing.
  async unread({ ports, count, path, host }) {
    const counts = { opened: 0, ended: 0 };
    const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${CRAWLER}\r\n\r\n`.repeat(40);
    const sockets = [];
    for (let number = 0; number < count && Date.now() < until; number += 1) {
      const socket = connect({ port: ports[number % ports.length], host: '127.0.0.1', localAddress: address(number) });
      socket.on('connect', () => { counts.opened += 1; socket.write(request); socket.pause(); });
      socket.on('error', () => {});
      socket.on('close', () => { counts.ended += 1; });
      sockets.push(socket);
      if (number % 100 === 99) await sleep(20);
    }
    await sleep(Math.max(0, until - Date.now()));
    for (const socket of sockets) socket.destroy();
    return counts;
  },

  // People who ask for pages of a domain whose own server does not answer.
  async hang({ port, host, perSecond }) {
    const counts = {};
    await steadily(perSecond, (number) => ask(number, counts, { port, path: `/${random()}`, headers: { Host: host, 'User-Agent': 'curl/8.0' } }));
    return counts;
  },

  // Crawlers, by their own word, that ask for addresses nobody has ever asked for.
  async queries({ port, host, perSecond }) {
    const counts = {};
    await steadily(perSecond, (number) => ask(number, counts, { port, path: `/article/1?q=${random()}`, headers: { Host: host, 'User-Agent': CRAWLER } }));
    return counts;
  },

  // Sign-ins with made-up passwords, each from another address, and questions whether the service is ready.
  async doors({ port, perSecond }) {
    const counts = {};
    await steadily(perSecond, (number) => {
      if (number % 2 === 0) return ask(number, counts, { port, path: '/readyz' });
      const body = JSON.stringify({ email: `${random()}@glasshouse.test`, password: random() });
      return ask(number, counts, { port, method: 'POST', path: '/api/session', headers: { 'content-type': 'application/json', 'content-length': body.length } }, body);
    });
    return counts;
  },

  // WebSockets of one domain that stay open and say nothing.
  async tunnels({ port, host, count }) {
    const counts = { opened: 0, refused: 0, ended: 0 }, sockets = [];
    const request = `GET /socket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
    for (let number = 0; number < count && Date.now() < until; number += 1) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: address(number) });
      socket.on('connect', () => socket.write(request));
      socket.once('data', (head) => { counts[head.includes(' 101 ') ? 'opened' : 'refused'] += 1; });
      socket.on('error', () => {});
      socket.on('close', () => { counts.ended += 1; });
      sockets.push(socket);
      if (number % 20 === 19) await sleep(20);
    }
    await sleep(Math.max(0, until - Date.now()));
    for (const socket of sockets) socket.destroy();
    return counts;
  },

  // A customer who has thousands of pages rendered again, again and again.
  async refresh({ port, key, domains, perSecond }) {
    const counts = {};
    await steadily(perSecond, (number) => {
      const paths = Array.from({ length: 100 }, (_, index) => `/article/${number * 100 + index}`), body = JSON.stringify({ domain: domains[number % domains.length], paths });
      ask(number, counts, { port, method: 'POST', path: '/api/prerender/cache/invalidate-paths-cache', headers: { 'x-service-api-key': key, 'content-type': 'application/json', 'content-length': body.length } }, body);
    });
    return counts;
  },

  // A customer who starts one audit after another on all domains.
  async audits({ port, key, domains, perSecond }) {
    const counts = {};
    await steadily(perSecond, (number) => {
      const domain = domains[number % domains.length], body = JSON.stringify({ domain, urls: [`https://${domain}/article/${number}`], mode: 'follow' });
      ask(number, counts, { port, method: 'POST', path: '/api/seo-spider/runs', headers: { 'x-service-api-key': key, 'content-type': 'application/json', 'content-length': body.length } }, body);
    });
    return counts;
  },

  // TLS handshakes with names that nobody has, and with names that wait to be connected.
  async handshakes({ port, count, pending }) {
    const counts = { finished: 0, refused: 0 };
    const open = (number) => new Promise((done) => {
      const servername = number % 2 === 0 ? `${random()}.example` : pending[number % pending.length];
      const socket = tlsConnect({ port, host: '127.0.0.1', localAddress: address(number), servername, rejectUnauthorized: false, timeout: 10_000 });
      const end = (what) => { counts[what] += 1; socket.destroy(); done(); };
      socket.once('secureConnect', () => end('finished'));
      socket.once('timeout', () => end('refused'));
      socket.once('error', () => end('refused'));
    });
    let next = 0;
    await Promise.all(Array.from({ length: 100 }, async () => {
      while (next < count && Date.now() < until) { next += 1; await open(next); }
    }));
    return { asked: next, ...counts };
  },
};

console.log(JSON.stringify(await attacks[kind](order)));
process.exit(0);
