// Writes src/api/schema.d.ts, the types of the API, from ../docs/openapi.json. Leaves the file alone when it was made from the same input.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const web = path.resolve(import.meta.dirname, '..');
const file = path.join(web, 'src/api/schema.d.ts');
const document = fs.readFileSync(path.join(web, '../docs/openapi.json'));
// The lock file names the version of the generator.
const inputs = [document, fs.readFileSync(import.meta.filename), fs.readFileSync(path.join(web, 'package-lock.json'))];
const sum = inputs.reduce((hash, input) => hash.update(input), createHash('sha256')).digest('hex');
const head = `// Types of the API. Written by scripts/schema.mjs from docs/openapi.json; never edited by hand. Input: ${sum}\n`;

if (!fs.existsSync(file) || !fs.readFileSync(file, 'utf8').startsWith(head)) {
  // Loading the generator takes longer than the comparison.
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const types = astToString(await openapiTS(document.toString(), { alphabetize: true }));
  fs.writeFileSync(file, `${head}\n${types}`);
}
