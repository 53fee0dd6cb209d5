// Inputs of the action, read from INPUT_* variables and checked. Every value is a stranger's: a pull request may set it.
// Knows neither network nor processes.
import fs from 'node:fs';
import path from 'node:path';

/** Severities of `fail-on`, the highest first. */
export const SEVERITIES = ['error', 'warning', 'notice'];
const MOST_MINUTES = 360;

/** Input that cannot be used: one line that names the input and what it may be. */
export class BadInput extends Error {}

/**
 * Reads all inputs. Throws `BadInput`.
 * @param {NodeJS.ProcessEnv} env
 */
export function readInputs(env) {
  const value = (/** @type {string} */ name) => (env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`] ?? '').trim();
  const workspace = fs.realpathSync(env.GITHUB_WORKSPACE ?? '.');
  const folder = inWorkspace(workspace, 'folder', value('folder'));
  const url = address(value('url'));
  if (folder === null && url === null) throw new BadInput('url or folder must be given');
  if (folder !== null && !fs.statSync(folder).isDirectory()) throw new BadInput('folder is a file; it must be the folder of a built site');
  return {
    url,
    folder,
    fallback: folder === null || value('fallback') === '' ? null : inside(folder, 'fallback', value('fallback')),
    version: matching('version', value('version'), /^(installed|\d+\.\d+\.\d+([-.+~][0-9A-Za-z.]+)?)$/, 'a release such as 0.1.0, or installed'),
    maxPages: matching('max-pages', value('max-pages'), /^[1-9]\d{0,6}$/, 'a number from 1 to 9999999'),
    failOn: matching('fail-on', value('fail-on'), /^(error|warning|notice|never)$/, 'error, warning, notice or never'),
    enable: checks('enable', value('enable')),
    disable: checks('disable', value('disable')),
    include: patterns('include', value('include')),
    exclude: patterns('exclude', value('exclude')),
    javascript: matching('javascript', value('javascript'), /^(true|false)$/, 'true or false') === 'true',
    baseline: inWorkspace(workspace, 'baseline', value('baseline')),
    timeoutMs: minutes(value('timeout-minutes')) * 60_000,
  };
}

/** @typedef {ReturnType<typeof readInputs>} Inputs */

/**
 * @param {string} name
 * @param {string} value
 * @param {RegExp} form
 * @param {string} allowed
 */
function matching(name, value, form, allowed) {
  if (!form.test(value)) throw new BadInput(`${name} is ${JSON.stringify(value)}; it must be ${allowed}`);
  return value;
}

/** @param {string} value */
function minutes(value) {
  const number = Number(matching('timeout-minutes', value, /^\d{1,3}(\.\d{1,3})?$/, `a number up to ${MOST_MINUTES}`));
  if (number <= 0 || number > MOST_MINUTES) throw new BadInput(`timeout-minutes is ${value}; it must be above 0 and at most ${MOST_MINUTES}`);
  return number;
}

/**
 * Parses the address. A password in it would stand in the log and in the report.
 * @param {string} value
 */
function address(value) {
  if (value === '') return null;
  // URL drops line breaks and tabs, so that the address would be another than the one that was read.
  const url = /[\s\p{Cc}]/u.test(value) || !URL.canParse(value) ? null : new URL(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new BadInput(`url is ${JSON.stringify(value)}; it must begin with http:// or https://`);
  if (url.username !== '' || url.password !== '') throw new BadInput('url has a user name or a password; the log would show them');
  return url;
}

/**
 * @param {string} name
 * @param {string} value
 */
const checks = (name, value) => value.split(/[\s,]+/).filter(Boolean).map((id) => matching(name, id, /^[A-Z0-9_]+$/, 'ids of checks such as NOINDEX'));

/**
 * @param {string} name
 * @param {string} value
 */
const patterns = (name, value) => value.split(/\r?\n/).map((line) => line.trim()).filter(Boolean)
  .map((line) => matching(name, line, /^[^\p{Cc}]+$/u, 'patterns of paths, one a line'));

/**
 * Resolves a path of the workspace, symbolic links too. Returns null when none is given.
 * @param {string} workspace
 * @param {string} name
 * @param {string} value
 */
const inWorkspace = (workspace, name, value) => (value === '' ? null : inside(workspace, name, value));

/**
 * Resolves a path below a folder. Throws when there is nothing, or something outside of the folder.
 * @param {string} folder Real path.
 * @param {string} name
 * @param {string} value
 */
function inside(folder, name, value) {
  if (value.includes('\0')) throw new BadInput(`${name} is no path`);
  const found = path.resolve(folder, value);
  // First by the name alone: the answer to a path outside must not tell whether something is there.
  const real = contains(folder, found) && fs.existsSync(found) ? fs.realpathSync(found) : found;
  if (!contains(folder, real)) throw new BadInput(`${name} is ${JSON.stringify(value)}; it must be inside of ${folder}`);
  if (!fs.existsSync(real)) throw new BadInput(`${name} is ${JSON.stringify(value)}, which does not exist in ${folder}`);
  return real;
}

/**
 * Returns whether a path is a folder or below the folder.
 * @param {string} folder
 * @param {string} found
 */
export const contains = (folder, found) => found === folder || found.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
