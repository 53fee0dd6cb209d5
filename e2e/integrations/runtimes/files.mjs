// The files of an integration, copied into a folder with the places to fill in filled in. Used by every runtime.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const integrations = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'integrations');
export const e2e = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Folder inside this package, so that the packages of package.json are found from there. */
export function folderOf(name) {
  const folder = path.join(e2e, 'dist', name);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

/** Copies a snippet and fills it in. `change` is for what a test must have otherwise, such as the port. */
export function fillIn(source, target, values, change = (text) => text) {
  let text = fs.readFileSync(path.join(integrations, source), 'utf8');
  for (const [name, value] of Object.entries(values)) text = text.replaceAll(`__${name}__`, value);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, change(text));
}

/** Returns the indented block of a page that stands below the words `after`. */
export function blockOf(page, after) {
  const lines = fs.readFileSync(path.join(integrations, page), 'utf8').split('\n');
  const begin = lines.findIndex((line, at) => at > lines.findIndex((other) => other.includes(after)) && line.startsWith('    '));
  const length = lines.slice(begin).findIndex((line) => line !== '' && !line.startsWith('    '));
  return lines.slice(begin, begin + length).map((line) => line.slice(4)).join('\n').trimEnd();
}
