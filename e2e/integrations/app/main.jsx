// The site behind the integrations: one React app that writes every page in the browser.
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

function Page() {
  const [words, setWords] = useState(null);
  useEffect(() => {
    fetch('/words.json').then((answer) => answer.json()).then((answer) => setWords(answer.words));
  }, []);
  const { pathname, search } = window.location;
  useEffect(() => {
    const status = { '/missing': '404', '/gone': '410' }[pathname];
    if (!status) return;
    const meta = document.createElement('meta');
    Object.assign(meta, { name: 'prerender-status-code', content: status });
    document.head.append(meta);
  }, [pathname]);
  if (!words) return <p>Loading</p>;
  return <main><h1>Written by React</h1><p id="address">{pathname + search}</p><p>{words}</p></main>;
}

createRoot(document.getElementById('root')).render(<Page />);
