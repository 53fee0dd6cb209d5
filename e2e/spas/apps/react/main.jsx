// React 19 with a router, a head manager, lazy routes, data over fetch, structured data and a 404 of its own.
import { lazy, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Helmet, HelmetProvider } from 'react-helmet-async';
import { BrowserRouter, Link, Route, Routes, useParams } from 'react-router';
import './style.css';

const About = lazy(() => import('./about.jsx'));

function useJson(url) {
  const [state, setState] = useState({});
  useEffect(() => {
    let gone = false;
    fetch(url)
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
      .then((data) => gone || setState({ data }), (error) => gone || setState({ error }));
    return () => { gone = true; };
  }, [url]);
  return state;
}

function NotFound() {
  return (
    <main>
      <Helmet>
        <title>Nothing grows here</title>
        <meta name="prerender-status-code" content="404" />
        <meta name="robots" content="noindex" />
      </Helmet>
      <h1>Nothing grows here</h1>
      <p>The page you asked for has been pulled out with the weeds.</p>
    </main>
  );
}

function Home() {
  const { data } = useJson('/api/articles');
  return (
    <main>
      <Helmet>
        <title>Under Glass, a magazine for greenhouse growers</title>
        <meta name="description" content="Notes from people who grow things under glass." />
        <link rel="canonical" href="https://underglass.example/react/" />
      </Helmet>
      <h1>Under Glass</h1>
      {data ? (
        <ul className="cards">
          {data.map((article) => (
            <li key={article.id}>
              <img src={article.image} alt={`Picture for ${article.title}`} width="320" height="200" loading="lazy" />
              <h2><Link to={`/articles/${article.id}`}>{article.title}</Link></h2>
              <p>{article.summary}</p>
            </li>
          ))}
        </ul>
      ) : <p role="status">One moment, the shelves are being filled.</p>}
    </main>
  );
}

function Article() {
  const { id } = useParams();
  const { data, error } = useJson(`/api/articles/${id}`);
  if (error) return <NotFound />;
  if (!data) return <p role="status">One moment, the page is being fetched.</p>;
  const structured = { '@context': 'https://schema.org', '@type': 'Article', headline: data.title, author: { '@type': 'Person', name: data.author }, datePublished: data.date };
  return (
    <main>
      <Helmet>
        <title>{`${data.title} | Under Glass`}</title>
        <meta name="description" content={data.summary} />
        <meta property="og:title" content={data.title} />
        <meta property="og:image" content={data.image} />
        <link rel="canonical" href={`https://underglass.example/react/articles/${id}`} />
        <script type="application/ld+json">{JSON.stringify(structured)}</script>
      </Helmet>
      <article>
        <h1>{data.title}</h1>
        <p className="by">By {data.author}, <time dateTime={data.date}>{data.date}</time></p>
        {data.paragraphs.map((text) => <p key={text}>{text}</p>)}
        <button type="button" onClick={() => {}}>Send to a friend</button>
      </article>
    </main>
  );
}

function App() {
  return (
    <HelmetProvider>
      <BrowserRouter basename="/react">
        <nav><Link to="/">Magazine</Link> <Link to="/about">About us</Link> <a href="#top">Top of the page</a></nav>
        <Suspense fallback={<p role="status">One moment, turning the page.</p>}>
          <Routes>
            <Route path="/" element={<Home />} />
            <Route path="/articles/:id" element={<Article />} />
            <Route path="/about" element={<About />} />
            <Route path="*" element={<NotFound />} />
          </Routes>
        </Suspense>
        <footer>Written by growers since 2019.</footer>
      </BrowserRouter>
    </HelmetProvider>
  );
}

createRoot(document.getElementById('root')).render(<App />);
