// Rules of suggestions as questions.
import { expect, test } from 'vitest';
import type { Schemas } from '../../api/client';
import { nameOf, personaOf, questionOf, questionsOf } from './questions';

const one = (promptText: string, intent = 'info', source = 'page') =>
  ({ promptText, intent, source, evidence: '' }) as unknown as Schemas['SuggestionItem'];

test('a topic becomes a question by what those who ask want', () => {
  expect(questionOf(one('Quay jug'), 'en')).toBe('What should I know about Quay jug?');
  expect(questionOf(one('Quay jug', 'trans'), 'de')).toBe('Wo kann ich Quay jug kaufen?');
  expect(questionOf(one('About the workshop'), 'en')).toBe('What should I know about the workshop?');
  expect(questionOf(one('Pots for every day.', 'comm'), 'xx')).toBe('What do you recommend for Pots for every day?');
});

test('a question stays as it is', () => {
  expect(questionOf(one('Is Luma a good choice?', 'comm'), 'de')).toBe('Is Luma a good choice?');
});

test('what is asked already is not suggested again, and nothing twice', () => {
  const texts = questionsOf([one('Quay jug'), one('quay  jug'), one('Tide mug')], 'en', [
    'what should I know about TIDE MUG',
  ]).map(({ text }) => text);

  expect(texts).toEqual(['What should I know about Quay jug?']);
});

test('questions about brands are in English only', () => {
  expect(questionsOf([one('What is Luma?', 'info', 'brand')], 'fr', [])).toEqual([]);
});

test('no place and no language leave the place of the domain', () => {
  expect(personaOf({ country: '', language: '' })).toBeUndefined();
  expect(personaOf({ country: 'DE', language: '' })).toEqual({ country: 'DE' });
  expect([nameOf('region', 'DE'), nameOf('language', 'de')]).toEqual(['Germany', 'German']);
});
