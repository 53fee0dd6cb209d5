// Messages to people against the schemas of the chat services: those of every event and format, hostile texts among them. The messages are
// written by the tests of `crates/webhooks`; each schema says where it comes from.
import fs from 'node:fs';
import Ajv from 'ajv';
import { expect, test } from 'vitest';

const FORMATS = new URL('../../crates/webhooks/src/formats/', import.meta.url);
/** @param {string} name */
const read = (name) => fs.readFileSync(new URL(name, FORMATS), 'utf8');

/** @type {{ format: string, event: string, hostile: boolean, message: object }[]} */
const messages = read('messages.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const formats = [...new Set(messages.map(({ format }) => format))];

test.each(formats)('messages of the format %s are as the service documents them', (format) => {
  const isValid = new Ajv({ allErrors: true }).compile(JSON.parse(read(`schemas/${format}.json`)));

  const wrong = messages
    .filter((sent) => sent.format === format && !isValid(sent.message))
    .map(({ event, message }) => {
      isValid(message);
      return { event, errors: isValid.errors };
    });

  expect(wrong).toEqual([]);
});

test('the messages are those of all formats, and of all events in each', () => {
  const events = formats.map(
    (format) => new Set(messages.filter((sent) => sent.format === format).map(({ event }) => event)).size,
  );

  expect(formats.toSorted()).toEqual(['discord', 'ntfy', 'slack', 'teams']);
  // The eighteen and the test of a webhook.
  expect(events).toEqual([19, 19, 19, 19]);
  expect(messages.some(({ hostile }) => hostile)).toBe(true);
});

test.each([
  ['discord', { content: 'x'.repeat(2_001) }],
  ['ntfy', { topic: 'a topic', message: 'x' }],
  ['slack', { text: 'x', blocks: [{ type: 'section', text: { type: 'plain_text', text: '' } }] }],
  ['teams', { type: 'message', attachments: [{ contentType: 'text/html', content: {} }] }],
])('a message that the format %s does not take is found', (format, message) => {
  expect(new Ajv().validate(JSON.parse(read(`schemas/${format}.json`)), message)).toBe(false);
});
