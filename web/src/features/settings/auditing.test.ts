// Rules of the audit settings: what is stored becomes a form, and only what differs is sent.
import { expect, test } from 'vitest';
import { changeOf, validate, valuesOf, type Auditing } from './auditing';

const stored = {
  frequency: 'weekly',
  mode: 'follow',
  include: ['/a', '/b'],
  exclude: [],
  dropParameters: [],
  javascript: true,
  headers: [{ name: 'x-key' }],
  enabledChecks: [],
  disabledChecks: ['TITLE_LONG'],
  thresholds: { titleMaxCharacters: 70 },
  ignored: [],
  extractions: [{ name: 'price', selector: '.price' }],
  searches: [{ name: 'phone', regex: '[0-9]+', in: 'source', inverted: true }],
} as unknown as Auditing;

test('nothing changed is nothing to send', () => {
  expect(changeOf({}, valuesOf(stored))).toEqual({});
});

test('lines become lists, and an empty text no value', () => {
  const values = { ...valuesOf(stored), include: '/c\n\n /d ', userAgent: ' ' };

  expect(changeOf({ include: values.include, userAgent: ' ' }, values)).toEqual({
    include: ['/c', '/d'],
    userAgent: null,
  });
});

test('rules are sent as they were read', () => {
  const values = valuesOf(stored);

  expect(changeOf({ extractions: values.extractions, searches: values.searches }, values)).toEqual({
    extractions: [{ name: 'price', selector: '.price', of: 'rendered' }],
    searches: [{ name: 'phone', regex: '[0-9]+', in: 'source', of: 'rendered', inverted: true }],
  });
});

test('headers and the password are sent only when they were replaced', () => {
  const values = valuesOf(stored);
  const replaced = { ...values, headers: [{ name: 'x-key', value: '1' }], basicAuth: { username: '', password: '' } };

  expect(changeOf(replaced, replaced)).toMatchObject({ headers: [{ name: 'x-key', value: '1' }], basicAuth: null });
  expect(changeOf({ javascript: false }, { ...values, javascript: false })).toEqual({ javascript: false });
});

test('numbers out of range and rules without a pattern are refused', () => {
  const values = valuesOf(stored);
  const errors = validate({
    ...values,
    maxPages: 0,
    requestsPerSecond: 200,
    searches: [...values.searches.map((rule) => ({ ...rule, what: '' }))],
  });

  expect(
    Object.entries(errors)
      .filter(([, text]) => text !== undefined)
      .map(([name]) => name),
  ).toEqual(['maxPages', 'requestsPerSecond', 'searches.0']);
});
