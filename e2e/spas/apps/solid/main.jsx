// Solid: resources and suspense, head tags, a lazy component, delegated events.
import { MetaProvider, Title, Meta, Link } from '@solidjs/meta';
import { createResource, createSignal, For, lazy, Show, Suspense } from 'solid-js';
import { render } from 'solid-js/web';

const Footnotes = lazy(() => import('./footnotes.jsx'));

function App() {
  const [articles] = createResource(() => fetch('/api/articles').then((answer) => answer.json()));
  const [open] = createSignal(true);
  return (
    <MetaProvider>
      <Title>Letters from the orangery</Title>
      <Meta name="description" content="Letters about citrus trees and the people who keep them." />
      <Link rel="canonical" href="https://underglass.example/solid/" />
      <h1 style={{ color: 'rgb(190, 110, 10)' }}>Letters from the orangery</h1>
      <Suspense fallback={<p>The post has not come yet.</p>}>
        <For each={articles()}>
          {(article, i) => (
            <section classList={{ odd: i() % 2 === 1 }} onClick={() => {}}>
              <h2>{i() + 1}. {article.title}</h2>
              <p>{article.summary} <a href={`../solid/${article.id}`}>Read on</a></p>
            </section>
          )}
        </For>
      </Suspense>
      <Show when={open()}><Suspense fallback="…"><Footnotes /></Suspense></Show>
    </MetaProvider>
  );
}

render(() => <App />, document.getElementById('root'));
