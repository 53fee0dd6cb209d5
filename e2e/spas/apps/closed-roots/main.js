// Web components without a library: closed roots, one sheet shared by many, rules that a script inserts, element internals.
const shared = new CSSStyleSheet();
shared.replaceSync('p { line-height: 1.6; } .lead { color: rgb(90, 20, 90); }');
shared.insertRule('.lead { font-size: 1.3rem; }', 1);

class NoteBook extends HTMLElement {
  #root = this.attachShadow({ mode: 'closed', delegatesFocus: true });
  #internals = this.attachInternals();
  async connectedCallback() {
    this.#internals.role = 'region';
    this.#root.adoptedStyleSheets = [shared];
    this.#root.innerHTML = '<style></style><slot name="heading"></slot><div id="pages">The notebook is being opened.</div>';
    this.#root.querySelector('style').sheet.insertRule('#pages { padding: 10px; border-left: 3px solid rgb(90, 20, 90); }');
    const article = await (await fetch(`/api/articles/${this.getAttribute('article')}`)).json();
    this.#root.getElementById('pages').innerHTML = article.paragraphs.map((text, i) => `<p class="${i ? '' : 'lead'}">${text}</p>`).join('') + `<note-sign name="${article.author}"></note-sign>`;
  }
}
class NoteSign extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [shared];
  }
  connectedCallback() {
    this.shadowRoot.innerHTML = `<p>Signed with a muddy thumb by <cite>${this.getAttribute('name')}</cite>.</p>`;
  }
}
customElements.define('note-sign', NoteSign);
customElements.define('note-book', NoteBook);

const page = new CSSStyleSheet();
page.replaceSync('body { background: rgb(252, 250, 245); } note-book { display: block; margin: 24px 0; }');
document.adoptedStyleSheets = [page];
document.title = 'Two notebooks from the bench';
document.getElementById('root').innerHTML = `<h1>Two notebooks from the bench</h1>
  <note-book article="first-frost"><h2 slot="heading">The winter notebook</h2></note-book>
  <note-book article="rain-arithmetic"><h2 slot="heading">The water notebook</h2></note-book>`;
