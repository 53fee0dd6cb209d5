// Ends a build: writes a .br (quality 11) and a .gz (level 9) beside every text file of dist, and moves Vite's manifest to
// node_modules/.build, where sizes.mjs reads it: the binary has no use for it.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const web = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(web, 'dist');
const TEXTS = new Set([
  '.caddy',
  '.conf',
  '.css',
  '.html',
  '.js',
  '.json',
  '.md',
  '.mjs',
  '.svg',
  '.ts',
  '.txt',
  '.yml',
]);
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const { BROTLI_PARAM_MODE, BROTLI_MODE_TEXT, BROTLI_PARAM_QUALITY } = zlib.constants;
const QUALITY = { params: { [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT, [BROTLI_PARAM_QUALITY]: 11 } };

fs.mkdirSync(path.join(web, 'node_modules/.build'), { recursive: true });
fs.renameSync(path.join(dist, 'manifest.json'), path.join(web, 'node_modules/.build/manifest.json'));

const files = fs.readdirSync(dist, { recursive: true, withFileTypes: true });
await Promise.all(
  files
    .filter((entry) => entry.isFile() && TEXTS.has(path.extname(entry.name)))
    .map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const plain = fs.readFileSync(file);
      fs.writeFileSync(`${file}.br`, await brotli(plain, QUALITY));
      fs.writeFileSync(`${file}.gz`, await gzip(plain, { level: 9 }));
    }),
);
