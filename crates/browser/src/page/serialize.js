// Writes the document as HTML that looks the same without scripts: shadow roots as declarative ones, style sheets that
// exist only in the object model as <style>, no scripts, no handlers.
// Works on a copy in a document without a window: no custom element reacts, nothing loads, the page stays as it is.
// Must give the same bytes for the same page.

const shadowRoots = new Set(); // every root that a script made, closed ones too
const changedSheets = new WeakSet(); // style sheets whose rules a script has changed

function rememberRoot(root) {
  if (!root || shadowRoots.has(root)) return;
  shadowRoots.add(root);
  watchDocument(root);
}

let definesElements = false;

function watchShadowRoots() {
  watchMethod(CustomElementRegistry.prototype, 'define', () => (definesElements = true));
  watchMethod(Element.prototype, 'attachShadow', rememberRoot);
  watchMethod(HTMLElement.prototype, 'attachInternals', (internals) => rememberRoot(internals.shadowRoot));
  // Declarative roots are made by the parser: those of the document are looked for when it has ended.
  listen(document, 'DOMContentLoaded', () => rememberDeclaredRoots(document));
  for (const owner of [Element.prototype, ShadowRoot.prototype]) {
    watchMethod(owner, 'setHTMLUnsafe', (_, element) => rememberDeclaredRoots(element.shadowRoot || element));
  }
}

function rememberDeclaredRoots(parent) {
  for (const element of parent.querySelectorAll('*')) {
    if (!element.shadowRoot || shadowRoots.has(element.shadowRoot)) continue;
    rememberRoot(element.shadowRoot);
    rememberDeclaredRoots(element.shadowRoot);
  }
}

function watchStyleSheets() {
  const changed = (sheet) => {
    while (sheet?.parentStyleSheet) sheet = sheet.parentStyleSheet;
    if (sheet) changedSheets.add(sheet);
  };
  for (const name of ['insertRule', 'deleteRule', 'addRule', 'removeRule', 'replace', 'replaceSync']) {
    watchMethod(CSSStyleSheet.prototype, name, (_, sheet, [text]) => {
      changed(sheet);
      if (name.startsWith('replace')) writtenRules.set(sheet, [String(text)]);
      else if (name === 'insertRule') writtenRules.get(sheet)?.push(String(text)) ?? writtenRules.set(sheet, [String(text)]);
    });
  }
  const ruleChanged = (_, rule) => changed(rule.parentStyleSheet);
  for (const type of [CSSGroupingRule, CSSStyleRule, CSSKeyframesRule]) {
    for (const name of ['insertRule', 'deleteRule', 'appendRule']) watchMethod(type.prototype, name, ruleChanged);
  }
  // Reading `rule.style` may be the first half of a write. A sheet that was only read is written out with equal meaning.
  for (const type of [CSSStyleRule, CSSKeyframeRule]) watchProperty(type.prototype, 'style', { get: (rule) => ruleChanged(null, rule) });
  watchProperty(CSSStyleRule.prototype, 'styleMap', { get: (rule) => ruleChanged(null, rule) });
  watchProperty(CSSStyleRule.prototype, 'selectorText', { set: (rule) => ruleChanged(null, rule) });
}

/** The whole document. */
function serializeDocument() {
  const inert = document.implementation.createHTMLDocument('');
  const copy = inert.importNode(document.documentElement, true);
  inert.replaceChild(copy, inert.documentElement);
  restore(document, inert, inert);
  clean(inert);
  emptyHead(inert);

  let html = copy.outerHTML;
  if (MOMENT.test(html) && renumberMoments(inert)) html = copy.outerHTML;
  // Looking at every attribute is slow, and most pages have none of these.
  if (SUSPECT.test(html) && cleanAttributes(inert)) html = copy.outerHTML;

  let before = '';
  for (const node of document.childNodes) {
    if (node === document.documentElement) break;
    if (node.nodeType === Node.DOCUMENT_TYPE_NODE) before += writeDoctype(node);
    if (node.nodeType === Node.COMMENT_NODE) before += `<!--${node.data}-->\n`;
  }
  return before + html;
}

function writeDoctype({ name, publicId, systemId }) {
  const ids = publicId ? ` PUBLIC "${publicId}"${systemId ? ` "${systemId}"` : ''}` : systemId ? ` SYSTEM "${systemId}"` : '';
  return `<!DOCTYPE ${name}${ids}>\n`;
}

// ---- what the copy lacks: shadow roots and rules of the object model ----

/** Completes the copy of a document or shadow root from the original. Both have the same elements in the same order. */
function restore(original, copy, inert) {
  const sheets = original.querySelectorAll('style,link');
  const sheetCopies = copy.querySelectorAll('style,link');
  const hosts = findHosts(original);
  const copies = hosts.length > 0 ? copy.querySelectorAll('*') : [];

  const hasSheetInBody = original === document && document.body?.querySelector('style,link[rel~=stylesheet i]');
  for (let i = 0; i < sheets.length; i += 1) restoreSheet(sheets[i], sheetCopies[i], inert);
  for (const [i, root] of hosts) copies[i].prepend(writeShadowRoot(root, inert));

  const definitions = customElementRules(original);
  if (definitions) {
    const style = inert.createElement('style');
    style.textContent = definitions;
    (original === document ? copy.head || copy.documentElement : copy).append(style);
  }

  // Adopted sheets come after all others in the cascade.
  const adopted = original.adoptedStyleSheets || [];
  const place = original !== document ? copy : hasSheetInBody ? copy.body : copy.head || copy.documentElement;
  for (const sheet of adopted) {
    if (sheet.disabled || sheet.cssRules.length === 0) continue;
    place.append(styleElement(inert, sheet));
  }
}

/** Elements with a shadow root, as [place among all elements, root]. */
function findHosts(original) {
  const roots = new Map();
  for (const root of shadowRoots) if (root.host.getRootNode() === original) roots.set(root.host, root);
  const found = [];
  if (roots.size === 0) return found;
  original.querySelectorAll('*').forEach((element, place) => {
    const root = roots.get(element);
    if (root) found.push([place, root]);
  });
  return found;
}

function writeShadowRoot(root, inert) {
  const template = inert.createElement('template');
  template.setAttribute('shadowrootmode', root.mode);
  if (root.delegatesFocus) template.setAttribute('shadowrootdelegatesfocus', '');
  if (root.clonable) template.setAttribute('shadowrootclonable', '');
  if (root.serializable) template.setAttribute('shadowrootserializable', '');
  for (const child of root.childNodes) template.content.append(inert.importNode(child, true));
  restore(root, template.content, inert);
  return template;
}

function restoreSheet(element, copy, inert) {
  const sheet = quietly(() => element.sheet);
  if (!sheet) return;
  const isStyle = element.localName === 'style';
  const fromBlob = !isStyle && /^blob:/i.test(element.href);
  const rules = quietly(() => sheet.cssRules); // another origin's sheet does not show them, and cannot have been changed
  const onlyInMemory = isStyle && rules?.length > 0 && element.textContent.trim() === '';
  if (rules && (onlyInMemory || fromBlob || changedSheets.has(sheet))) {
    if (isStyle) {
      copy.textContent = sheetText(sheet);
    } else {
      const style = styleElement(inert, sheet);
      if (element.id) style.id = element.id;
      copy.replaceWith(style);
      copy = style;
    }
  }
  if (sheet.disabled) {
    if (copy.localName === 'link') copy.setAttribute('disabled', '');
    else copy.setAttribute('media', 'not all');
  } else if (sheet.media.mediaText && sheet.media.mediaText !== (element.media || '').toLowerCase() && sheet.media.mediaText !== element.media) {
    const written = quietly(() => window.matchMedia(element.media || 'all').media);
    if (written !== sheet.media.mediaText) copy.setAttribute('media', sheet.media.mediaText);
  }
}

/**
 * Rules for custom elements that no script defines any more.
 *
 * Pages hide elements until they are defined (`:not(:defined) { visibility: hidden }`). The rules stay as they are; what
 * they would hide in the snapshot gets the values that it had on the page, and what `:defined` gave it gets it again.
 */
function customElementRules(original) {
  if (!definesElements) return '';
  let text = '';
  const visit = (rules) => {
    for (const rule of rules || []) {
      if (!rule.selectorText) visit(rule.cssRules);
      else if (rule.selectorText.includes(':defined')) quietly(() => (text += restoredRule(rule, original)));
    }
  };
  for (const sheet of [...original.styleSheets, ...original.adoptedStyleSheets]) quietly(() => visit(sheet.cssRules));
  return text;
}

function restoredRule(rule, original) {
  const isHiding = rule.selectorText.includes(':not(:defined)');
  const pseudo = isHiding ? /:not\(:defined\)/g : /:defined/g;
  // What remains of the selector; a universal one where nothing does.
  const plain = rule.selectorText.replace(pseudo, '').replace(/(^|[\s,>+~])(?=[\s,>+~]|$)/g, '$1*');
  const elements = [...original.querySelectorAll(plain)].filter((one) => one.localName.includes('-') && one.matches(':defined'));
  if (elements.length === 0) return '';
  const names = [...new Set(elements.map((one) => one.localName))].sort();
  const selector = isHiding ? rule.selectorText.replace(pseudo, `:is(${names.join()}):not(:defined)`) : plain;
  const values = getComputedStyle(elements[0]);
  let declarations = '';
  for (const name of rule.style) {
    const isImportant = isHiding || rule.style.getPropertyPriority(name) !== '';
    declarations += `${name}: ${(isHiding ? values : rule.style).getPropertyValue(name)}${isImportant ? ' !important' : ''}; `;
  }
  return `${selector} { ${declarations}}\n`;
}

const sheetTexts = new Map();
const writtenRules = new WeakMap(); // sheet → texts that the page gave it

// A shorthand with `var()` of which a part was set again: the browser writes its other parts as nothing at all.
const LOST = /[{;] ?[a-z-]+: ;/;

/** The rules of a sheet as the browser writes them, or as the page did where that loses something. */
function rulesText(sheet) {
  const texts = Array.from(sheet.cssRules, (rule) => rule.cssText);
  if (!texts.some((text) => LOST.test(text))) return texts.join('\n');
  const whole = sheet.ownerNode?.localName === 'style' ? [sheet.ownerNode.textContent] : [];
  const asWritten = new Map();
  for (const source of [...whole, ...(writtenRules.get(sheet) || [])]) {
    if (!/\bvar\(/i.test(source)) continue;
    const scratch = new CSSStyleSheet();
    quietly(() => scratch.replaceSync(source));
    const rules = Array.from(scratch.cssRules, (rule) => rule.cssText);
    if (rules.length === texts.length && rules.every((text, i) => text === texts[i])) return source;
    if (rules.length === 1) asWritten.set(rules[0], source);
  }
  return texts.map((text) => (LOST.test(text) && asWritten.get(text)) || text).join('\n');
}

/** The rules of a sheet as text that may stand in a style element of the document. */
function sheetText(sheet) {
  if (sheetTexts.has(sheet)) return sheetTexts.get(sheet);
  let text = `${rulesText(sheet)}\n`;
  if (sheet.href && !/^blob:/i.test(sheet.href)) text = absoluteUrls(text, sheet.href);
  text = text.replace(/<\/(style)/gi, '<\\/$1');
  sheetTexts.set(sheet, text);
  return text;
}

/** Addresses in a linked sheet are relative to it; in a style element they would be relative to the document. */
function absoluteUrls(css, base) {
  return css.replace(/url\(("|')?([^"')]*)\1\)/g, (whole, quote, url) => {
    if (!url || /^(#|data:)/i.test(url)) return whole;
    return quietly(() => `url("${new URL(url, base).href}")`) || whole;
  });
}

function styleElement(inert, sheet) {
  const style = inert.createElement('style');
  if (sheet.media.mediaText) style.setAttribute('media', sheet.media.mediaText);
  const policy = document.querySelector('meta[http-equiv="content-security-policy" i]') && document.querySelector('style[nonce],link[nonce]');
  if (policy) style.setAttribute('nonce', policy.nonce);
  style.textContent = sheetText(sheet);
  return style;
}

// ---- what the copy has too much of ----

const UNWANTED =
  'script,noscript,link[rel],meta[charset],meta[http-equiv="content-type" i],[nonce],template,iframe[srcdoc],pre,textarea,listing';
const SUSPECT = /\son[a-z]+\s*=|script:|blob:/i;

/** Removes what would run, and what would be wrong in a copy. Goes into templates, those of shadow roots included. */
function clean(root) {
  // A policy in the document itself would refuse style elements that lost their nonce.
  const hasPolicy = document.querySelector('meta[http-equiv="content-security-policy" i]') !== null;
  for (const element of root.querySelectorAll(UNWANTED)) {
    switch (element.localName) {
      case 'script':
        if (isExecutable(element) || /^(importmap|speculationrules)$/i.test((element.getAttribute('type') || '').trim())) element.remove();
        break;
      case 'noscript': // not on the page that a person with scripts sees
        element.remove();
        continue;
      case 'link':
        if (loadsScript(element)) element.remove();
        break;
      case 'meta': // the bytes that leave here are UTF-8
        if (element.hasAttribute('charset') && !/^utf-?8$/i.test(element.getAttribute('charset'))) element.setAttribute('charset', 'utf-8');
        if (element.httpEquiv && /charset/i.test(element.content) && !/charset\s*=\s*"?utf-?8/i.test(element.content)) element.content = 'text/html; charset=utf-8';
        break;
      case 'template':
        clean(element.content);
        break;
      case 'iframe':
        // Trusted types of the page may forbid to parse it.
        if (element.hasAttribute('srcdoc') && !quietly(() => cleanSrcdoc(element) || true)) element.removeAttribute('srcdoc');
        break;
      case 'pre':
      case 'textarea':
      case 'listing': // the parser drops one line break after the start tag
        if (element.firstChild?.nodeType === 3 && element.firstChild.data.startsWith('\n')) element.firstChild.data = `\n${element.firstChild.data}`;
        break;
      default:
    }
    if (element.hasAttribute('nonce') && !hasPolicy) element.removeAttribute('nonce');
  }
}

const OF_HEAD = /^(base|basefont|bgsound|link|meta|noframes|noscript|script|style|template|title)$/;

/** Scripts may put anything into the head; a parser ends the head there, and what follows would be in the body. */
function emptyHead(inert) {
  if (!inert.head || !inert.body) return;
  const strays = [...inert.head.children].filter((child) => !OF_HEAD.test(child.localName));
  inert.body.prepend(...strays);
}

// Milliseconds since 1970, in an attribute that only names something for a script or a style sheet.
const MOMENT = /(?<!\d)1\d{12}(?!\d)/;
const NAMING = /^(id|for|name|class|list|form|headers|aria-(controls|describedby|labelledby|owns|activedescendant)|_.*|data-.*)$/;

/** Names that were made from the time of this render get a number instead, the same on every render. True when there was one. */
function renumberMoments(root, known = new Map()) {
  const began = Math.floor(performance.timeOrigin);
  const numbered = (moment) => {
    if (Number(moment) < began || Number(moment) > began + 60000) return moment;
    if (!known.has(moment)) known.set(moment, String(1000000000000 + known.size));
    return known.get(moment);
  };
  for (const element of root.querySelectorAll('*')) {
    for (const name of element.getAttributeNames()) {
      const value = NAMING.test(name) ? element.getAttribute(name) : '';
      if (MOMENT.test(value)) element.setAttribute(name, value.replace(new RegExp(MOMENT, 'g'), numbered));
    }
    if (element.localName === 'template') renumberMoments(element.content, known);
  }
  return known.size > 0;
}

/** Whether a link exists only to fetch a script early. */
function loadsScript(link) {
  const rel = link.getAttribute('rel').toLowerCase().split(/\s+/);
  const as = (link.getAttribute('as') || '').toLowerCase();
  if (rel.includes('modulepreload')) return true;
  if (!rel.some((word) => /^(preload|prefetch|prerender|subresource)$/.test(word))) return false;
  return /^(script|worker|sharedworker|serviceworker|audioworklet|paintworklet)$/.test(as) || /\.m?js([?#]|$)/i.test(link.getAttribute('href') || '');
}

function cleanSrcdoc(iframe) {
  const source = iframe.getAttribute('srcdoc');
  const isWhole = /<(html|head|body|!doctype)/i.test(source);
  const inner = isWhole ? new DOMParser().parseFromString(source, 'text/html') : fragment(source);
  const text = () => (isWhole ? (inner.doctype ? writeDoctype(inner.doctype) : '') + inner.documentElement.outerHTML : inner.parent.innerHTML);
  const root = isWhole ? inner : inner.parent.content;
  const before = text();
  clean(root);
  cleanAttributes(root);
  if (text() !== before) iframe.setAttribute('srcdoc', text());
}

function fragment(html) {
  const parent = document.implementation.createHTMLDocument('').createElement('template');
  parent.innerHTML = html;
  return { parent };
}

const URL_ATTRIBUTE = /^(xlink:)?(href|action|formaction|src|data|poster)$/i;

/** Removes event handlers, script addresses and addresses in this tab's memory. True when there was one. */
function cleanAttributes(root) {
  let changed = false;
  for (const element of root.querySelectorAll('*')) {
    for (const name of element.getAttributeNames()) {
      const value = element.getAttribute(name);
      if (/^on[a-z]/i.test(name)) {
        element.removeAttribute(name);
        changed = true;
      } else if (URL_ATTRIBUTE.test(name)) {
        const address = withoutControls(value);
        const isHarmless = /^javascript:(void\(?0?\)?)?;?$/i.test(address); // a link that only looks like one, as written
        if (/^blob:/i.test(address)) element.removeAttribute(name);
        else if (/^(javascript|vbscript):/i.test(address) && !isHarmless) element.setAttribute(name, 'javascript:void(0)');
        else continue;
        changed = true;
      }
    }
    if (element.localName === 'template' && cleanAttributes(element.content)) changed = true;
  }
  return changed;
}

/** Browsers ignore white space and control characters in front of and inside a scheme. */
function withoutControls(value) {
  let text = '';
  for (const character of value.slice(0, 200)) if (character > ' ') text += character;
  return text;
}
