// Visits through the edge of the service: crawlers that are given pages, and people whom assistants sent.
import { ask } from '../../lib/ask.mjs';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const SENDERS = [
  'https://chatgpt.com/',
  'https://www.perplexity.ai/',
  'https://gemini.google.com/',
  'https://chatgpt.com/',
];

/** Asks the edge for a page of a domain, and returns its status. */
async function askEdge(edge: string, domain: string, path: string, headers: Record<string, string>): Promise<number> {
  const [host = '', port] = edge.split(':');
  return (await ask(Number(port), { host, path, headers: { host: domain, ...headers } })).status;
}

/** Has people come from assistants, one after the other. */
export async function sendPeople(edge: string, domain: string, paths: readonly string[]): Promise<void> {
  for (const [index, path] of paths.entries()) {
    const referer = SENDERS[index % SENDERS.length] ?? '';
    const status = await askEdge(edge, domain, path, { 'user-agent': BROWSER, accept: 'text/html', referer });
    if (status !== 200) throw new Error(`the edge answered a person ${status} for ${path}`);
  }
}

/** Has a crawler read pages, one after the other. */
export async function sendCrawler(
  edge: string,
  domain: string,
  agent: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) await askEdge(edge, domain, path, { 'user-agent': agent });
}
