// A site at the public address of a domain, for the check of the site: port 80 of a loopback address of its own, which the DNS of the
// journeys names. An app without content in its HTML that answers every path, behind what looks like a CDN.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setDns } from './dns.ts';

export interface PublicSite {
  /** User agents that asked. */
  agents: string[];
  close(): void;
}

const APP =
  '<!doctype html><html lang="en"><title>Shop</title><body><div id="app"></div><script src="/app.js"></script></body>';

/** Starts the site; null where this user may not listen on port 80. */
export async function startPublicSite(domain: string): Promise<PublicSite | null> {
  const agents: string[] = [];
  const server = http.createServer((request, response) => {
    agents.push(request.headers['user-agent'] ?? '');
    const isScript = request.url?.endsWith('.js') === true;
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html', 'cf-ray': '1-FRA' });
    response.end(isScript ? '' : APP);
  });
  // Two workers may have a site at the same time, each at an address of its own.
  const host = `127.0.8.${Number(process.env.TEST_PARALLEL_INDEX ?? 0) + 1}`;
  const isListening = await new Promise<boolean>((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EACCES' ? resolve(false) : reject(error)));
    server.listen(80, host, () => resolve(true));
  });
  if (!isListening) return null;
  setDns(domain, `A ${(server.address() as AddressInfo).address}`);
  return { agents, close: () => void server.close() };
}
