// Puts pages through one renderer and measures it: measure(). Used by run.mjs.
// Only good pages count: status 200 and everything of the page there; visible text is fingerprinted for the cross-check.
import { createHash } from 'node:crypto';
import { Agent, get } from 'node:http';
import { cpuSeconds, percentile, watchMemory } from './meter.mjs';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** {status, headers, html} of one GET. */
export const fetchPage = (address, headers = {}) => new Promise((resolve, reject) => {
  const request = get(address, { agent, headers, timeout: 90_000 }, (response) => {
    const parts = [];
    response.on('data', (part) => parts.push(part));
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, html: Buffer.concat(parts).toString() }));
  });
  request.on('error', reject);
  request.on('timeout', () => request.destroy(new Error('timeout')));
});

/** Renders each page until it is good, together: a renderer that listens may still be starting its browser. */
export async function warm(pages, headers) {
  const until = Date.now() + 40_000;
  await Promise.all(pages.map(async ({ address, number }) => {
    for (;;) {
      const answer = await fetchPage(address, headers).catch((error) => ({ status: error.message, html: '' }));
      if (answer.status === 200 && check(answer.html, number).missing.length === 0) return;
      if (Date.now() > until) throw new Error(`no good answer within 40 s from ${address}, the last one: ${answer.status}`);
      await new Promise((again) => setTimeout(again, 300));
    }
  }));
}

/** Words of <main>, without tags, white space collapsed. */
function visibleText(html) {
  const main = /<main\b[\s\S]*<\/main>/i.exec(html)?.[0] ?? '';
  return main.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, '').replace(/<[^>]+>/g, ' ').replaceAll('&amp;', '&').replace(/\s+/g, ' ').trim();
}

/** What is missing in the HTML of page N (empty: nothing), and the fingerprint of its visible text. */
export function check(html, number) {
  const text = visibleText(html), missing = [];
  const need = (what, holds) => { if (!holds) missing.push(what); };
  need('title', html.includes(`<title>Article number ${number}:`));
  need('description', /<meta name="description" content="[^"]+"/.test(html));
  need('canonical', /<link rel="canonical" href="https:\/\/bench\.test\/\w+\/\d+"/.test(html));
  need('structured data', /<script type="application\/ld\+json">[^<]*"headline"/.test(html));
  for (let part = 0; part < 40; part += 1) need(`item ${part}`, text.includes(`Item ${number}-${part} `));
  need('end', text.includes(`End of article ${number}`));
  return { missing, fingerprint: createHash('sha1').update(text).digest('hex').slice(0, 16) };
}

/**
 * Renders `pages` ([{address, kind, number}]), `inFlight` at a time, through the renderer whose process tree hangs below `pid`.
 * Gives rates per good page, and `seen`: page → fingerprint.
 */
export async function measure({ pid, pages, inFlight, headers }) {
  const latencies = [], seen = new Map(), wrong = [];
  const cpuBefore = cpuSeconds(pid), memory = watchMemory(pid), begun = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (next < pages.length) {
      const page = pages[next];
      next += 1;
      const started = performance.now();
      try {
        const answer = await fetchPage(page.address, headers);
        latencies.push(performance.now() - started);
        const found = check(answer.html, page.number);
        if (answer.status === 200 && found.missing.length === 0) seen.set(`${page.kind}/${page.number}`, found.fingerprint);
        else wrong.push(`${page.address}: ${answer.status}, without ${found.missing[0] ?? 'nothing'}`);
      } catch (error) {
        wrong.push(`${page.address}: ${error.message}`);
      }
    }
  }));
  const seconds = (performance.now() - begun) / 1000, cpu = cpuSeconds(pid) - cpuBefore;
  return {
    perSecond: seen.size / seconds, latencyMs: percentile(latencies, 0.5), cpuPerPage: cpu / seen.size, peakMb: memory.stop(), good: seen.size, wrong, seen,
  };
}
