// The service that the clients call: a small site as the origin of one domain for each client, stand-ins of AI vendors, and a recorder
// in between that notes every request. Mails are kept in a file. Used by run.mjs; site and DNS by e2e/mcp too.
import dgram from 'node:dgram';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import readline from 'node:readline';
import { listen } from '../lib/ports.mjs';
import { createAccount, createKey, prepare, startFakeAi, startService } from '../lib/service.mjs';

const PAGES = ['/', '/jugs', '/cups', '/about'];
const LINKS = PAGES.map((path) => `<a href="${path}">${path}</a>`).join(' ');
/** A picture of one pixel. */
const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/** A shop of four pages that a script draws, with a sitemap and a picture for previews. */
export function startSite() {
  return listen(http.createServer(({ url = '/', headers }, response) => {
    const send = (/** @type {string} */ type, /** @type {string | Buffer} */ body, status = 200) => response.writeHead(status, { 'content-type': type }).end(body);
    const here = `http://${headers.host}`;
    if (url === '/robots.txt') return send('text/plain', `User-agent: *\nAllow: /\nSitemap: ${here}/sitemap.xml\n`);
    if (url === '/sitemap.xml') return send('application/xml', `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${PAGES.map((path) => `<url><loc>${here}${path}</loc></url>`).join('')}</urlset>`);
    if (url === '/cover.png') return send('image/png', PICTURE);
    const head = `<title>Pots${url}</title><meta property="og:image" content="${here}/cover.png">`;
    const page = `<!doctype html><html lang="en"><head>${head}</head><body><div id="app"></div><script>document.getElementById('app').innerHTML = '<h1>Pots ${url}</h1><p>Hand-made pots from the quay.</p>${LINKS}'</script></body></html>`;
    return send('text/html', page, PAGES.includes(url.split('?')[0] ?? '') ? 200 : 404);
  }));
}

/** A DNS that knows no name. Returns its address. */
export async function startDns() {
  const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  socket.on('message', (query, { port, address }) => {
    // The question as an answer: the name does not exist.
    query.writeUInt16BE(0x8583, 2);
    socket.send(query, port, address);
  });
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

/**
 * A mail server that appends the texts of its mails to a file. Returns its address.
 * @param {string} mailbox
 */
async function startMail(mailbox) {
  writeFileSync(mailbox, '');
  const { host } = await listen(net.createServer((socket) => {
    /** @type {string[] | null} */
    let mail = null;
    socket.write('220 mail.test\r\n');
    readline.createInterface(socket).on('line', (line) => {
      if (mail !== null && line !== '.') {
        mail.push(line);
      } else if (mail !== null) {
        // Quoted-printable breaks long lines.
        appendFileSync(mailbox, `${mail.join('\n').replaceAll('=\n', '')}\n`);
        mail = null;
        socket.write('250 taken\r\n');
      } else {
        if (line === 'DATA') mail = [];
        socket.write(line === 'DATA' ? '354 go on\r\n' : '250 fine\r\n');
      }
    });
  }));
  return `smtp://${host}`;
}

/** @typedef {{ method: string, path: string, status: number }} Exchange */

/**
 * Passes requests on to the service and notes them.
 * @param {number} port
 */
async function startRecorder(port) {
  /** @type {Exchange[]} */
  const exchanges = [];
  const { port: own } = await listen(http.createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const onward = http.request({ port, method, path: url, headers }, (answer) => {
      exchanges.push({ method, path: url.split('?')[0] ?? '', status: answer.statusCode ?? 0 });
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      response.flushHeaders();
      answer.pipe(response);
    });
    response.on('close', () => onward.destroy());
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }));
  return { address: `http://127.0.0.1:${own}`, exchanges };
}

/**
 * Starts everything, with an account and a key for each domain, which is connected.
 * @param {string[]} domains
 * @param {string} mailbox File that gets all mails
 */
export async function startWorld(domains, mailbox) {
  const [site, ai] = [await startSite(), await startFakeAi()];
  const prepared = await prepare({ settings: {
    'network.hosts': Object.fromEntries(domains.map((domain) => [domain, site.host])),
    'network.dns_servers': await startDns(),
    'edge.origin_scheme': 'http',
    'mail.smtp_url': await startMail(mailbox),
    'providers.chatgpt.base_url': `${ai.address}/openai/v1`,
    'providers.chatgpt.api_key': 'sk-clients',
  } });
  const accounts = [];
  for (const domain of domains) {
    const [email, password] = [`owner@${domain}`, `the password of ${domain}`];
    await createAccount(prepared, { email, password, domains: [domain] });
    accounts.push({ email, password, domain, key: await createKey(prepared, email) });
  }
  const service = await startService(prepared);
  return { service, accounts, recorder: await startRecorder(service.port) };
}
