// The whole of an integration: decides, asks, relays, and leaves everything else to the app. Used by every adapter.
// Must never throw, and never make a person wait.
import { addressOf, clientOf, hostsOf } from './address.js';
import { ask } from './ask.js';
import { createBreaker } from './breaker.js';
import { decide } from './decide.js';
import { relay } from './relay.js';

const LOG_EVERY_MS = 60_000;

export function createIntegration(settings, surroundings = {}) {
  const now = surroundings.now ?? Date.now;
  const log = surroundings.log ?? ((line) => console.warn(line));
  const breaker = createBreaker(now);
  const note = failureLog(log, now);
  const hosts = hostsOf(settings.domain);
  const apiKey = isFilledIn(settings.apiKey) ? settings.apiKey : '';
  const serviceUrl = String(settings.serviceUrl ?? '').replace(/\/+$/, '');
  const app = (reason, isCrawler = true) => ({ answer: null, isCrawler, reason });

  /** Returns the outcome of a request that never leaves the site, else null. */
  function decideAlone(facts) {
    const { isCrawler, reason } = decide(facts);
    return isCrawler && !reason ? null : app(reason, isCrawler);
  }

  async function askService(facts) {
    const { address, reason } = addressOf(facts, settings, hosts);
    if (reason) return app(reason);
    if (!apiKey || !/^https?:\/\//.test(serviceUrl)) return failed('no-key');
    if (!breaker.mayAsk()) return app('paused');
    try {
      const received = await ask({
        facts, address, apiKey, serviceUrl,
        client: clientOf(facts, settings),
        // Looked up at each request: frameworks replace the global function.
        fetch: surroundings.fetch ?? ((...request) => globalThis.fetch(...request)),
        fetchOptions: surroundings.fetchOptions,
      });
      breaker.isThere();
      const relayed = relay(received, facts, address);
      if (relayed.answer) return { answer: relayed.answer, isCrawler: true, reason: null };
      // 400 is about this address, which a visitor chose.
      return ['declined', 'loop', 'status-400'].includes(relayed.reason) ? app(relayed.reason) : failed(relayed.reason);
    } catch (error) {
      if (error.reason === 'unreachable') breaker.isAway();
      else breaker.isThere();
      return failed(error.reason ?? 'error');
    }
  }

  function failed(reason) {
    note(reason);
    return app(reason);
  }

  return {
    decide: decideAlone,
    async respond(facts) {
      try {
        return decideAlone(facts) ?? await askService(facts);
      } catch {
        return failed('error');
      }
    },
  };
}

/** A place of a snippet that nobody has filled in is no value. */
function isFilledIn(value) {
  return Boolean(value) && !/^__[A-Z_]+__$/.test(value);
}

/** Writes a line at the first failure, then at most one a minute with the number since. */
function failureLog(log, now) {
  let count = 0;
  let last = -Infinity;
  return (reason) => {
    count += 1;
    if (now() - last < LOG_EVERY_MS) return;
    log(`glasshouse: the app answered ${count} request(s) of crawlers because the service did not (last reason: ${reason})`);
    count = 0;
    last = now();
  };
}
