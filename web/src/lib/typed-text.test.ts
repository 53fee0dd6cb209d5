// Rules of the text of a search field while it is typed.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TypedText } from './typed-text.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a text is applied once, when nobody types any more', () => {
  const apply = vi.fn();
  const typed = new TypedText(apply);

  typed.text = 'bra';
  vi.advanceTimersByTime(249);
  typed.text = 'brand ';
  vi.advanceTimersByTime(250);

  expect(apply.mock.calls).toEqual([['brand']]);
});

test('a text that is not applied yet outlives a change of the list', () => {
  const apply = vi.fn();
  const typed = new TypedText(apply);

  typed.text = 'brand';
  typed.follow('');
  vi.advanceTimersByTime(250);

  expect(typed.text).toBe('brand');
  expect(apply.mock.calls).toEqual([['brand']]);
});

test('an applied text follows the address', () => {
  const typed = new TypedText(() => undefined);
  typed.text = 'brand';
  vi.advanceTimersByTime(250);

  typed.follow('');

  expect(typed.text).toBe('');
});

test('a field that is gone applies nothing', () => {
  const apply = vi.fn();
  const typed = new TypedText(apply);

  typed.text = 'brand';
  typed.stop();
  vi.advanceTimersByTime(1000);

  expect(apply).not.toHaveBeenCalled();
});
