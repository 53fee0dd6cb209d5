// Mithril with its router and its request helper (XHR).
import m from 'mithril';

const state = { articles: [] };
const List = {
  oninit: () => m.request({ url: '/api/articles' }).then((list) => { state.articles = list; document.title = 'The reading list of the glasshouse'; }),
  view: () => m('main', [
    m('h1', 'The reading list of the glasshouse'),
    state.articles.length === 0 ? m('p', 'The list is being copied out.') : m('ul', { style: { listStyle: 'square' } }, state.articles.map((one) => m('li', { key: one.id }, [m(m.route.Link, { href: `/${one.id}` }, one.title), m('p', one.summary)]))),
  ]),
};
const Entry = {
  oninit: (vnode) => m.request({ url: `/api/articles/${vnode.attrs.id}` }).then((one) => { state.entry = one; document.title = one.title; }),
  view: () => (state.entry ? m('article', [m('h1', state.entry.title), ...state.entry.paragraphs.map((text) => m('p', text))]) : m('p', 'The page is being copied out.')),
};
m.route.prefix = '/mithril';
m.route(document.getElementById('root'), '/', { '/': List, '/:id': Entry });
