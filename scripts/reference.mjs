// Writes the pages of reference that come from documents and not from a command: docs/events.md from the webhooks of docs/openapi.json,
// docs/tools.md from the list that `glasshouse mcp` gives agents, docs/chart-values.md from the chart's values and their schema.
// Called by hand after a change of these, and with --check by scripts/test.sh.
//
//   node scripts/reference.mjs [--check]
//   GLASSHOUSE   the binary (default: the one in target that was built last)
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { endAll } from '../e2e/lib/programs.mjs';
import { createAccount, prepare, root } from '../e2e/lib/service.mjs';

/** @typedef {Record<string, any>} Schema JSON Schema. */
/** @typedef {{ path: string, value: string, comment: string, depth: number }} ChartValue */

const read = (/** @type {string} */ file) => fs.readFileSync(path.join(root, file), 'utf8');
/** Fields of a table's cell must not end it, nor begin HTML. */
const cell = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replace(/<(?=\w)/g, '&lt;').trim();
const code = (/** @type {string} */ text) => (text === '' ? '' : `\`${text}\``);
const list = (/** @type {readonly string[]} */ names) => names.map(code).join(', ');
const title = (/** @type {string} */ name, /** @type {string} */ source) => `# ${name}\n\nWritten by \`node scripts/reference.mjs\` from ${source}; do not edit.`;

/**
 * Writes a table, without the columns that are empty.
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  const used = head.map((_, column) => rows.some((row) => row[column] !== ''));
  const line = (/** @type {string[]} */ cells) => `| ${cells.filter((_, column) => used[column]).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/**
 * Names the type of a schema: `text`, `integer, 1 to 500`, `list of text, or null`.
 * @param {Schema} schema
 * @returns {string}
 */
function typeOf(schema) {
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(typeOf))].join(' or ');
  if (schema.enum) return schema.enum.map((/** @type {unknown} */ one) => code(String(one))).join(', ');
  if ('const' in schema) return code(String(schema.const));
  const types = [schema.type ?? []].flat().map((type) => {
    if (type === 'string') return schema.format === 'date-time' ? 'time (ISO 8601)' : 'text';
    if (type === 'array') return schema.items?.type || schema.items?.enum || schema.items?.anyOf ? `list of ${typeOf(schema.items)}` : 'list';
    return type;
  });
  const { minimum: least, maximum: most } = schema;
  const range = least === undefined && most === undefined ? '' : most === undefined ? `, at least ${least}` : `, ${least ?? ''} to ${most}`;
  return types.join(' or ') + (least === 0 && most === undefined ? '' : range);
}

/** Returns a copy of a schema in which references of the document are replaced by their schemas. */
function resolve(/** @type {Schema} */ document, /** @type {any} */ schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((/** @type {any} */ one) => resolve(document, one));
  if (typeof schema.$ref === 'string') {
    const { $ref: reference, ...others } = schema;
    const found = reference.slice(2).split('/').reduce((/** @type {any} */ at, /** @type {string} */ name) => at[name], document);
    return { ...resolve(document, found), ...others };
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolve(document, value)]));
}

/**
 * Lists the fields of an object, those of objects in lists below them.
 * @param {Schema} schema
 * @returns {string[][]}
 */
function fieldRows(schema, before = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const example = field.examples?.[0];
    const row = [code(before + name), typeOf(field), cell(field.description ?? ''), example === undefined ? '' : code(JSON.stringify(example))];
    return [row, ...(field.items?.properties ? fieldRows(field.items, `${before}${name}[].`) : [])];
  });
}

function eventsPage() {
  const document = JSON.parse(read('docs/openapi.json'));
  const parts = Object.entries(document.webhooks).map(([name, { post }]) => {
    const { properties } = resolve(document, post.requestBody.content['application/json'].schema);
    const rows = fieldRows(properties.data);
    const data = rows.length === 0 ? '`data` is empty.' : table(['field of `data`', 'type', 'meaning', 'example'], rows);
    return `## ${name}\n\n${post.summary}\n\n${data}`;
  });
  const [{ post }] = /** @type {any[]} */ (Object.values(document.webhooks));
  const { properties } = resolve(document, post.requestBody.content['application/json'].schema);
  const { data: _, ...envelope } = properties;
  return [
    title('Events', '[openapi.json](openapi.json)'),
    '[Webhooks and alerts](webhooks.md) says when events are sent, to whom, and how a receiver verifies them. A message of format `standard` has these fields beside `data`:',
    table(['field', 'type', 'meaning', 'example'], fieldRows({ properties: { ...envelope, type: { type: 'string', description: 'Name of the event.', examples: ['audit.completed'] } } })),
    ...parts,
  ].join('\n\n');
}

/** Asks the program for its tools, as an agent on its stdin and stdout does. */
async function listTools() {
  const service = await prepare({ name: 'reference' });
  await createAccount(service, { email: 'owner@localhost' });
  const agent = spawn(service.binary, ['mcp'], { cwd: service.folder, env: { ...process.env, ...service.env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (/** @type {object} */ message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'reference', version: '1' } } });
  try {
    for await (const line of readline.createInterface(agent.stdout)) {
      const { id, result, error } = JSON.parse(line);
      if (error !== undefined) throw new Error(error.message);
      if (id === 2) return /** @type {any[]} */ (result.tools);
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list' });
    }
  } finally { agent.stdin.end(); }
  throw new Error('`glasshouse mcp` ended without a list of tools');
}

async function toolsPage() {
  const parts = (await listTools()).map(({ name, description, annotations, _meta: meta, inputSchema, outputSchema }) => {
    const rows = Object.entries(inputSchema.properties).map(([argument, schema]) => {
      const fields = (schema.anyOf ?? [schema]).flatMap((/** @type {Schema} */ one) => Object.keys(one.properties ?? {}));
      const below = fields.length === 0 ? '' : ` Fields: ${list(fields)}.`;
      return [code(argument), typeOf(schema), inputSchema.required.includes(argument) ? 'yes' : '', cell(schema.description ?? '') + below];
    });
    const effect = annotations.readOnlyHint ? 'Changes nothing.' : annotations.destructiveHint ? 'Replaces what there was.' : 'Changes something.';
    const cost = meta?.cost === undefined ? '' : ` Costs ${meta.cost === 'money' ? 'money' : 'renders'}.`;
    return [
      `## ${name}`, cell(description), effect + cost, table(['argument', 'type', 'required', 'meaning'], rows), `Answer: ${list(Object.keys(outputSchema.properties))}.`,
    ].join('\n\n');
  });
  return [
    title('Tools', 'what `glasshouse mcp` tells agents'),
    '[Tools for AI agents](mcp.md) says how to connect one, and what holds for every tool: limits, sizes, text of others. Fields are explained in the API\'s reference, `/api/docs`.',
    ...parts,
  ].join('\n\n');
}

/**
 * Reads the values of the chart with the comments above them. Of YAML it knows what values.yaml has: maps by indentation, lists below their name, and values on one line.
 * @param {string} text
 */
function chartValues(text) {
  /** @type {ChartValue[]} */
  const values = [];
  /** @type {string[]} */
  let names = [], comments = [];
  for (const line of text.split('\n')) {
    const comment = /^ *# ?(.*)$/.exec(line)?.[1], item = /^ *- (.*)$/.exec(line)?.[1], last = values.at(-1), [, indent, name, value] = /^( *)(\w+):(?: (.*))?$/.exec(line) ?? [];
    if (comment !== undefined) comments.push(comment.startsWith('  ') ? code(comment.trim()) : comment);
    if (name !== undefined) {
      const depth = (indent ?? '').length / 2;
      names = [...names.slice(0, depth), name];
      values.push({ path: names.join('.'), value: value ?? '', comment: cell(comments.join(' ')), depth });
    } else if (item !== undefined && last !== undefined) {
      last.value = last.value === '' ? `[${item}]` : `${last.value.slice(0, -1)}, ${item}]`;
    } else if (comment === undefined && line !== '') throw new Error(`deploy/helm/glasshouse/values.yaml: cannot read ${line}`);
    if (comment === undefined) comments = [];
  }
  return values;
}

function chartPage() {
  const schema = JSON.parse(read('deploy/helm/glasshouse/values.schema.json'));
  const all = resolve(schema, schema), values = chartValues(read('deploy/helm/glasshouse/values.yaml'));
  const schemaOf = (/** @type {string} */ where) => where.split('.').reduce((/** @type {Schema} */ at, name) => at.properties?.[name] ?? {}, all);
  const row = (/** @type {ChartValue} */ one) => [code(one.path), one.value === '' ? '' : code(one.value.replaceAll('|', '\\|')), one.value === '' ? '' : typeOf(schemaOf(one.path)), one.comment];
  const groups = values.filter(({ depth, value }) => depth === 0 && value === '');
  const parts = groups.map((group) => {
    const below = values.filter((one) => one.path.startsWith(`${group.path}.`) && (one.value !== '' || one.comment !== ''));
    return [`## ${group.path}`, ...(group.comment === '' ? [] : [group.comment]), table(['value', 'default', 'type', 'meaning'], below.map(row))].join('\n\n');
  });
  const single = values.filter(({ depth, value }) => depth === 0 && value !== '');
  return [
    title('Chart values', '`values.yaml` and `values.schema.json` of `deploy/helm/glasshouse`'),
    'Values of the Helm chart; a wrong one is refused with its name. [Containers and several nodes](deploying-nodes.md) says how to install it, [Settings](settings.md) has what stands below `config`.',
    '## Without a group', table(['value', 'default', 'type', 'meaning'], single.map(row)),
    ...parts,
  ].join('\n\n');
}

const check = process.argv[2] === '--check';
let wrong = 0;
try {
  for (const [file, text] of Object.entries({ 'docs/events.md': eventsPage(), 'docs/tools.md': await toolsPage(), 'docs/chart-values.md': chartPage() })) {
    if (!check) fs.writeFileSync(path.join(root, file), `${text}\n`);
    else if (!fs.existsSync(path.join(root, file)) || read(file) !== `${text}\n`) {
      process.stderr.write(`${file} is old: node scripts/reference.mjs\n`);
      wrong += 1;
    }
  }
} catch (error) {
  process.stderr.write(`reference: ${/** @type {Error} */ (error).message}\n`);
  wrong += 1;
}
await endAll();
process.exit(wrong === 0 ? 0 : 1);
