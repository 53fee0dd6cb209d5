// Rules of keys: pairs, modifiers, and which of two parts with the same key is meant.
import { afterEach, expect, test, vi } from 'vitest';
import { bindKeys, keys, pressKey } from './keys.svelte';

// Unit tests have no document: nothing has the focus and no layer is open.
vi.stubGlobal('Element', function Element() {});

const press = (key: string, init: Partial<KeyboardEvent> = {}, at = 0) => {
  const event = { key, timeStamp: at, target: null, defaultPrevented: false, preventDefault: vi.fn(), ...init };
  pressKey(event as unknown as KeyboardEvent);
  return event;
};

let release: () => void = () => undefined;
afterEach(() => {
  release();
  keys.switch(true);
});

test('a pair of keys runs when the second follows in time', () => {
  const run = vi.fn();
  release = bindKeys([{ keys: 'g o', label: 'Overview', run }]);

  press('g', {}, 0);
  press('o', {}, 1000);
  press('g', {}, 5000);
  press('o', {}, 7000);

  expect(run).toHaveBeenCalledTimes(1);
});

test('single keys can be switched off, those with a modifier stay', () => {
  const [single, both] = [vi.fn(), vi.fn()];
  release = bindKeys([
    { keys: 't', label: 'Table', run: single },
    { keys: 'mod k', label: 'Palette', run: both },
  ]);
  keys.switch(false);

  press('t');
  press('k', { ctrlKey: true });

  expect(single).not.toHaveBeenCalled();
  expect(both).toHaveBeenCalledTimes(1);
});

test('of two parts with one key the newest that applies is meant', () => {
  const [older, newer, none] = [vi.fn(), vi.fn(), vi.fn()];
  release = bindKeys([
    { keys: 't', label: 'Table', run: older },
    { keys: 't', label: 'Table', run: newer },
    { keys: 't', label: 'Table', run: none, applies: () => false },
  ]);

  const event = press('t');

  expect(newer).toHaveBeenCalledTimes(1);
  expect(older).not.toHaveBeenCalled();
  expect(none).not.toHaveBeenCalled();
  expect(event.preventDefault).toHaveBeenCalled();
});

test('a released key does nothing', () => {
  const run = vi.fn();
  bindKeys([{ keys: 't', label: 'Table', run }])();

  press('t');

  expect(run).not.toHaveBeenCalled();
  expect(keys.all).toEqual([]);
});
