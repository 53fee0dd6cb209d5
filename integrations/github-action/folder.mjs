// Server of a built folder, on loopback, for the time of one audit. Follows no symbolic link out of the folder.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { contains } from './inputs.mjs';

const TYPES = new Map(Object.entries({
  html: 'text/html; charset=utf-8', htm: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8', json: 'application/json', webmanifest: 'application/manifest+json', xml: 'application/xml', txt: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif',
  ico: 'image/x-icon', woff: 'font/woff', woff2: 'font/woff2', wasm: 'application/wasm', pdf: 'application/pdf', mp4: 'video/mp4',
}));

/**
 * Checks about the server of a site and its protocol: this server is not the one that visitors get.
 */
export const CHECKS_OF_SERVERS = [
  'CACHE_CONTROL_MISSING', 'CANONICAL_PROTOCOL_MISMATCH', 'CSP_MISSING', 'HOST_DUPLICATE_WWW', 'HOST_HTTP_NOT_REDIRECTED', 'HSTS_MISSING', 'HTTP_NOT_HTTPS',
  'NO_COMPRESSION', 'TLS_CERT_EXPIRING', 'TTFB_SLOW', 'TTFB_VERY_SLOW', 'X_CONTENT_TYPE_OPTIONS_MISSING',
];

/**
 * Starts the server on a free port of loopback. Addresses without a file are 404 (with `404.html` where the folder has one), or answered with `fallback`.
 * @param {string} folder Real path.
 * @param {string | null} fallback Real path of a file in it.
 * @returns {Promise<{ port: number, close: () => void }>}
 */
export async function serveFolder(folder, fallback) {
  const server = http.createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') { response.writeHead(405, { allow: 'GET, HEAD' }).end(); return; }
    const { status, file } = answerTo(folder, fallback, request.url ?? '/');
    if (file === null) { response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end('There is no such file.\n'); return; }
    const type = TYPES.get(path.extname(file).slice(1).toLowerCase()) ?? 'application/octet-stream';
    response.writeHead(status, { 'content-type': type, 'content-length': fs.statSync(file).size });
    if (request.method === 'HEAD') response.end();
    else fs.createReadStream(file).on('error', () => response.destroy()).pipe(response);
  });
  await new Promise((resolve, reject) => { server.once('error', reject).listen(0, '127.0.0.1', () => resolve(undefined)); });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { port, close: () => { server.close(); server.closeAllConnections(); } };
}

/**
 * Finds the file of an address: the file itself, the index of a folder, or the file with `.html` behind it.
 * @param {string} folder
 * @param {string | null} fallback
 * @param {string} target Path and query of a request.
 */
export function answerTo(folder, fallback, target) {
  let asked;
  try { asked = decodeURIComponent(target.split(/[?#]/)[0] ?? ''); } catch { return { status: 400, file: null }; }
  const below = path.join(folder, path.posix.normalize(`/${asked}`));
  const file = [below, path.join(below, 'index.html'), `${below.replace(/\/+$/, '')}.html`].find((candidate) => isFileBelow(folder, candidate));
  if (file !== undefined) return { status: 200, file };
  if (fallback !== null) return { status: 200, file: fallback };
  const missing = path.join(folder, '404.html');
  return { status: 404, file: isFileBelow(folder, missing) ? missing : null };
}

/**
 * @param {string} folder
 * @param {string} file
 */
function isFileBelow(folder, file) {
  try {
    return contains(folder, fs.realpathSync(file)) && fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
