// React with a data router and TanStack Query, which asks three times more, after one, two and four seconds, before it gives up.
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createBrowserRouter, Link, Outlet, RouterProvider, useLoaderData, useParams } from 'react-router';

const Harvest = lazy(() => import('./harvest.jsx'));

async function get(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

function Shelf() {
  const articles = useLoaderData();
  const { data } = useQuery({ queryKey: ['goods'], queryFn: () => get('/api/products?wait=300') });
  return (
    <main>
      <title>Notes from the shelf</title>
      <meta name="description" content="Every note on the shelf, and what is sold below it." />
      <h1>Notes from the shelf</h1>
      <ul>{articles.map(({ id, title, summary }) => <li key={id}><Link to={`/n/${id}`}>{title}</Link> {summary}</li>)}</ul>
      {data ? data.map(({ id, name, text }) => <p key={id}>{name}: {text}</p>) : <p role="status">The goods are being counted.</p>}
      <Suspense fallback={<p role="status">The scales are being read.</p>}><Harvest /></Suspense>
    </main>
  );
}

function Note() {
  const { id } = useParams();
  const { data, isPending } = useQuery({ queryKey: ['note', id], queryFn: () => get(`/api/articles/${id}`) });
  if (isPending) return <p role="status">The note is being looked for.</p>;
  if (!data) {
    return (
      <main>
        <title>There is no such note</title>
        <meta name="prerender-status-code" content="404" />
        <meta name="robots" content="noindex" />
        <h1>There is no such note</h1>
        <p>Somebody has looked four times, and it is not on the shelf.</p>
      </main>
    );
  }
  return (
    <main>
      <title>{data.title}</title>
      <meta name="description" content={data.summary} />
      <h1>{data.title}</h1>
      {data.paragraphs.map((text) => <p key={text}>{text}</p>)}
    </main>
  );
}

const layout = (
  <>
    <nav><Link to="/">All notes</Link></nav>
    <Outlet />
    <footer>Please put the notes back where you found them, so that whoever comes after you finds them too. The shelf is beside the door of the potting shed, under the clock that stopped in March.</footer>
  </>
);
const router = createBrowserRouter(
  [{
    path: '/',
    element: layout,
    hydrateFallbackElement: <p>The door is being opened.</p>,
    children: [
      { index: true, loader: () => get('/api/articles?wait=300'), element: <Shelf /> },
      { path: 'n/:id', element: <Note /> },
    ],
  }],
  { basename: '/query' },
);

createRoot(document.getElementById('root')).render(
  <QueryClientProvider client={new QueryClient()}><RouterProvider router={router} /></QueryClientProvider>,
);
