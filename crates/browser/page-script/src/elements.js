// Scripts, style sheets and frames that the page inserts: pending until they have loaded.

import { attribute, hasAttribute, localName, queryAll, readyState } from './intrinsics/dom.js';
import { getter, indexOf, lower, slice, some, test, trim } from './intrinsics/language.js';
import { listen } from './hooks.js';
import { listened } from './listeners.js';
import { isOtherSite, sheetOfElement } from './native.js';
import { hold, holdNetwork } from './work.js';

const isAsync = getter(HTMLScriptElement.prototype, 'async');
const addressOf = { script: getter(HTMLScriptElement.prototype, 'src'), iframe: getter(HTMLIFrameElement.prototype, 'src'), link: getter(HTMLLinkElement.prototype, 'href') };
const frameLoading = getter(HTMLIFrameElement.prototype, 'loading');
const isLinkDisabled = getter(HTMLLinkElement.prototype, 'disabled');

/**
 * Waits for a script, style sheet or module preload, and for a frame when the page listens to what frames say.
 *
 * A script that came by `innerHTML` never runs; it differs from one made by `createElement` in that it is not `async`.
 * The parser's own scripts that are not `async` have run when DOMContentLoaded comes.
 */
export function holdElement(element) {
  const name = localName(element);
  if (!isWanted[name]?.(element)) return;
  const end = holdNetwork(isOtherSite(addressOf[name](element)));
  const loaded = () => {
    end();
    // A frame that has loaded may say something.
    if (name === 'iframe') listen(window, 'message', hold('answer', RULES.pause.ms), { once: true });
  };
  listen(element, 'load', loaded, { once: true });
  listen(element, 'error', end, { once: true });
}

/**
 * Returns whether the rest of the document waits for another site: for the script that the parser has read last, for a style sheet in front of
 * that, or, once all is read, for a script that is to run before others.
 */
export function isHeldUpByOthers() {
  if (readyState(document) !== 'loading') return some(queryAll(document, IN_ORDER), (script) => isExecutable(script) && isOtherSite(addressOf.script(script)));
  const all = queryAll(document, '*');
  const last = all[all.length - 1];
  if (localName(last) !== 'script') return false;
  return isOtherSite(addressOf.script(last)) || some(queryAll(document, 'link[rel~="stylesheet" i]'), (link) => isOtherSite(addressOf.link(link)) && isWanted.link(link));
}

const IN_ORDER = 'script[src][defer],script[src][type="module" i]:not([async])';

/** Which elements are waited for, by name. */
const isWanted = {
  __proto__: null,
  iframe: (element) =>
    listened.messages && frameLoading(element) !== 'lazy' && (test(/^https?:/, addressOf.iframe(element)) || hasAttribute(element, 'srcdoc')),
  script: (element) => addressOf.script(element) && isExecutable(element) && isAsync(element),
  link: (element) => {
    const rel = lower(attribute(element, 'rel') || '');
    if (!addressOf.link(element)) return false;
    if (rel === 'modulepreload') return true;
    return test(/\bstylesheet\b/, rel) && !sheetOfElement(element, 'link') && !isLinkDisabled(element);
  },
};

const SCRIPT_TYPE = /^(application\/(x-)?(ecma|java)script|text\/(ecmascript|javascript(1\.[0-5])?|jscript|livescript|x-ecmascript|x-javascript)|module)$/i;

/** Returns whether the browser would run this script element, as its type says. */
export function isExecutable(script) {
  const type = attribute(script, 'type');
  if (type === null) {
    const language = attribute(script, 'language');
    return !language || test(SCRIPT_TYPE, `text/${language}`);
  }
  const end = indexOf(type, ';');
  return trim(type) === '' || test(SCRIPT_TYPE, trim(end < 0 ? type : slice(type, 0, end)));
}
