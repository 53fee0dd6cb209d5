// Stands in front of the real service, passes requests on byte for byte and remembers them; on demand it is a service in trouble.
import http from 'node:http';
import { listen } from '../lib/ports.mjs';

const HTML = { 'content-type': 'text/html; charset=utf-8', 'x-service-render-cache': 'hit' };
/** Answers of a service in trouble, by name. */
const TROUBLES = {
  hang() {},
  declined: (response) => response.writeHead(304, { location: 'https://elsewhere.test/', 'cache-control': 'no-store' }).end(),
  json: (response) => response.writeHead(200, { 'content-type': 'application/json', 'x-service-render-cache': 'hit' }).end('{"a":1}'),
  cut(response) {
    response.writeHead(200, { ...HTML, 'content-length': 5000 });
    response.write('<!doctype html><p>half a page');
    setTimeout(() => response.destroy(), 30);
  },
  garbled: (response) => response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end('no gzip'),
  empty: (response) => response.writeHead(200, HTML).end(),
  bodiless: (response) => response.writeHead(204, HTML).end(),
  unknown: (response) => response.writeHead(799, HTML).end('<p>799'),
  choices: (response) => response.writeHead(300, { ...HTML, location: '/b' }).end('<p>300'),
  nowhere: (response) => response.writeHead(302).end(),
  circle: (response, request) => {
    const { pathname, search } = new URL(new URL(request.url, 'http://x').searchParams.get('url'));
    response.writeHead(301, { location: pathname + search }).end();
  },
  stall: (response) => response.writeHead(200, HTML).write('<p>half a page'),
  huge(response) {
    response.writeHead(200, HTML);
    const piece = Buffer.alloc(1024 * 1024, 'a');
    let left = 20;
    const more = () => {
      while (left > 0) {
        left -= 1;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  },
};

export async function startFront(target) {
  const seen = [];
  let mode = 'pass';
  const pass = (request, response) => {
    const headers = { ...request.headers };
    const onward = http.request({ host: '127.0.0.1', port: target, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
  const handle = (request, response) => {
    const isQuestion = request.url !== '/healthz';
    if (isQuestion) seen.push({ url: request.url, headers: request.headers, method: request.method });
    // A service that stalls still answers for its health.
    if (mode === 'pass' || (mode === 'stall' && !isQuestion)) return pass(request, response);
    if (typeof mode === 'number') {
      return response.writeHead(mode, { 'content-type': 'application/json' }).end('{"error":"a_trouble_of_this_test"}');
    }
    return TROUBLES[mode](response, request);
  };
  let port = 0;
  let close;
  const open = async () => {
    const server = http.createServer({ maxHeaderSize: 64 * 1024 }, handle);
    server.keepAliveTimeout = 60_000;
    ({ port, close } = await listen(server, port));
  };
  await open();
  return {
    get port() { return port; },
    seen,
    /** Sets how it answers: `pass`, a status, a name of TROUBLES, or `refuse`. */
    async set(next) {
      if (mode === 'refuse') await open();
      mode = next;
      if (next === 'refuse') await close();
    },
  };
}
