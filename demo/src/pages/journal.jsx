// The list of journal posts, newest first. Loaded when somebody goes there.
import { Link } from 'react-router';
import { Failed, useData, Waiting } from '../data.jsx';
import { Head } from '../head.jsx';
import { day } from '../words.js';

export default function Journal() {
  const { state, data: posts } = useData('/api/journal');
  return (
    <>
      <Head title="Journal" path="/journal"
        description="Notes from the workshop: clay, glazes, firings that went well and firings that did not." />
      <h1>Journal</h1>
      {state === 'waiting' && <Waiting />}
      {state === 'failed' && <Failed />}
      {state === 'ready' && (
        <ul className="posts">
          {posts.map((post) => (
            <li key={post.slug}>
              <h2><Link to={`/journal/${post.slug}`}>{post.title}</Link></h2>
              <p className="quiet"><time dateTime={post.date}>{day(post.date)}</time> · {post.author} · {post.minutes} minutes</p>
              <p>{post.summary}</p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
