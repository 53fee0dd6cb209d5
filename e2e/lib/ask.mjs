// One HTTP request over a connection of its own, whose path and headers arrive byte for byte. Used by the end-to-end suites and the benchmarks.
import http from 'node:http';

const TIMEOUT_MS = 30_000;

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {http.IncomingHttpHeaders} headers
 * @property {Buffer} bytes
 * @property {string} body
 * @property {boolean} isCut The body ended too early.
 * @property {number} ms Time to the last byte.
 */

/**
 * Asks once. Redirects are not followed.
 * @param {number} port
 * @param {{ host?: string, method?: string, path?: string, headers?: http.OutgoingHttpHeaders, body?: string | Buffer, localAddress?: string }} [request]
 * @returns {Promise<Answer>}
 */
export function ask(port, { host = '127.0.0.1', method = 'GET', path = '/', headers = {}, body, localAddress } = {}) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request({ host, port, method, path, headers, localAddress, agent: false, timeout: TIMEOUT_MS }, (response) => {
      /** @type {Buffer[]} */
      const pieces = [];
      const done = (/** @type {boolean} */ isCut) => {
        const bytes = Buffer.concat(pieces);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, body: bytes.toString(), isCut, ms: performance.now() - began });
      };
      response.on('data', (piece) => pieces.push(piece)).on('end', () => done(!response.complete)).on('error', () => done(true));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
    request.on('error', reject);
    request.end(body);
  });
}
