// Writes src/api/schema.d.ts, the types of the API, from the document that the service describes itself with.
//
//   node scripts/schema.mjs [--check]    --check: writes nothing, and fails when the file differs
//   GLASSHOUSE   the binary (default: ../target/debug/glasshouse)
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const web = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const file = path.join(web, 'src/api/schema.d.ts');
const binary = path.resolve(process.env.GLASSHOUSE ?? path.join(web, '../target/debug/glasshouse'));

const document = JSON.parse(execFileSync(binary, ['openapi'], { maxBuffer: 64 << 20, encoding: 'utf8' }));
const types = astToString(await openapiTS(document, { alphabetize: true }));
const text = `// Types of the API. Written by scripts/schema.mjs from \`glasshouse openapi\`; never edited by hand.\n\n${types}`;

if (!process.argv.includes('--check')) {
  fs.writeFileSync(file, text);
} else if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text) {
  console.error('src/api/schema.d.ts is not what the service describes: run `npm run schema` and commit the file');
  process.exit(1);
}
