// How far the decision about the document has come. Changed by `ready.js` and `redirects.js`, read by what must stop then.

import { options } from './options.js';

export const state = {
  done: false,
  leaving: false,
  stays: false, // what it says of another place does not count
  contentLoaded: false,
  brokenOff: false, // what stands of the document is all there will be
  wentPastAt: 0, // when the tab was asked to give up what other sites leave hanging
  timer: 0,
  due: Infinity,
  confirming: false,
  why: '', // why it was reported last
  quietMs: options.quietMs,
  late: 0, // ms that the last looks came late: how busy the machine is
  flaggedAt: 0, // when the page called itself ready
};
