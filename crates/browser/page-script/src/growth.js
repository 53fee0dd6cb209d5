// Counts how often the page has come to hold more than ever before: text or elements that were not there before.
// Clocks, tickers of numbers and carousels change the page and do not grow it.

import { body, queryAll, textContent } from './intrinsics/dom.js';
import { max } from './intrinsics/language.js';
import { shadowRoots } from './roots.js';
import { shared } from './shared.js';
import { work } from './work.js';

const most = { text: 0, elements: 0 };
let times = 0;
let changes = -1; // of the page when it was last measured

/** The count for the page, or for that which the frame is in. */
export const growth = shared?.growth ?? (() => {
  work.readChanges();
  if (changes === work.changes) return times;
  changes = work.changes;
  const present = { text: 0, elements: 0 };
  const measure = (tree) => {
    present.text += textContent(tree).length;
    present.elements += queryAll(tree, '*').length;
  };
  const root = body(document);
  if (root) measure(root);
  shadowRoots.forEach(measure);
  if (present.text > most.text || present.elements > most.elements) times += 1;
  most.text = max(most.text, present.text);
  most.elements = max(most.elements, present.elements);
  return times;
});
