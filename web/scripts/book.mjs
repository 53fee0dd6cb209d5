// The book: turns the pages of docs, and those of integrations that they link, into HTML below dist/docs, with the Markdown beside each page and
// llms.txt. docs/SUMMARY.md is the table of contents, in mdBook's form. A link or an anchor that leads nowhere ends the build with status 1.
// See docs/decisions/0018.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { escape, page, pictures } from './book-page.mjs';

const { dirname, join, normalize } = path.posix;
/**
 * @typedef {object} Entry Line of the table of contents.
 * @property {string} title
 * @property {string} file Path in the repository.
 * @property {string} part Heading above it: one of the four kinds.
 * @property {number} depth
 */

/**
 * Reads mdBook's table of contents.
 * @param {string} text
 * @returns {Entry[]}
 */
export function readSummary(text) {
  let part = '';
  return text.split('\n').flatMap((line) => {
    // mdBook calls the whole list so.
    part = /^# (?!Summary$)(.+)$/.exec(line)?.[1] ?? part;
    const found = /^( *)(?:- )?\[([^\]]+)\]\(([^)]+)\)$/.exec(line);
    return found === null ? [] : [{ title: found[2], file: join('docs', found[3]), part, depth: found[1].length / 2 }];
  });
}

/**
 * Returns the path at which a page is served.
 * @param {string} file Path in the repository.
 */
export function addressOf(file) {
  const below = file
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '')
    .replace(/\.md$/, '');
  return below === '' ? '/docs' : `/docs/${below}`;
}

/** @param {string} file Path of a page in the repository. */
const markdownAddressOf = (file) => (file === 'docs/README.md' ? '/docs/index.md' : `${addressOf(file)}.md`);

/**
 * Makes the anchor of a heading, as GitHub does.
 * @param {string} text
 */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** The pages, and what is wrong with their links. */
export class Book {
  /**
   * @param {Map<string, string>} pages Texts by path in the repository; `docs/SUMMARY.md` among them.
   * @param {(file: string) => boolean} exists Whether the repository has a file or folder.
   */
  constructor(pages, exists) {
    this.summary = readSummary(pages.get('docs/SUMMARY.md') ?? '');
    this.pages = new Map([...pages].filter(([file]) => file !== 'docs/SUMMARY.md'));
    this.exists = exists;
    this.problems = /** @type {string[]} */ ([]);
    /** Files beside the pages that links and pictures need, by path in the repository. @type {Set<string>} */
    this.files = new Set();
    this.marked = new Marked();
    this.headings = new Map([...this.pages].map(([file, text]) => [file, this.#headingsOf(text)]));
    for (const { file } of this.summary)
      if (!this.pages.has(file)) this.problems.push(`docs/SUMMARY.md: there is no ${file}`);
    for (const file of this.pages.keys()) {
      const isListed =
        this.summary.some((entry) => entry.file === file) || /^docs\/decisions\/|^integrations\//.test(file);
      if (!isListed) this.problems.push(`docs/SUMMARY.md does not list ${file}`);
    }
  }

  /** @param {string} text */
  #headingsOf(text) {
    /** @type {Map<string, number>} */
    const used = new Map();
    return this.marked
      .lexer(text)
      .filter((token) => token.type === 'heading')
      .map((token) => {
        const name = slug(token.text),
          times = used.get(name) ?? 0;
        used.set(name, times + 1);
        return {
          id: times === 0 ? name : `${name}-${times}`,
          depth: token.depth,
          html: /** @type {string} */ (this.marked.parseInline(token.text)),
          text: token.text.replace(/[`*]/g, ''),
        };
      });
  }

  /**
   * Resolves a link of a page. Returns null where the book has no such page: a file of the repository that only its developers read.
   * @param {string} from Path of the page in the repository.
   * @param {string} link
   * @param {(file: string) => string} address
   */
  resolve(from, link, address = addressOf) {
    if (/^([a-z]+:|\/)/.test(link)) return link;
    const [target = '', anchor] = link.split('#');
    let file = target === '' ? from : normalize(join(dirname(from), target)).replace(/\/$/, '');
    if (this.pages.has(`${file}/README.md`)) file = `${file}/README.md`;
    if (this.pages.has(file)) {
      if (anchor !== undefined && !this.headings.get(file)?.some(({ id }) => id === anchor))
        this.problems.push(`${from}: ${file} has no heading #${anchor}`);
      return target === '' ? link : `${address(file)}${anchor === undefined ? '' : `#${anchor}`}`;
    }
    if (!this.exists(file)) this.problems.push(`${from}: there is no ${link}`);
    // The service answers with its own.
    if (file === 'docs/openapi.json') return '/api/openapi.json';
    if (!/^(docs|integrations)\//.test(file)) return null;
    this.files.add(file);
    return `/docs/${file.replace(/^docs\//, '')}`;
  }

  /**
   * Returns the Markdown of a page with links that hold where it is served; one that the book does not have is its text.
   * @param {string} file
   */
  markdown(file) {
    const text = this.pages.get(file) ?? '';
    const links = /(?:(!?\[)([^[\]]*))?(\]\()([^()\s]+)(\))/g;
    // Code is left as it is, and may be the label of a link.
    return text
      .split(/(^```[\s\S]*?^```|`[^`\n]*`)/m)
      .map((part, index) =>
        index % 2 === 1
          ? part
          : part.replace(links, (whole, open = '', label = '', between, link, close) => {
              const found = this.resolve(file, link, markdownAddressOf);
              if (found === null) return open === '' ? whole : label;
              return open + label + between + found + close;
            }),
      )
      .join('');
  }

  /**
   * Returns the HTML of a page.
   * @param {string} file
   */
  html(file) {
    const headings = this.headings.get(file) ?? [];
    const title = headings[0]?.text ?? file;
    return page({
      title,
      markdown: markdownAddressOf(file),
      content: this.#contentOf(file),
      contents: this.#contents(file),
      onward: this.#onward(file),
      sections: headings.filter(({ depth }) => depth === 2),
    });
  }

  /** @param {string} file */
  #contentOf(file) {
    const headings = [...(this.headings.get(file) ?? [])];
    const resolve = (/** @type {string} */ link) => this.resolve(file, link);
    const marked = new Marked({
      renderer: {
        heading({ tokens, depth }) {
          const { id } = headings.shift() ?? { id: '' };
          return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
        },
        link({ href, tokens }) {
          const found = resolve(href),
            text = this.parser.parseInline(tokens);
          return found === null ? text : `<a href="${escape(found)}">${text}</a>`;
        },
        html: ({ text }) =>
          pictures(text, resolve, (tag) => this.problems.push(`${file}: ${tag} is HTML, not text; mark it as code`)),
      },
    });
    const html = /** @type {string} */ (marked.parse(this.pages.get(file) ?? ''));
    // An empty cell is no heading. Wide tables scroll by themselves, by keyboard too.
    return html
      .replace(/<th(?: align="\w+")?><\/th>/g, '<td></td>')
      .replace(/<thead>\s*<tr>\s*(?:<td><\/td>\s*)+<\/tr>\s*<\/thead>/g, '')
      .replaceAll('<table>', '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>');
  }

  /** @param {string} current */
  #contents(current) {
    const parts = [...new Set(this.summary.map(({ part }) => part))];
    const line = (/** @type {Entry} */ { title, file, depth }) =>
      `<li class="depth-${depth}"><a href="${addressOf(file)}"${file === current ? ' aria-current="page"' : ''}>${escape(title)}</a></li>`;
    const entries = (/** @type {string} */ part) => this.summary.filter((entry) => entry.part === part).map(line);
    return parts
      .map((part) => `${part === '' ? '' : `<h2>${escape(part)}</h2>`}<ul>${entries(part).join('')}</ul>`)
      .join('');
  }

  /**
   * Links to the pages before and after; a page outside of the table of contents leads to the list that it is in.
   * @param {string} file
   */
  #onward(file) {
    const at = this.summary.findIndex((entry) => entry.file === file);
    const link = (/** @type {Entry | undefined} */ entry, /** @type {string} */ name) =>
      entry === undefined
        ? ''
        : `<a rel="${name}" href="${addressOf(entry.file)}">${name === 'prev' ? '← ' : ''}${escape(entry.title)}${name === 'next' ? ' →' : ''}</a>`;
    if (at !== -1) return link(this.summary[at - 1], 'prev') + link(this.summary[at + 1], 'next');
    const lists = [join(dirname(file), 'README.md'), join(dirname(dirname(file)), 'README.md'), 'docs/connecting.md'];
    const list = lists.find((other) => other !== file && this.pages.has(other)) ?? 'docs/README.md';
    return `<a rel="up" href="${addressOf(list)}">↑ ${escape(this.headings.get(list)?.[0]?.text ?? '')}</a>`;
  }

  /** Returns files of the book by path below `docs`. The list for language models is the page of contents with links to Markdown. */
  build() {
    /** @type {Map<string, string>} */
    const built = new Map([['llms.txt', this.markdown('docs/README.md')]]);
    for (const file of this.pages.keys()) {
      const name = file === 'docs/README.md' ? 'index' : addressOf(file).replace('/docs/', '');
      built.set(`${name}.html`, this.html(file));
      built.set(`${name}.md`, this.markdown(file));
    }
    const onward = '<a rel="up" href="/docs">↑ Documentation</a>';
    built.set(
      'missing.html',
      page({
        title: 'No such page',
        markdown: '/docs/index.md',
        content: '<h1>No such page</h1><p>The documentation has no page at this address.</p>',
        contents: this.#contents(''),
        onward,
        sections: [],
      }),
    );
    return built;
  }
}

/**
 * Reads the pages of a repository: all of docs, and the READMEs of integrations.
 * @param {string} root
 */
export function readBook(root) {
  const read = (/** @type {string} */ folder, /** @type {(name: string) => boolean} */ is) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => is(name) && !name.includes('node_modules'))
      .sort()
      .map(
        (name) =>
          /** @type {[string, string]} */ ([
            join(folder, name),
            fs.readFileSync(path.join(root, folder, name), 'utf8'),
          ]),
      );
  const pages = new Map([
    ...read('docs', (name) => name.endsWith('.md')),
    ...read('integrations', (name) => path.basename(name) === 'README.md'),
  ]);
  return new Book(pages, (file) => fs.existsSync(path.join(root, file)));
}

/** @param {string} dist */
function write(dist) {
  const web = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
  const root = path.join(web, '..');
  const book = readBook(root);
  const built = book.build();
  if (book.problems.length > 0) {
    console.error([...new Set(book.problems)].join('\n'));
    process.exit(1);
  }
  built.set(
    'book.css',
    ['src/styles/tokens.css', 'scripts/book.css']
      .map((file) => fs.readFileSync(path.join(web, file), 'utf8'))
      .join('\n'),
  );
  const put = (/** @type {string} */ name, /** @type {string | Buffer} */ text) => {
    fs.mkdirSync(path.dirname(path.join(dist, name)), { recursive: true });
    fs.writeFileSync(path.join(dist, name), text);
  };
  for (const [name, text] of built) put(name, text);
  for (const file of book.files) put(file.replace(/^docs\//, ''), fs.readFileSync(path.join(root, file)));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  write(path.resolve(process.argv[2] ?? path.join(path.dirname(process.argv[1]), '../dist/docs')));
