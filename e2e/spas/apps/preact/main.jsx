/** @jsxImportSource preact */
// Preact with its own router and signals.
import { signal } from '@preact/signals';
import { render } from 'preact';
import { LocationProvider, Route, Router, lazy } from 'preact-iso';

const articles = signal(null);
fetch('/api/articles').then((answer) => answer.json()).then((list) => { articles.value = list; });

const Colophon = lazy(() => import('./colophon.jsx'));

function Index() {
  document.title = 'The index of the almanac';
  return (
    <main>
      <h1>The index of the almanac</h1>
      {articles.value === null ? <p>The index is being sorted.</p> : (
        <dl>{articles.value.map((one) => [<dt key={`${one.id}t`}><a href={`/preact/entry/${one.id}`}>{one.title}</a></dt>, <dd key={`${one.id}d`}>{one.summary}</dd>])}</dl>
      )}
    </main>
  );
}

render(
  <LocationProvider scope="/preact">
    <nav><a href="/preact/">Index</a> <a href="/preact/colophon">Colophon</a></nav>
    <Router><Route path="/preact" component={Index} /><Route path="/preact/colophon" component={Colophon} /></Router>
  </LocationProvider>,
  document.getElementById('root'),
);
