// Builds the measured app into a folder: build(folder). Used by run.mjs. Touches nothing else.
import { build as bundle } from 'esbuild';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from './png.mjs';

export async function build(folder) {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  await bundle({
    entryPoints: [fileURLToPath(new URL('app/main.jsx', import.meta.url))],
    bundle: true, minify: true, jsx: 'automatic', format: 'esm', target: 'es2022', outdir: join(folder, 'assets'), logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  for (let picture = 0; picture < 12; picture += 1) writeFileSync(join(folder, 'assets', `picture-${picture}.png`), png(picture));
  // An analytics script, as most shops have one: loaded late, sends one beacon.
  writeFileSync(join(folder, 'assets', 'counter.js'), `addEventListener('load', () => navigator.sendBeacon('/api/beacon', 'view'));\n`);
  writeFileSync(join(folder, 'index.html'), `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/assets/main.css"><script async src="/assets/counter.js"></script></head>
<body><div id="root"></div><script type="module" src="/assets/main.js"></script></body></html>
`);
}

/** A noisy 160 × 120 picture of some 50 KB, so that loading pictures costs what it costs. */
function png(seed) {
  const width = 160, height = 120, rows = Buffer.alloc((width * 3 + 1) * height);
  let state = seed + 1;
  for (let at = 0; at < rows.length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    rows[at] = at % (width * 3 + 1) === 0 ? 0 : state >>> 24;
  }
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]), out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}
