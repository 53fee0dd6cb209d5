// Scripts, style sheets and frames that the page inserts: pending until they have loaded.

import { attribute, hasAttribute, localName, queryAll, readyState } from './intrinsics/dom.js';
import { getters, lower, some, test, trim } from './intrinsics/language.js';
import { listen } from './hooks.js';
import { listened } from './listeners.js';
import { isOtherSite, sheetOfElement } from './native.js';
import { hold, holdNetwork } from './work.js';

const { async: isAsync, src: ofScript } = getters(HTMLScriptElement.prototype);
const { src: ofFrame, loading: frameLoading } = getters(HTMLIFrameElement.prototype);
const { href: ofLink, disabled: isLinkDisabled } = getters(HTMLLinkElement.prototype);
const addressOf = { script: ofScript, iframe: ofFrame, link: ofLink };

/**
 * Waits for a script, style sheet or module preload, and for a frame when the page listens to messages.
 *
 * A script inserted by `innerHTML` never runs, and unlike one made by `createElement` is not `async`.
 * The parser's scripts that are not `async` have run at DOMContentLoaded.
 */
export function followElement(element) {
  const name = localName(element);
  if (!isAwaited[name]?.(element)) return;
  const end = holdNetwork(isOtherSite(addressOf[name](element)));
  const loaded = () => {
    end();
    // A loaded frame may post a message.
    if (name === 'iframe') listen(window, 'message', hold('answer', RULES.pause.ms), { once: true });
  };
  listen(element, 'load', loaded, { once: true });
  listen(element, 'error', end, { once: true });
}

/** Returns true when another site blocks the document: by the last parsed script, by a style sheet before it, or by a deferred script in the end. */
export function isBlockedByOtherSite() {
  if (readyState(document) !== 'loading') return some(queryAll(document, DEFERRED), (script) => isExecutable(script) && isOtherSite(addressOf.script(script)));
  const all = queryAll(document, '*');
  const last = all[all.length - 1];
  if (localName(last) !== 'script') return false;
  return isOtherSite(addressOf.script(last)) || some(queryAll(document, 'link[rel~="stylesheet" i]'), (link) => isOtherSite(addressOf.link(link)) && isAwaited.link(link));
}

const DEFERRED = 'script[src][defer],script[src][type="module" i]:not([async])';

/** Conditions under which elements are awaited, by element name. */
const isAwaited = {
  __proto__: null,
  iframe: (element) =>
    listened.messages && frameLoading(element) !== 'lazy' && (test(/^https?:/, addressOf.iframe(element)) || hasAttribute(element, 'srcdoc')),
  script: (element) => addressOf.script(element) && isExecutable(element) && isAsync(element),
  link: (element) => {
    const rel = lower(attribute(element, 'rel') || '');
    if (!addressOf.link(element)) return false;
    if (rel === 'modulepreload') return true;
    return test(/\bstylesheet\b/, rel) && !sheetOfElement(element) && !isLinkDisabled(element);
  },
};

const SCRIPT_TYPE = /^((application\/(x-)?(ecma|java)script|text\/(ecmascript|javascript(1\.[0-5])?|jscript|livescript|x-ecmascript|x-javascript)|module)\s*(;|$)|$)/i;

/** Returns true when the type of a script element is executable. */
export const isExecutable = (script) => test(SCRIPT_TYPE, trim(attribute(script, 'type') || ''));
