// The measured app: a magazine, rendered by React from two dependent JSON answers. Built by build.mjs, served by site.mjs.
//   /article/N  two requests, the second depends on the first
//   /frames/N   the same page, but the body waits for three animation frames and then for an IntersectionObserver
//   /waits/N    the same page as pages wait: a splash screen of 100 ms, an answer that takes 150 ms, and two steps of 100 ms by timers
//   /long/N     the same page with more paragraphs (about 60 KB of HTML)
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import './style.css';

const [, kind, number] = /^\/(\w+)\/(\d+)/.exec(location.pathname) ?? [];

const after = (ms) => new Promise((done) => setTimeout(done, ms));
// Only /waits/N waits.
const pause = () => (kind === 'waits' ? after(100) : Promise.resolve());

const get = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};

function head(article) {
  const meta = (name, content) => Object.assign(document.createElement('meta'), { name, content });
  const link = Object.assign(document.createElement('link'), { rel: 'canonical', href: `https://bench.test/${kind}/${number}` });
  const data = Object.assign(document.createElement('script'), { type: 'application/ld+json' });
  data.textContent = JSON.stringify({ '@context': 'https://schema.org', '@type': 'Article', headline: article.title, datePublished: article.date });
  document.title = article.title;
  document.head.append(meta('description', article.summary), link, data);
}

function Page() {
  const [article, setArticle] = useState(null);
  const [items, setItems] = useState(null);
  const [shown, setShown] = useState(kind !== 'frames');
  const mark = useRef(null);

  useEffect(() => {
    pause()
      .then(() => get(`/api/article/${number}?long=${kind === 'long' ? 1 : 0}&slow=${kind === 'waits' ? 1 : 0}`))
      .then(async (found) => { await pause(); setArticle(found); head(found); return get(`/api/items/${found.list}`); })
      .then(async (found) => { await pause(); setItems(found.items); });
  }, []);
  useEffect(() => {
    if (shown || !items) return undefined;
    let frames = 0, frame = 0;
    const watch = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setShown(true));
    const next = () => { frames += 1; if (frames < 3) frame = requestAnimationFrame(next); else watch.observe(mark.current); };
    frame = requestAnimationFrame(next);
    return () => { cancelAnimationFrame(frame); watch.disconnect(); };
  }, [items, shown]);

  if (!article) return <p>Loading …</p>;
  return (
    <>
      <nav><a href="/">The Quarterly</a> <a href="/article/1">First article</a></nav>
      <main ref={mark}>
        <h1>{article.title}</h1>
        <p className="by">{article.author}, {article.date}</p>
        <img src={article.picture} alt={`Picture for ${article.title}`} width="640" height="360" />
        {article.paragraphs.map((text) => <p key={text}>{text}</p>)}
        {items && shown && (
          <>
            <h2>Also in this issue</h2>
            <ul className="items">{items.map((item) => <Item key={item.id} item={item} />)}</ul>
            <p id="end">End of article {number}</p>
          </>
        )}
      </main>
    </>
  );
}

function Item({ item }) {
  return (
    <li className="item" data-id={item.id}>
      <img src={item.picture} alt="" width="120" height="80" loading="lazy" />
      <h3><a href={`/article/${item.id}`}>{item.title}</a></h3>
      <p>{item.text}</p>
      <p className="tags">{item.tags.map((tag, index) => <span key={index} className="tag">{tag}</span>)}</p>
    </li>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
