// Rules of forms: what differs, what is wrong, when it is said, and what outlives a session.
import { expect, test } from 'vitest';
import { FormState, forgetDrafts, keepDrafts } from './form.svelte';

interface Values {
  name: string;
  aliases: string[];
}

const SAVED: Values = { name: 'Luma', aliases: [] };
const validate = ({ name }: Values) => ({ name: name === '' ? 'Enter a name.' : undefined });
const newForm = (name = 'brand') => new FormState<Values>({ name, saved: SAVED, validate });

test('a field that differs from what is saved counts as changed, and not after it is put back', () => {
  const form = newForm();
  form.values.name = 'Luma Docs';
  form.values.aliases.push('Luma.io');

  expect(form.changed).toEqual(['name', 'aliases']);
  form.values.name = 'Luma';
  expect(form.changed).toEqual(['aliases']);
});

test('an error is said once the field was left', () => {
  const form = newForm();
  form.values.name = '';

  expect(form.error('name')).toBeUndefined();
  expect(form.bad).toBe(1);
  form.leave('name');
  expect(form.error('name')).toBe('Enter a name.');
});

test('trying to save says all errors', () => {
  const form = newForm();
  form.values.name = '';

  expect(form.check()).toBe(false);
  expect(form.error('name')).toBe('Enter a name.');
});

test('what the service refused stands at its field until the values change', () => {
  const form = newForm();
  form.values.name = 'Lumen';
  form.refuse([{ path: 'name', message: 'is another brand' }]);
  expect(form.error('name')).toBe('is another brand');

  form.values.name = 'Lumens';

  expect(form.error('name')).toBeUndefined();
});

test('discarding brings back what is saved, accepting makes it the saved one', () => {
  const form = newForm();
  form.values.name = 'Luma Docs';
  form.accept({ ...SAVED, name: 'Luma Docs' });
  expect(form.changed).toEqual([]);

  form.values.name = 'x';
  form.discard();

  expect(form.values.name).toBe('Luma Docs');
});

test('unsaved values of a form that is shown outlive the end of a session, once', () => {
  const form = newForm('kept');
  const leave = form.attend();
  form.values.name = 'Unsaved';

  keepDrafts();
  leave();

  expect(newForm('kept').values.name).toBe('Unsaved');
  expect(newForm('kept').values.name).toBe('Luma');
});

test('unsaved values are forgotten when the account signs out', () => {
  const form = newForm('gone');
  const leave = form.attend();
  form.values.name = 'Unsaved';
  keepDrafts();
  leave();

  forgetDrafts();

  expect(newForm('gone').values.name).toBe('Luma');
});
