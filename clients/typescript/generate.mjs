// Writes src/schema.ts: the types of every operation and answer, from the OpenAPI document of the service. Run by `npm run build`.
// Must never guess: a keyword of JSON Schema that it does not know is an error. See docs/decisions/0510.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const JSON_TYPE = 'application/json';
/** Type of a body that is sent as it is. */
const BYTES_TYPE = 'application/octet-stream';
/** Keywords that become types. */
const SHAPES = ['$ref', 'type', 'enum', 'oneOf', 'allOf', 'items', 'properties', 'required', 'additionalProperties'];
/** Keywords that bound values, which types do not say, and texts. */
const BOUNDS = ['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'propertyNames'];
const TEXTS = ['description', 'example', 'examples', 'default'];
const KNOWN = new Set([...SHAPES, ...BOUNDS, ...TEXTS]);

const quote = (/** @type {unknown} */ value) => `'${String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const nameOf = (/** @type {string} */ key) => (/^[a-zA-Z_$][\w$]*$/.test(key) ? key : quote(key));
const union = (/** @type {string[]} */ parts) => [...new Set(parts)].join(' | ') || 'never';
const isObject = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Writes a comment of a text; without one, nothing.
 * @param {string | undefined} text
 */
function comment(text) {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
}

/** @typedef {[name: string, type: string, isRequired: boolean, text?: string]} Field */

/**
 * Writes an object type.
 * @param {Field[]} fields
 */
function object(fields) {
  const lines = fields.map(([name, type, isRequired, text]) => `${comment(text)}${nameOf(name)}${isRequired ? '' : '?'}: ${type};`);
  return `{\n${lines.join('\n')}\n}`;
}

/**
 * Writes the type of a schema.
 * @param {any} schema
 * @returns {string}
 */
function typeOf(schema) {
  const unknown = Object.keys(schema).filter((key) => !KNOWN.has(key) && !key.startsWith('x-'));
  if (unknown.length > 0) throw new Error(`the emitter of types does not know ${unknown.join(', ')}: ${JSON.stringify(schema).slice(0, 200)}`);
  if (schema.$ref !== undefined) return `Schemas[${quote(schema.$ref.replace('#/components/schemas/', ''))}]`;
  if (schema.enum !== undefined) return union(schema.enum.map(literal));
  if (schema.oneOf !== undefined) return union(schema.oneOf.map(typeOf));
  if (schema.allOf !== undefined) return schema.allOf.map((/** @type {any} */ part) => `(${typeOf(part)})`).join(' & ');
  return union([schema.type].flat().map((type) => plainType(type, schema)));
}

/** @param {unknown} value */
function literal(value) {
  if (typeof value !== 'string') throw new Error(`the emitter of types does not know the value ${value} of an enum`);
  return quote(value);
}

/**
 * Writes the type of a schema for one of the types that it names.
 * @param {string | undefined} type
 * @param {any} schema
 */
function plainType(type, schema) {
  switch (type) {
    case 'integer': return 'number';
    case 'string': case 'number': case 'boolean': case 'null': return type;
    case 'array': return arrayType(schema);
    case 'object': return objectType(schema);
    case undefined: return 'unknown';
    default: throw new Error(`the emitter of types does not know the type ${type}`);
  }
}

/** @param {any} schema */
function arrayType({ items, minItems, maxItems }) {
  const type = typeOf(items);
  return minItems !== undefined && minItems === maxItems ? `[${Array(minItems).fill(type).join(', ')}]` : `(${type})[]`;
}

/** @param {any} schema */
function objectType({ properties, required = [], additionalProperties }) {
  if (properties === undefined) return `Record<string, ${isObject(additionalProperties) ? typeOf(additionalProperties) : 'unknown'}>`;
  return object(Object.entries(properties).map(([name, property]) => [name, typeOf(property), required.includes(name), property.description]));
}

/**
 * Writes the type of what an operation is given: parameters by their place, and the body.
 * @param {any} operation
 */
function initType({ parameters = [], requestBody }) {
  /** @type {Field[]} */
  const places = [];
  for (const place of ['path', 'query', 'header']) {
    const there = parameters.filter((/** @type {any} */ parameter) => parameter.in === place);
    const fields = there.map((/** @type {any} */ { name, schema, required, description }) => [name, typeOf(schema), required === true, description]);
    if (there.length > 0) places.push([place, object(fields), there.some((/** @type {any} */ { required }) => required)]);
  }
  /** @type {Field[]} */
  const fields = [];
  if (places.length > 0) fields.push(['params', object(places), places.some(([, , isRequired]) => isRequired)]);
  if (requestBody !== undefined) fields.push(['body', bodyType(requestBody.content), requestBody.required === true]);
  return object(fields);
}

/**
 * Writes the type of a body: what becomes JSON, or bytes.
 * @param {any} content
 */
function bodyType(content) {
  if (JSON_TYPE in content) return typeOf(content[JSON_TYPE].schema);
  if (BYTES_TYPE in content) return 'Blob';
  throw new Error(`the clients send JSON and bytes only, not ${Object.keys(content)}`);
}

/**
 * Writes the type of an operation: `init`, `answer` (the JSON; undefined when there is no body; else the response itself), `events`.
 * @param {any} operation
 */
function operationType(operation) {
  const contents = Object.entries(operation.responses).flatMap(([status, answer]) => (/^[12]/.test(status) ? [answer.content ?? {}] : []));
  const typesOf = (/** @type {string} */ form) => contents.flatMap((content) => (form in content ? [typeOf(content[form].schema)] : []));
  const answer = [...typesOf(JSON_TYPE), ...contents.flatMap((content) => (Object.keys(content).length === 0 ? ['undefined'] : []))];
  const events = typesOf('text/event-stream');
  /** @type {Field[]} */
  const fields = [['init', initType(operation), true], ['answer', answer.length > 0 ? union(answer) : 'Response', true]];
  if (events.length > 0) fields.push(['events', union(events), true]);
  return object(fields);
}

/**
 * Writes the fields that an error has beside its code, by code, from the examples of the document.
 * @param {any} document
 */
function refusals(document) {
  /** @type {Map<string, Set<string>>} */
  const codes = new Map();
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    for (const { content } of Object.values(operation.responses)) {
      for (const { value } of Object.values(content?.[JSON_TYPE]?.examples ?? {})) {
        if (typeof value?.error !== 'string' || value.ok !== undefined) continue;
        const fields = codes.get(value.error) ?? new Set();
        for (const field of Object.keys(value)) if (field !== 'error') fields.add(field);
        codes.set(value.error, fields);
      }
    }
  }
  const known = document.components.schemas.ErrorBody.properties;
  const typeOfField = (/** @type {string} */ name) => {
    if (!(name in known)) throw new Error(`ErrorBody lacks the field ${name} of an example`);
    return `NonNullable<Schemas['ErrorBody'][${quote(name)}]>`;
  };
  const bodyOf = (/** @type {Set<string>} */ names) => (names.size === 0 ? 'object' : object([...names].map((name) => [name, typeOfField(name), true])));
  return object([...codes].sort().map(([code, names]) => [code, bodyOf(names), true]));
}

/**
 * Writes the module of a document.
 * @param {string} text
 */
function generate(text) {
  const document = JSON.parse(text);
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => /** @type {Field} */ ([name, typeOf(schema), true, schema.description]));
  const paths = Object.entries(document.paths).map(([name, item]) => {
    const operations = Object.entries(item).map(([verb, operation]) => {
      const about = [operation.summary, operation.description].filter(Boolean).join('\n\n');
      return /** @type {Field} */ ([verb, operationType(operation), true, about]);
    });
    return /** @type {Field} */ ([name, object(operations), true]);
  });
  return `// Types of the API. Written by generate.mjs from docs/openapi.json; never edited by hand.

/** SHA-256 of the document that these types are made from. */
export const DOCUMENT_SHA256 = '${createHash('sha256').update(text).digest('hex')}';

/** Types that the document names. */
export interface Schemas ${object(schemas)}

/** Operations by path and method. */
export interface Paths ${object(paths)}

/** Codes of errors, with the fields that an error has beside its code. */
export interface Refusals ${refusals(document)}
`;
}

const folder = import.meta.dirname;
const text = fs.readFileSync(path.join(folder, '../../docs/openapi.json'), 'utf8');
fs.writeFileSync(path.join(folder, 'src/schema.ts'), generate(text));
