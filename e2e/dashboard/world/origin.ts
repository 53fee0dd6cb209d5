// A site on loopback for journeys: an app whose pages are made by a script, with a sitemap. Ends with the worker that started it.
import http from 'node:http';
import { listen } from '../../lib/ports.mjs';

export interface Origin {
  /** Host and port, as an origin host is set. */
  host: string;
  /** Paths that answer 500 from now on. */
  failing: Set<string>;
  close(): Promise<unknown>;
}

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body><div id="app"></div>
<script>
  document.title = 'Shop ' + location.pathname;
  const app = document.querySelector('#app');
  app.innerHTML = '<h1>Shop</h1><p>Page ' + location.pathname + ' with eleven words that a script has written</p>';
  console.error('a price is missing');
  fetch('/api/reviews').then(() => undefined);
</script></body></html>`;

/** Starts a site whose sitemap names the given paths. */
export async function startOrigin(domain: string, paths: readonly string[]): Promise<Origin> {
  const failing = new Set<string>();
  const server = http.createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://origin').pathname;
    const answer = (status: number, type: string, body: string) => {
      response.writeHead(status, { 'content-type': type });
      response.end(body);
    };
    if (failing.has(path)) return answer(500, 'text/html', '<h1>broken</h1>');
    if (path === '/sitemap.xml') {
      const entries = paths.map((one) => `<url><loc>https://${domain}${one}</loc></url>`).join('');
      const set = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;
      return answer(200, 'application/xml', `<?xml version="1.0" encoding="UTF-8"?>${set}`);
    }
    if (path === '/api/reviews') return answer(401, 'application/json', '{}');
    if (path === '/robots.txt' || path === '/favicon.ico') return answer(404, 'text/plain', '');
    return answer(200, 'text/html; charset=utf-8', PAGE);
  });
  const { host, close } = await listen(server);
  return { host, failing, close };
}
