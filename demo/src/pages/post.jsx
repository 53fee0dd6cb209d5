// One journal post. Loaded when somebody goes there.
import { Link, useParams } from 'react-router';
import { Failed, useData, Waiting } from '../data.jsx';
import { business, Head, SITE } from '../head.jsx';
import { day } from '../words.js';
import { NotFound } from './not-found.jsx';

export default function Post() {
  const { slug } = useParams();
  const { state, data: post } = useData(`/api/journal/${encodeURIComponent(slug)}`);
  if (state === 'waiting') return <Waiting />;
  if (state === 'failed') return <Failed />;
  if (state === 'missing') return <NotFound />;

  const article = {
    '@type': 'BlogPosting', headline: post.title, description: post.summary, datePublished: post.date, url: `${SITE}/journal/${post.slug}`,
    author: { '@type': 'Person', name: post.author }, publisher: business,
  };
  return (
    <article className="post">
      <Head title={post.title} path={`/journal/${post.slug}`} description={post.summary} type="article" data={article} />
      <p className="crumbs"><Link to="/journal">Journal</Link></p>
      <h1>{post.title}</h1>
      <p className="quiet"><time dateTime={post.date}>{day(post.date)}</time> · {post.author} · {post.minutes} minutes</p>
      <p className="lead">{post.summary}</p>
      {post.paragraphs.map((paragraph) => <p key={paragraph}>{paragraph}</p>)}
    </article>
  );
}
