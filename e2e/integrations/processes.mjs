// Starts programs and ends them by their id; free ports; one HTTP question with its path byte for byte.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** Folder of this run, which removes it. A program of the suite that is started by another one uses that one's. */
export const scratch = process.env.INTEGRATIONS_SCRATCH ?? fs.mkdtempSync(path.join(os.tmpdir(), 'glasshouse-integrations-'));
fs.chmodSync(scratch, 0o755);
const running = new Set();
process.on('exit', () => { for (const child of running) child.kill('SIGKILL'); });

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const accepts = (port) => new Promise((resolve) => {
  const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
  socket.on('error', () => resolve(false));
});

/** Starts a program and waits until it listens. */
export async function start(name, command, args, { port, env = {}, cwd = scratch, seconds = 60 }) {
  const file = path.join(scratch, `${name}.log`);
  const log = fs.openSync(file, 'a');
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
  running.add(child);
  const ended = new Promise((resolve) => { child.on('exit', resolve); child.on('error', resolve); });
  ended.then(() => running.delete(child));
  const until = Date.now() + seconds * 1000;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || child.pid === undefined || Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not start: ${fs.readFileSync(file, 'utf8').slice(-1500)}`);
    }
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
  return {
    pid: child.pid,
    async close() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 8000);
      await ended;
      clearTimeout(late);
    },
  };
}

/** Asks once: {status, headers, body, ms}. Redirects are not followed; a body that is cut off is `isCut`. */
export function ask(port, { method = 'GET', path: target = '/', headers = {}, body, timeoutMs = 30_000 }) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method, path: target, headers, agent: false }, (response) => {
      const pieces = [];
      const done = (isCut) => resolve({
        status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces).toString(), isCut, ms: performance.now() - began,
      });
      response.on('data', (piece) => pieces.push(piece)).on('end', () => done(!response.complete)).on('error', () => done(true));
    });
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer in ${timeoutMs} ms`)));
    request.on('error', reject);
    request.end(body);
  });
}

/** Sends text to a port, each piece once the answer matches what is expected before it; returns what came, at the end or after a while. */
export function askBySocket(port, pieces, timeoutMs = 5000) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let received = '';
    const done = () => { clearTimeout(late); socket.destroy(); resolve(received); };
    const late = setTimeout(done, timeoutMs);
    const go = () => {
      while (pieces.length > 0 && pieces[0].after.test(received)) socket.write(pieces.shift().text);
    };
    socket.on('connect', go).on('error', done).on('end', done).on('data', (piece) => {
      received += piece;
      go();
      if (pieces.length === 0 && /echo/.test(received)) done();
    });
  });
}
