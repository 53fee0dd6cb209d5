// The running service, as the first start uses it: its API with an account-wide key, and its command line on the same data.
// Every failure is one sentence that says what was asked for and what came back.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TIMEOUT_MS = 60_000;
/** How often a question is asked before its failure counts. */
const ATTEMPTS = 4;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** An answer of the API that is no success. `code` is the word of its error. */
export class Refused extends Error {
  constructor(what, status, body) {
    super(`${what} answered ${status} ${body?.error ?? ''}${body?.message ? `: ${body.message}` : ''}`.trim());
    this.status = status;
    this.code = body?.error;
    this.body = body;
  }
}

export class Service {
  /** `address` and `key` of the API; `binary`, which finds the data by its environment. */
  constructor({ address, key, binary }) {
    Object.assign(this, { address, key, binary });
  }

  /** Asks the API and returns the JSON that it answers. What only reads is asked again when the service is busy or cut the answer off. */
  async ask(method, path, body) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#askOnce(method, path, body);
      } catch (error) {
        const isPassing = !(error instanceof Refused) || error.status === 429 || error.status >= 500;
        if (method !== 'GET' || !isPassing || attempt === ATTEMPTS) throw error;
        await sleep(1000);
      }
    }
  }

  async #askOnce(method, path, body) {
    const what = `${method} ${path.split('?')[0]}`;
    let answer;
    try {
      answer = await fetch(this.address + path, {
        method,
        headers: { 'x-service-api-key': this.key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw new Error(`${what} failed: ${error.cause?.message ?? error.message}`);
    }
    const text = await answer.text();
    let json;
    try {
      json = text === '' ? undefined : JSON.parse(text);
    } catch {
      json = undefined;
    }
    if (!answer.ok) throw new Refused(what, answer.status, json);
    return json;
  }

  /** Asks for a page as a crawler with this user agent does. A refusal by the owner's policy is an answer. */
  async askAsCrawler(url, agent) {
    const path = `/api/prerender/render?${new URLSearchParams({ url })}`;
    const headers = { 'x-service-api-key': this.key, 'user-agent': agent };
    const answer = await fetch(this.address + path, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    await answer.arrayBuffer();
    if (!answer.ok && !answer.headers.has('x-service-policy')) throw new Error(`a page that a crawler asked for answered ${answer.status}`);
  }

  /** Runs a command of the binary; what it prints. */
  async run(args, env = {}) {
    try {
      const { stdout } = await promisify(execFile)(this.binary, args, { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });
      return stdout;
    } catch (error) {
      throw new Error((error.stderr ?? '').trim().split('\n').at(-1) || `glasshouse ${args[0]} ${args[1]} failed: ${error.message}`);
    }
  }

  /** Settings in effect, by their keys. */
  async settings() {
    return JSON.parse(await this.run(['config', '--json']));
  }
}

/** Asks `look` again and again until it returns something. `late`: the sentence when it did not within `seconds`. */
export async function waitFor(look, { seconds, pauseMs = 500, late }) {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error(late);
    await sleep(pauseMs);
  }
}
