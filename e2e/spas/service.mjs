// The service of the comparison: one account, one domain that leads to the apps; or npm prerender in its place. Used by run.mjs and kills.mjs.
import fs from 'node:fs';
import { pause } from '../lib/ports.mjs';
import { createAccount, createKey, prepare, startService as startPrepared } from '../lib/service.mjs';

export const HOST = 'spas.test';
const OWNER = 'owner@spas.test';
const KEYS = 8;

export async function startService(originPort) {
  const prepared = await prepare({ settings: { 'network.hosts': { [HOST]: `127.0.0.1:${originPort}` }, 'render.concurrency': 2 } });
  await createAccount(prepared, { email: OWNER, domains: [HOST] });
  // A key forces 60 renders a minute; each page is rendered several times.
  const keys = [];
  for (let number = 0; number < KEYS; number += 1) keys.push(await createKey(prepared, OWNER));
  let turn = 0;
  const { pid, folder, address, stop } = await startPrepared(prepared);

  return {
    pid,
    folder,
    /** One render that no cache answers. */
    async render(url) {
      const began = performance.now();
      const answer = await fetch(`${address}/api/prerender/render?cache_invalidate=1&url=${encodeURIComponent(url)}`, {
        headers: { 'x-service-api-key': keys[turn++ % KEYS], 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
        redirect: 'manual',
      });
      const html = await answer.text();
      return {
        status: answer.status,
        html,
        location: answer.headers.get('location'),
        cache: answer.headers.get('x-service-render-cache'),
        partial: answer.headers.has('x-service-render-partial'),
        ms: Math.round(performance.now() - began),
      };
    },
    async close() {
      await stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** npm prerender as it ships, from the benchmarks' packages. */
export async function startPeer(originPort, browser) {
  const { startPrerender } = await import('../../bench/services.mjs');
  const { base, stop } = await startPrerender(browser, null, `MAP ${HOST} 127.0.0.1:${originPort}`);
  const render = async (url) => {
    const began = performance.now(), answer = await fetch(base + encodeURIComponent(url), { redirect: 'manual' });
    return { status: answer.status, html: await answer.text(), ms: Math.round(performance.now() - began) };
  };
  // It listens before its browser does.
  for (let tries = 0; tries < 40 && (await render(`http://${HOST}/about`)).status === 503; tries += 1) await pause(500);
  return { render, close: stop };
}
