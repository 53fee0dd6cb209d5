// Rules of the HTML of the badge.
import { expect, test } from 'vitest';
import { badgeCode } from './badge';

test('addresses and words stay attributes, whatever is in them', () => {
  expect(badgeCode('https://g.test/share/a#t', 'https://g.test/b.svg?a=1&b=2', 'a "b" <c>')).toBe(
    '<a href="https://g.test/share/a#t"><img src="https://g.test/b.svg?a=1&amp;b=2" alt="a &quot;b&quot; &lt;c&gt;" height="20"></a>',
  );
});
