// What a person sees: loads a page in an ordinary Chromium window, waits until it has settled, scrolls through it once,
// and lists its words, head, links, rules and looks. The same list is made of a snapshot, with scripts switched off.
// Used by run.mjs. Knows nothing of how Glasshouse decides that a page is ready.
import { chromium } from 'playwright-core';

const VIEWPORT = { width: 1280, height: 1024 };

/** Runs in the page. Must stand alone: it is sent as text. */
function describe() {
  const rootOf = (element) => element.shadowRoot || globalThis.__closedRoots?.get(element) || null;
  const words = [];
  const looks = [];
  const links = [];
  const pictures = [];
  const rules = new Set();
  let shadowRoots = 0;
  const addRules = (sheet) => {
    let list = [];
    try { list = sheet.disabled ? [] : sheet.cssRules; } catch { return; }
    for (const rule of list) rules.add(rule.cssText.replace(/\s+/g, ' '));
  };
  const split = (text) => text.split(/\s+/).filter(Boolean);
  const look = (element) => {
    const style = getComputedStyle(element);
    let opacity = 1;
    for (let up = element; up; up = up.assignedSlot || up.parentElement || up.getRootNode().host) opacity *= Number(getComputedStyle(up).opacity);
    const box = element.getBoundingClientRect();
    return [style.color, style.backgroundColor, style.fontSize, style.fontWeight, style.fontFamily, style.fontStyle, style.display, style.textAlign, style.direction,
      style.paddingLeft, style.borderLeftColor, style.textDecorationLine, opacity.toFixed(2), Math.round(box.left / 4), Math.round(box.width / 4)].join('|');
  };
  const attributes = (element) => {
    if (element.localName === 'a' && element.hasAttribute('href')) links.push(element.getAttribute('href').replace(/^javascript:.*/i, 'javascript:'));
    if (element.localName === 'img') pictures.push(`${element.getAttribute('src')} ${element.getAttribute('srcset')} ${element.getAttribute('alt')}`);
  };
  const visit = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      // Pieces of text side by side, with or without a comment between them, are one text when the parser reads them.
      const joins = (sibling) => sibling && (sibling.nodeType === Node.TEXT_NODE || sibling.nodeType === Node.COMMENT_NODE);
      for (let before = node.previousSibling; joins(before); before = before.previousSibling) if (before.nodeType === Node.TEXT_NODE) return;
      let data = '';
      for (let piece = node; joins(piece); piece = piece.nextSibling) if (piece.nodeType === Node.TEXT_NODE) data += piece.data;
      const own = split(data);
      const holder = node.parentElement || node.getRootNode().host;
      if (own.length === 0 || !holder || !holder.checkVisibility({ visibilityProperty: true })) return;
      words.push(...own);
      looks.push(`${own.join(' ').slice(0, 60)} :: ${look(holder)}`);
      return;
    }
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (/^(script|style|noscript|template|title|head)$/.test(node.localName) && node.namespaceURI.endsWith('xhtml')) return;
      attributes(node);
      const root = rootOf(node);
      if (root) {
        shadowRoots += 1;
        for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) addRules(sheet);
        root.childNodes.forEach(visit);
        return;
      }
      if (node.localName === 'slot') {
        const assigned = node.assignedNodes();
        (assigned.length > 0 ? assigned : [...node.childNodes]).forEach(visit);
        return;
      }
      node.childNodes.forEach(visit);
    }
  };
  visit(document.body);
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) addRules(sheet);
  const all = (selector, read) => [...document.querySelectorAll(selector)].map(read).sort();
  const executable = (script) => !script.type || /javascript|ecmascript|^module$|^importmap$|^speculationrules$/i.test(script.type);
  return {
    words, looks, links: links.sort(), pictures: pictures.sort(), rules: [...rules], shadowRoots,
    head: {
      title: document.title,
      lang: document.documentElement.lang,
      dir: document.documentElement.dir,
      metas: all('meta', (meta) => [...meta.attributes].map((a) => `${a.name}=${a.value}`).sort().join(' ')),
      canonical: all('link[rel=canonical]', (link) => link.getAttribute('href')),
      hreflang: all('link[hreflang]', (link) => `${link.hreflang} ${link.getAttribute('href')}`),
      structured: all('script[type="application/ld+json"],script[type="application/json"]', (script) => JSON.stringify(JSON.parse(script.textContent))),
    },
    left: {
      scripts: all('script', (script) => script).filter(executable).length,
      preloads: all('link[rel=modulepreload],link[as=script]', () => 1).length,
      handlers: all('*', (element) => element.getAttributeNames().filter((name) => /^on/.test(name)).length).reduce((sum, count) => sum + count, 0),
    },
  };
}

async function textLength(page) {
  return page.evaluate(() => {
    let sum = 0;
    const visit = (root) => {
      sum += root.textContent.length + root.querySelectorAll('*').length;
      for (const element of root.querySelectorAll('*')) {
        const inner = element.shadowRoot || globalThis.__closedRoots?.get(element);
        if (inner) visit(inner);
      }
    };
    visit(document.documentElement);
    return sum;
  });
}

/** Waits until nothing has been added or removed for `quiet` ms, at most `limit`. */
async function settle(page, quiet, limit) {
  const end = Date.now() + limit;
  let last = -1;
  let since = Date.now();
  while (Date.now() < end && Date.now() - since < quiet) {
    const now = await textLength(page).catch(() => -1);
    if (now !== last) {
      last = now;
      since = Date.now();
    }
    await page.waitForTimeout(100);
  }
}

/** `host` leads to the port on loopback, as it does for Glasshouse; no other name leads anywhere. */
export async function startOracle(host, port) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=MAP ${host} 127.0.0.1:${port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`, '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessChecks'],
  });
  return {
    /** The settled page, as a person finds it: `quiet` ms without a change after it has loaded. */
    async live(url, quiet = 1500) {
      const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-US' });
      try {
        const page = await context.newPage();
        await page.addInitScript(() => {
          const attach = Element.prototype.attachShadow;
          globalThis.__closedRoots = new WeakMap();
          Element.prototype.attachShadow = function attachShadow(init) {
            const root = attach.call(this, init);
            if (root.mode === 'closed') globalThis.__closedRoots.set(this, root);
            return root;
          };
          Object.defineProperty(Navigator.prototype, 'serviceWorker', { get: () => undefined });
        });
        await page.goto(url, { waitUntil: 'load' });
        await settle(page, quiet, quiet + 6500);
        for (let step = 1; step <= 8; step += 1) {
          const more = await page.evaluate((n) => {
            const top = n * innerHeight * 0.9;
            scrollTo({ top, behavior: 'instant' });
            return top < document.documentElement.scrollHeight;
          }, step);
          await page.waitForTimeout(250);
          if (!more) break;
        }
        await settle(page, 700, 3000);
        await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
        await page.waitForTimeout(700);
        return await page.evaluate(describe);
      } finally {
        await context.close();
      }
    },

    /** A snapshot at the same address, with scripts off. */
    async snapshot(url, html) {
      const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-US', javaScriptEnabled: false });
      try {
        const page = await context.newPage();
        // Closed roots cannot be looked into; for the comparison they are opened.
        const body = html.replaceAll('shadowrootmode="closed"', 'shadowrootmode="open"');
        await page.route((address) => address.href === new URL(url).href, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
        await page.goto(url, { waitUntil: 'load' });
        await page.waitForTimeout(1200); // entrances that style sheets animate
        return await page.evaluate(describe);
      } finally {
        await context.close();
      }
    },

    close: () => browser.close(),
  };
}
