// A page that is not there. The meta tag tells a prerenderer the status that a client-rendered page cannot send.
import { Link } from 'react-router';

export function NotFound() {
  return (
    <>
      <title>Not found · Saltmarsh Pottery</title>
      <meta name="prerender-status-code" content="404" />
      <meta name="robots" content="noindex" />
      <h1>That shelf is empty</h1>
      <p className="lead">There is no page at this address. It may have been sold, or broken, or never thrown.</p>
      <p><Link className="button" to="/pots">See the pots that are there</Link></p>
    </>
  );
}
