// The page around a text of the book: head, contents, links onward. Has no script but the dashboard's theme.js and no style of its own: the policy of the
// service refuses both.

/** Pages with fewer headings have no list of them. */
const FEWEST_HEADINGS = 4;

/** @param {string} text */
export const escape = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * Returns the HTML of pictures in a page with links that hold where the page is served. The name of another element in a sentence would be one:
 * `<title>` hides the page below it.
 * @param {string} text
 * @param {(link: string) => string | null} resolve
 * @param {(tag: string) => void} refuse Gets each tag that is no picture's.
 */
export function pictures(text, resolve, refuse) {
  for (const [tag] of text.matchAll(/<(?!!--|\/?(?:picture|source|img)\b)[^>]*>/g)) refuse(tag);
  return text
    .replace(/\b(src|srcset)="([^"]+)"/g, (_, name, link) => `${name}="${resolve(link)}"`)
    .replaceAll('<img ', '<img loading="lazy" ');
}

/** @param {{ title: string, markdown: string, content: string, contents: string, onward: string, sections: { id: string, html: string }[] }} parts */
export function page({ title, markdown, content, contents, onward, sections }) {
  const list =
    sections.length < FEWEST_HEADINGS
      ? ''
      : `<details class="sections"><summary>On this page</summary><ul>${sections.map(({ id, html }) => `<li><a href="#${id}">${html.replace(/<\/?a[^>]*>/g, '')}</a></li>`).join('')}</ul></details>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Glasshouse</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/book.css">
<link rel="alternate" type="text/markdown" href="${markdown}">
<script src="/theme.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header><a href="/docs">Documentation</a><a class="to-contents" href="#contents">Contents</a><a href="/">Dashboard</a></header>
<div class="book">
<main id="content" tabindex="-1">
${content.replace('</h1>', () => `</h1>${list}`)}
<nav class="onward" aria-label="Onward">${onward}<a type="text/markdown" href="${markdown}">Markdown of this page</a></nav>
</main>
<nav id="contents" class="contents" aria-label="Contents">${contents}</nav>
</div>
</body>
</html>
`;
}
