// React with emotion, and React's own document metadata in place of a head manager.
import { Global, css } from '@emotion/react';
import styled from '@emotion/styled';
import { use, Suspense } from 'react';
import { createRoot } from 'react-dom/client';

const load = fetch('/api/articles').then((answer) => answer.json());
const Title = styled.h1`font-size: 2.4rem; letter-spacing: -1px; color: rgb(60, 40, 110);`;
const Row = styled.article`border-left: 4px solid ${(props) => props.tone}; padding: 4px 16px; margin: 12px 0;`;
const TONES = ['rgb(200, 120, 40)', 'rgb(40, 120, 90)', 'rgb(90, 60, 140)'];

function List() {
  const articles = use(load);
  return articles.map((article, i) => (
    <Row key={article.id} tone={TONES[i % TONES.length]}>
      <h2>{article.title}</h2>
      <p>{article.summary}</p>
      <p>By <a href={`/emotion/by/${encodeURIComponent(article.author)}`}>{article.author}</a></p>
    </Row>
  ));
}

createRoot(document.getElementById('root')).render(
  <>
    <title>Everything we have written so far</title>
    <meta name="description" content="All articles of the magazine on one page." />
    <link rel="canonical" href="https://underglass.example/emotion/" />
    <Global styles={css`body { background: rgb(244, 242, 250); margin: 2rem; } a { color: rgb(60, 40, 110); }`} />
    <Title>Everything we have written so far</Title>
    <Suspense fallback={<p>The list is on its way.</p>}><List /></Suspense>
  </>,
);
